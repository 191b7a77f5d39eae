"""Check the folder that results are written to."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from merge_snli.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path


def check_results_folder(out: Path) -> None:
    """Check that results can be written to a folder.

    Raises:
        InputError: If `out` or a parent is a file, it is not writable, or it has files but no result.
    """
    existing = next(path for path in (out, *out.absolute().parents) if path.exists())
    if not existing.is_dir():
        raise InputError(f"{existing} is a file; --out needs a folder")
    if not os.access(existing, os.W_OK):
        raise InputError(f"{existing} is not writable; choose another folder for --out")
    if not out.is_dir():
        return
    names = sorted(path.name for path in out.iterdir() if not path.name.startswith("."))
    if names and not any(is_result(out / name) for name in names):
        raise InputError(f"{out} has other files ({names[0]}) but no results; choose a new or empty folder for --out")


def is_result(path: Path) -> bool:
    """Return whether a file is a result, of any schema version."""
    if path.suffix != ".json":
        return False
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(value, dict) and {"schema_version", "model", "dataset"} <= value.keys()
