"""Offline generation: NLI problems in, variants out, as a data set on disk.

The order of the steps is in `generation.pipeline`; each step is one module, named as the paper names it.
"""

from typing import TYPE_CHECKING, Any

from generation.options import Options

if TYPE_CHECKING:
    from generation.pipeline import generate

__all__ = ["Options", "generate"]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever the name stands for
    """Import the pipeline when it is first asked for, so that importing the package stays light."""
    if name == "generate":
        from generation.pipeline import generate

        return generate
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
