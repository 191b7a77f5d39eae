"""Tables that compare the figures of a run with those of the paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

from merge_snli.table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from merge_snli.table import Cell

Paper = dict[str, float | None]
"""The paper's figures of one row, by column header."""


def compared_table(
    *, title: str, rows: Sequence[tuple[Mapping[str, Cell], Paper]], labels: Sequence[str], notes: Sequence[str]
) -> Table:
    """Return a table with the paper's figure and the difference from it in columns of their own.

    Args:
        title: What the table shows.
        rows: For each row its values by column header, and the paper's figures for some of these columns. All rows
            have the same headers. A column has no comparison if the paper has no figure for it in any row.
        labels: Headers of the columns that name a row.
        notes: How to read the table.
    """
    headers = list(rows[0][0])
    compared = [header for header in rows[0][1] if any(paper[header] is not None for _, paper in rows)]
    return Table(
        title=title,
        columns=(
            *(Column(header, "left" if header in labels else "right") for header in headers),
            *(Column(f"{header} {kind}") for header in compared for kind in ("paper", "diff")),
        ),
        rows=tuple(
            (*values.values(), *(cell for header in compared for cell in _comparison(values[header], paper[header])))
            for values, paper in rows
        ),
        notes=tuple(notes),
    )


def percent(part: int, whole: int) -> float | None:
    """Return a share in percent, rounded to one decimal; None if `whole` is 0."""
    return round(100 * part / whole, 1) if whole else None


def _comparison(value: Cell, paper: float | None) -> tuple[Cell, Cell]:
    if paper is None or not isinstance(value, int | float):
        return paper, None
    return paper, round(value - paper, 1)
