"""`merge-snli leaderboard`: results side by side, as a page or as a table."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from merge_snli.errors import InputError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from scoring.reports.leaderboard.boards import Board
    from scoring.reports.leaderboard.texts import Texts
    from scoring.results.result import Result

FORMATS = ("html", "md", "csv", "json", "latex")
PAGE = "index.html"


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
    from merge_snli.files import write_text
    from scoring.reports.leaderboard.boards import make_boards
    from scoring.reports.leaderboard.formats import FORMATS as WRITERS
    from scoring.results.files import read_results

    if arguments.dataset is not None and arguments.format != "html":
        raise InputError(f"--dataset is for the page, and --format {arguments.format} shows no texts: leave it out")
    if arguments.out.exists() and not arguments.out.is_dir():
        raise InputError(f"{arguments.out} is a file: give --out a folder")
    results = read_results(arguments.results)
    if arguments.format == "html":
        path = write_page(results, arguments.out, arguments.dataset)
    else:
        name, write = WRITERS[arguments.format]
        path = arguments.out / name
        write_text(path, write(make_boards(results)))
    sys.stdout.write(f"{path}\n")
    return 0


def write_page(results: Sequence[Result], out: Path, dataset: str | None) -> Path:
    """Write the page of some results.

    Args:
        results: At least one.
        out: The folder for the page.
        dataset: Folder or Hub id of the data set that was scored on, whose texts are shown; or None.

    Returns:
        The page's file.

    Raises:
        InputError: Where no result is on the data set, or the folder cannot be written.
    """
    from merge_snli.files import write_text
    from scoring.reports.leaderboard.boards import make_boards
    from scoring.reports.leaderboard.page import render_page

    boards = make_boards(results)
    write_text(out / PAGE, render_page(boards, _texts(boards, dataset)))
    return out / PAGE


def _texts(boards: Sequence[Board], dataset: str | None) -> dict[int, Texts]:
    """Read what the seeds of each board say that is on the data set.

    Raises:
        InputError: Where none of them is.
    """
    from merge_snli.dataset import find_dataset
    from scoring.reports.leaderboard.texts import read_texts

    if dataset is None:
        return {}
    source = find_dataset(dataset)
    read = ((index, read_texts(board, source)) for index, board in enumerate(boards))
    found = {index: texts for index, texts in read if texts is not None}
    if not found:
        data = boards[0].dataset
        raise InputError(
            f"no result is on the data in {dataset} (sha256 {source.digest[:12]}…): give the data set that was scored "
            f"on, {data.name} version {data.version}"
        )
    return found
