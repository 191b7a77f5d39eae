"""Tables of values, rendered as text, Markdown, LaTeX or HTML."""

from __future__ import annotations

import codecs
import csv
import html
import io
import textwrap
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Literal, TextIO

from merge_snli.base.files import JsonObject
from merge_snli.base.table_templates import HTML, LATEX, MARKDOWN

if TYPE_CHECKING:
    import pandas as pd

# A value of a table. None is shown as a dash.
Cell = str | int | float | None

# Columns of a terminal: notes are wrapped to it, and headers if the table is wider.
TEXT_WIDTH = 80

NO_VALUE = "–"

# How characters that the output's encoding lacks are printed. Others are printed as their code.
ASCII = str.maketrans({"─": "-", "–": "-", "−": "-", "…": "...", "→": "->", "≥": ">="})

# With what a cell begins that spreadsheet programs take for a formula.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")

MARKDOWN_ESCAPES = str.maketrans(
    {character: f"\\{character}" for character in "\\`*_{}[]#|~!$"} | {"<": "&lt;", ">": "&gt;", "&": "&amp;"}
)
LATEX_ESCAPES = str.maketrans(
    {character: f"\\{character}" for character in "&%$#_{}"}
    | {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        "–": "--",
        "−": "$-$",
    }
    | {character: f"{{{character}}}" for character in "[]*"}  # `\\` would read them as its arguments
)


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        header: The name of the column.
        align: The side that cells are aligned to.
        format: Format specification for numbers, such as `+.1f`; by default `,` for integers and `,.1f` for floats.
        code: Whether cells are code, shown in a monospace font where the output format has one.
        wrap: Whether cells are long texts, which HTML breaks into lines.
        under: Whether HTML shows cells below those of the column before, such as an interval below its number.
    """

    header: str
    align: Literal["left", "right"] = "right"
    format: str | None = None
    code: bool = False
    wrap: bool = False
    under: bool = False

    def show(self, value: Cell) -> str:
        """Return a value as one line of plain text."""
        if value is None:
            return NO_VALUE
        if isinstance(value, str):
            return printable(value)
        if isinstance(value, int):
            return format(value, self.format or ",")
        spec = self.format or ",.1f"
        return format(value, f"+z{spec[1:]}" if spec.startswith("+") else f"z{spec}")  # z: never -0.0


@dataclass(frozen=True, kw_only=True)
class Table:
    """Values in rows and columns.

    All renderings escape what the output format would interpret, so names and sentences may hold any character.

    Attributes:
        columns: The columns.
        rows: One cell per column.
        title: What the table shows; empty for no title.
        finding: What was found, in a sentence or two; shown above the rows, in text, Markdown and LaTeX.
        notes: How to read the values, one or more sentences each.
    """

    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    title: str = ""
    finding: str = ""
    notes: Sequence[str] = ()

    def as_dict(self) -> JsonObject:
        """Return the table as JSON values, with each row as an object by column header."""
        headers = [column.header for column in self.columns]
        rows = [dict(zip(headers, row, strict=True)) for row in self.rows]
        return {"title": self.title, "rows": rows, "notes": list(self.notes)}

    def text(self) -> str:
        """Return the table as aligned text for a terminal.

        If the table is wider than `TEXT_WIDTH`, headers are wrapped at spaces; if that is not enough, columns are
        separated by one space instead of two. Cells are never wrapped.
        """
        rows = self._cells(Column.show)
        headers = [printable(column.header) for column in self.columns]
        widths = _widths([headers, *rows])
        if _width(widths, "  ") > TEXT_WIDTH:
            words = [max(header.split(), key=len, default="") for header in headers]
            widths = _widths([words, *rows])
        gap = "  " if _width(widths, "  ") <= TEXT_WIDTH else " "
        lines = []
        if self.title:
            lines.append(printable(self.title))
        if self.finding:
            lines += [*_wrap(printable(self.finding), TEXT_WIDTH), ""]
        lines += self._header_lines(headers, widths, gap)
        lines.append(gap.join("─" * width for width in widths))
        lines += [self._line(row, widths, gap) for row in rows]
        if self.notes:
            lines.append("")
        for note in self.notes:
            lines += _wrap(printable(note), TEXT_WIDTH)
        return "\n".join([*lines, ""])

    def markdown(self) -> str:
        """Return the table as a Markdown table, under a heading if it has a title and followed by a list of notes."""
        return self._rendered(MARKDOWN, _markdown, self._cells(_cell_markdown))

    def latex(self) -> str:
        """Return the table as a LaTeX `table` with `booktabs` rules."""
        return self._rendered(LATEX, _latex, self._cells(_cell_latex))

    def csv(self) -> str:
        """Return the columns as CSV, with numbers in full and an empty cell for None; without title and notes.

        Texts that a spreadsheet program would take for formulas are marked; see `not_formula`.
        """
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([not_formula(column.header) for column in self.columns])
        for row in self.rows:
            writer.writerow([not_formula(value) if isinstance(value, str) else value for value in row])
        return text.getvalue()

    def html(self) -> str:
        """Return the table as an HTML `table`, with the notes in a paragraph below."""
        rows: list[list[tuple[Column, str]]] = []
        for row in self.rows:
            cells: list[tuple[Column, str]] = []
            for column, value in zip(self.columns, row, strict=True):
                content = _cell_html(column, value)
                if not column.under:
                    cells.append((column, content))
                elif value is not None:
                    above, lines = cells[-1]
                    cells[-1] = above, f"{lines}<br><small>{content}</small>"
            rows.append(cells)
        return self._rendered(HTML, _html, rows)

    _repr_html_ = html  # in notebooks

    def _rendered(self, template: str, escape: Callable[[str], str], rows: list[Any]) -> str:
        from merge_snli.base.templates import text_template

        return text_template(template, escaped=escape).render(table=self, rows=rows)

    def to_pandas(self) -> pd.DataFrame:
        """Return the columns as a pandas data frame, with numbers in full, without title and notes."""
        import pandas as pd

        return pd.DataFrame(list(self.rows), columns=[column.header for column in self.columns])

    def _cells(self, show: Callable[[Column, Cell], str]) -> list[list[str]]:
        return [[show(column, value) for column, value in zip(self.columns, row, strict=True)] for row in self.rows]

    def _header_lines(self, headers: Sequence[str], widths: Sequence[int], gap: str) -> list[str]:
        """Wrap the headers to the widths of their columns and align them at the bottom."""
        wrapped = [_wrap(header, width)[::-1] for header, width in zip(headers, widths, strict=True)]
        rows = [*zip_longest(*wrapped, fillvalue="")]
        return [self._line(row, widths, gap) for row in reversed(rows)]

    def _line(self, cells: Sequence[str], widths: Sequence[int], gap: str) -> str:
        aligned = []
        for column, cell, width in zip(self.columns, cells, widths, strict=True):
            aligned.append(cell.rjust(width) if column.align == "right" else cell.ljust(width))
        return gap.join(aligned).rstrip()


def _widths(rows: Iterable[Sequence[str]]) -> list[int]:
    """Return the length of the longest cell of each column."""
    return [max(map(len, column)) for column in zip(*rows, strict=True)]


def _width(widths: Sequence[int], gap: str) -> int:
    """Return the length of a line."""
    return sum(widths) + len(gap) * (len(widths) - 1)


def print_in_any_encoding(stream: TextIO) -> None:
    """Make a stream print every text, with `ASCII` for the characters that its encoding lacks.

    Args:
        stream: Standard output or error.
    """
    codecs.register_error("merge_snli.ascii", _ascii)
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="merge_snli.ascii")


def _ascii(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end].translate(ASCII)
    return text.encode("ascii", "backslashreplace").decode(), error.end


def not_formula(text: str) -> str:
    """Return a text with an apostrophe before it if a spreadsheet program would take it for a formula.

    Examples:
        >>> not_formula("=A1"), not_formula("a=1"), without_mark("'=A1"), without_mark("'tis")
        ("'=A1", 'a=1', '=A1', "'tis")
    """
    return f"'{text}" if text.lstrip("'").startswith(FORMULA_STARTS) else text


def without_mark(text: str) -> str:
    """Return a text of a spreadsheet without the apostrophe of `not_formula`."""
    return text[1:] if text.startswith("'") and text.lstrip("'").startswith(FORMULA_STARTS) else text


def printable(text: str) -> str:
    r"""Replace every character that would break a line or control a terminal with a space.

    Examples:
        >>> printable("a\nb\x1b[2J")
        'a b [2J'
    """
    return "".join(character if character.isprintable() else " " for character in text)


def _wrap(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, max(width, 1), break_long_words=False, break_on_hyphens=False)


def _markdown(text: str) -> str:
    return printable(text).translate(MARKDOWN_ESCAPES)


def _cell_markdown(column: Column, value: Cell) -> str:
    text = column.show(value)
    return code_span(text) if column.code else _markdown(text)


def code_span(text: str) -> str:
    """Return a text on one line as Markdown's code span in a table, which backticks of the text do not end.

    Examples:
        >>> code_span("a `b`")
        '`` a `b` ``'
    """
    fence = "`"
    while fence in text:
        fence += "`"
    space = " " if "`" in text else ""
    return f"{fence}{space}{one_cell(text)}{space}{fence}"


def one_cell(text: str) -> str:
    """Escape what would end a cell or line of a Markdown table."""
    return " ".join(text.split()).replace("|", "\\|")


def _latex(text: str) -> str:
    return printable(text).translate(LATEX_ESCAPES)


def _cell_latex(column: Column, value: Cell) -> str:
    text = column.show(value)
    if isinstance(value, int | float) and text.startswith("-"):
        return f"$-${text[1:]}"
    return rf"\texttt{{{_latex(text)}}}" if column.code else _latex(text)


def _html(text: str) -> str:
    return html.escape(printable(text))


def _cell_html(column: Column, value: Cell) -> str:
    text = _html(column.show(value))
    return f"<code>{text}</code>" if column.code else text


def count(number: int, noun: str) -> str:
    """Return a number with its noun.

    Examples:
        >>> count(1, "seed"), count(1200, "seed")
        ('1 seed', '1,200 seeds')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def capitalized(text: str) -> str:
    """Return a text with a capital first letter and the others as they are.

    Examples:
        >>> capitalized("sentence_A")
        'Sentence_A'
    """
    return text[:1].upper() + text[1:]
