"""The arithmetic of pattern accuracy: thresholds, counts per group, PA, QT and MT.

Decisions use integer counts, never floats: a group of n rows passes the threshold t if correct >= ceil(t * n), with t
read as a decimal.
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
_UNIT = 10**_DECIMALS  # a threshold is an integer number of these parts, so that t * n is exact


def parse_thresholds(thresholds: object) -> tuple[float, ...]:
    """Parse thresholds: one number, several, or `"curve"` for 0 to 1 in steps of 1%.

    Args:
        thresholds: A number, an iterable of numbers (an array or a tensor too), or `"curve"`.

    Returns:
        The thresholds as floats rounded to nine decimals, in the given order. A number of another type than float is
        read as its shortest decimal: `np.float32(0.6)` is 0.6.

    Raises:
        ValueError: If there are none, or one is not a number from 0 to 1.

    Examples:
        >>> parse_thresholds([0.9, 29 * 0.01])
        (0.9, 0.29)
        >>> parse_thresholds(np.float32(0.6))
        (0.6,)
        >>> len(parse_thresholds("curve"))
        101
    """
    if isinstance(thresholds, str) and thresholds == "curve":
        return CURVE
    thresholds = _as_numpy(thresholds)
    if _is_number(thresholds):
        return (_threshold("thresholds", thresholds),)
    if isinstance(thresholds, str | Mapping) or not isinstance(thresholds, Iterable):
        raise ValueError(f"thresholds is {thresholds!r}: give a number from 0 to 1, several numbers, or 'curve'")
    parsed = [_threshold(f"thresholds[{i}]", threshold) for i, threshold in enumerate(thresholds)]
    if not parsed:
        raise ValueError("thresholds is empty: give a number from 0 to 1, several numbers, or 'curve'")
    return tuple(parsed)


def is_single_threshold(thresholds: object) -> bool:
    """Return whether a single number was given, so that a single number is returned."""
    return _is_number(_as_numpy(thresholds))


def _as_numpy(value: Any) -> object:  # noqa: ANN401  (anything may be given)
    """Return a tensor or another array as a numpy array, one without dimensions as a number, and others unchanged."""
    if not hasattr(value, "__array__"):
        return value
    try:
        return np.asarray(value)[()]
    except (TypeError, RuntimeError) as error:  # a tensor on a GPU, with a gradient or of a type that numpy lacks
        raise ValueError(f"thresholds is {value!r}: give numbers from 0 to 1 ({error})") from error


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _threshold(where: str, value: Any) -> float:  # noqa: ANN401  (anything may be given)
    value = _as_numpy(value)
    if not _is_number(value):
        raise ValueError(f"{where} is {value!r}: a threshold must be a number from 0 to 1")
    if not 0 <= value <= 1:
        raise ValueError(f"{where} is {value!r}: a threshold must be from 0 to 1 (90% is 0.9)")
    # The text of a number of numpy is its shortest decimal; float(np.float32(0.6)) would be 0.6000000238.
    return round(float(str(value) if isinstance(value, np.generic) else value), _DECIMALS)


def threshold_units(thresholds: Sequence[float]) -> IntArray:
    """Return thresholds from `parse_thresholds` in integer billionths, (t,) int64."""
    return np.array([round(threshold * _UNIT) for threshold in thresholds], dtype=np.int64)


class GroupCounts(NamedTuple):
    """Counts per group: correct rows (`correct`, (g,) int64), all rows (`sizes`, (g,) int64), and the `labels`."""

    correct: IntArray
    sizes: IntArray
    labels: list[Label]


def sample_accuracy(correct: ArrayLike) -> float:
    """Compute the share of correct rows.

    Args:
        correct: (n,) bool.

    Raises:
        ValueError: If `correct` is empty or does not contain booleans.

    Examples:
        >>> sample_accuracy([True, True, True, False])
        0.75
    """
    right = _booleans("correct", correct)
    return int(right.sum()) / right.size


def count_groups(correct: ArrayLike, groups: object) -> GroupCounts:
    """Count the rows and the correct rows of each group.

    Args:
        correct: (n,) bool: whether each row is correct.
        groups: n integers or strings: the group of each row.

    Returns:
        The counts, groups in the order of their first row.

    Raises:
        ValueError: If the lengths differ, or one is empty or contains other types of values.

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
        raise ValueError(f"{name} has shape {array.shape} and dtype {array.dtype}: give one boolean per row")
    return array


