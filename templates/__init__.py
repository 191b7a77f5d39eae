"""Data sets of sentence pairs in groups, made from templates: Simple Pair and Extended Pair (Luo et al. 2022).

From outside, import the names listed in `__all__`. The words and the sentence templates are files in `lexicon/`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from templates.extended_pair import ExtendedPairOptions, make_extended_pair
    from templates.simple_pair import make_simple_pair
    from templates.simple_pair_options import SimplePairOptions

__all__ = ["ExtendedPairOptions", "SimplePairOptions", "make_extended_pair", "make_simple_pair"]

_HOMES = {
    "ExtendedPairOptions": "templates.extended_pair",
    "make_extended_pair": "templates.extended_pair",
    "SimplePairOptions": "templates.simple_pair_options",
    "make_simple_pair": "templates.simple_pair",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a function or a class
    """Import a name on first use, so that importing the package stays fast."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
