"""`merge-snli leaderboard`: write a leaderboard page or table from results."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from merge_snli.commands.result_arguments import add_datasets, add_results, add_thresholds
from merge_snli.errors import InputError

if TYPE_CHECKING:
    import argparse

FORMATS = ("html", "md", "csv", "json", "latex")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_results(parser)
    parser.add_argument("--out", required=True, type=Path, metavar="DIR", help="folder for the page or the table")
    parser.add_argument(
        "--format",
        choices=FORMATS,
        default="html",
        help="html: an interactive page; md, latex: Table 3 and PA(0.9); csv, json: all numbers (default: %(default)s)",
    )
    add_datasets(
        parser, "data sets that the models were scored on, to show the texts of their hardest seeds on the page"
    )
    add_thresholds(parser, "also show PA at these thresholds in md and latex, such as 0.8,0.95; the page has a slider")


def run(arguments: argparse.Namespace) -> int:
    """Write the page or the table, and print its path."""
    from merge_snli.dataset import find_dataset
    from scoring.reports.leaderboard.write import write_leaderboard
    from scoring.results.files import read_all_results

    for option, given, formats in (
        ("--dataset", arguments.dataset, ("html",)),
        ("--threshold", arguments.threshold, ("md", "latex")),
    ):
        if given and arguments.format not in formats:
            needed = " or ".join(formats)
            raise InputError(
                f"{option} needs --format {needed}, not --format {arguments.format}: leave one of them out"
            )
    if arguments.out.exists() and not arguments.out.is_dir():
        raise InputError(f"--out {arguments.out} is a file: choose a folder")
    results, grouped = read_all_results(*arguments.results)
    path = write_leaderboard(
        results,
        arguments.out,
        file_format=arguments.format,
        datasets=[find_dataset(name) for name in arguments.dataset],
        grouped=grouped,
        thresholds=arguments.threshold,
    )
    sys.stdout.write(f"{path}\n")
    return 0
