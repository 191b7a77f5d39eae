"""`merge-snli leaderboard`: write a leaderboard page, table or Space from results, or check submissions to a Space."""

import argparse
import sys
from functools import partial
from pathlib import Path

from merge_snli.base.errors import InputError, param
from merge_snli.cli.arguments import add_all, argument, datasets_argument, refuse, results_argument, thresholds_argument

FORMATS = ("html", "md", "csv", "json", "latex")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_all(
        parser,
        results_argument(nargs="*"),
        argument(
            "--out",
            type=Path,
            metavar="DIR",
            help="folder for the page, the table or the Space; tables are printed without it",
        ),
        argument(
            "--format",
            choices=FORMATS,
            default="html",
            help="html: an interactive page; md, latex: Table 3 and PA(0.9); csv, json: all numbers (default: "
            "%(default)s)",
        ),
        datasets_argument(
            "data sets of the results, to show models on all of them beside those on a part, and on the page the texts "
            "of their hardest seeds; of a Space, those that results may be submitted on"
        ),
        argument(
            "--with-text",
            action="store_true",
            help="with --dataset: show sentences on the page although their license may forbid to share them",
        ),
        thresholds_argument(
            "also show PA at these thresholds in md and latex, such as 0.8 0.95; the page has a slider"
        ),
        argument(
            "--init-space", metavar="ORG/NAME", help="write the repository of a Space that others can submit results to"
        ),
        argument(
            "--space", metavar="DIR|ORG/NAME", help="check every result in the folder of a Space, and rebuild its page"
        ),
        argument("--pull-request", type=int, metavar="N", help="check a pull request to the Space on the Hub instead"),
    )


def run(arguments: argparse.Namespace) -> int:
    """Write the page, the table or the Space and print its path, or print what the check of a Space found.

    Returns:
        0 if the check passed, otherwise 2.
    """
    from merge_snli.dataset.stored import find_dataset
    from merge_snli.leaderboard.space import build_space, check_pull_request, checked_text, init_space
    from merge_snli.leaderboard.write import leaderboard_text, write_leaderboard
    from merge_snli.scoring.store import read_results

    _check_arguments(arguments)
    datasets = [find_dataset(name) for name in arguments.dataset]
    if arguments.space is not None:
        if arguments.pull_request is None:
            checked = build_space(Path(arguments.space), datasets)
        else:
            checked = check_pull_request(arguments.space, arguments.pull_request, datasets)
        sys.stdout.write(checked_text(checked))
        return 2 if any(checked.values()) else 0
    results = read_results(*arguments.results)
    if arguments.out is None:
        sys.stdout.write(leaderboard_text(results, arguments.format, datasets, arguments.threshold))
        return 0
    write = partial(
        write_leaderboard, file_format=arguments.format, thresholds=arguments.threshold, with_text=arguments.with_text
    )
    make = write if arguments.init_space is None else partial(init_space, arguments.init_space)
    sys.stdout.write(f"{make(results, datasets=datasets, out=arguments.out)}\n")
    return 0


def _check_arguments(arguments: argparse.Namespace) -> None:
    from merge_snli.base.option import require_at_least
    from merge_snli.dataset.stored import check_out
    from merge_snli.scoring.store import require_folder

    for option, given, formats in (
        ("threshold", arguments.threshold, ("md", "latex")),
        ("init_space", arguments.init_space, ("html",)),
        ("with_text", arguments.with_text, ("html",)),
    ):
        if given and arguments.format not in formats:
            needed = " or ".join(formats)
            raise InputError(
                f"{param(option)} has no effect with {param('format')} {arguments.format}: give {param('format')} "
                f"{needed}, or leave {param(option)} out"
            )
    if arguments.with_text and (not arguments.dataset or arguments.init_space or arguments.space):
        raise InputError(
            f"{param('with_text')} shows the sentences of {param('dataset')} on a page, and not in a Space: add "
            f"{param('dataset')}, or leave {param('with_text')} out"
        )
    require_at_least("pull_request", arguments.pull_request, 1)
    if arguments.space is not None:
        unused = {
            "results folder": arguments.results,
            param("out"): arguments.out,
            param("init_space"): arguments.init_space,
        }
        for name, given in unused.items():
            if given:
                raise InputError(f"{param('space')} checks the Space itself and takes no {name}: remove it")
        return
    refuse(arguments, ("pull_request",), f"needs {param('space')}: name the Space on the Hub")
    if arguments.out is not None:
        check_out(arguments.out)
    for folder in arguments.results:
        require_folder(folder)
    if not arguments.results or (arguments.format == "html" and arguments.out is None):
        needed = "results folders of merge-snli score" if not arguments.results else f"a folder with {param('out')}"
        raise InputError(f"name {needed}")
