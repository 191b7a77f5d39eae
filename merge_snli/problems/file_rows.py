"""Rows of a file of problems: JSON lines, CSV, TSV or Parquet."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, BinaryIO

from merge_snli.errors import InputError, reason
from merge_snli.problems.rows import SourceRow

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

PARQUET_BATCH_ROWS = 10_000

FIRST_BYTES = {
    b"\x1f\x8b": "a gzip file: decompress it first, for example with gunzip",
    b"BZh": "a bzip2 file: decompress it first",
    b"\xfd7zXZ\x00": "an xz file: decompress it first",
    b"\x28\xb5\x2f\xfd": "a Zstandard file: decompress it first",
    b"PK\x03\x04": "a zip file or a spreadsheet: unpack it, or save the table as .csv",
    b"PAR1": "a Parquet file: rename it to .parquet",
}
"""What a file is that begins with these bytes, and what to do if it has the ending of a text file."""


def read_file(path: Path) -> Iterator[SourceRow]:
    """Yield the rows of a file.

    Args:
        path: A file with one of the endings in `READERS`.

    Raises:
        InputError: If the ending is unknown, the file is empty, or it cannot be read.
    """
    reader = READERS.get(path.suffix)
    if reader is None:
        raise InputError(
            f"{path}: unknown file type {path.suffix or 'without ending'!r}; expected {', '.join(READERS)}"
        )
    if path.stat().st_size == 0:
        raise InputError(f"{path} is empty; expected one NLI problem per line or row")
    if reader is not _parquet:
        require_text(path)
    return reader(path)


def require_text(path: Path) -> None:
    """Check that a file is not compressed or of another type.

    Raises:
        InputError: If it is, or it cannot be read.
    """
    with _open(path) as file:
        beginning = file.read(max(map(len, FIRST_BYTES)))
    for first_bytes, found in FIRST_BYTES.items():
        if beginning.startswith(first_bytes):
            raise InputError(f"{path} is {found}")


def parquet_label_names(path: Path, column: str) -> tuple[str, ...] | None:
    """Return the names of a ClassLabel column that `datasets` wrote into a Parquet file.

    Args:
        path: A file of any type.
        column: The label's column.

    Returns:
        The names in the order of their numbers; None if the file is not Parquet or does not have them.

    Raises:
        InputError: If a Parquet file cannot be read.
    """
    if path.suffix != ".parquet":
        return None
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        schema = pq.read_schema(path)
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{path} cannot be read as Parquet: {reason(error)}") from error
    return schema_label_names(schema, column)


def schema_label_names(schema: pa.Schema, column: str) -> tuple[str, ...] | None:
    """Return the names of a ClassLabel column that `datasets` wrote into an Arrow schema.

    Args:
        schema: The schema.
        column: The label's column.
    """
    try:
        names = json.loads((schema.metadata or {})[b"huggingface"])["info"]["features"][column]["names"]
    except (KeyError, ValueError, TypeError):
        return None
    return tuple(str(name) for name in names) if isinstance(names, list) and names else None


def numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a UTF-8 file, with their numbers from 1.

    Raises:
        InputError: If the file cannot be read or is not UTF-8.
    """
    with _open(path) as file:
        for number, line in enumerate(file, start=1):
            try:
                yield number, line.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                raise InputError(
                    f"{path} line {number}: byte {error.start + 1} (0x{line[error.start]:02x}) is not valid UTF-8; "
                    "save the file as UTF-8"
                ) from error


def _open(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error


def _json_lines(path: Path) -> Iterator[SourceRow]:
    for number, line in numbered_lines(path):
        location = f"{path} line {number}"
        if not line.strip():
            continue
        try:
            values = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(
                f"{location} is not valid JSON ({reason(error)}); expected one JSON object per line"
            ) from error
        if not isinstance(values, dict):
            raise InputError(f"{location} is not a JSON object: {line.strip()[:80]}")
        yield SourceRow(location, values)


def _csv(path: Path) -> Iterator[SourceRow]:
    return _delimited(path, csv.reader((text for _, text in numbered_lines(path)), strict=True))


def _tsv(path: Path) -> Iterator[SourceRow]:
    """Read tab-separated values in the format of the NLI corpora: quotation marks are part of the text."""
    reader = csv.reader((text for _, text in numbered_lines(path)), delimiter="\t", quoting=csv.QUOTE_NONE)
    return _delimited(path, reader)


def _delimited(path: Path, reader: Any) -> Iterator[SourceRow]:  # noqa: ANN401 - csv's reader has no public type
    end = 0
    try:
        header = next(reader)
        duplicate = next((name for name in header if header.count(name) > 1), None)
        if duplicate is not None:
            raise InputError(f"{path} line 1: duplicate column {duplicate!r}; rename one of them")
        end = reader.line_num
        for fields in reader:
            location, end = f"{path} line {end + 1}", reader.line_num
            if not fields:
                continue
            if len(fields) != len(header):
                raise InputError(f"{location} has {len(fields)} fields; the header has {len(header)} columns")
            yield SourceRow(location, dict(zip(header, fields, strict=True)))
    except csv.Error as error:
        # The error is often far behind its cause: a quotation mark that is not closed takes in all lines after it.
        raise InputError(
            f"{path}: the row that begins at line {end + 1} cannot be read up to line {reader.line_num} ({error}); "
            "close its quotation mark, and write a quotation mark within a field twice"
        ) from error


def _parquet(path: Path) -> Iterator[SourceRow]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    number = 0
    try:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(PARQUET_BATCH_ROWS):
                for values in batch.to_pylist():
                    number += 1
                    yield SourceRow(f"{path} row {number}", values)
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{path} cannot be read as Parquet: {reason(error)}") from error


READERS: dict[str, Callable[[Path], Iterator[SourceRow]]] = {
    ".jsonl": _json_lines,
    ".csv": _csv,
    ".tsv": _tsv,
    ".parquet": _parquet,
}
"""The function that reads each type of file, by the file's ending."""
