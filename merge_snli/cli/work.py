"""`merge-snli work`: show or drop the contents of a work folder, and show or cancel a run on a cluster."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from merge_snli.base.errors import InputError, param
from merge_snli.cli.arguments import TABLE_FORMATS, add_format, add_steps, write_tables
from merge_snli.dataset.stored import RUN_FILE, find_dataset
from merge_snli.runs.run_folder import SLURM, read_run, run_folder

if TYPE_CHECKING:
    from merge_snli.dataset.record import Record


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the steps and their arguments."""
    add_steps(
        parser,
        {
            "show": ("show what the work folder of a data set contains", _add_folder_arguments, _show),
            "drop": (
                "delete from the work folder what this data set does not need; other data sets may share the folder",
                _add_folder_arguments,
                _drop,
            ),
            "status": ("show the progress of a run on a cluster", _add_run_arguments, _status),
            "cancel": ("cancel the Slurm jobs of a run, and no others", _add_run_arguments, _cancel),
        },
    )
    parser.epilog = "examples:\n  merge-snli work show merge_snli\n  merge-snli work cancel merge_snli"


def _add_folder_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("out", metavar="OUT", type=Path, help="folder of the data set")
    parser.add_argument("--work", metavar="DIR", help="work folder (default: OUT.work)")
    add_format(parser, *TABLE_FORMATS)


def _add_run_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("out", metavar="OUT", help="the --out folder of generate or score with --cluster")
    add_format(parser, *TABLE_FORMATS)


def run(arguments: argparse.Namespace) -> None:
    """Run one step, and print what is left or the state of the run.

    Raises:
        InputError: If there is no work folder or run, or Slurm does not answer.
    """
    arguments.run_step(arguments)


def _show(arguments: argparse.Namespace) -> None:
    from generation.report.inventory import inventory, inventory_table

    work = _work_folder(arguments)
    stored = inventory(work, _record(arguments.out.expanduser()))
    write_tables(
        arguments.format,
        [inventory_table(work, stored)],
        document=lambda: {
            "work": str(work),
            "bytes": sum(each.bytes for each in stored),
            "stored": [each.as_dict() for each in stored],
        },
    )


def _drop(arguments: argparse.Namespace) -> None:
    from generation.report.inventory import drop, inventory
    from generation.work import work_folder

    out, work = arguments.out.expanduser(), _work_folder(arguments)
    record = _record(out)
    if record is None:
        raise InputError(f"cannot know what {out} needs, which has no finished data set: generate it first")
    with work_folder(out.resolve(), arguments.work):
        drop(each for each in inventory(work, record) if each.needed is False)
    _show(arguments)


def _work_folder(arguments: argparse.Namespace) -> Path:
    from generation.work import work_folder_of

    work = work_folder_of(arguments.out.expanduser().resolve(), arguments.work)
    if not work.is_dir():
        raise InputError(f"work folder {work} does not exist: give its path with {param('work')}")
    return work


def _record(out: Path) -> Record | None:
    """Return the run record of the data set, or None if it is not finished."""
    return find_dataset(str(out)).record if (out / RUN_FILE).is_file() else None


def _status(arguments: argparse.Namespace) -> None:
    from merge_snli.runs.status import run_status, status_table

    status = run_status(run_folder(arguments.out))
    write_tables(arguments.format, [status_table(status)], document=lambda: status)


def _cancel(arguments: argparse.Namespace) -> None:
    from merge_snli.runs.status import cancel, queued

    submitted = read_run(run_folder(arguments.out))
    if submitted and submitted[0].executor != SLURM:
        raise InputError(
            f"only a run on Slurm can be canceled so, and this run has the executor {submitted[0].executor}: press "
            "Ctrl-C in the command that runs it"
        )
    if jobs := queued(submitted):
        cancel(jobs)
    _status(arguments)
