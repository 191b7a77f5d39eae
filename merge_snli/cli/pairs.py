"""`merge-snli pairs`: make the data set Simple Pair from templates, or Extended Pair from NLI problems."""

import argparse
import sys

from merge_snli.base.option import described
from merge_snli.cli.arguments import add_list, add_option_arguments, add_steps, given
from merge_snli.dataset.stored import MergeDataset
from merge_snli.pairs.options import PAIRS_GROUP, ExtendedPairOptions, SimplePairOptions


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
    add_option_arguments(parser, SimplePairOptions, (PAIRS_GROUP,))
    parser.epilog = "example:\n  merge-snli pairs simple --out simple_pair"


def _add_extended_arguments(parser: argparse.ArgumentParser) -> None:
    problems = dict(described(ExtendedPairOptions))["problems"]
    add_list(parser.add_argument, "problems", metavar="PROBLEMS", help=problems.help)
    _add_out_arguments(parser)
    add_option_arguments(parser, ExtendedPairOptions, (PAIRS_GROUP,))
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
    from merge_snli.pairs.simple_pair import make_simple_pair

    options = SimplePairOptions(**given(arguments, SimplePairOptions))
    return make_simple_pair(arguments.out, options, overwrite=arguments.overwrite)


def _extended(arguments: argparse.Namespace) -> MergeDataset:
    from merge_snli.pairs.extended_pair import make_extended_pair

    options = ExtendedPairOptions(**given(arguments, ExtendedPairOptions))
    return make_extended_pair(arguments.out, options, overwrite=arguments.overwrite)
