"""Shards: Parquet files under a key of what they were made from, each with the digest of its bytes in its name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow.parquet as pq

from merge_snli.checked_parquet import is_intact, write_checked

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import pyarrow as pa

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
    return write_checked(folder / key[:2], table, prefix=f"{key}.", compression="zstd", row_group_size=ROWS_PER_GROUP)


def find_shard(folder: Path, key: str) -> Path | None:
    """Return the shard of that key, or None where there is none whose bytes are those that were written.

    A damaged shard is deleted, so that it is made again.
    """
    return next(filter(is_intact, sorted((folder / key[:2]).glob(f"{key}.*{ENDING}"))), None)


def read_shard(path: Path, columns: Sequence[str] | None = None) -> pa.Table:
    """Read a shard that `find_shard` gave, or some of its columns."""
    return pq.read_table(path, columns=None if columns is None else list(columns), partitioning=None)


def all_shards(folder: Path) -> Iterator[Path]:
    """Yield every shard in the folder, whatever its key; `key_of` tells it."""
    yield from sorted(folder.glob(f"??/*{ENDING}"))


def key_of(path: Path) -> str:
    """Return the key of a shard."""
    return path.name.split(".")[0]
