"""`merge-snli work`: show or drop the contents of a work folder, and show or cancel a run on a cluster.

examples:
  merge-snli work show merge_snli
  merge-snli work cancel merge_snli
"""

import os
from argparse import ArgumentParser, Namespace
from pathlib import Path

from merge_snli.base.errors import InputError
from merge_snli.cli.arguments import add, add_format, add_steps
from merge_snli.cli.output import write_tables
from merge_snli.dataset.stored import RUN_FILE, MergeDataset, find_dataset
from merge_snli.runs.run_folder import SLURM, read_run, run_folder


def add_arguments(parser: ArgumentParser) -> None:
    """Add the steps and their arguments."""
    steps = {"show": _show, "drop": _drop, "status": _status, "cancel": _cancel}
    show, drop, status, cancel = add_steps(parser, steps)
    for step in (show, drop):
        add(step, "out OUT", "folder of the data set", type=Path)
        add(step, "--work DIR", "work folder (default: OUT.work)", type=str)
        add_format(step)
    for step in (status, cancel):
        add(step, "out OUT", "the --out folder of generate or score with --cluster")
        add_format(step)


def _show(arguments: Namespace) -> None:
    """Show what the work folder of a data set contains."""
    from generation.report.inventory import inventory, inventory_table

    work = _work_folder(arguments)
    dataset = _finished(arguments.out.expanduser())
    stored = inventory(work, None if dataset is None else dataset.record)
    write_tables(
        arguments.format,
        [inventory_table(work, stored)],
        document=lambda: {
            "work": str(work),
            "bytes": sum(item.bytes for item in stored),
            "stored": [item.as_dict() for item in stored],
        },
    )


def _drop(arguments: Namespace) -> None:
    """Delete from the work folder what this data set does not need; other data sets may share the folder."""
    from generation.report.inventory import drop, inventory
    from generation.work import work_folder

    out = arguments.out.expanduser()
    work = _work_folder(arguments)
    dataset = _finished(out)
    if dataset is None:
        raise InputError(f"cannot know what {out} needs, which has no finished data set: generate it first")
    with work_folder(Path(os.path.realpath(out)), arguments.work):
        drop(stored for stored in inventory(work, dataset.record) if stored.needed is False)
    _show(arguments)


def _work_folder(arguments: Namespace) -> Path:
    from generation.work import work_folder_of

    work = work_folder_of(Path(os.path.realpath(arguments.out.expanduser())), arguments.work)
    if not work.is_dir():
        raise InputError(f"work folder {work} does not exist: give its path with ⟦work⟧")
    return work


def _finished(out: Path) -> MergeDataset | None:
    """Return the data set, or None if it is not finished."""
    return find_dataset(str(out)) if (out / RUN_FILE).is_file() else None


def _status(arguments: Namespace) -> None:
    """Show the progress of a run on a cluster."""
    from merge_snli.runs.status import run_status, status_table

    status = run_status(run_folder(arguments.out))
    write_tables(arguments.format, [status_table(status)], document=lambda: status)


def _cancel(arguments: Namespace) -> None:
    """Cancel the Slurm jobs of a run, and no others."""
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
