"""Write the Parquet files of a data set, with the same bytes for the same rows."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from io import RawIOBase
    from pathlib import Path

ROWS_PER_GROUP = 10_000
COMPRESSION_LEVEL = 12
"""Compression level of zstd; files are written once and read often."""


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


def write_tables(path: Path, tables: Iterable[pa.Table], schema: pa.Schema, *, dictionaries: Sequence[str]) -> int:
    """Write tables to a file in row groups of `ROWS_PER_GROUP` and return the number of rows; write no empty file.

    Args:
        path: The file.
        tables: The rows.
        schema: The columns.
        dictionaries: Columns with repeated values, for which dictionary encoding saves space.
    """
    groups = rebatch(tables, ROWS_PER_GROUP)
    first = next(groups, None)
    if first is None:
        return 0
    path.parent.mkdir(parents=True, exist_ok=True)
    with parquet_writer(path, schema, dictionaries=dictionaries) as writer:
        row_count = 0
        for group in chain([first], groups):
            writer.write_table(group.cast(schema).replace_schema_metadata(schema.metadata), ROWS_PER_GROUP)
            row_count += group.num_rows
    return row_count


def parquet_writer(target: Path | RawIOBase, schema: pa.Schema, *, dictionaries: Sequence[str]) -> pq.ParquetWriter:
    """Open a Parquet writer whose output is deterministic for a version of pyarrow.

    Args:
        target: The path of a file, or a binary stream.
        schema: The columns. Write each row group as a table with one chunk per column and exactly this schema.
        dictionaries: Columns to encode with a dictionary, as far as the schema has them.
    """
    names = [name for name in dictionaries if name in schema.names]
    return pq.ParquetWriter(
        target, schema, compression="zstd", compression_level=COMPRESSION_LEVEL, use_dictionary=names
    )
