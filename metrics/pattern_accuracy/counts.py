"""The arithmetic of pattern accuracy: thresholds, counts by group, and what is read from them.

Everything is decided on whole counts, never on floats: a group of n rows passes the threshold t when
correct >= ceil(t * n), with t read as a decimal.
"""

from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .columns import IntArray, Label, check_length, factorize, label_column

BoolArray: TypeAlias = NDArray[np.bool_]
FloatArray: TypeAlias = NDArray[np.float64]

QUALITY_THRESHOLD = 0.9
CURVE = tuple(percent / 100 for percent in range(101))

_DECIMALS = 9
_UNIT = 10**_DECIMALS  # a threshold is a whole number of these parts, so that t * n is a quotient of whole numbers


def parse_thresholds(thresholds: object) -> tuple[float, ...]:
    """Read thresholds: one number, several, or `"curve"` for 0 to 1 in steps of 1 %.

    Args:
        thresholds: a number, an iterable of numbers, or `"curve"`.

    Returns:
        The thresholds as floats rounded to nine decimals, in the order given.

    Raises:
        ValueError: if there is none, or one is not a number from 0 to 1.

    Examples:
        >>> parse_thresholds([0.9, 29 * 0.01])
        (0.9, 0.29)
        >>> len(parse_thresholds("curve"))
        101
    """
    if isinstance(thresholds, str):
        if thresholds == "curve":
            return CURVE
        raise ValueError(f"thresholds is {thresholds!r}: give a number from 0 to 1, several, or 'curve'")
    if _is_number(thresholds):
        return (_threshold("thresholds", thresholds),)
    if isinstance(thresholds, Mapping) or not isinstance(thresholds, Iterable):
        raise ValueError(f"thresholds is {thresholds!r}: give a number from 0 to 1, several, or 'curve'")
    parsed = tuple(_threshold(f"thresholds[{i}]", threshold) for i, threshold in enumerate(thresholds))
    if not parsed:
        raise ValueError("thresholds is empty: give a number from 0 to 1, several, or 'curve'")
    return parsed


def is_single_threshold(thresholds: object) -> bool:
    """Say whether one number was given, so that one number is to be returned."""
    return _is_number(thresholds)


def _is_number(value: object) -> bool:
    if isinstance(value, np.ndarray):
        return value.ndim == 0
    return isinstance(value, Real) and not isinstance(value, bool)


def _threshold(where: str, value: Any) -> float:  # noqa: ANN401  (anything may be given)
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if not _is_number(value):
        raise ValueError(f"{where} is {value!r}: a threshold is a number from 0 to 1")
    if not 0 <= value <= 1:
        raise ValueError(f"{where} is {value!r}: a threshold lies from 0 to 1 (write 90 % as 0.9)")
    return round(float(value), _DECIMALS)


def threshold_units(thresholds: Sequence[float]) -> IntArray:
    """Thresholds from `parse_thresholds` as whole numbers of billionths, (t,) int64."""
    return np.array([round(threshold * _UNIT) for threshold in thresholds], dtype=np.int64)


class GroupCounts(NamedTuple):
    """Of each group: how many rows are right (`correct`, (g,) int64), how many there are (`sizes`), its `labels`."""

    correct: IntArray
    sizes: IntArray
    labels: list[Label]


def sample_accuracy(correct: ArrayLike) -> float:
    """Share of rows that are right.

    Args:
        correct: (n,) bool.

    Raises:
        ValueError: if it is empty or does not hold booleans.

    Examples:
        >>> sample_accuracy([True, True, True, False])
        0.75
    """
    right = _booleans("correct", correct)
    return int(right.sum()) / right.size


def count_groups(correct: ArrayLike, groups: object) -> GroupCounts:
    """Count the rows of each group and those that are right.

    Args:
        correct: (n,) bool: whether each row is right.
        groups: n integers or strings: the group of each row.

    Returns:
        The counts, groups in the order of their first row.

    Raises:
        ValueError: if the lengths differ, or one is empty or holds something else.

    Examples:
        >>> count_groups([True, True, False], ["s1", "s2", "s1"])
        GroupCounts(correct=array([1, 1]), sizes=array([2, 1]), labels=['s1', 's2'])
    """
    right = _booleans("correct", correct)
    column = label_column("groups", groups)
    check_length("groups", len(column), len(right), "correct")
    codes, labels = factorize(column)
    return GroupCounts(*count_cells(codes, len(labels), right), labels)


def _booleans(name: str, values: ArrayLike) -> BoolArray:
    array = np.asarray(values)
    if not array.size:
        raise ValueError(f"{name} is empty: at least one row is needed")
    if array.ndim != 1 or array.dtype.kind != "b":
        raise ValueError(f"{name} has the shape {array.shape} and holds {array.dtype}: give one boolean a row")
    return array


