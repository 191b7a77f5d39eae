"""The folder that a run writes a data set to: check it before the run, and replace it atomically."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from merge_snli.dataset import RUN_FILE, find_any_dataset
from merge_snli.errors import InputError, param

if TYPE_CHECKING:
    from collections.abc import Sequence


def check_out(out: Path) -> Path:
    """Check that a data set can be written to a folder, and expand `~` and links in its path.

    Args:
        out: The folder for the data set.

    Raises:
        InputError: If the path is or goes through a file, or the folder has content other than a data set.
    """
    out = out.expanduser()
    if not out.name or out.is_symlink():
        out = out.resolve()
    existing = next((path for path in (out, *out.parents) if path.exists()), out)
    if existing.exists() and not existing.is_dir():
        raise InputError(f"{param('out')} {out}: {existing} is a file; pass a folder")
    if out.is_dir() and any(out.iterdir()):
        if not (out / RUN_FILE).is_file():
            raise InputError(
                f"{param('out')} {out} is not empty and not a data set (no {RUN_FILE}): pass a new or empty folder"
            )
        find_any_dataset(str(out))
    return out


def replace_folder(staged: Path, out: Path, names: Sequence[str]) -> None:
    """Move the staged files to `out`; on an error, restore `out`.

    The record is moved last. If the process is killed before, the record in `out` does not match its files, and the
    next run writes them again.

    Args:
        staged: The new folder. The folder around it gets the old files while they are replaced.
        out: The data set's folder.
        names: The files beside `data/` and the record.
    """
    if not out.exists() or not any(out.iterdir()):
        out.parent.mkdir(parents=True, exist_ok=True)
        staged.replace(out)
        return
    backup = staged.with_name("replaced")
    shutil.rmtree(backup, ignore_errors=True)
    backup.mkdir()
    moved: list[tuple[Path, Path]] = []
    try:
        for name in ("data", *names):
            for source, target in ((out / name, backup / name), (staged / name, out / name)):
                if source.exists():
                    source.rename(target)
                    moved.append((source, target))
        (staged / RUN_FILE).replace(out / RUN_FILE)
    except BaseException:
        for source, target in reversed(moved):
            target.rename(source)
        raise
    shutil.rmtree(backup)
    shutil.rmtree(staged)
