"""Merge sorted Parquet files with bounded memory."""

from __future__ import annotations

import heapq
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from merge_snli.dataset.parquet_files import rebatch

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

MAX_OPEN_FILES = 64
ROWS_PER_READ = 500
"""Rows read from one file at a time."""


def merge_files(files: Sequence[Path], column: str, folder: Path) -> Iterator[pa.Table]:
    """Merge Parquet files by one column.

    Args:
        files: Files of one schema, each sorted by the column; no value of the column occurs in two files.
        column: A string column; rows with the same value keep their order.
        folder: An empty folder for intermediate files, used if there are more than `MAX_OPEN_FILES` files.

    Yields:
        The rows of all files, sorted by the code points of the column's values.
    """
    level = 0
    while len(files) > MAX_OPEN_FILES:
        groups = [files[first : first + MAX_OPEN_FILES] for first in range(0, len(files), MAX_OPEN_FILES)]
        files = [_write(group, column, folder / f"{level}-{nth}.parquet") for nth, group in enumerate(groups)]
        level += 1
    blocks = heapq.merge(*(_blocks(file, column) for file in files), key=itemgetter(0))
    return (block for _, block in blocks)


def _blocks(file: Path, column: str) -> Iterator[tuple[str, pa.Table]]:
    """Yield the rows of a file in blocks with one value of the column, each with that value."""
    with pq.ParquetFile(file) as parquet:
        for batch in parquet.iter_batches(ROWS_PER_READ):
            values = batch[column].to_pylist()
            for value, indices in groupby(range(len(values)), key=values.__getitem__):
                rows = list(indices)
                yield value, pa.Table.from_batches([batch.slice(rows[0], len(rows))])


def _write(files: Sequence[Path], column: str, path: Path) -> Path:
    with pq.ParquetWriter(path, pq.read_schema(files[0]), compression="zstd") as writer:
        for table in rebatch(merge_files(files, column, path.parent), ROWS_PER_READ):
            writer.write_table(table)
    return path
