"""Validate the options of the metric and convert them to arrays.

Every error is a `ValueError` that names the argument, the position and the value.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeAlias, TypeVar

import numpy as np

from .columns import Column, IntArray, Label, check_length, factorize, label_column, read_rows, short
from .counts import is_single_threshold, parse_thresholds

AGAINST = ("gold", "seed", "majority")

T = TypeVar("T")

# The rows of each subsample or category by its name: (m,) int64, sorted. A row may be in several of them or in none.
Sets: TypeAlias = dict[Label, IntArray]

_SEVERAL = (list, tuple, set, frozenset, np.ndarray)


@dataclass(frozen=True)
class MetricOptions:
    """The validated options of `compute`; see `read_options`."""

    thresholds: tuple[float, ...]
    single: bool
    against: str
    seed_predictions: Mapping[Any, Any] | None
    seed_references: Mapping[Any, Any] | None
    subsamples: Sets
    categories: dict[str | None, Sets]

    def by_threshold(self, values: Sequence[T]) -> T | dict[float, T]:
        """Return the only value if `thresholds` was a single number, otherwise a mapping from threshold to value."""
        return values[0] if self.single else dict(zip(self.thresholds, values, strict=True))


def read_options(
    n_rows: int,
    *,
    thresholds: object,
    seed_predictions: object,
    seed_references: object,
    subsamples: object,
    categories: object,
    against: str,
) -> MetricOptions:
    """Validate and format the options of `compute`, as far as this is possible without the rows.

    Raises:
        ValueError: If an option is invalid, or another option that it needs is missing.
    """
    if against not in AGAINST:
        raise ValueError(f"against is {against!r}: choose one of {', '.join(map(repr, AGAINST))}")
    if seed_predictions is None and against == "seed":
        raise ValueError("seed_predictions is missing: against='seed' needs the predicted label of each seed")
    if seed_predictions is None and seed_references is not None:
        raise ValueError("seed_predictions is missing: seed_references needs the predicted label of each seed")
    if seed_references is None and seed_predictions is not None and against == "gold":
        raise ValueError("seed_references is missing: seed_predictions needs the gold label of each seed too")
    return MetricOptions(
        thresholds=parse_thresholds(thresholds),
        single=is_single_threshold(thresholds),
        against=against,
        seed_predictions=_by_group("seed_predictions", seed_predictions),
        seed_references=_by_group("seed_references", seed_references),
        subsamples={} if subsamples is None else subsample_sets(subsamples, n_rows),
        categories=_categories(categories, n_rows),
    )


def _by_group(name: str, labels: object) -> Mapping[Any, Any] | None:
    if labels is None or isinstance(labels, Mapping):
        return labels
    raise ValueError(
        f"{name} is {short(labels)} ({type(labels).__name__}): give a mapping from group to label, "
        "such as dict(zip(seed_ids, labels))"
    )


def _categories(categories: object, n_rows: int) -> dict[str | None, Sets]:
    if categories is None:
        return {}
    if not isinstance(categories, Mapping):
        return {None: category_sets("categories", categories, n_rows)}
    if not categories:
        raise ValueError("categories is empty: give one label per row, or a mapping from a name to such a column")
    if None in categories:
        raise ValueError("categories has a column without a name (None): name it")
    return {name: category_sets(f"categories[{name!r}]", column, n_rows) for name, column in categories.items()}


def subsample_sets(subsamples: object, n_rows: int) -> Sets:
    """Read the subsamples of each row.

    Args:
        subsamples: n lists of indices from 0, or n single indices. The rows of one subsample may keep its index.
        n_rows: The number of rows n.

    Returns:
        The rows of the subsamples 0, 1, … in order.

    Raises:
        ValueError: If the length differs, an index is not an integer, is negative or occurs twice in a row, or a
            subsample before the last is empty.
    """
    rows, column = _flatten("subsamples", subsamples, n_rows)
    if column.dtype == object or column.min() < 0:
        at = 0 if column.dtype == object else int(np.argmax(column < 0))
        raise ValueError(f"subsamples[{rows[at]}] contains {column.item(at)!r}: subsamples are numbered from 0")
    numbers, codes = np.unique(column, return_inverse=True)
    gaps = np.flatnonzero(numbers != np.arange(len(numbers)))
    if len(gaps) and (len(numbers) > 1 or len(column) != n_rows):
        at = int(np.argmax(column > gaps[0]))
        raise ValueError(
            f"subsamples[{rows[at]}] contains {column[at]} but no row is in subsample {gaps[0]}: "
            "number subsamples from 0 without a gap"
        )
    return _sets("subsamples", rows, codes, list(range(len(numbers))))


def category_sets(name: str, categories: object, n_rows: int) -> Sets:
    """Read the categories of each row.

    Args:
        name: The argument's name, for error messages.
        categories: n labels, or n lists of labels if rows are in several categories or in none.
        n_rows: The number of rows n.

    Returns:
        The rows of the categories, in the order of their first appearance.

    Raises:
        ValueError: If the length differs, or a category is not an integer or a string or occurs twice in a row.
    """
    rows, column = _flatten(name, categories, n_rows)
    codes, labels = factorize(column)
    return _sets(name, rows, codes, labels)


def _flatten(name: str, values: Any, n_rows: int) -> tuple[IntArray, Column]:  # noqa: ANN401  (anything may be given)
    """Return the row and the value of each membership, sorted by row."""
    if isinstance(values, np.ndarray) and values.ndim > 1:
        values = values.tolist()
    sets = read_rows(name, values)
    check_length(name, len(sets), n_rows)
    if isinstance(sets, np.ndarray) or not isinstance(sets[0], _SEVERAL):
        return np.arange(n_rows), label_column(name, sets)
    for at, value in enumerate(sets):
        if not isinstance(value, _SEVERAL):
            raise ValueError(f"{name}[{at}] is {short(value)} but {name}[0] is a list: give a list for every row")
    rows = np.repeat(np.arange(n_rows), list(map(len, sets)))
    if len(rows) == 0:
        raise ValueError(f"{name}[0] to {name}[{n_rows - 1}] are all empty: give at least one row a value")
    return rows, label_column(name, list(chain.from_iterable(sets)), where=lambda i: f"{name}[{rows[i]}]")


def _sets(name: str, rows: IntArray, codes: IntArray, labels: list[Label]) -> Sets:
    """Return the rows of each set from the set of each row, by number."""
    ends = np.cumsum(np.bincount(codes))
    sets = np.split(rows[np.argsort(codes, kind="stable")], ends[:-1])
    for label, own in zip(labels, sets, strict=True):
        repeats = np.flatnonzero(own[1:] == own[:-1])
        if len(repeats):
            raise ValueError(f"{name}[{own[repeats[0]]}] contains {label!r} twice: give it once per row")
    return dict(zip(labels, sets, strict=True))


def seed_column(name: str, by_group: Mapping[Any, Any], groups: list[Label]) -> Column:
    """Read one label per group, in the order of the groups.

    Args:
        name: The argument's name, for error messages.
        by_group: Mapping from group to label. Groups without rows are ignored.
        groups: The groups that have rows.

    Returns:
        (n_groups,) as `label_column` returns them.

    Raises:
        ValueError: If a group is missing, or the values are not labels of one type.
    """
    missing = [group for group in groups if group not in by_group]
    if missing:
        raise ValueError(
            f"{name} has no entry for group {missing[0]!r} ({len(missing)} of {len(groups)} groups are missing)"
        )
    return label_column(name, [by_group[group] for group in groups], where=lambda i: f"{name}[{groups[i]!r}]")
