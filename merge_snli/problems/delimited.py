"""Rows of texts with columns: CSV, and tables with tabs or another delimiter."""

import csv
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Literal

from merge_snli.base.errors import InputError, brief, listed, param
from merge_snli.base.table import count
from merge_snli.problems.rows import MAX_CHARACTERS, Header, SourceRow
from merge_snli.problems.text_files import numbered_lines

TAB = "\t"
COMMA = ","

# The delimiter of each type of text with columns, by the file's ending.
DELIMITED = {".csv": COMMA, ".tsv": TAB, ".txt": TAB}

# Delimiters of CSV files; of those that divide the header into as many columns, the first one.
CSV_DELIMITERS = (COMMA, ";", TAB)


def delimited_rows(path: Path, delimiter: str) -> Iterator[SourceRow]:
    """Yield the rows of a text with columns.

    If the delimiter is the tab, quotation marks are part of the text, as in the files of the NLI corpora. Otherwise, a
    blank before a quotation mark is skipped if the whole file can be read so.
    """
    skips_blanks = delimiter != TAB and _has_blanks_before_marks(path, delimiter)
    return _rows(path, delimiter, skips_blanks=skips_blanks)


def csv_delimiter(path: Path) -> str:
    """Return the delimiter that divides the header of a CSV file into the most columns."""
    header = next((line for _, line in numbered_lines(path, lenient=True)), "")
    columns = [len(next(csv.reader([header], delimiter=delimiter), [])) for delimiter in CSV_DELIMITERS]
    return CSV_DELIMITERS[columns.index(max(columns))]


def _has_blanks_before_marks(path: Path, delimiter: str) -> bool:
    """Return whether a file has blanks between a delimiter and a quotation mark, and can be read without them."""
    before_mark = re.compile(rf"(^|{re.escape(delimiter)}) +\"")
    if not any(before_mark.search(line) for _, line in numbered_lines(path, lenient=True)):
        return False
    try:
        return all(_rows(path, delimiter, skips_blanks=True))
    except InputError:
        return False


def _without_blanks(lines: Iterable[str], delimiter: str) -> Iterator[str]:
    """Yield lines without the blanks before the quotation marks that begin a cell.

    A cell with more than a text in quotation marks stays as it is, such as ` "Hello," he said`.
    """
    end = re.escape(delimiter)
    text_in_marks = r"\"(?:[^\"]|\"\")*\"(?!\")"
    rest = rf"(?:[^\"\r\n{end}]|\"[^\"\r\n]*\"|\")*"
    # Texts in quotation marks, which may begin in an earlier line, are matched as a whole and kept.
    cell = re.compile(rf"(^|{end})( +)(?:({text_in_marks})({rest})|(?=\"))|\"[^\"]*\"?")
    is_open = False
    for line in lines:
        mark = '"' * is_open
        yield cell.sub(_cell_of_csv, mark + line).removeprefix(mark)
        is_open ^= line.count('"') % 2 == 1


def _cell_of_csv(found: re.Match[str]) -> str:
    start, blanks, text, rest = found.groups()
    if start is None:
        return found[0]
    if rest and not rest.isspace():
        doubled = f"{blanks}{text}{rest}".replace('"', '""')
        text = f'"{doubled}"'
    return str(start + (text or ""))


def _rows(path: Path, delimiter: str, *, skips_blanks: bool) -> Iterator[SourceRow]:
    quoting: Literal[0, 3] = csv.QUOTE_NONE if delimiter == TAB else csv.QUOTE_MINIMAL
    lines: Iterable[str] = (text for _, text in numbered_lines(path, lenient=True))
    if skips_blanks:
        lines = _without_blanks(lines, delimiter)
    header: Header | None = None
    for line, fields in _records(
        path, csv.reader(lines, delimiter=delimiter, quoting=quoting, strict=delimiter != TAB)
    ):
        location = f"{path} line {line}"
        if header is None:
            header = Header(location, fields)
            _check_header(header, delimiter)
        elif len(fields) == len(header.names):
            yield header.row(location, fields)
        elif fields:
            columns = count(len(header.names), "column")
            comment = " (is it a comment? remove it)" if fields[0].startswith("#") else ""
            raise InputError(f"{location} has {count(len(fields), 'field')}; the header has {columns}{comment}")


def _records(path: Path, reader: Any) -> Iterator[tuple[int, list[str]]]:  # noqa: ANN401 - what csv.reader returns
    """Yield the number of the first line and the fields of each record, which may be as long as texts may be."""
    while True:
        start = reader.line_num + 1
        limit = csv.field_size_limit(MAX_CHARACTERS)
        try:
            fields = next(reader, None)
        except csv.Error as error:
            raise InputError(_unreadable(path, start, reader.line_num, str(error))) from error
        finally:
            csv.field_size_limit(limit)
        if fields is None:
            return
        yield start, fields


def _unreadable(path: Path, start: int, end: int, error: str) -> str:
    """Return a message on a record that cannot be read, with the numbers of its first line and of the one that fails.

    The error is often far behind its cause: a quotation mark that is not closed takes in all lines after it.
    """
    if "new-line character" in error:
        return f"{path} line {start} has a carriage return within a field: save the file with one kind of line ends"
    if "field limit" in error and end == start:
        return f"{path} line {start} has a field of more than {MAX_CHARACTERS:,} characters; remove this problem"
    return (
        f"{path}: the row that begins at line {start} cannot be read up to line {end} ({error}); close its quotation "
        "mark, and write a quotation mark within a field twice"
    )


def _check_header(header: Header, delimiter: str) -> None:
    """Refuse a header that is a comment, or has another delimiter."""
    first = header.names[0] if header.names else ""
    if len(header.names) == 1 and first.startswith("#"):
        raise InputError(f"{header.location} is a comment, not the names of the columns ({brief(first)}): remove it")
    other = _other_delimiter(header, delimiter)
    if other is not None:
        shown = "tabs" if other == TAB else repr(other)
        option = param("delimiter", "tab" if other == TAB else other)
        raise InputError(
            f"{header.location} ({brief(listed(header.names))!r}) has {shown} between its columns: set {option}"
        )


def _other_delimiter(header: Header, delimiter: str) -> str | None:
    """Return the delimiter of a file that was read with another one, as its header shows; None for the right one."""
    if delimiter != TAB and any(TAB in name for name in header.names):
        return TAB
    if len(header.names) > 1:
        return None
    return next((other for other in ";|," if header.names and other in header.names[0]), None)
