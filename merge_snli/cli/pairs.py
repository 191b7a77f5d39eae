"""`merge-snli pairs`: make the data set Simple Pair from templates, or Extended Pair from NLI problems.

examples:
  merge-snli pairs simple --out simple_pair
  merge-snli pairs extended stanfordnlp/snli nyu-mll/multi_nli --out extended_pair
"""

import sys
from argparse import ArgumentParser, Namespace

from merge_snli.base.option import described
from merge_snli.cli.arguments import add, add_list, add_steps
from merge_snli.cli.option_arguments import add_option_arguments, given
from merge_snli.dataset.stored import MergeDataset
from merge_snli.pairs.options import PAIRS_GROUP, ExtendedPairOptions, SimplePairOptions


def add_arguments(parser: ArgumentParser) -> None:
    """Add the two data sets and their arguments, which have the names of the fields of their options."""
    simple, extended = add_steps(parser, {"simple": _simple, "extended": _extended})
    problems = dict(described(ExtendedPairOptions))["problems"]
    add_list(extended, "problems PROBLEMS", problems.help)
    for step, options in ((simple, SimplePairOptions), (extended, ExtendedPairOptions)):
        add(step, "--out DIR", "folder for the data set", type=str, required=True)
        add(step, "--overwrite", "replace a data set that was made with other options")
        add_option_arguments(step, options, (PAIRS_GROUP,))


def _simple(arguments: Namespace) -> None:
    """Make the data set Simple Pair from templates."""
    from merge_snli.pairs.simple_pair import make_simple_pair

    options = SimplePairOptions(**given(arguments, SimplePairOptions))
    _print_summary(make_simple_pair(arguments.out, options, overwrite=arguments.overwrite))


def _extended(arguments: Namespace) -> None:
    """Make the data set Extended Pair from NLI problems."""
    from merge_snli.pairs.extended_pair import make_extended_pair

    options = ExtendedPairOptions(**given(arguments, ExtendedPairOptions))
    _print_summary(make_extended_pair(arguments.out, options, overwrite=arguments.overwrite))


def _print_summary(dataset: MergeDataset) -> None:
    from merge_snli.pairs.output import summary_table

    sys.stdout.write(f"{summary_table(dataset.record).text()}data set in {dataset.folder}\n")
