"""The table that the commands print of a data set."""

from __future__ import annotations

from typing import TYPE_CHECKING

from merge_snli.base.table import Column, Table

if TYPE_CHECKING:
    from merge_snli.dataset.record import Record


def summary_table(record: Record) -> Table:
    """Return the configs with their groups and their pairs by label.

    Args:
        record: The record of the pairs.
    """
    return Table(
        title=record.title,
        columns=(Column("config", "left"), Column("split", "left"), Column("groups"), *map(Column, record.label_names)),
        rows=tuple(
            (name, config.split, config.groups, *config.labels.values()) for name, config in record.configs.items()
        ),
    )
