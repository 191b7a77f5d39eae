"""Rows of tables: Parquet files, data frames, Arrow tables, data sets of `datasets`, and lists of dicts."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from functools import partial
from typing import TYPE_CHECKING, Any

from merge_snli.base.errors import InputError, explained, reason
from merge_snli.base.files import JsonObject
from merge_snli.base.limits import open_parquet
from merge_snli.dataset.label_spellings import Labels
from merge_snli.problems.rows import Header, Rows, SourceRow

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

ROWS_PER_BATCH = 1_000


def table_in_memory(data: object, name: str) -> Rows:
    """Return the rows of problems in memory.

    Args:
        data: A `datasets.Dataset`, a pandas or Polars frame, an Arrow table, or a list of dicts, whose values need not
            have one type per column.
        name: Its name in messages.
    """
    kind = type(data).__name__
    if isinstance(data, list) and all(isinstance(row, Mapping) for row in data):
        return Rows(partial(_read_list, data, name))
    if "datasets" in sys.modules and isinstance(data, sys.modules["datasets"].Dataset):
        return data_set_rows(data, name)
    if not hasattr(data, "__arrow_c_stream__"):
        raise InputError(
            f"⟦problems⟧ has the type {kind}: give a file, folder or Hub id, or in Python one split as a "
            "Dataset, a data frame, an Arrow table or a list of dicts"
        )
    import pyarrow as pa

    broken: dict[str, str] = {}
    errors = (pa.ArrowException, TypeError, ValueError)
    with explained(errors, f"⟦problems⟧: {kind} cannot be converted to Arrow: ⟦reason⟧"):
        try:
            table = pa.table(data)
        except errors:
            if not hasattr(data, "iloc"):
                raise
            table, broken = _column_by_column(data)
    return _arrow_rows(partial(table.to_batches, ROWS_PER_BATCH), table.schema, name, broken)


def data_set_rows(data: Any, name: str) -> Rows:  # noqa: ANN401 - a `datasets.Dataset`
    """Return the rows of a `datasets.Dataset`.

    Args:
        data: The data set.
        name: Its name in messages.
    """
    return _arrow_rows(partial(data.with_format("arrow").iter, ROWS_PER_BATCH), data.features.arrow_schema, name)


def parquet_rows(path: Path) -> Rows:
    """Return the rows of a Parquet file."""
    with _parquet_errors(path), open_parquet(path) as file:
        schema = file.schema_arrow
    return _arrow_rows(partial(_parquet_batches, path), schema, str(path))


def _parquet_batches(path: Path) -> Iterator[pa.RecordBatch]:
    import pyarrow.parquet as pq

    with _parquet_errors(path), pq.ParquetFile(path) as file:
        yield from file.iter_batches(ROWS_PER_BATCH)


def _parquet_errors(path: Path) -> AbstractContextManager[None]:
    import pyarrow as pa

    return explained((OSError, ValueError, pa.ArrowException), f"{path} cannot be read as Parquet: ⟦reason⟧")


def _column_by_column(data: Any) -> tuple[pa.Table, dict[str, str]]:  # noqa: ANN401 - a frame
    """Return a pandas frame some columns of which cannot be converted to Arrow, and why they cannot."""
    import pyarrow as pa

    names = [str(name) for name in data.columns]
    arrays = []
    broken = {}
    for position, name in enumerate(names):
        column = data.iloc[:, position]
        try:
            arrays.append(pa.array(column, from_pandas=True))
        except (pa.ArrowException, TypeError, ValueError) as error:
            broken[name] = f"cannot be converted to Arrow: {reason(error)}"
            arrays.append(pa.nulls(len(column)))
    if len(broken) == len(names):
        return pa.table(data), broken
    return pa.Table.from_arrays(arrays, names), broken


def _arrow_rows(
    batches: Callable[[], Iterable[Any]], schema: pa.Schema, name: str, broken: Mapping[str, str] | None = None
) -> Rows:
    """Return rows of Arrow tables.

    Args:
        batches: Starts a new pass over them, as batches or tables.
        schema: Their schema, perhaps with the features of `datasets`.
        name: Their name in messages.
        broken: Why columns cannot be read, by name.
    """
    import pyarrow as pa

    label_names: dict[str, Labels] = {}
    if b"huggingface" in (schema.metadata or {}):
        import datasets

        for column, feature in datasets.Features.from_arrow_schema(schema).items():
            if isinstance(feature, datasets.ClassLabel):
                label_names[column] = tuple(feature.names)
    numeric: dict[str, bool | None] = {}
    for field in schema:
        of_field = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
        numeric[field.name] = pa.types.is_integer(of_field) or pa.types.is_floating(of_field)
        if pa.types.is_null(of_field):
            numeric[field.name] = None
    header = Header(name, tuple(schema.names), broken or {}, label_names)
    return Rows(partial(_read_batches, batches, header), label_names, numeric)


def _read_list(rows: Iterable[JsonObject], name: str) -> Iterator[SourceRow]:
    for number, values in enumerate(rows, start=1):
        yield SourceRow(f"{name} row {number}", values)


def _read_batches(batches: Callable[[], Iterable[Any]], header: Header) -> Iterator[SourceRow]:
    number = 0
    for batch in batches():
        for cells in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            number += 1
            yield header.row(f"{header.location} row {number}", cells)
