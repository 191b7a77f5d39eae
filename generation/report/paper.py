"""Tables that compare the numbers of a run with those of the paper (arXiv:2510.24295)."""

from collections.abc import Mapping, Sequence

from merge_snli.base.table import Cell, Column, Table
from merge_snli.papers.numbers import MERGE, read_paper

Row = tuple[Mapping[str, Cell], Mapping[str, float]]

# Problems of SNLI test that have a gold label.
PROBLEMS = 9_824

# Variants that at least two masked LMs validated, `Both` in the paper.
SEVERAL = "several"


def paper_cells(table: str, row: str) -> dict[str, float]:
    """Return the numbers that the paper prints in a row of a table, by column; none if it has no such row.

    Args:
        table: The name of the table, such as `table-2`.
        row: The name of the row.
    """
    found = read_paper(MERGE).artifacts[table]
    cells = zip(found.columns, found.rows.get(row, ()), strict=False)
    return {column: cell for column, cell in cells if not isinstance(cell, str)}


def compared_table(*, title: str, rows: Sequence[Row], labels: Sequence[str], notes: tuple[str, ...]) -> Table:
    """Return a table with the paper's figure and the difference from it in columns of their own.

    Args:
        title: What the table shows.
        rows: For each row its values by column header, and the paper's figures for some of these columns, if any. All
            rows have the same headers.
        labels: Headers of the columns that name a row.
        notes: How to read the table.
    """
    headers = list(rows[0][0])
    compared = [header for header in headers if any(header in paper for _, paper in rows)]
    return Table(
        title=title,
        columns=(
            *(Column(header, "left" if header in labels else "right") for header in headers),
            *(Column(f"{header} {kind}") for header in compared for kind in ("paper", "diff")),
        ),
        rows=tuple(
            (
                *values.values(),
                *(cell for name in compared for cell in _comparison(values[name], paper.get(name))),
            )
            for values, paper in rows
        ),
        notes=notes,
    )


def percent(part: int, whole: int) -> float | None:
    """Return a share in percent, rounded to one decimal; None if `whole` is 0."""
    return round(100 * part / whole, 1) if whole else None


def _comparison(value: Cell, paper: float | None) -> tuple[Cell, Cell]:
    if paper is None or not isinstance(value, int | float):
        return paper, None
    return paper, round(value - paper, 1)
