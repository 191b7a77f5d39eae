"""Shards: Parquet files under a key of what they were made from, each with the digest of its bytes in its name."""

from __future__ import annotations

import hashlib
import logging
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from merge_snli.files import sha256_of_file, write_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

logger = logging.getLogger(__name__)

ENDING = ".parquet"
ROWS_PER_GROUP = 1_000
"""Small groups let a merge of many shards hold little of each."""


def write_shard(folder: Path, key: str, table: pa.Table) -> Path:
    """Write a table as the shard of that key, whole or not at all.

    Args:
        folder: Where the shards of this kind lie; it need not exist.
        key: Hexadecimal digest of all that the table depends on.
        table: The content.

    Returns:
        The file.

    Raises:
        InputError: Where the disk is full or may not be written; no torn shard is left.
    """
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd", row_group_size=ROWS_PER_GROUP)
    content = sink.getvalue().to_pybytes()
    path = folder / key[:2] / f"{key}.{hashlib.sha256(content).hexdigest()}{ENDING}"
    write_bytes(path, content)
    return path


def find_shard(folder: Path, key: str) -> Path | None:
    """Return the shard of that key, or None where there is none whose bytes are those that were written.

    A damaged shard is deleted, so that it is made again.
    """
    for path in sorted((folder / key[:2]).glob(f"{key}.*{ENDING}")):
        if is_whole(path):
            return path
        logger.warning("%s is damaged and is made again", path)
        path.unlink()
    return None


def read_shard(path: Path, columns: Sequence[str] | None = None) -> pa.Table:
    """Read a shard that `find_shard` gave, or some of its columns."""
    return pq.read_table(path, columns=None if columns is None else list(columns), partitioning=None)


def all_shards(folder: Path) -> Iterator[Path]:
    """Yield every shard in the folder, whatever its key; `key_of` tells it."""
    yield from sorted(folder.glob(f"??/*{ENDING}"))


def key_of(path: Path) -> str:
    """Return the key of a shard."""
    return path.name.split(".")[0]


def is_whole(path: Path) -> bool:
    """Tell whether a file's bytes are those that the digest at the end of its name stands for."""
    return sha256_of_file(path) == path.stem.rpartition(".")[2]
