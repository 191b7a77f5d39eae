"""`merge-snli leaderboard`: results side by side, as a page or as a table."""

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
    parser.add_argument("results", type=Path, metavar="RESULTS", help="folder that merge-snli score wrote")
    parser.add_argument("--out", required=True, type=Path, metavar="DIR", help="folder for the page or the table")
    parser.add_argument(
        "--format",
        choices=FORMATS,
        default="html",
        help="html: one page for a browser; md, latex: the columns of the paper's Table 3; csv, json: every number "
        "(default: html)",
    )
    parser.add_argument(
        "--dataset",
        metavar="DIR|ID",
        help="the data set that was scored on, so that the page can show its hardest seeds: results hold no texts",
    )


def run(arguments: argparse.Namespace) -> int:
    """Write the page or the table, and print where it is.

    Returns:
        0.

    Raises:
        InputError: Where there are no results, or the folder cannot be written.
    """
    from merge_snli.dataset import find_dataset
    from scoring.reports.leaderboard.write import write_leaderboard
    from scoring.results.files import read_results

    if arguments.dataset is not None and arguments.format != "html":
        raise InputError(f"--dataset is for the page, and --format {arguments.format} shows no texts: leave it out")
    if arguments.out.exists() and not arguments.out.is_dir():
        raise InputError(f"{arguments.out} is a file: give --out a folder")
    results = read_results(arguments.results)
    dataset = None if arguments.dataset is None else find_dataset(arguments.dataset)
    path = write_leaderboard(results, arguments.out, file_format=arguments.format, dataset=dataset)
    sys.stdout.write(f"{path}\n")
    return 0
