"""Check the folder that results are written to."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from merge_snli.dataset.folders import check_out

if TYPE_CHECKING:
    from pathlib import Path


def check_results_folder(out: Path) -> None:
    """Check that results can be written to a folder.

    Raises:
        InputError: If `check_out` refuses the folder, or it has files but no result.
    """
    check_out(out, "a results folder", _find_other)


def _find_other(folder: Path) -> str | None:
    """Return the first name in a folder without results; hidden files do not count."""
    names = sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))
    return None if any(is_result(folder / name) for name in names) else next(iter(names), None)


def is_result(path: Path) -> bool:
    """Return whether a file is a result, of any schema version."""
    if path.suffix != ".json":
        return False
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(value, dict) and {"schema_version", "model", "dataset"} <= value.keys()
