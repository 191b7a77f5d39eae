"""Open and lock the work folder of a run, and remove the partial files of killed runs."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from merge_snli.base.errors import InputError, param
from merge_snli.base.files import disk_errors_as_input_errors, remove_stale_parts

if TYPE_CHECKING:
    from collections.abc import Iterator

TAGGED_FOLDER = "tagged"
ANSWERS_FOLDER = "suggestions"
RESULT_FOLDERS = ("variants", "seeds", "variant_counts", "filter_counts", "standalone_filter_counts")
RUNS_FOLDER = "runs"
"""Subfolders of the work folder."""

DESCRIPTION_FILE = "masked_lm.json"
"""In each subfolder of `ANSWERS_FOLDER`: the cache key of the answers."""

LOCK_FILE = "lock"


def work_folder_of(out: Path, work: str | Path | None = None) -> Path:
    """Return the path of a work folder.

    Args:
        out: The data set's folder.
        work: The work folder if one was given; None for `OUT.work/`.
    """
    return out.with_name(f"{out.name}.work") if work is None else Path(work).expanduser().absolute()


def read_description(folder: Path) -> dict[str, Any]:
    """Return the cache key and vocabulary size of a folder of answers; empty if they are missing or damaged."""
    try:
        description = json.loads((folder / DESCRIPTION_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return description if isinstance(description, dict) else {}


@contextmanager
def work_folder(out: Path, work: str | Path | None = None) -> Iterator[Path]:
    """Create and lock the work folder, and `OUT.work/`, where the data set is staged.

    Args:
        out: The data set's folder.
        work: The work folder if one was given; None for `OUT.work/`.

    Yields:
        The work folder. At the end, `OUT.work/` is removed if it is empty and `work` is another folder.

    Raises:
        InputError: If another process has locked one of them, or they cannot be created.
    """
    folder, staging = work_folder_of(out, work), work_folder_of(out)
    with ExitStack() as stack:
        if staging.resolve() != folder.resolve():
            stack.enter_context(_locked(staging))
            stack.callback(_remove_unused, staging)
        stack.enter_context(_locked(folder))
        remove_stale_parts(folder)
        yield folder


def _remove_unused(folder: Path) -> None:
    if {path.name for path in folder.iterdir()} <= {LOCK_FILE}:
        shutil.rmtree(folder)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Create and lock a folder; the operating system releases the lock when the process ends."""
    with disk_errors_as_input_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        file = (folder / LOCK_FILE).open("a+")
    with file as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            holder = lock.read().strip() or "another process"
            raise InputError(
                f"{folder} is in use by {holder}: wait for it to end, or choose another {param('out')} or "
                f"{param('work')}"
            ) from None
        lock.truncate(0)
        lock.write(f"process {os.getpid()}")
        lock.flush()
        yield
