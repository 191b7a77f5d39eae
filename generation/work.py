"""The work folder of a run: its lock, its subfolders, and its shards, files that are named by what they depend on."""

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from merge_snli.base.errors import InputError
from merge_snli.base.files import JsonObject, disk_errors_as_input_errors, read_json, remove_stale_parts
from merge_snli.dataset.parquet_files import is_intact, write_checked

# Increased if and only if the same options give other rows; then run `make data`.
#
# A new option or filter that is off by default changes no row of existing options and keeps the version. Shards of
# tagged problems and of rows are made again with a new version, and `validate` checks rows of its own version only.
METHOD_VERSION = "6"

TAGGED_FOLDER = "tagged"
ANSWERS_FOLDER = "suggestions"
RESULT_FOLDERS = ("variants", "seeds", "variant_counts", "filter_counts", "standalone_filter_counts")
# Subfolders of the work folder.
RUNS_FOLDER = "runs"

# In each subfolder of `ANSWERS_FOLDER`: the cache key of the answers.
DESCRIPTION_FILE = "masked_lm.json"

LOCK_FILE = "lock"
# Names the process that holds the lock: Windows lets no other process read a locked file.
HOLDER_FILE = "lock.holder"

ENDING = ".parquet"
# Small, so that merging many shards holds little of each in memory.
ROWS_PER_GROUP = 1_000


def work_folder_of(out: Path, work: str | Path | None = None) -> Path:
    """Return the path of a work folder.

    Args:
        out: The data set's folder.
        work: The work folder if one was given; None for `OUT.work/`.
    """
    return out.with_name(f"{out.name}.work") if work is None else Path(work).expanduser().absolute()


def read_description(folder: Path) -> JsonObject:
    """Return the cache key and vocabulary size of a folder of answers; empty if they are missing or damaged."""
    description = read_json(folder / DESCRIPTION_FILE)
    return description if isinstance(description, dict) else {}


@contextmanager
def work_folder(out: Path, work: str | Path | None = None) -> Iterator[Path]:
    """Create and lock the work folder, and `OUT.work/`, where the data set is staged.

    Args:
        out: The data set's folder.
        work: The work folder if one was given; None for `OUT.work/`.

    Yields:
        The work folder. At the end, `OUT.work/` is removed if it is empty and `work` is another folder.
    """
    folder = work_folder_of(out, work)
    staging = work_folder_of(out)
    with ExitStack() as stack:
        if staging.resolve() != folder.resolve():
            stack.callback(_remove_empty, staging)  # after the lock is released: Windows deletes no open file
            stack.enter_context(_locked(staging))
            stack.callback(_remove_unused, staging)
        stack.enter_context(_locked(folder))
        remove_stale_parts(folder)
        yield folder


def _remove_unused(folder: Path) -> None:
    if {path.name for path in folder.iterdir()} <= {LOCK_FILE, HOLDER_FILE}:
        shutil.rmtree(folder, ignore_errors=True)


def _remove_empty(folder: Path) -> None:
    with suppress(OSError):
        folder.rmdir()


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Create and lock a folder; the operating system releases the lock when the process ends."""
    from filelock import FileLock, Timeout

    holder = folder / HOLDER_FILE
    with disk_errors_as_input_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        try:
            lock = FileLock(folder / LOCK_FILE).acquire(timeout=0)
        except Timeout:
            name = holder.read_text(encoding="utf-8") if holder.exists() else ""
            raise InputError(
                f"{folder} is in use by {name or 'another process'}: wait for it to end, or choose another "
                "⟦out⟧ or ⟦work⟧"
            ) from None
        holder.write_text(f"process {os.getpid()}", encoding="utf-8")
    with lock:
        yield


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
