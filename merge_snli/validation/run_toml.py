"""Compare the options in `run.toml` with those of the record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generation.options import Options
from generation.presets import RUN_TOML, read_run_file
from merge_snli.base.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from merge_snli.validation.collector import Collector


def check_run_toml(folder: Path, options: Options, collector: Collector) -> None:
    """Report options in `run.toml` that differ from the record; the file is optional.

    Args:
        folder: The data set's folder.
        options: The recorded options.
        collector: Gets the findings.
    """
    if not (folder / RUN_TOML).is_file():
        return
    try:
        chosen = Options(**read_run_file(folder / RUN_TOML))
    except (InputError, TypeError, RecursionError) as error:
        collector.find(RUN_TOML, None, None, f"is not a valid run file: {error}")
        return
    collector.compare(RUN_TOML, "", chosen.as_dict(), options.as_dict(), "the record has")
