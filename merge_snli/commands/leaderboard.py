"""`merge-snli leaderboard`: write a leaderboard page or table from results."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from merge_snli.errors import InputError

if TYPE_CHECKING:
    import argparse

FORMATS = ("html", "md", "csv", "json", "latex")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("results", type=Path, metavar="DIR", help="results folder of merge-snli score")
    parser.add_argument("--out", required=True, type=Path, metavar="DIR", help="folder for the page or the table")
    parser.add_argument(
        "--format",
        choices=FORMATS,
        default="html",
        help="html: an interactive page; md, latex: Table 3 and PA(0.9); csv, json: all numbers (default: %(default)s)",
    )
    parser.add_argument(
        "--dataset",
        metavar="DIR|ID",
        help="data set that the models were scored on, to show the texts of its hardest seeds on the page",
    )


def run(arguments: argparse.Namespace) -> int:
    """Write the page or the table, and print its path."""
    from merge_snli.dataset import find_dataset
    from scoring.reports.leaderboard.write import write_leaderboard
    from scoring.results.files import read_all_results

    if arguments.dataset is not None and arguments.format != "html":
        raise InputError(f"--dataset needs --format html, not --format {arguments.format}: leave one of them out")
    if arguments.out.exists() and not arguments.out.is_dir():
        raise InputError(f"--out {arguments.out} is a file: choose a folder")
    results, grouped = read_all_results(arguments.results)
    dataset = None if arguments.dataset is None else find_dataset(arguments.dataset)
    path = write_leaderboard(results, arguments.out, file_format=arguments.format, dataset=dataset, grouped=grouped)
    sys.stdout.write(f"{path}\n")
    return 0
