"""The work folder: held by one run at a time, and what a killed run left half-written is swept away."""

from __future__ import annotations

import fcntl
import os
import shutil
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from merge_snli.errors import InputError
from merge_snli.files import disk_errors_as_input_errors

if TYPE_CHECKING:
    from collections.abc import Iterator

LOCK_FILE = "lock"


def work_folder_of(out: Path, work: str | Path | None = None) -> Path:
    """Return where the work of the data set at `out` lies: in `work`, else beside it in `OUT.work/`."""
    return out.with_name(f"{out.name}.work") if work is None else Path(work).expanduser().absolute()


@contextmanager
def work_folder(out: Path, work: str | Path | None = None) -> Iterator[Path]:
    """Hold the work folder for this process alone, and `OUT.work/` with it, where the data set is made ready.

    Args:
        out: The data set's folder.
        work: Another or a shared work folder; None for `OUT.work/`.

    Yields:
        The work folder.

    Raises:
        InputError: Where another run holds it, or it cannot be made.
    """
    folder, beside = work_folder_of(out, work), work_folder_of(out)
    with ExitStack() as stack:
        for each in dict.fromkeys((folder, beside)):
            with disk_errors_as_input_errors(each):
                each.mkdir(parents=True, exist_ok=True)
                stack.enter_context(_held(each))
        for part in folder.rglob(".*.part"):
            part.unlink()
        yield folder
        if beside != folder and {path.name for path in beside.iterdir()} <= {LOCK_FILE}:
            shutil.rmtree(beside)


@contextmanager
def _held(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder; the system lets it go when the process ends, however it ends."""
    with (folder / LOCK_FILE).open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            holder = lock.read().strip() or "another process"
            raise InputError(
                f"{folder} is in use by {holder}: wait for it to end, or choose another --out or --work"
            ) from None
        lock.truncate(0)
        lock.write(f"process {os.getpid()}")
        lock.flush()
        yield
