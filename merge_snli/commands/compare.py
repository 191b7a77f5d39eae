"""`merge-snli compare`: who differs from whom among the models of a results folder."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

TESTS = ("permutation", "mcnemar", "t-test")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("results", metavar="DIR", type=Path, help="the folder that merge-snli score wrote with --out")
    parser.add_argument(
        "--test",
        choices=TESTS,
        default=TESTS[0],
        help="paired permutation test on seeds, McNemar's test on seeds, or the paper's t-test over subsamples "
        "(default: %(default)s)",
    )
    parser.add_argument(
        "--alpha", type=_level, default=0.05, metavar="A", help="level of the whole family (default: %(default)s)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document instead of the tables")


def run(arguments: argparse.Namespace) -> int:
    """Compare, and print one section a data set and config."""
    from scoring.reports.comparison import compare_results
    from scoring.reports.comparison_text import comparison_text, to_json
    from scoring.results.files import read_results

    comparisons = compare_results(read_results(arguments.results), test=arguments.test, alpha=arguments.alpha)
    if arguments.json:
        document = {"comparisons": [to_json(comparison) for comparison in comparisons]}
        sys.stdout.write(json.dumps(document, ensure_ascii=False, allow_nan=False) + "\n")
    else:
        sys.stdout.write("\n".join(map(comparison_text, comparisons)))
    return 0


def _level(text: str) -> float:
    try:
        level = float(text)
    except ValueError:
        level = float("nan")
    if not 0 < level < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no level: give a number between 0 and 1, such as 0.05")
    return level
