"""Tables from rows, beside the values of the paper and the differences from them if these can be compared."""

from collections.abc import Mapping, Sequence

from generation.options import departures
from merge_snli.base.table import Cell, Column, Table
from merge_snli.dataset.record import generation_of
from merge_snli.dataset.stored import MergeDataset
from merge_snli.dataset.variants import masked_lm_names
from merge_snli.models.paper_models import PAPER_MLMS
from merge_snli.papers.numbers import MERGE, read_paper

# For each row its name in the paper's table, and its values by column header.
Rows = list[tuple[str, dict[str, Cell]]]

# Problems of SNLI test that have a gold label.
PROBLEMS = 9_824


def has_papers_problems(dataset: MergeDataset) -> bool:
    """Return whether a data set has as many problems as SNLI test, and words that are shared as in the paper."""
    ignores_case = dataset.record.options.get("ignore_case", False)
    return generation_of(dataset.record).problems.with_label == PROBLEMS and not ignores_case


def has_papers_options(dataset: MergeDataset) -> bool:
    """Return whether a data set was made from as many problems as SNLI test, with the paper's options."""
    return has_papers_problems(dataset) and not departures(dataset.record.options)


def is_papers_run(dataset: MergeDataset) -> bool:
    """Return whether a data set was made like the paper's, and with its eight masked LMs."""
    return has_papers_options(dataset) and set(masked_lm_names(dataset.record)) == set(PAPER_MLMS)


def printed_rows(table: str) -> dict[str, dict[str, float]]:
    """Return the numbers that the paper prints in a table, by row and column.

    Args:
        table: The name of the table, such as `table-2`.
    """
    artifact = read_paper(MERGE).artifacts[table]
    printed: dict[str, dict[str, float]] = {}
    for row, cells in artifact.rows.items():
        printed[row] = {}
        for column, cell in zip(artifact.columns, cells, strict=True):
            if not isinstance(cell, str):
                printed[row][column] = cell
    return printed


def compared_table(
    *,
    title: str,
    rows: Rows,
    printed: Mapping[str, Mapping[str, float]] | None = None,
    labels: Sequence[str],
    notes: tuple[str, ...] = (),
) -> Table:
    """Return a table with the paper's value and the difference from it in columns of their own.

    Args:
        title: What the table shows.
        rows: The rows, all with the same headers.
        printed: The paper's values by the name of the row; none if the table is not compared.
        labels: Headers of the columns that name a row.
        notes: How to read the table.
    """
    in_paper = {name: (printed or {}).get(name, {}) for name, _ in rows}
    known = set[str]().union(*in_paper.values())
    compared = [header for header in rows[0][1] if header in known]
    beside: list[dict[str, Cell]] = []
    for name, row in rows:
        values = dict(row)
        for header in compared:
            values |= _comparison(header, row[header], in_paper[name].get(header))
        beside.append(values)
    return table_of(beside, title=title, labels=labels, notes=notes)


def _comparison(header: str, value: Cell, paper: float | None) -> dict[str, Cell]:
    """Return the columns of the paper's value and of the difference from it."""
    difference = None
    if paper is not None and isinstance(value, int | float):
        difference = round(value - paper, 1)
    return {f"{header} paper": paper, f"{header} diff": difference}


def table_of(
    rows: Sequence[Mapping[str, Cell]], *, labels: Sequence[str], title: str = "", notes: tuple[str, ...] = ()
) -> Table:
    """Return a table of rows with the same headers.

    Args:
        rows: The values of each row by header.
        labels: Headers of the columns that name a row.
        title: What the table shows.
        notes: How to read the table.
    """
    columns = []
    for header in rows[0]:
        columns.append(Column(header, "left" if header in labels else "right"))
    cells = [tuple(row.values()) for row in rows]
    return Table(title=title, columns=columns, rows=cells, notes=notes)
