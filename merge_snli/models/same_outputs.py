"""Compare the outputs of a faster code path with those of the plain one."""

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
"""Errors of the libraries if a model's files are damaged or inconsistent, or a fast path does not suit the model."""

FLOAT32_NOISE = 1e-4
"""Tolerance for float32, relative to the largest value; bfloat16 deviates by about 1e-2."""


def outputs_match(actual: Numbers, expected: Numbers, noise: float = FLOAT32_NOISE) -> bool:
    """Return whether values are equal up to rounding.

    Args:
        actual: Values of any shape.
        expected: Values of the same shape.
        noise: Tolerance, relative to the largest expected value.
    """
    return bool(abs(actual - expected).max() <= noise * abs(expected).max())
