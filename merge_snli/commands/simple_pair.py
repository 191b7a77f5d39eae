"""`merge-snli simple-pair`: make the data set Simple Pair from templates."""

from __future__ import annotations

import argparse
import sys

from merge_snli.commands.problem_arguments import given, with_suppressed_default


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command; options have the names of the fields of `templates.SimplePairOptions`."""
    parser.add_argument("--out", required=True, metavar="DIR", help="folder for the data set")
    parser.add_argument("--overwrite", action="store_true", help="replace a data set that was made with other options")
    add = with_suppressed_default(parser.add_argument_group("data set"))
    add(
        "--premises",
        type=int,
        metavar="N",
        help="premises per family (config simple) or template (conjunction); a quarter of it in config relevance; "
        "augmentation always has 6,000 pairs (default: 4000)",
    )
    add("--random-seed", type=int, metavar="N", help="seed of the draws (default: 0)")
    add(
        "--held-out-nouns",
        action="store_true",
        help="use one half of the nouns for config augmentation and the other half for the other configs",
    )
    add("--lexicon", metavar="DIR", help="words and templates (default: the shipped ones)")
    parser.epilog = "example:\n  merge-snli simple-pair --out simple_pair"


def run(arguments: argparse.Namespace) -> int:
    """Make the data set and print its configs."""
    from templates import SimplePairOptions, make_simple_pair
    from templates.summary import summary_table

    options = SimplePairOptions(**given(arguments, SimplePairOptions))
    dataset = make_simple_pair(arguments.out, options, overwrite=arguments.overwrite)
    sys.stdout.write(f"{summary_table(dataset.record).text()}data set in {dataset.folder}\n")
    return 0
