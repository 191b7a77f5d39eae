"""Validate columns of labels and convert them to arrays.

Every error is a `ValueError` that names the argument, the position and the value.
"""

import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

IntArray: TypeAlias = NDArray[np.int64]
Label: TypeAlias = int | str
# Integers as int64, or strings as objects.
Column: TypeAlias = NDArray[Any]

_KINDS = "labels and groups are integers or strings"
# What data sets have in the place of a missing gold label.
NO_LABEL = (-1, -100, "", "-")
_SHOWN, _LISTED = 60, 5  # characters of a value, and number of values, in a message


def label_column(name: str, values: object, where: Callable[[int], str] | None = None) -> Column:
    """Validate a column of integers or strings and convert it to a standard form.

    Args:
        name: The argument's name, for error messages.
        values: An array, a list or another iterable of n integers or n strings.
        where: Returns how error messages name position i; `name[i]` by default.

    Returns:
        (n,) int64, or (n,) objects that are strings.

    Raises:
        ValueError: If the column is missing, empty, not one-dimensional, of mixed types, or contains another type of
            value such as NaN.

    Examples:
        >>> label_column("groups", ["s1", "s1", "s2"])
        array(['s1', 's1', 's2'], dtype=object)
        >>> label_column("predictions", [0, 2, float("nan")])
        Traceback (most recent call last):
        ValueError: predictions[2] is nan: labels and groups are integers or strings
    """
    rows = read_rows(name, values)
    if len(rows) == 0:
        raise ValueError(f"{name} is empty: at least one row is needed")
    if isinstance(rows, np.ndarray):
        return rows.astype(np.int64, copy=False)
    types = set(map(type, rows))
    if all(issubclass(kind, str) for kind in types):
        return np.array(rows, dtype=object)
    if all(issubclass(kind, int | np.integer) and kind is not bool for kind in types):
        try:
            return np.fromiter(rows, np.int64, len(rows))
        except OverflowError:
            pass
    raise _bad_value(rows, where or (lambda i: f"{name}[{i}]"))


def read_rows(name: str, values: Any) -> IntArray | list[Any]:  # noqa: ANN401  (anything may be given)
    """Return an array if `values` is an array of integers, otherwise a list."""
    if values is None:
        raise ValueError(f"{name} is missing: give one value per row")
    if isinstance(values, str | bytes | Mapping | set | frozenset) or not isinstance(values, Iterable):
        raise ValueError(
            f"{name} is {short(values)} ({type(values).__name__}): give a list or an array, one value per row"
        )
    if not hasattr(values, "__array__"):
        return list(values)
    array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"{name} has shape {array.shape}: give one value per row")
    if array.dtype.kind == "i" or (array.dtype.kind == "u" and array.dtype.itemsize < np.dtype(np.int64).itemsize):
        return array
    return list(array.tolist())


def _bad_value(rows: list[Any], where: Callable[[int], str]) -> ValueError:
    """Return the error for the first invalid value; NaN first, since it turns the other values into floats."""
    for i, value in enumerate(rows):
        if isinstance(value, float | np.floating) and value != value:
            return ValueError(f"{where(i)} is {value!r}: {_KINDS}")
    first = rows[0]
    for i, value in enumerate(rows):
        shown = f"{where(i)} is {short(value)}"
        if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer | str):
            return ValueError(f"{shown} ({type(value).__name__}): {_KINDS}")
        if isinstance(value, str) != isinstance(first, str):
            return ValueError(f"{shown} but {where(0)} is {short(first)}: all integers or all strings")
        if not isinstance(value, str) and not -(2**63) <= value < 2**63:
            return ValueError(f"{shown}: integers must fit in 64 bits")
    raise AssertionError("every value is valid")


def short(value: object) -> str:
    """Return the repr of a value for a message, truncated if it is long."""
    text = repr(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


def _kind(column: Column) -> str:
    return "strings" if column.dtype == object else "integers"


def label_columns(*, predictions: object, references: object, groups: object) -> tuple[Column, Column, Column]:
    """Validate the three columns of the metric, and that they match.

    Args:
        predictions: n predicted labels.
        references: n gold labels of the same type.
        groups: n groups: the seed of each row.

    Returns:
        The three columns, as `label_column` returns them.

    Raises:
        ValueError: If one is not a column of labels, or their lengths or the types of labels differ.
    """
    answers = label_column("predictions", predictions)
    gold = label_column("references", references)
    groups_of_rows = label_column("groups", groups)
    check_length("references", len(gold), len(answers))
    check_length("groups", len(groups_of_rows), len(answers))
    check_same_kind("references", gold, "predictions", answers)
    return answers, gold, groups_of_rows


def check_length(name: str, length: int, n_rows: int, other: str = "predictions") -> None:
    """Check that two arguments have the same number of rows.

    Raises:
        ValueError: If the numbers differ; the message says at which row the shorter one ends.
    """
    if length != n_rows:
        shorter = name if length < n_rows else other
        raise ValueError(
            f"{name} has {length} rows, {other} has {n_rows}: {shorter} ends before row {min(length, n_rows)}"
        )


def check_same_kind(name: str, column: Column, other_name: str, other: Column) -> None:
    """Check that two columns both contain integers, or both contain strings.

    Raises:
        ValueError: If they do not.
    """
    kind = _kind(column)
    other_kind = _kind(other)
    if kind != other_kind:
        first = short(column.item(0))
        other_first = short(other.item(0))
        raise ValueError(
            f"{name} contains {kind} (first: {first}) but {other_name} contains {other_kind} (first: {other_first}): "
            "use the same type for both"
        )


def factorize(column: Column) -> tuple[IntArray, list[Label]]:
    """Encode the distinct values of a column as integers in the order of their first appearance.

    All grouping of rows uses this function.

    Args:
        column: (n,) from `label_column`.

    Returns:
        The code of each row, (n,) int64 from 0, and the value of each code.

    Examples:
        >>> factorize(label_column("groups", ["b", "a", "b"]))
        (array([0, 1, 0]), ['b', 'a'])
    """
    numbers: dict[Label, int] = {}
    codes = [numbers.setdefault(label, len(numbers)) for label in column.tolist()]
    return np.array(codes, np.int64), list(numbers)


def check_labels(predictions: Column, references: Column) -> None:
    """Check that every reference is a gold label, and warn about predicted labels that no reference has.

    The two columns may use different label sets, and values such as -1 often stand for a missing gold label. They are
    labels if a prediction has them, and -1 also if the only other label is 1.

    Raises:
        ValueError: If a reference is one of `NO_LABEL`, and no prediction is.
    """
    answers = predictions.tolist()
    gold = references.tolist()
    known = set(gold)
    predicted = set(answers)
    for label in NO_LABEL:
        if label in known - predicted and known != {-1, 1}:
            raise ValueError(
                f"references[{gold.index(label)}] is {label!r}, and no prediction is: leave out rows without a gold "
                "label, or give their labels"
            )
    unknown = predicted - known
    if unknown:
        names = ", ".join(map(repr, sorted(unknown)[:_LISTED]))
        if len(unknown) > _LISTED:
            names += ", …"
        at = next(i for i, label in enumerate(answers) if label in unknown)
        warnings.warn(
            f"predictions[{at}] is {answers[at]!r}: references do not contain {names}; such rows count as wrong against"
            " gold",
            UserWarning,
            stacklevel=2,
        )
