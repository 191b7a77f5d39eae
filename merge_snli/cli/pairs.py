"""`merge-snli pairs`: make the data set Simple Pair from templates, or Extended Pair from NLI problems.

examples:
  merge-snli pairs simple --out simple_pair
  merge-snli pairs extended stanfordnlp/snli nyu-mll/multi_nli --out extended_pair
"""

import argparse
import sys
from functools import partial
from importlib import import_module

from merge_snli.base.option import described
from merge_snli.cli.arguments import add_list, add_option_arguments, add_steps, given
from merge_snli.pairs.options import PAIRS_GROUP, ExtendedPairOptions, SimplePairOptions


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the two data sets and their arguments, which have the names of the fields of their options."""
    simple, extended = add_steps(
        parser,
        {
            "simple": (
                "make the data set Simple Pair from templates",
                partial(_make, "simple_pair", SimplePairOptions),
            ),
            "extended": (
                "make the data set Extended Pair from NLI problems",
                partial(_make, "extended_pair", ExtendedPairOptions),
            ),
        },
    )
    problems = dict(described(ExtendedPairOptions))["problems"]
    add_list(extended, "problems", metavar="PROBLEMS", help=problems.help)
    for step, options in ((simple, SimplePairOptions), (extended, ExtendedPairOptions)):
        step.add_argument("--out", required=True, metavar="DIR", help="folder for the data set")
        step.add_argument(
            "--overwrite", action="store_true", help="replace a data set that was made with other options"
        )
        add_option_arguments(step, options, (PAIRS_GROUP,))


def _make(name: str, options: type, arguments: argparse.Namespace) -> None:
    """Make the data set of a module of pairs, which loads only now."""
    from merge_snli.pairs.output import summary_table

    make = getattr(import_module(f"merge_snli.pairs.{name}"), f"make_{name}")
    dataset = make(arguments.out, options(**given(arguments, options)), overwrite=arguments.overwrite)
    sys.stdout.write(f"{summary_table(dataset.record).text()}data set in {dataset.folder}\n")
