"""Read a Parquet file of the data set in order, and check its columns, values and bytes on the way."""

from __future__ import annotations

import hashlib
import io
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from generation.output.write_data import ROWS_PER_GROUP, parquet_writer
from merge_snli.errors import reason
from merge_snli.files import sha256_of_file
from merge_snli.validation.finding import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from typing_extensions import Buffer

    from merge_snli.validation.collector import Collector

READ_ERRORS = (pa.ArrowException, OSError, ValueError, ArithmeticError, MemoryError, TypeError, KeyError, IndexError)
"""What pyarrow raises for damaged files."""


class _Digest(io.RawIOBase):
    """A stream that computes the sha256 of what is written to it and stores nothing."""

    def __init__(self) -> None:
        self._sha256 = hashlib.sha256()

    def writable(self) -> bool:
        return True

    def write(self, content: Buffer) -> int:
        self._sha256.update(content)
        return len(memoryview(content))

    def hexdigest(self) -> str:
        return self._sha256.hexdigest()


@dataclass
class Rows:
    """The rows of one file in their order; it keeps the position in the file.

    Attributes:
        path: The file.
        name: Its relative path.
        file: The same, opened.
        schema: Its columns, with the metadata of `datasets`.
        collector: Gets the findings.
        rewrite: Write the rows again to compare the bytes.
        is_damaged: Whether reading failed, which is reported; the rows end there.
        has_other_bytes: Whether writing the rows again gave other bytes; known when the last row was read.
    """

    path: Path
    name: str
    file: pq.ParquetFile
    schema: pa.Schema
    collector: Collector
    rewrite: bool
    is_damaged: bool = False
    has_other_bytes: bool = False

    def __post_init__(self) -> None:
        """Start at the first row."""
        self._rest = self.schema.empty_table()
        self._batches = self._read_batches()

    def take(self, count: int | None = None) -> pa.Table:
        """Return the next rows.

        Args:
            count: How many; None for the next batch.

        Returns:
            Up to `count` rows: fewer only at the end of the file, or if it is damaged.
        """
        minimum = 1 if count is None else count
        parts = [self._rest]
        while sum(part.num_rows for part in parts) < minimum:
            part = next(self._batches, None)
            if part is None:
                break
            parts.append(part)
        table = pa.concat_tables(parts)
        number = table.num_rows if count is None else min(count, table.num_rows)
        self._rest = table.slice(number)
        return table.slice(0, number)

    def _read_batches(self) -> Iterator[pa.Table]:
        row = 0
        digest = _Digest()
        writer = parquet_writer(digest, self.schema)
        for number in range(self.file.num_row_groups):
            try:
                table = self.file.read_row_group(number).cast(self.schema).combine_chunks()
                table.validate(full=True)
                problem: tuple[str | None, str] | None = _null(table) or _wrong_statistics(
                    table, self.file.metadata.row_group(number)
                )
            except READ_ERRORS as error:
                problem = None, f"cannot be read as Parquet: {reason(error)}"
            if problem is not None:
                column, message = problem
                self.collector.find(self.name, None, column, f"{message} (in the row group that starts at row {row})")
                self.is_damaged = True
                return
            row += table.num_rows
            if self.rewrite:
                writer.write_table(table, ROWS_PER_GROUP)
            yield from (table.slice(first, ROWS_PER_GROUP) for first in range(0, table.num_rows, ROWS_PER_GROUP))
        writer.close()
        self.has_other_bytes = self.rewrite and digest.hexdigest() != sha256_of_file(self.path)


def open_rows(folder: Path, name: str, schema: pa.Schema, collector: Collector, *, rewrite: bool) -> Rows | None:
    """Open a file; None if it is not Parquet or has other columns, which is reported.

    Args:
        folder: The data set's folder.
        name: The file's relative path.
        schema: The columns that it must have, with the metadata of `datasets`.
        collector: Gets the findings.
        rewrite: Write the rows again to compare the bytes.
    """
    try:
        file = pq.ParquetFile(folder / name)
        problems = _schema_problems(file, schema)
    except READ_ERRORS as error:
        problems = [(None, f"cannot be read as Parquet: {reason(error)}")]
    for column, message in problems:
        collector.find(name, None, column, message)
    return None if problems else Rows(folder / name, name, file, schema, collector, rewrite)


def _schema_problems(file: pq.ParquetFile, schema: pa.Schema) -> list[tuple[str | None, str]]:
    """Return columns and messages for differences in names, order, types and metadata."""
    found = file.schema_arrow
    if found.names != schema.names:
        return [(None, f"has the columns {_names(found)}; the columns must be {_names(schema)}")]
    types = [
        (name, f"has type {found.field(name).type}, must be {schema.field(name).type}")
        for name in schema.names
        if found.field(name).type != schema.field(name).type
    ]
    if types:
        return types
    for metadata in (found.metadata, file.metadata.metadata):  # pyarrow writes it twice
        if _features(metadata) != _features(schema.metadata):
            return [(None, "has other features or label names in its metadata than in the record")]
    return []


def _names(schema: pa.Schema) -> str:
    return ", ".join(map(ascii, schema.names)).replace("'", "")


def _features(metadata: Mapping[bytes, bytes] | None) -> object:
    """Return the features that `datasets` stores in a schema's metadata."""
    try:
        return json.loads((metadata or {})[b"huggingface"])["info"]["features"]
    except (KeyError, TypeError, ValueError, RecursionError):
        return None


def _null(table: pa.Table) -> tuple[str | None, str] | None:
    """Return the first column with a null, also within lists, and a message."""
    for name, column in zip(table.column_names, table.columns, strict=True):
        inner = pc.list_flatten(column) if pa.types.is_list(column.type) else column
        if column.null_count or inner.null_count:
            return name, "has a null"
    return None


def _wrong_statistics(table: pa.Table, group: pq.RowGroupMetaData) -> tuple[str | None, str] | None:
    """Return the first column with values outside its statistics, by which readers skip rows, and a message."""
    for number in range(group.num_columns):
        chunk = group.column(number)
        statistics = chunk.statistics
        if "." in chunk.path_in_schema or statistics is None or not statistics.has_min_max or not table.num_rows:
            continue
        bounds = pc.min_max(table[chunk.path_in_schema]).as_py()
        if not (statistics.min <= bounds["min"] and bounds["max"] <= statistics.max):
            limits = f"{quoted(statistics.min)} to {quoted(statistics.max)}"
            return chunk.path_in_schema, f"has values outside its statistics, {limits}"
    return None
