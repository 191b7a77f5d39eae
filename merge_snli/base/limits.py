"""The limit on what is read from files of others, of which a few kilobytes can become more than the memory holds.

Before a file is read, its bytes after decompression are counted, and of a table its rows times its columns.
"""

from __future__ import annotations

import gzip
import os
import zipfile
from collections.abc import Container
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from merge_snli.base.errors import InputError

if TYPE_CHECKING:
    import pyarrow.parquet as pq

# The environment variable with the limit in GB, which `--read-limit` sets.
VARIABLE = "MERGE_SNLI_READ_LIMIT"
DEFAULT = "1"
GIGABYTE = 10**9

BYTES_PER_VALUE = 8
BYTES_PER_READ = 2**20

# How pyarrow names texts and bytes.
TEXTS = "BYTE_ARRAY"
# Into how many batches, at least, texts that take as much as the limit are divided to measure them.
BATCHES = 4


def read_limit() -> float:
    """Return the limit in bytes.

    Raises:
        InputError: If the environment variable is not a positive number.
    """
    text = os.environ.get(VARIABLE, DEFAULT)
    try:
        gigabytes = float(text)
    except ValueError:
        gigabytes = 0.0
    if not gigabytes > 0:
        raise InputError(f"{VARIABLE} is {text!r}: give a number of GB above 0, such as 4")
    return gigabytes * GIGABYTE


def check_size(name: object, size: int, when: str = "after decompression") -> None:
    """Check that a file is not too large to be read.

    Args:
        name: The file.
        size: How many bytes it takes.
        when: When it takes them, for the message.

    Raises:
        InputError: If they are above the limit.
    """
    limit = read_limit()
    if size > limit:
        raise InputError(
            f"{name} takes more than the limit of {limit / GIGABYTE:g} GB {when}: if you trust it, give a larger "
            f"number with merge-snli --read-limit before the command, or as {VARIABLE}"
        )


def check_gzip(path: Path) -> None:
    """Check that a file compressed with gzip is not too large to be read."""
    with gzip.open(path) as file:
        _count(path, 0, file)


def check_zip(path: Path) -> None:
    """Check that the files in a zip archive are not too large to be read, whatever sizes the archive says."""
    size = 0
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            check_size(path, size + member.file_size)
            member.file_size = int(read_limit()) + 1  # no more than this is read
            with archive.open(member) as file:
                size = _count(path, size, file)


def _count(path: Path, size: int, file: IO[bytes] | gzip.GzipFile) -> int:
    """Add the bytes that are left in a file to a size, and check it."""
    while block := file.read(BYTES_PER_READ):
        size += len(block)
        check_size(path, size)
    return size


def open_parquet(
    source: Path | bytes,
    *,
    name: object = None,
    columns: Container[str] | None = None,
    **options: Any,  # noqa: ANN401
) -> pq.ParquetFile:
    """Open a Parquet file of others, which may hold more than the memory.

    Args:
        source: The file, or its content.
        name: The file, for messages, if the source is its content.
        columns: The columns that will be read; None for all.
        options: Options of `pyarrow.parquet.ParquetFile`.

    Raises:
        InputError: If its table is above the limit. Of a damaged file, pyarrow raises its own errors.
    """
    file = _open(source, **options)
    metadata = file.metadata
    chunks = []
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        for column in map(group.column, range(group.num_columns)):
            if columns is None or column.path_in_schema.partition(".")[0] in columns:
                chunks.append((number, column))
    try:
        when = f"to read its {metadata.num_rows:,} rows of {metadata.num_columns:,} columns"
        check_size(name or source, sum(_smallest(chunk) for _, chunk in chunks), when)
        if sum(_largest(chunk) for _, chunk in chunks) > read_limit():
            size = 0
            texts = [chunk.path_in_schema for _, chunk in chunks if chunk.physical_type == TEXTS]
            with _open(source, read_dictionary=texts) as dictionaries:
                for number, chunk in chunks:
                    size += _measured(source, dictionaries, number, chunk)
                    check_size(name or source, size, when)
    except BaseException:
        file.close()
        raise
    return file


def _open(source: Path | bytes, **options: Any) -> pq.ParquetFile:  # noqa: ANN401
    import pyarrow as pa
    import pyarrow.parquet as pq

    return pq.ParquetFile(pa.BufferReader(source) if isinstance(source, bytes) else source, **options)


def _smallest(chunk: pq.ColumnChunkMetaData) -> int:
    """Return how many bytes the values of a column take at least; a list has several values."""
    return int(max(chunk.num_values * BYTES_PER_VALUE, chunk.total_uncompressed_size))


def _largest(chunk: pq.ColumnChunkMetaData) -> int:
    """Return how many bytes the values of a column take at most: each text may be stored once and repeated."""
    repeated = chunk.num_values * chunk.total_uncompressed_size if chunk.physical_type == TEXTS else 0
    return int(max(_smallest(chunk), repeated))


def _measured(source: Path | bytes, dictionaries: pq.ParquetFile, group: int, chunk: pq.ColumnChunkMetaData) -> int:
    """Return how many bytes the values of a column take; `dictionaries` reads texts as dictionaries."""
    size = _smallest(chunk)
    if chunk.physical_type != TEXTS:
        return size
    try:
        return max(size, _size_of_texts(dictionaries, group, chunk.path_in_schema))
    except OSError:  # texts that are stored by what they share with the one before cannot be read as dictionaries
        rows = max(int(read_limit() / chunk.total_uncompressed_size / BATCHES), 1)
        with _open(source) as file:
            for batch in file.iter_batches(rows, row_groups=[group], columns=[chunk.path_in_schema]):
                size += batch.nbytes
                if size > read_limit():
                    break
        return size


def _size_of_texts(dictionaries: pq.ParquetFile, group: int, column: str) -> int:
    """Return how many bytes the texts of a column take, each of which may be stored once and repeated many times."""
    import pyarrow as pa
    import pyarrow.compute as pc

    chunks = dictionaries.read_row_group(group, columns=[column]).column(0).chunks
    size = 0
    for texts in chunks:
        while not pa.types.is_dictionary(texts.type):
            texts = texts.field(0) if pa.types.is_struct(texts.type) else texts.flatten()
        size += pc.sum(pc.take(pc.binary_length(texts.dictionary), texts.indices)).as_py() or 0
    return size
