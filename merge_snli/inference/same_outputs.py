"""Whether a faster way of asking a model gives its own answers: tried, never assumed."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import numpy as np
    import torch
    from numpy.typing import NDArray

    Numbers = TypeVar("Numbers", torch.Tensor, NDArray[np.float32])

FAILURES = (
    OSError,
    ValueError,
    KeyError,
    TypeError,
    AttributeError,
    IndexError,
    ImportError,
    RuntimeError,
    ArithmeticError,
    AssertionError,
)
"""What the libraries raise where a model's files are damaged or do not belong together, or a way does not suit it."""

FLOAT32_NOISE = 1e-4
"""How far a number may be from the plain one, as a share of the largest; bfloat16 is off by some 1e-2."""


def outputs_match(found: Numbers, expected: Numbers, noise: float = FLOAT32_NOISE) -> bool:
    """Tell whether numbers are those expected but for rounding.

    Args:
        found: Of any shape.
        expected: Of the same shape.
        noise: How far one may be off, as a share of the largest expected.
    """
    return bool(abs(found - expected).max() <= noise * abs(expected).max())
