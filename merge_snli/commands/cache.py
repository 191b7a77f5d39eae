"""`merge-snli cache`: show what the work folder of a data set contains, and delete what is not needed."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from merge_snli.commands.output import write_output
from merge_snli.errors import InputError, param

if TYPE_CHECKING:
    from merge_snli.record import Record


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("dataset", metavar="DIR", help="folder of the data set")
    parser.add_argument("--work", metavar="DIR", help="work folder (default: DIR.work)")
    parser.add_argument(
        "--drop",
        action="store_true",
        help="delete everything that this data set does not need; other data sets may share the work folder",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    """Print the contents of the work folder, after deleting what is not needed with `--drop`."""
    from generation.report.inventory import inventory_table
    from generation.work.folder import work_folder, work_folder_of
    from generation.work.inventory import drop, inventory

    out = Path(arguments.dataset).expanduser()
    work = work_folder_of(out.resolve(), arguments.work)
    if not work.is_dir():
        raise InputError(f"work folder {work} does not exist: give its path with {param('work')}")
    record = _record(out)
    if arguments.drop:
        if record is None:
            raise InputError(f"{param('drop')} needs a finished data set, but {out} has none: generate it first")
        with work_folder(out.resolve(), arguments.work):
            drop(each for each in inventory(work, record) if each.needed is False)
    stored = inventory(work, record)
    if arguments.json:
        total = sum(each.bytes for each in stored)
        write_output({"work": str(work), "bytes": total, "stored": [each.as_dict() for each in stored]})
    else:
        write_output(inventory_table(work, stored).text())
    return 0


def _record(out: Path) -> Record | None:
    """Return the run record of the data set, or None if it is not finished."""
    from merge_snli.dataset import RUN_FILE, find_dataset

    return find_dataset(str(out)).record if (out / RUN_FILE).is_file() else None
