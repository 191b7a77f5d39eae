"""`merge-snli compare`: run pairwise significance tests between scored models."""

from __future__ import annotations

import argparse

from merge_snli.commands.output import write_output
from merge_snli.commands.result_arguments import add_datasets, add_results, add_thresholds

TESTS = ("permutation", "mcnemar", "t-test")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_results(parser)
    parser.add_argument(
        "--test",
        choices=TESTS,
        default=TESTS[0],
        help="permutation or mcnemar: paired over seeds or groups; t-test: paired over subsamples, as in the paper "
        "(default: %(default)s)",
    )
    parser.add_argument(
        "--alpha", type=_level, default=0.05, metavar="A", help="family-wise significance level (default: %(default)s)"
    )
    add_thresholds(parser, "thresholds to compare the models at, such as 0.8,0.9 (default: 0.9)")
    parser.add_argument(
        "--all-thresholds",
        action="store_true",
        help="also list the thresholds at which each pair of models differs significantly",
    )
    add_datasets(parser, "data sets of the results, to compare their word classes at 0.9")
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")


def run(arguments: argparse.Namespace) -> int:
    """Compare the models and print one section per data set and config."""
    from merge_snli.dataset import find_dataset
    from metrics.pattern_accuracy.core import QUALITY_THRESHOLD
    from scoring.reports.comparison import compare_results
    from scoring.reports.comparison_text import comparison_text, to_json
    from scoring.results.files import read_results

    comparisons = compare_results(
        read_results(*arguments.results),
        test=arguments.test,
        alpha=arguments.alpha,
        datasets=[find_dataset(name) for name in arguments.dataset],
        thresholds=arguments.threshold or (QUALITY_THRESHOLD,),
        all_thresholds=arguments.all_thresholds,
    )
    if arguments.json:
        write_output({"comparisons": [to_json(comparison) for comparison in comparisons]})
    else:
        write_output("\n".join(map(comparison_text, comparisons)))
    return 0


def _level(text: str) -> float:
    try:
        level = float(text)
    except ValueError:
        level = float("nan")
    if not 0 < level < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number between 0 and 1, such as 0.05")
    return level
