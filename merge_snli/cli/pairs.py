"""`merge-snli pairs`: make the data set Simple Pair from templates, or Extended Pair from NLI problems."""

import argparse
import sys

from merge_snli.cli.arguments import add_list, add_steps, given
from merge_snli.dataset.stored import MergeDataset


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the two data sets and their arguments, which have the names of the fields of their options."""
    add_steps(
        parser,
        {
            "simple": ("make the data set Simple Pair from templates", _add_simple_arguments, _simple),
            "extended": ("make the data set Extended Pair from NLI problems", _add_extended_arguments, _extended),
        },
    )


def _add_simple_arguments(parser: argparse.ArgumentParser) -> None:
    _add_out_arguments(parser)
    add = parser.add_argument_group("data set", argument_default=argparse.SUPPRESS).add_argument
    add(
        "--premises",
        type=int,
        metavar="N",
        help="premises per family (config simple) or template (conjunction); config relevance has a quarter of those "
        "of simple; augmentation always has 6,000 pairs (default: 4000)",
    )
    add("--random-seed", type=int, metavar="N", help="seed of the draws (default: 0)")
    add(
        "--held-out-nouns",
        action="store_true",
        help="use one half of the nouns for config augmentation and the other half for the other configs",
    )
    add("--lexicon", metavar="DIR", help="words and templates (default: the bundled ones)")
    parser.epilog = "example:\n  merge-snli pairs simple --out simple_pair"


def _add_extended_arguments(parser: argparse.ArgumentParser) -> None:
    add_list(
        parser.add_argument,
        "problems",
        metavar="PROBLEMS",
        help="NLI problems: files, folders or Hub ids; ID:SPLIT names a split, and 'NAME[-1500:]' takes the last 1,500 "
        "problems",
    )
    _add_out_arguments(parser)
    add = parser.add_argument_group("data set", argument_default=argparse.SUPPRESS).add_argument
    add(
        "--premises",
        type=int,
        metavar="N",
        help="premises of config extended_simple; extended_conjunction has 3/16 of it per template (default: 2000)",
    )
    add("--random-seed", type=int, metavar="N", help="seed of the draws (default: 0)")
    add("--license", metavar="ID", help="license of the problems for the card, if they are not a known data set")
    parser.epilog = "example:\n  merge-snli pairs extended stanfordnlp/snli nyu-mll/multi_nli --out extended_pair"


def _add_out_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", required=True, metavar="DIR", help="folder for the data set")
    parser.add_argument("--overwrite", action="store_true", help="replace a data set that was made with other options")


def run(arguments: argparse.Namespace) -> None:
    """Make the data set and print its configs."""
    from merge_snli.pairs.output import summary_table

    dataset = arguments.run_step(arguments)
    sys.stdout.write(f"{summary_table(dataset.record).text()}data set in {dataset.folder}\n")


def _simple(arguments: argparse.Namespace) -> MergeDataset:
    from merge_snli.pairs.simple_pair import SimplePairOptions, make_simple_pair

    options = SimplePairOptions(**given(arguments, SimplePairOptions))
    return make_simple_pair(arguments.out, options, overwrite=arguments.overwrite)


def _extended(arguments: argparse.Namespace) -> MergeDataset:
    from merge_snli.pairs.extended_pair import ExtendedPairOptions, make_extended_pair

    options = ExtendedPairOptions(**given(arguments, ExtendedPairOptions))
    return make_extended_pair(arguments.out, options, overwrite=arguments.overwrite)
