"""Offline generation of a MERGE data set: NLI problems in, variants out.

`generation.pipeline` runs the steps in their order; each step is a folder or module named after its term in the paper.
Import `Options` and `generate` from here.
"""

from typing import TYPE_CHECKING, Any

from generation.options import Options

if TYPE_CHECKING:
    from generation.pipeline import generate

__all__ = ["Options", "generate"]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - the type depends on the name
    """Import the pipeline on first use, so that importing the package stays fast."""
    if name == "generate":
        from generation.pipeline import generate

        return generate
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
