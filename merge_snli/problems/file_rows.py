"""Rows of files: JSON, JSON lines, CSV, TSV, also compressed with gzip, and Parquet."""

import csv
import gzip
import json
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Literal, cast

from merge_snli.base.errors import REASON, InputError, explained, param
from merge_snli.base.table import count
from merge_snli.problems.rows import Rows, SourceRow
from merge_snli.problems.tables import load_parquet, table_rows

PARQUET = ".parquet"

GZIP = ".gz"
TAB = "\t"

# What a file is that begins with these bytes, and what to do if it has the ending of a text file.
FIRST_BYTES = {
    b"\x1f\x8b": "a gzip file: add .gz to its name",
    b"BZh": "a bzip2 file: decompress it first",
    b"\xfd7zXZ\x00": "an xz file: decompress it first",
    b"\x28\xb5\x2f\xfd": "a Zstandard file: decompress it first",
    b"PK\x03\x04": "a zip file or a spreadsheet: unpack it, or save the table as .csv",
    b"PAR1": "a Parquet file: rename it to .parquet",
}


def file_type(path: Path) -> str:
    """Return the ending of a file that says how it is read, without the `.gz` of a compressed text."""
    return Path(path.stem).suffix if path.suffix == GZIP else path.suffix


def open_file(path: Path, delimiter: str | None = None) -> Rows:
    """Return the rows of a file.

    Args:
        path: A file with one of the endings in `FILE_TYPES`, and `.gz` after it if it is a compressed text.
        delimiter: The character between columns; None for that of the file's ending.
    """
    if path.is_dir():
        raise InputError(f"{path} is a folder: give a file")
    ending = file_type(path)
    if ending not in FILE_TYPES or path.suffixes[-2:] == [PARQUET, GZIP]:
        shown = "".join(path.suffixes[-2:]) if path.suffix == GZIP else path.suffix
        problem = f"unknown file type {shown!r}" if shown else "the file name has no ending"
        raise InputError(f"{path}: {problem}; expected {', '.join(FILE_TYPES)}, or a text file compressed as {GZIP}")
    if delimiter is not None and ending not in DELIMITED:
        raise InputError(f"{param('delimiter')} is for {', '.join(DELIMITED)} files, not for {path}: remove it")
    if path.stat().st_size == 0:
        raise InputError(f"{path} is empty; expected one row per line")
    if ending == PARQUET:
        return table_rows(load_parquet(path), str(path))
    require_text(path)
    return Rows(partial(READERS[ending] if delimiter is None else partial(_delimited, delimiter=delimiter), path))


def require_text(path: Path) -> None:
    """Check that a file is not compressed or of another type."""
    with _open(path) as file, _gzip_errors(path):
        beginning = file.read(max(map(len, FIRST_BYTES)))
    for first_bytes, problem in FIRST_BYTES.items():
        if beginning.startswith(first_bytes):
            raise InputError(f"{path} is {problem}")


def numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a UTF-8 file, with their numbers from 1."""
    with _open(path) as file, _gzip_errors(path):
        for number, line in enumerate(file, start=1):
            try:
                yield number, line.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                raise InputError(
                    f"{path} line {number}: byte {error.start + 1} (0x{line[error.start]:02x}) is not valid UTF-8; "
                    "save the file as UTF-8"
                ) from error


def _open(path: Path) -> BinaryIO:
    with explained(OSError, f"{path} cannot be read: {REASON}"):
        return cast("BinaryIO", gzip.open(path)) if path.suffix == GZIP else path.open("rb")


def _gzip_errors(path: Path) -> AbstractContextManager[None]:
    return explained(
        (gzip.BadGzipFile, EOFError, zlib.error),
        f"{path} is not a complete gzip file ({REASON}): download or compress it again",
    )


def _json(path: Path) -> Iterator[SourceRow]:
    """Read an array of objects; a file that does not begin as one is read as JSON lines, which often end in .json."""
    text = "".join(line for _, line in numbered_lines(path))
    if text.lstrip().startswith("["):
        for number, values in enumerate(_json_value(text, str(path), "an array of objects"), start=1):
            yield _object(values, f"{path} item {number}")
    else:
        yield from _json_lines(path)


def _json_lines(path: Path) -> Iterator[SourceRow]:
    for number, line in numbered_lines(path):
        if line.strip():
            location = f"{path} line {number}"
            yield _object(_json_value(line, location, "one JSON object per line"), location)


def _json_value(text: str, location: str, expected: str) -> Any:  # noqa: ANN401 - any JSON value
    with explained((ValueError, RecursionError), f"{location} is not valid JSON ({REASON}); expected {expected}"):
        return json.loads(text)


def _object(values: object, location: str) -> SourceRow:
    if not isinstance(values, dict):
        raise InputError(f"{location} is not a JSON object: {json.dumps(values, ensure_ascii=False)[:80]}")
    return SourceRow(location, values)


def _delimited(path: Path, delimiter: str) -> Iterator[SourceRow]:
    """Read the rows of a text with columns.

    If the delimiter is the tab, quotation marks are part of the text, as in the files of the NLI corpora.
    """
    quoting: Literal[0, 3] = csv.QUOTE_NONE if delimiter == TAB else csv.QUOTE_MINIMAL
    lines = (text for _, text in numbered_lines(path))
    reader = csv.reader(lines, delimiter=delimiter, quoting=quoting, strict=delimiter != TAB)
    end = 0
    try:
        header = next(reader)
        duplicate = next((name for name in header if header.count(name) > 1), None)
        if duplicate is not None:
            raise InputError(f"{path} line 1: duplicate column {duplicate!r}; rename one of them")
        other = _other_delimiter(header, delimiter)
        if other is not None:
            raise InputError(
                f"{path} line 1 ({', '.join(header)!r}) has {'tabs' if other == TAB else repr(other)} between its "
                f"columns: set {param('delimiter', 'tab' if other == TAB else other)}"
            )
        end = reader.line_num
        for fields in reader:
            location, end = f"{path} line {end + 1}", reader.line_num
            if not fields:
                continue
            if len(fields) != len(header):
                raise InputError(
                    f"{location} has {count(len(fields), 'field')}; the header has {count(len(header), 'column')}"
                )
            yield SourceRow(location, dict(zip(header, fields, strict=True)))
    except csv.Error as error:
        # The error is often far behind its cause: a quotation mark that is not closed takes in all lines after it.
        raise InputError(
            f"{path}: the row that begins at line {end + 1} cannot be read up to line {reader.line_num} ({error}); "
            "close its quotation mark, and write a quotation mark within a field twice"
        ) from error


def _other_delimiter(header: Sequence[str], delimiter: str) -> str | None:
    """Return the delimiter of a file that was read with another one, as its header shows; None for the right one."""
    if delimiter != TAB and any(TAB in name for name in header):
        return TAB
    return next((other for other in ";|," if other in header[0]), None) if len(header) == 1 else None


# The delimiter of each type of text with columns, by the file's ending.
DELIMITED = {".csv": ",", ".tsv": TAB, ".txt": TAB}

# The function that reads each type of text, by the file's ending.
READERS: dict[str, Callable[[Path], Iterator[SourceRow]]] = {
    ".json": _json,
    ".jsonl": _json_lines,
    **{ending: partial(_delimited, delimiter=delimiter) for ending, delimiter in DELIMITED.items()},
}

# The endings of files of problems.
FILE_TYPES = (*READERS, PARQUET)
