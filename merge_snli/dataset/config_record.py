"""Count the rows and groups of a config for the record of its data set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from merge_snli.dataset.record import ConfigRecord
from merge_snli.schema import DataColumn

if TYPE_CHECKING:
    import pyarrow as pa


def config_record(
    table: pa.Table,
    splits: Mapping[str, int],
    columns: Sequence[DataColumn],
    *,
    description: str,
    group_column: str,
    label_names: Sequence[str],
) -> ConfigRecord:
    """Return what the record says of a config.

    Args:
        table: All rows of the config, with at least the labels and the groups, which are counted.
        splits: Number of rows by split.
        columns: Its columns.
        description: What it contains, in Markdown.
        group_column: The column of the groups.
        label_names: Label names in the order of their numbers.

    Raises:
        ValueError: If a label is not a number of `label_names`.
    """

    def by_label(numbers: pa.ChunkedArray) -> dict[str, int]:
        counts = np.bincount(numbers, minlength=len(label_names))
        return dict(zip(label_names, counts.tolist(), strict=True))

    groups = table.group_by(group_column).aggregate([("label", "min"), ("label", "max")])
    group_labels = None
    if groups["label_min"].equals(groups["label_max"]):  # no group has several labels
        group_labels = by_label(groups["label_min"])
    return ConfigRecord(
        description=description,
        splits=dict(splits),
        columns=tuple(columns),
        groups=len(groups),
        labels=by_label(table["label"]),
        group_labels=group_labels,
    )
