"""Validate the arrays that the tests take."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]


def ratios(numerators: ArrayLike, denominators: ArrayLike) -> FloatArray:
    """Divide two arrays of the same shape; NaN where the denominator is not positive."""
    below = np.asarray(denominators)
    return np.asarray(np.divide(numerators, below, out=np.full(below.shape, np.nan), where=below > 0))


def paired(first: ArrayLike, second: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Convert two lists of values of the same units to arrays.

    Raises:
        ValueError: If they differ in length, have fewer than two values, or have a value that is not a finite number.
    """
    a, b = numbers("first", first), numbers("second", second)
    if len(a) != len(b):
        raise ValueError(f"first has {len(a)} values, second has {len(b)}: a paired test needs both for each unit")
    return a, b


def numbers(name: str, values: ArrayLike) -> FloatArray:
    """Convert a list of finite numbers to an array.

    Raises:
        ValueError: If it has fewer than two values, is nested, or has a value that is not a finite number.
    """
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise ValueError(f"{name} has the shape {array.shape}: pass one value per unit")
    if len(array) < 2:
        raise ValueError(f"{name} has {len(array)} value(s): at least 2 are needed")
    if not np.isfinite(array).all():
        at = int(np.argmin(np.isfinite(array)))
        raise ValueError(f"{name}[{at}] is {array[at]}: pass finite numbers")
    return array


def booleans(name: str, values: ArrayLike) -> NDArray[np.bool_]:
    """Convert a list of booleans to an array.

    Raises:
        ValueError: If it is empty or nested, or has a value that is not a boolean.
    """
    array = np.asarray(values)
    if array.ndim != 1 or not array.size or array.dtype != np.bool_:
        raise ValueError(f"{name} has the shape {array.shape} and dtype {array.dtype}: pass one boolean per unit")
    return array
