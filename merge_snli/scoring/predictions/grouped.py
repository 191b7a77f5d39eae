"""Read labeled pairs in groups: template data sets, HANS, pattern files, contrast sets."""

from __future__ import annotations

from collections import defaultdict
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from merge_snli.base.errors import InputError, param
from merge_snli.base.hub_ids import split_revision
from merge_snli.base.progress import Progress
from merge_snli.models.labels import canonical_dataset_labels
from merge_snli.problems.file_names import public_name
from merge_snli.problems.options import require_unique
from merge_snli.problems.reading import content_number, digest_of
from merge_snli.problems.rows import check_row, column_text
from merge_snli.problems.source import open_source
from merge_snli.scoring.predictions.scored_data import ScoredData

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from merge_snli.base.progress import Stage
    from merge_snli.models.labels import Pair
    from merge_snli.problems.options import ProblemOptions
    from merge_snli.problems.rows import SourceRow
    from merge_snli.problems.source import ProblemSource

    Bools = NDArray[np.bool_]


JOIN = "+"
"""Joins the names of columns in `--by`, and with spaces around it their values."""
MAX_VALUES = 500
"""Largest number of values of a column of `--by`."""


def read_groups(
    options: ProblemOptions,
    *,
    group_column: str,
    by: Sequence[str] = (),
    name: str | None = None,
) -> ScoredData:
    """Read labeled pairs in groups.

    Args:
        options: Names the pairs, their columns and labels.
        group_column: The column of the groups.
        by: Columns by whose values scores are computed as well; `A+B` for the pairs of values of two columns.
        name: Name of the pairs in messages; by default that of the file, folder or Hub id.

    Raises:
        InputError: If the pairs cannot be read, a column is missing, a group is empty, the groups have one pair each or
            are one, the labels are not those of NLI, or a column of `by` has too many values.
    """
    require_unique("by", by)
    default = public_name(options.problems)
    source = open_source(options)
    with Progress().stage(f"reading {name or default}", unit="rows") as stage:
        rows = _read(source, stage, group_column, by)
    if not rows.labels:
        raise InputError(
            f"no row of {options.problems} has a gold label in column {source.options.label_column!r}"
            if rows.without_label
            else f"{options.problems} has no rows"
        )
    _check_groups(rows, group_column, name or options.problems)
    names = canonical_dataset_labels(source.labels.names, name or default)
    return ScoredData(
        dataset=None,
        name=split_revision(default)[0],
        title=_title(default, options.split),
        revision=split_revision(options.problems)[1] if default == options.problems else None,
        config=options.config,
        digest=digest_of(rows.total),
        group_column=group_column,
        label_names=names,
        without_label=rows.without_label,
        pairs=tuple(rows.index_of_pair),
        group_ids=tuple(rows.index_of_group),
        row_pairs=np.array(rows.pairs, dtype=np.int64),
        row_labels=np.array(rows.labels, dtype=np.int64),
        row_groups=np.array(rows.groups, dtype=np.int64),
        draws=None,
        anchors=None,
        parts={column: _masks(values) for column, values in rows.by.items()},
    )


def _masks(values: Sequence[str]) -> dict[str, Bools]:
    """Return whether each row has each value, in the order of their first rows."""
    found = np.array(values)
    return {value: found == value for value in dict.fromkeys(values)}


def _title(name: str, split: str | None) -> str:
    return Path(name).stem if split is None else f"{name} ({split})"


class _Rows:
    """What was read so far; each text of a pair or a group is held once."""

    def __init__(self, by: Sequence[str]) -> None:
        self.index_of_pair: dict[Pair, int] = {}
        self.index_of_group: dict[str, int] = {}
        self.pairs: list[int] = []
        self.labels: list[int] = []
        self.groups: list[int] = []
        self.by: dict[str, list[str]] = {column: [] for column in by}
        self.values: dict[str, set[str]] = defaultdict(set)
        self.without_label = 0
        self.total = 0


def _read(source: ProblemSource, stage: Stage, group_column: str, by: Sequence[str]) -> _Rows:
    rows = _Rows(by)
    for row in islice(source.read(), source.options.limit):
        stage.advance(1)
        checked = check_row(row, source.options, source.labels)
        if checked.label is None:
            rows.without_label += 1
            continue
        group = column_text(row, group_column, "group_column")
        if not group.strip():
            raise InputError(f"{row.location}: the group in column {group_column!r} is empty; every pair needs a group")
        pair = checked.premise, checked.hypothesis
        rows.total += content_number(*pair, source.labels.names[checked.label], group)
        rows.pairs.append(rows.index_of_pair.setdefault(pair, len(rows.index_of_pair)))
        rows.labels.append(checked.label)
        rows.groups.append(rows.index_of_group.setdefault(group, len(rows.index_of_group)))
        for column in by:
            _add_value(rows, row, column)
    return rows


def _add_value(rows: _Rows, row: SourceRow, column: str) -> None:
    columns = [column] if column in row.values else column.split(JOIN)
    value = f" {JOIN} ".join(column_text(row, each, "by") or "(empty)" for each in columns)
    rows.by[column].append(value)
    rows.values[column].add(value)
    if len(rows.values[column]) > MAX_VALUES:
        raise InputError(
            f"{row.location}: column {column!r} has more than {MAX_VALUES} values; {param('by')} needs a column with "
            "few values, such as a template"
        )


def _check_groups(rows: _Rows, column: str, problems: str) -> None:
    """Check that there are at least two groups, and that not every group is a single pair."""
    n_groups = len(rows.index_of_group)
    if n_groups == 1:
        raise InputError(
            f"{problems}: all {len(rows.groups):,} pairs have the same value in the group column {column!r}; choose a "
            f"column with at least two groups with {param('group_column')}"
        )
    if n_groups == len(rows.groups):
        raise InputError(
            f"{problems}: each of the {n_groups:,} pairs has a different value in the group column {column!r}; choose "
            f"a column that several pairs share with {param('group_column')}"
        )
