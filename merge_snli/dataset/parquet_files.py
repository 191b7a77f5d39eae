"""Write Parquet files: deterministic ones of a data set, and checked ones of a cache."""

import hashlib
import logging
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from merge_snli.base.files import disk_errors_as_input_errors, sha256_of_file, write_bytes

logger = logging.getLogger(__name__)

ROWS_PER_GROUP = 10_000
# Compression level of zstd; files are written once and read often.
COMPRESSION_LEVEL = 12


def rebatch(tables: Iterable[pa.Table], rows: int) -> Iterator[pa.Table]:
    """Split a stream of tables into tables of `rows` rows (the last may have fewer), each with one chunk per column."""
    buffer: list[pa.Table] = []
    buffered_rows = 0
    for table in tables:
        buffer.append(table)
        buffered_rows += table.num_rows
        while buffered_rows >= rows:
            combined = pa.concat_tables(buffer)
            yield combined.slice(0, rows).combine_chunks()
            buffer = [combined.slice(rows)]
            buffered_rows -= rows
    if buffered_rows:
        yield pa.concat_tables(buffer).combine_chunks()


def write_tables(
    path: Path,
    tables: Iterable[pa.Table],
    schema: pa.Schema,
    *,
    dictionaries: Sequence[str],
    level: int = COMPRESSION_LEVEL,
) -> int:
    """Write tables to a file in row groups of `ROWS_PER_GROUP` and return the number of rows; write no empty file.

    Equal rows give equal bytes with one version of pyarrow.

    Args:
        path: The file.
        tables: The rows.
        schema: The columns.
        dictionaries: Columns with repeated values, for which dictionary encoding saves space, as far as the schema has
            them.
        level: The compression level of zstd.
    """
    groups = rebatch(tables, ROWS_PER_GROUP)
    first = next(groups, None)
    if first is None:
        return 0
    path.parent.mkdir(parents=True, exist_ok=True)
    names = [name for name in dictionaries if name in schema.names]
    with pq.ParquetWriter(path, schema, compression="zstd", compression_level=level, use_dictionary=names) as writer:
        row_count = 0
        for group in chain([first], groups):
            writer.write_table(group.cast(schema).replace_schema_metadata(schema.metadata), ROWS_PER_GROUP)
            row_count += group.num_rows
    return row_count


def write_checked(folder: Path, table: pa.Table, *, prefix: str = "", **options: Any) -> Path:  # noqa: ANN401
    """Write a table atomically to `FOLDER/PREFIX<sha256>.parquet`.

    Args:
        folder: The folder; created if missing.
        table: The content.
        prefix: What the file's name begins with.
        options: Options of `pyarrow.parquet.write_table`.

    Returns:
        The file.

    Raises:
        InputError: If the disk is full or the folder is not writable; no partial file is left.
    """
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, **options)
    content = sink.getvalue().to_pybytes()
    path = folder / f"{prefix}{hashlib.sha256(content).hexdigest()}.parquet"
    write_bytes(path, content)
    return path


def is_intact(path: Path) -> bool:
    """Return whether a file's bytes match the sha256 at the end of its name; delete the file if they do not.

    Another process may delete the file at the same time; then it is not intact.

    Raises:
        InputError: If a damaged file cannot be deleted.
    """
    try:
        if sha256_of_file(path) == path.stem[-64:]:
            return True
    except FileNotFoundError:
        return False
    logger.warning("%s is damaged; it is deleted and computed again", path)
    with disk_errors_as_input_errors(path.parent):
        path.unlink(missing_ok=True)
    return False
