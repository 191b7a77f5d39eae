"""Cases of parametrized tests: `make test` runs the first, or some, and `make test-all` the others, too."""

from collections.abc import Iterable
from typing import Any

import pytest


def slow(*cases: object) -> list[Any]:
    """Mark cases as those of slow tests; a tuple has the values of several parameters."""
    marked = []
    for case in cases:
        values = case if isinstance(case, tuple) else (case,)
        marked.append(pytest.param(*values, marks=pytest.mark.slow))
    return marked


def first_fast(cases: Iterable[object]) -> list[Any]:
    """Mark all cases but the first as those of slow tests."""
    first, *others = cases
    return [first, *slow(*others)]
