"""A table of a report, whatever it is about: columns, rows, and what to know when reading it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

Cell = str | int | float | None
"""None where there is nothing to say."""

BESIDE = ("paper", "diff")
"""What is said beside a figure of the run: the paper's, and how far the run's is from it."""


@dataclass(frozen=True, kw_only=True)
class ReportTable:
    """One table.

    Attributes:
        key: Its name in JSON, such as `table_2`.
        title: What it shows.
        columns: The names of its columns.
        rows: One cell a column.
        notes: How its figures are meant, one sentence each.
    """

    key: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the table as plain JSON values, its rows by column name."""
        rows = [dict(zip(self.columns, row, strict=True)) for row in self.rows]
        return {"title": self.title, "rows": rows, "notes": list(self.notes)}


def beside(value: float | None, paper: float | None) -> tuple[Cell, Cell]:
    """Return the paper's figure and the difference of `value` from it, both None where there is none."""
    return paper, None if value is None or paper is None else round(value - paper, 1)


def share(part: int, whole: int) -> float | None:
    """Return a part in percent, to one decimal; None of nothing."""
    return round(100 * part / whole, 1) if whole else None


def text_of(tables: Sequence[ReportTable]) -> str:
    """Return the tables as text for a terminal."""
    return "\n".join(_text(table) for table in tables)


def latex_of(tables: Sequence[ReportTable]) -> str:
    """Return the tables as LaTeX floats with `booktabs` rules."""
    return "\n".join(_latex(table) for table in tables)


def _text(table: ReportTable) -> str:
    cells = [table.columns, *([shown(cell) for cell in row] for row in table.rows)]
    widths = [max(len(row[index]) for row in cells) for index in range(len(table.columns))]
    left = [all(isinstance(row[index], str) for row in table.rows) for index in range(len(table.columns))]
    lines = [
        "  ".join(
            cell.ljust(width) if to_left else cell.rjust(width)
            for cell, width, to_left in zip(row, widths, left, strict=True)
        ).rstrip()
        for row in cells
    ]
    return "\n".join([table.title, *lines, *(f"  {note}" for note in table.notes), ""])


def _latex(table: ReportTable) -> str:
    left = (all(isinstance(row[index], str) for row in table.rows) for index in range(len(table.columns)))
    rows = [" & ".join(_escaped(shown(cell)) for cell in row) + r" \\" for row in table.rows]
    caption = _escaped(" ".join([f"{table.title}.", *table.notes]))
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            rf"\begin{{tabular}}{{{''.join('l' if each else 'r' for each in left)}}}",
            r"\toprule",
            " & ".join(_escaped(column) for column in table.columns) + r" \\",
            r"\midrule",
            *rows,
            r"\bottomrule",
            r"\end{tabular}",
            rf"\caption{{{caption}}}",
            r"\end{table}",
            "",
        ]
    )


def shown(cell: Cell) -> str:
    """Return a cell as text: floats with one decimal, thousands with a comma, a dash for nothing."""
    if cell is None:
        return "-"
    if isinstance(cell, str):
        return cell
    return f"{cell:,}" if isinstance(cell, int) else f"{cell:,.1f}"


def _escaped(text: str) -> str:
    replaced = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    return "".join(replaced.get(letter, f"\\{letter}" if letter in "&%$#_{}" else letter) for letter in text)
