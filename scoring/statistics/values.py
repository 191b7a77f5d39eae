"""Checks of the arrays that the tests take."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]


def paired(first: ArrayLike, second: ArrayLike, *, minimum: int = 2) -> tuple[FloatArray, FloatArray]:
    """Read two lists of values of the same units, in the same order.

    Raises:
        ValueError: if they differ in length, are shorter than `minimum`, or hold something else than finite numbers.
    """
    a, b = numbers("first", first, minimum=minimum), numbers("second", second, minimum=minimum)
    if len(a) != len(b):
        raise ValueError(f"first has {len(a)} values, second has {len(b)}: a paired test needs one of each a unit")
    return a, b


def numbers(name: str, values: ArrayLike, *, minimum: int = 2) -> FloatArray:
    """Read one list of finite numbers.

    Raises:
        ValueError: if it is not one.
    """
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise ValueError(f"{name} has the shape {array.shape}: give one value a unit")
    if len(array) < minimum:
        raise ValueError(f"{name} has {len(array)} value(s): at least {minimum} are needed")
    if not np.isfinite(array).all():
        at = int(np.argmin(np.isfinite(array)))
        raise ValueError(f"{name}[{at}] is {array[at]}: give finite numbers")
    return array


def booleans(name: str, values: ArrayLike) -> NDArray[np.bool_]:
    """Read one list of right and wrong.

    Raises:
        ValueError: if it holds something else than booleans, or nothing.
    """
    array = np.asarray(values)
    if array.ndim != 1 or not array.size or array.dtype != np.bool_:
        raise ValueError(f"{name} has the shape {array.shape} and holds {array.dtype}: give one boolean a unit")
    return array
