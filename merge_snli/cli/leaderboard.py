"""`merge-snli leaderboard`: check results, and write a leaderboard page or table from them."""

import sys
from argparse import ArgumentParser, Namespace
from typing import Any

from merge_snli.base.errors import InputError
from merge_snli.cli.arguments import (
    add,
    add_comparison,
    add_datasets,
    add_results,
    add_thresholds,
    read_results,
    refuse,
)

TITLE = "MERGE leaderboard"
FORMATS = ("html", "md", "csv", "json", "latex")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_results(parser)
    add(parser, "--out DIR", "folder for the page or the table; tables are printed without it")
    add(
        parser,
        "--format",
        "html: an interactive page; md, latex: Table 3 and PA(0.9); csv, json: all numbers (default: %(default)s)",
        choices=FORMATS,
        default="html",
    )
    add_datasets(
        parser,
        "data sets of the results, to check the results with them, to show models on all of them beside those on a "
        "part, and on the page the texts of their hardest seeds",
    )
    add(
        parser,
        "--with-text",
        "with --dataset: show sentences on the page although their license may forbid sharing them",
    )
    add_comparison(parser)
    add(parser, "--title TITLE", f"title of the page (default: {TITLE})")
    add_thresholds(parser, "also show PA at these thresholds in md and latex, such as 0.8 0.95; the page has a slider")


def run(arguments: Namespace) -> None:
    """Write the page or the table and print its path, or print the table."""
    from merge_snli.comparison.testing import Significance
    from merge_snli.dataset.stored import find_dataset
    from merge_snli.leaderboard.write import leaderboard_text, write_leaderboard

    _check_arguments(arguments)
    datasets = [find_dataset(name) for name in arguments.dataset]
    results = read_results(arguments)
    how: dict[str, Any] = {
        "datasets": datasets,
        "thresholds": arguments.threshold,
        "with_text": arguments.with_text,
        "significance": Significance(arguments.test, arguments.alpha),
        "common_seeds": arguments.common_seeds,
        "title": arguments.title or TITLE,
    }
    if arguments.out is None:
        sys.stdout.write(leaderboard_text(results, arguments.format, **how))
        return
    path = write_leaderboard(results, arguments.out, file_format=arguments.format, **how)
    sys.stdout.write(f"{path}\n")


def _check_arguments(arguments: Namespace) -> None:
    from merge_snli.comparison.html_page import check_page
    from merge_snli.dataset.out_folder import check_out
    from merge_snli.results.store import require_folder

    form = arguments.format
    is_page = form == "html"
    advice = f"has no effect with ⟦format⟧ {form}: give ⟦format⟧"
    if form not in ("md", "latex"):
        refuse(arguments, ("threshold",), f"{advice} md or latex, or leave it out")
    if not is_page:
        refuse(arguments, ("title", "with_text"), f"{advice} html, or leave it out")
    if arguments.with_text and not arguments.dataset:
        raise InputError("⟦with_text⟧ shows the sentences of ⟦dataset⟧: add ⟦dataset⟧, or leave ⟦with_text⟧ out")
    if arguments.out is not None:
        if is_page:
            check_page(arguments.out)
        else:
            check_out(arguments.out)
    for folder in arguments.results:
        require_folder(folder)
    if is_page and arguments.out is None:
        raise InputError("name a folder for the page with ⟦out⟧, or choose another ⟦format⟧")
