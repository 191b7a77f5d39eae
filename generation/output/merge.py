"""Merging sorted shards: rows of any number of files in one order, holding a few rows of a few files at a time."""

from __future__ import annotations

import heapq
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

FILES_AT_ONCE = 64
ROWS_OF_A_FILE = 500


def merged(files: Sequence[Path], column: str, folder: Path) -> Iterator[pa.Table]:
    """Merge Parquet files by one column.

    Args:
        files: Files of one schema, each sorted by the column; no two have the same value there.
        column: A column of strings; rows of the same value stay in their order.
        folder: An empty folder for intermediate files, where there are more than `FILES_AT_ONCE`.

    Yields:
        The rows of all files, in the order of the column's code points.
    """
    level = 0
    while len(files) > FILES_AT_ONCE:
        groups = [files[first : first + FILES_AT_ONCE] for first in range(0, len(files), FILES_AT_ONCE)]
        files = [_write(group, column, folder / f"{level}-{nth}.parquet") for nth, group in enumerate(groups)]
        level += 1
    blocks = heapq.merge(*(_blocks(file, column) for file in files), key=itemgetter(0))
    return (block for _, block in blocks)


def regrouped(tables: Iterable[pa.Table], rows: int) -> Iterator[pa.Table]:
    """Cut a stream of tables into tables of that many rows, the last of fewer, each of one piece."""
    waiting: list[pa.Table] = []
    number = 0
    for table in tables:
        waiting.append(table)
        number += table.num_rows
        while number >= rows:
            whole = pa.concat_tables(waiting)
            yield whole.slice(0, rows).combine_chunks()
            waiting = [whole.slice(rows)]
            number -= rows
    if number:
        yield pa.concat_tables(waiting).combine_chunks()


def _blocks(file: Path, column: str) -> Iterator[tuple[str, pa.Table]]:
    """Yield the rows of a file in blocks of one value of the column."""
    with pq.ParquetFile(file) as parquet:
        for batch in parquet.iter_batches(ROWS_OF_A_FILE):
            values = batch[column].to_pylist()
            for value, places in groupby(range(len(values)), key=values.__getitem__):
                rows = list(places)
                yield value, pa.Table.from_batches([batch.slice(rows[0], len(rows))])


def _write(files: Sequence[Path], column: str, path: Path) -> Path:
    with pq.ParquetWriter(path, pq.read_schema(files[0]), compression="zstd") as writer:
        for table in regrouped(merged(files, column, path.parent), ROWS_OF_A_FILE):
            writer.write_table(table)
    return path
