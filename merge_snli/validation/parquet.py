"""Reads one Parquet file of the data set, row group by row group, and checks its columns on the way."""

from __future__ import annotations

import hashlib
import io
import json
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from generation.output.write_data import ROWS_PER_GROUP, parquet_writer
from merge_snli.errors import reason
from merge_snli.files import sha256_of_file
from merge_snli.validation.finding import Finding, quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from typing_extensions import Buffer

DAMAGED = (pa.ArrowException, OSError, ValueError, ArithmeticError, MemoryError, TypeError, KeyError, IndexError)
"""What pyarrow raises on bytes that are no sound Parquet."""


class _Digest(io.RawIOBase):
    """A stream that keeps nothing but the sha256 of what is written to it."""

    def __init__(self) -> None:
        self._sha256 = hashlib.sha256()

    def writable(self) -> bool:
        return True

    def write(self, content: Buffer) -> int:
        self._sha256.update(content)
        return len(memoryview(content))

    def hexdigest(self) -> str:
        return self._sha256.hexdigest()


class DamagedError(Exception):
    """A file whose rows cannot be read further; carries the finding."""

    def __init__(self, finding: Finding) -> None:
        """Keep the finding."""
        super().__init__(finding.message)
        self.finding = finding


class Rows:
    """The rows of one file, taken in their order; it keeps the place in the file."""

    def __init__(self, folder: Path, name: str, schema: pa.Schema, *, same_writer: bool) -> None:
        """Open the file.

        Args:
            folder: The data set's folder.
            name: The file's relative path.
            schema: The columns that it must have, `datasets`' metadata included.
            same_writer: Whether the library that wrote it is the one at hand, which gives the same rows the same bytes.

        Raises:
            DamagedError: Where the file cannot be opened as Parquet.
        """
        self.name = name
        self.at_end: list[Finding] = []
        """What is wrong with the file as a whole: known when its last row was taken."""
        self._path = folder / name
        self._schema = schema
        self._same_writer = same_writer
        self._rest = schema.empty_table()
        self._batches: Iterator[pa.Table] | None = None
        try:
            self._file = pq.ParquetFile(self._path)
            self._found = self._file.schema_arrow
        except DAMAGED as error:
            raise self._damaged(error) from error

    @property
    def findings(self) -> list[Finding]:
        """Where the file's columns, their types, their order or their metadata are not those of `schema`."""
        found, schema = self._found, self._schema
        if found.names != schema.names:
            return [Finding(self.name, None, None, f"has the columns {_names(found)}; they should be {_names(schema)}")]
        types = [
            Finding(self.name, None, name, f"is of type {found.field(name).type}, not {schema.field(name).type}")
            for name in schema.names
            if found.field(name).type != schema.field(name).type
        ]
        written = (self._found.metadata, self._file.metadata.metadata)
        if types or all(_features(metadata) == _features(schema.metadata) for metadata in written):
            return types
        return [Finding(self.name, None, None, "its metadata has other features or label names than the record")]

    def take(self, count: int | None = None) -> pa.Table:
        """Return the next rows.

        Args:
            count: How many; None for those at hand, at least one while there is one.

        Returns:
            Up to `count` rows: fewer only at the end of the file.

        Raises:
            DamagedError: Where the next rows cannot be read, have a missing value, or belie the file's statistics.
        """
        if self._batches is None:
            self._batches = self._groups()
        wanted = 1 if count is None else count
        parts = [self._rest]
        while sum(part.num_rows for part in parts) < wanted:
            part = next(self._batches, None)
            if part is None:
                break
            parts.append(part)
        table = pa.concat_tables(parts)
        taken = table.num_rows if count is None else min(count, table.num_rows)
        self._rest = table.slice(taken)
        return table.slice(0, taken)

    def _groups(self) -> Iterator[pa.Table]:
        row = 0
        written = _Digest()
        writer = parquet_writer(written, self._schema)
        for number in range(self._file.num_row_groups):
            try:
                table = self._file.read_row_group(number).cast(self._schema).combine_chunks()
                table.validate(full=True)
                wrong = _missing_value(table) or _wrong_statistics(table, self._file.metadata.row_group(number))
            except DAMAGED as error:
                raise self._damaged(error) from error
            if wrong is not None:
                column, message = wrong
                raise DamagedError(Finding(self.name, None, column, f"{message}, in the rows from {row}"))
            row += table.num_rows
            if self._same_writer:
                writer.write_table(table, ROWS_PER_GROUP)
            yield from (table.slice(first, ROWS_PER_GROUP) for first in range(0, table.num_rows, ROWS_PER_GROUP))
        writer.close()
        if self._same_writer and written.hexdigest() != sha256_of_file(self._path):
            message = "its bytes are not those that its rows are written as: other readers may find other rows"
            self.at_end.append(Finding(self.name, None, None, message))

    def _damaged(self, error: Exception) -> DamagedError:
        return DamagedError(Finding(self.name, None, None, f"cannot be read as Parquet: {reason(error)}"))


def _names(schema: pa.Schema) -> str:
    return ", ".join(map(ascii, schema.names)).replace("'", "")


def _features(metadata: Mapping[bytes, bytes] | None) -> object:
    """Return the features that `datasets` reads from a schema's metadata; pyarrow writes them twice."""
    try:
        return json.loads((metadata or {})[b"huggingface"])["info"]["features"]
    except (KeyError, TypeError, ValueError, RecursionError):
        return None


def _missing_value(table: pa.Table) -> tuple[str, str] | None:
    """Return the first column with a null, at the top or within its lists."""
    for name, column in zip(table.column_names, table.columns, strict=True):
        inner = pc.list_flatten(column) if pa.types.is_list(column.type) else column
        if column.null_count or inner.null_count:
            return name, "has a value that is missing (null)"
    return None


def _wrong_statistics(table: pa.Table, group: pq.RowGroupMetaData) -> tuple[str, str] | None:
    """Return the first column whose smallest and largest value are not those that the file says readers to skip by."""
    for number in range(group.num_columns):
        chunk = group.column(number)
        statistics = chunk.statistics
        if "." in chunk.path_in_schema or statistics is None or not statistics.has_min_max or not table.num_rows:
            continue
        bounds = pc.min_max(table[chunk.path_in_schema]).as_py()
        if not (statistics.min <= bounds["min"] and bounds["max"] <= statistics.max):
            said = f"{quoted(statistics.min)} to {quoted(statistics.max)}"
            return chunk.path_in_schema, f"has values outside its statistics, {said}"
    return None
