"""Write and find shards: Parquet files named by the key of their inputs and the sha256 of their bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow.parquet as pq

from merge_snli.dataset.parquet_files import is_intact, write_checked

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import pyarrow as pa

ENDING = ".parquet"
ROWS_PER_GROUP = 1_000
"""Small, so that merging many shards holds little of each in memory."""


def write_shard(folder: Path, key: str, table: pa.Table) -> Path:
    """Write a table atomically as the shard of a key.

    Args:
        folder: The folder of the shards of this kind; created if missing.
        key: Hexadecimal digest of everything that the table depends on.
        table: The content.

    Returns:
        The file.

    Raises:
        InputError: If the disk is full or not writable; no partial file is left.
    """
    return write_checked(folder / key[:2], table, prefix=f"{key}.", compression="zstd", row_group_size=ROWS_PER_GROUP)


def find_shard(folder: Path, key: str) -> Path | None:
    """Return the shard of a key, or None if there is none. A damaged shard is deleted."""
    return next(filter(is_intact, sorted((folder / key[:2]).glob(f"{key}.*{ENDING}"))), None)


def read_shard(path: Path, columns: Sequence[str] | None = None) -> pa.Table:
    """Read all or some columns of a shard."""
    return pq.read_table(path, columns=None if columns is None else list(columns), partitioning=None)


def all_shards(folder: Path) -> Iterator[Path]:
    """Yield the shards of all keys in a folder."""
    yield from sorted(folder.glob(f"??/*{ENDING}"))


def key_of(path: Path) -> str:
    """Return the key of a shard."""
    return path.name.split(".")[0]