def count_cells(cells: IntArray, n_cells: int, answers: BoolArray | IntArray) -> tuple[IntArray, IntArray]:
    """Count the rows of each cell that count as right, and all its rows; a cell is a group, or one within a subsample.

    Args:
        cells: (n,) int64: the cell of each row.
        n_cells: how many cells there are, with those that have no row.
        answers: (n,) bool: whether each row is right; or (n,) int64: its label as a number from 0, where the most
            frequent label of the cell counts as right (of several as frequent ones, it does not matter which).

    Returns:
        The rows that are right and all rows, (n_cells,) int64 each.

    Examples:
        >>> count_cells(np.array([0, 0, 0, 1]), 2, np.array([2, 1, 2, 0]))
        (array([2, 1]), array([3, 1]))
    """
    sizes = np.bincount(cells, minlength=n_cells)
    if answers.dtype == np.bool_:
        return np.bincount(cells[answers], minlength=n_cells), sizes
    n_labels = int(answers.max(initial=0)) + 1
    pairs, times = np.unique(cells * n_labels + answers, return_counts=True)
    most = np.zeros(n_cells, dtype=np.int64)
    np.maximum.at(most, pairs // n_labels, times)
    return most, sizes


def required_correct(thresholds: object, sizes: ArrayLike) -> IntArray:
    """How many rows of a group must be right: ceil(t * n), exact, with t read as a decimal of nine places.

    Args:
        thresholds: a number from 0 to 1, several, or `"curve"`.
        sizes: (…) int: numbers of rows.

    Returns:
        (t, …) int64, or (…) for a single threshold.

    Raises:
        ValueError: if a threshold is not a number from 0 to 1.

    Examples:
        >>> required_correct(0.9, [20, 19, 1])
        array([18, 18,  1])
        >>> int(required_correct(0.07, 100))
        7
        >>> required_correct([0, 0.5, 29 * 0.01], [100, 3])
        array([[ 0,  0],
               [50,  2],
               [29,  1]])
    """
    units = threshold_units(parse_thresholds(thresholds))
    n = np.asarray(sizes, dtype=np.int64)
    required: IntArray = -(-np.multiply.outer(units, n) // _UNIT)
    return required[0] if is_single_threshold(thresholds) else required


def pattern_accuracy(correct: ArrayLike, sizes: ArrayLike, thresholds: object = "curve") -> FloatArray:
    """Share of groups that pass each threshold.

    Args:
        correct: (…, g) int: rows of each group that are right.
        sizes: (…, g) int: rows of each group; a group of size 0 is left out.
        thresholds: a number from 0 to 1, several, or `"curve"` (0 to 1 in steps of 1 %).

    Returns:
        (…, t) float64, one column a threshold; NaN where no group has a row.

    Raises:
        ValueError: if the shapes differ, a count does not lie from 0 to its size, or a threshold not from 0 to 1.

    Examples:
        >>> pattern_accuracy([3], [4], [0.5, 0.75, 0.95])
        array([1., 1., 0.])
        >>> pattern_accuracy([[18, 17], [20, 0]], [[20, 20], [20, 0]], 0.9)
        array([[0.5],
               [1. ]])
    """
    right, n = np.asarray(correct, dtype=np.int64), np.asarray(sizes, dtype=np.int64)
    if right.shape != n.shape or right.ndim == 0:
        raise ValueError(f"correct has the shape {right.shape}, sizes {n.shape}: give one of each a group")
    wrong = (right < 0) | (right > n)
    if wrong.any():
        at = int(np.argmax(wrong))
        raise ValueError(f"correct[{at}] is {right.flat[at]}, of {n.flat[at]} rows: a count lies from 0 to its size")
    units = threshold_units(parse_thresholds(thresholds))
    flat = zip(right.reshape(-1, right.shape[-1]), n.reshape(-1, n.shape[-1]), strict=True)
    return np.stack([share_passing(*counts, units) for counts in flat]).reshape(*right.shape[:-1], len(units))


def share_passing(correct: IntArray, sizes: IntArray, units: IntArray) -> FloatArray:
    """Compute PA of one set of groups.

    For whole numbers correct >= ceil(t * size) is the same as t <= correct / size: a group passes every threshold up to
    its share, rounded down to a billionth, and groups sorted by it answer all thresholds at once.

    Args:
        correct: (g,) int64.
        sizes: (g,) int64; a group of size 0 is left out.
        units: (t,) int64: thresholds from `threshold_units`.

    Returns:
        (t,) float64; NaN where no group has a row.
    """
    present = sizes > 0
    highest = np.sort(correct[present] * _UNIT // sizes[present])
    if highest.size == 0:
        return np.full(len(units), np.nan)
    return (highest.size - np.searchsorted(highest, units)) / highest.size


def quality_drop(pattern_accuracy_at_quality: float, seed_sample_accuracy: float) -> float:
    """QT as the paper's Table 3 prints it: PA(0.9) on variants minus SA on seeds, negative where a model drops.

    Examples:
        >>> round(quality_drop(0.847, 0.896), 3)
        -0.049
    """
    return pattern_accuracy_at_quality - seed_sample_accuracy


def matching_threshold(curve: ArrayLike, seed_sample_accuracy: float) -> float:
    """MT: the threshold in whole percent whose PA is nearest to SA on seeds, the higher one of equals.

    With d variants a seed the curve has only d steps (20 variants: one every 5 %), so that all thresholds of a step
    match equally well and the highest of them is given: 0.57 and 0.59 cannot be told apart.

    Args:
        curve: (101,) float: PA at 0, 0.01, … 1; the mean curve where there are subsamples.
        seed_sample_accuracy: SA on the seed problems.

    Returns:
        The threshold, from 0 to 1.

    Raises:
        ValueError: if the curve has not 101 points.

    Examples:
        >>> matching_threshold(pattern_accuracy([20, 18, 12, 4], [20] * 4), 0.75)
        0.6
    """
    points = np.asarray(curve, dtype=np.float64)
    if points.shape != (len(CURVE),):
        raise ValueError(f"curve has the shape {points.shape}: give PA at 0, 0.01, … 1, {len(CURVE)} points")
    distance = np.abs(points - seed_sample_accuracy).round(12)  # equal distances above and below differ in the last bit
    return CURVE[int(np.flatnonzero(distance == distance.min())[-1])]
