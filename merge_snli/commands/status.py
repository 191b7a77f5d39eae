"""`merge-snli status`: show the progress of a run on a cluster, or cancel it."""

from __future__ import annotations

import argparse

from merge_snli.commands.output import write_output
from merge_snli.errors import InputError, param


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("out", metavar="OUT", help="the --out folder of generate or score with --cluster")
    parser.add_argument("--cancel", action="store_true", help="cancel the Slurm jobs of this run, and no others")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.epilog = "examples:\n  merge-snli status merge_snli\n  merge-snli status merge_snli --cancel"


def run(arguments: argparse.Namespace) -> int:
    """Print the stages with the state of their tasks, after cancelling them with `--cancel`.

    Raises:
        InputError: If there is no run, or Slurm does not answer.
    """
    from merge_snli.cluster.options import SLURM
    from merge_snli.cluster.run_folder import read_run, run_folder
    from merge_snli.cluster.slurm_queue import cancel, queued
    from merge_snli.cluster.status import run_status
    from merge_snli.cluster.status_text import status_json, status_text

    folder = run_folder(arguments.out)
    if arguments.cancel and (submitted := read_run(folder)) is not None:
        if submitted.executor != SLURM:
            raise InputError(
                f"{param('cancel')} is for Slurm, and this run has the executor {submitted.executor}: press Ctrl-C in "
                "the command that runs it"
            )
        if jobs := queued(submitted.jobs):
            cancel(jobs)
    status = run_status(folder)
    write_output(status_json(status) if arguments.json else status_text(status))
    return 0
