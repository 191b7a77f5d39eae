"""`merge-snli words`: count seed problems and shared words by word class."""

from __future__ import annotations

import argparse
import json
import sys

from merge_snli.commands.problem_arguments import add_problem_arguments, given


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_problem_arguments(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    """Count the shared words and print them as in Table 4 of the paper."""
    from generation.report.words import words_report, words_table
    from merge_snli.problems.options import ProblemOptions

    report = words_report(ProblemOptions(**given(arguments, ProblemOptions)))
    if arguments.json:
        text = json.dumps(report.as_dict(), indent=2) + "\n"
    else:
        text = words_table(report.classes, report.with_label, report.without_label).text()
    sys.stdout.write(text)
    return 0