def count_cells(cells: IntArray, n_cells: int, answers: BoolArray | IntArray) -> tuple[IntArray, IntArray]:
    """Count the correct rows and all rows of each cell; a cell is a group, or a group within a subsample.

    Args:
        cells: (n,) int64: the cell of each row.
        n_cells: The number of cells, including empty ones.
        answers: (n,) bool: whether each row is correct; or (n,) int64: its predicted label as a number from 0. With
            labels, the most frequent label of the cell counts as correct (which one of a tie does not matter).

    Returns:
        The correct rows and all rows, (n_cells,) int64 each.

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
    """Compute how many rows of a group must be correct: exactly ceil(t * n), with t rounded to nine decimals.

    Args:
        thresholds: A number from 0 to 1, several numbers, or `"curve"`.
        sizes: (…) int: numbers of rows.

    Returns:
        (t, …) int64, or (…) for a single threshold.

    Raises:
        ValueError: If a threshold is not a number from 0 to 1.

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
    required: IntArray = -(-np.multiply.outer(units, np.asarray(sizes, dtype=np.int64)) // _UNIT)
    return required[0] if is_single_threshold(thresholds) else required


def pattern_accuracy(correct: ArrayLike, sizes: ArrayLike, thresholds: object = "curve") -> FloatArray:
    """Compute the share of groups that pass each threshold.

    Args:
        correct: (…, g) int: correct rows of each group.
        sizes: (…, g) int: rows of each group; groups of size 0 are ignored.
        thresholds: A number from 0 to 1, several numbers, or `"curve"` (0 to 1 in steps of 1%).

    Returns:
        (…, t) float64, one column per threshold; NaN if no group has rows.

    Raises:
        ValueError: If the shapes differ, a count is not from 0 to its size, or a threshold is not from 0 to 1.

    Examples:
        >>> pattern_accuracy([3], [4], [0.5, 0.75, 0.95])
        array([1., 1., 0.])
        >>> pattern_accuracy([[18, 17], [20, 0]], [[20, 20], [20, 0]], 0.9)
        array([[0.5],
               [1. ]])
    """
    right = np.asarray(correct, dtype=np.int64)
    n = np.asarray(sizes, dtype=np.int64)
    if right.shape != n.shape or right.ndim == 0:
        raise ValueError(f"correct has shape {right.shape} but sizes has shape {n.shape}: give one of each per group")
    wrong = (right < 0) | (right > n)
    if wrong.any():
        at = int(np.argmax(wrong))
        raise ValueError(
            f"correct[{at}] is {right.flat[at]} but sizes[{at}] is {n.flat[at]}: a count must be from 0 to its size"
        )
    units = threshold_units(parse_thresholds(thresholds))
    groups = right.shape[-1]
    curves = []
    for counts in zip(right.reshape(-1, groups), n.reshape(-1, groups), strict=True):
        curves.append(share_passing(*counts, units))
    return np.stack(curves).reshape(*right.shape[:-1], len(units))


def share_passing(correct: IntArray, sizes: IntArray, units: IntArray) -> FloatArray:
    """Compute PA of one set of groups at each threshold, (t,) float64; NaN if no group has rows.

    For integers, correct >= ceil(t * size) is equivalent to t <= correct / size. So a group passes every threshold up
    to its share of correct rows, rounded down to a billionth, and one sort of the shares answers all thresholds.

    Args:
        correct: (g,) int64.
        sizes: (g,) int64; groups of size 0 are ignored.
        units: (t,) int64: thresholds from `threshold_units`.
    """
    present = sizes > 0
    highest = np.sort(correct[present] * _UNIT // sizes[present])
    if highest.size == 0:
        return np.full(len(units), np.nan)
    return (highest.size - np.searchsorted(highest, units)) / highest.size


def quality_drop(pattern_accuracy_at_quality: float, seed_sample_accuracy: float) -> float:
    """Compute QT as in the paper's Table 3: PA(0.9) on variants minus SA on seeds.

    QT is negative for a drop. The metric's output `drop` has the opposite sign: it is SA on seeds minus SA on variants,
    positive for a drop.

    Examples:
        >>> round(quality_drop(0.847, 0.896), 3)
        -0.049
    """
    return pattern_accuracy_at_quality - seed_sample_accuracy


def matching_threshold(curve: ArrayLike, seed_sample_accuracy: float) -> float:
    """Compute MT: the threshold in whole percent whose PA is closest to SA on seeds; the higher one of a tie.

    With d variants per seed the curve has only d steps (20 variants: one every 5%). All thresholds of a step match
    equally well, and the highest one is returned: 0.57 and 0.59 cannot be distinguished.

    Args:
        curve: (101,) float: PA at 0, 0.01, … 1; with subsamples, the mean curve.
        seed_sample_accuracy: SA on the seed problems.

    Returns:
        The threshold, from 0 to 1.

    Raises:
        ValueError: If the curve does not have 101 points.

    Examples:
        >>> matching_threshold(pattern_accuracy([20, 18, 12, 4], [20] * 4), 0.75)
        0.6
    """
    points = np.asarray(curve, dtype=np.float64)
    if points.shape != (len(CURVE),):
        raise ValueError(f"curve has shape {points.shape}: give {len(CURVE)} points, PA at 0, 0.01, … 1")
    distance = np.abs(points - seed_sample_accuracy).round(12)  # equal distances may differ in the last bit
    return CURVE[int(np.flatnonzero(distance == distance.min())[-1])]
