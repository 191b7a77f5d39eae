"""`merge-snli extended-pair`: make the data set Extended Pair from NLI problems."""

from __future__ import annotations

import argparse
import sys

from merge_snli.commands.problem_arguments import given, with_suppressed_default


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command; options have the names of the fields of `templates.ExtendedPairOptions`."""
    parser.add_argument(
        "--problems",
        nargs="+",
        required=True,
        metavar="FILE|ID",
        help="NLI problems: files, folders or Hub ids; 'NAME[-1500:]' takes the last 1,500 problems",
    )
    parser.add_argument("--out", required=True, metavar="DIR", help="folder for the data set")
    parser.add_argument("--overwrite", action="store_true", help="replace a data set that was made with other options")
    add = with_suppressed_default(parser.add_argument_group("data set"))
    add(
        "--premises",
        type=int,
        metavar="N",
        help="premises of config extended_simple; extended_conjunction has 3/16 of it per template (default: 2000)",
    )
    add("--random-seed", type=int, metavar="N", help="seed of the draws (default: 0)")
    add("--license", metavar="ID", help="license of the problems for the card, if they are not a known data set")
    parser.epilog = (
        "example:\n  merge-snli extended-pair --problems stanfordnlp/snli nyu-mll/multi_nli --out extended_pair"
    )


def run(arguments: argparse.Namespace) -> int:
    """Make the data set and print its configs."""
    from templates import ExtendedPairOptions, make_extended_pair
    from templates.summary import summary_table

    arguments.problems = tuple(arguments.problems)
    options = ExtendedPairOptions(**given(arguments, ExtendedPairOptions))
    dataset = make_extended_pair(arguments.out, options, overwrite=arguments.overwrite)
    sys.stdout.write(f"{summary_table(dataset.record).text()}data set in {dataset.folder}\n")
    return 0
