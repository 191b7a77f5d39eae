"""Read a Parquet file of the data set, and check its columns and values."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from merge_snli.base.errors import reason
from merge_snli.base.limits import open_parquet
from merge_snli.dataset.parquet_files import ROWS_PER_GROUP, rebatch
from merge_snli.validation.findings import Collector

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
        with open_parquet(folder / name) as file:
            problem = next(_problems(file, schema), None)
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
    with open_parquet(path, columns=columns) as file:
        yield from rebatch((pa.Table.from_batches([batch]) for batch in file.iter_batches(rows, columns=columns)), rows)


def read_column(path: Path, name: str) -> Iterator[str]:
    """Yield the values of a column of strings."""
    for table in read_tables(path, columns=[name]):
        yield from table[name].to_pylist()


def _problems(file: pq.ParquetFile, schema: pa.Schema) -> Iterator[Problem]:
    """Yield what is wrong with a file, of which the first counts: its schema, then the values of each row group."""
    stored = file.schema_arrow
    if stored.names != schema.names:
        has, expected = (", ".join(map(ascii, names)).replace("'", "") for names in (stored.names, schema.names))
        yield None, f"has the columns {has}; the columns must be {expected}"
    for column, expected in zip(stored, schema, strict=True):
        if column.type != expected.type:
            yield column.name, f"has type {column.type}, must be {expected.type}"
    for metadata in (stored.metadata, file.metadata.metadata):  # pyarrow writes it twice
        if _features(metadata) != _features(schema.metadata):
            yield None, "has other features or label names in its metadata than in the record"
    for number in range(file.num_row_groups):
        group = file.read_row_group(number).cast(schema)
        group.validate(full=True)
        for name, column in zip(group.column_names, group.columns, strict=True):
            inner = pc.list_flatten(column) if pa.types.is_list(column.type) else column
            if column.null_count or inner.null_count:
                yield name, "has a null"


def _features(metadata: Mapping[bytes, bytes] | None) -> object:
    """Return the features that `datasets` stores in a schema's metadata."""
    try:
        return json.loads((metadata or {})[b"huggingface"])["info"]["features"]
    except (KeyError, TypeError, ValueError, RecursionError):
        return None
