"""Read a Parquet file of the data set, and check its columns, values and statistics."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from merge_snli.base.errors import reason
from merge_snli.dataset.parquet_files import ROWS_PER_GROUP, rebatch
from merge_snli.validation.findings import Collector, quoted

# A column, or None for the whole file, and a message.
Problem = tuple[str | None, str]

# What pyarrow raises for damaged files.
READ_ERRORS = (pa.ArrowException, OSError, ValueError, ArithmeticError, MemoryError, TypeError, KeyError, IndexError)


def check_table(folder: Path, name: str, schema: pa.Schema, collector: Collector) -> bool:
    """Return whether a file exists and can be read; damage and other columns are reported.

    Args:
        folder: The data set's folder.
        name: The file's relative path.
        schema: The columns that it must have, with the metadata of `datasets`.
        collector: Gets the findings.
    """
    if not (folder / name).is_file():
        return False
    try:
        with pq.ParquetFile(folder / name) as file:
            problem = _schema_problem(file, schema)
            for number in range(0 if problem else file.num_row_groups):
                group = file.read_row_group(number).cast(schema)
                group.validate(full=True)
                problem = problem or _null(group) or _wrong_statistics(group, file.metadata.row_group(number))
    except READ_ERRORS as error:
        problem = None, f"cannot be read as Parquet: {reason(error)}"
    if problem is not None:
        collector.find(name, None, *problem)
    return problem is None


def read_tables(path: Path, rows: int = ROWS_PER_GROUP, columns: list[str] | None = None) -> Iterator[pa.Table]:
    """Yield the rows of a file in tables of `rows` rows; the last may have fewer.

    Args:
        path: The file.
        rows: The number of rows.
        columns: The columns to read; None for all.
    """
    with pq.ParquetFile(path) as file:
        yield from rebatch((pa.Table.from_batches([batch]) for batch in file.iter_batches(rows, columns=columns)), rows)


def read_column(path: Path, name: str) -> Iterator[str]:
    """Yield the values of a column of strings."""
    for table in read_tables(path, columns=[name]):
        yield from table[name].to_pylist()


def _schema_problem(file: pq.ParquetFile, schema: pa.Schema) -> Problem | None:
    """Return the first difference in names, order, types and metadata."""
    found = file.schema_arrow
    if found.names != schema.names:
        return None, f"has the columns {_names(found)}; the columns must be {_names(schema)}"
    for given, expected in zip(found, schema, strict=True):
        if given.type != expected.type:
            return given.name, f"has type {given.type}, must be {expected.type}"
    for metadata in (found.metadata, file.metadata.metadata):  # pyarrow writes it twice
        if _features(metadata) != _features(schema.metadata):
            return None, "has other features or label names in its metadata than in the record"
    return None


def _names(schema: pa.Schema) -> str:
    return ", ".join(map(ascii, schema.names)).replace("'", "")


def _features(metadata: Mapping[bytes, bytes] | None) -> object:
    """Return the features that `datasets` stores in a schema's metadata."""
    try:
        return json.loads((metadata or {})[b"huggingface"])["info"]["features"]
    except (KeyError, TypeError, ValueError, RecursionError):
        return None


def _null(table: pa.Table) -> Problem | None:
    """Return the first column with a null, also within lists, and a message."""
    for name, column in zip(table.column_names, table.columns, strict=True):
        inner = pc.list_flatten(column) if pa.types.is_list(column.type) else column
        if column.null_count or inner.null_count:
            return name, "has a null"
    return None


def _wrong_statistics(table: pa.Table, group: pq.RowGroupMetaData) -> Problem | None:
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
