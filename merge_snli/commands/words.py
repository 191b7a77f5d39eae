"""`merge-snli words`: count seed problems and shared words by word class."""

from __future__ import annotations

import argparse

from merge_snli.commands.output import write_output
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
    table = words_table(report.classes, report.with_label, report.without_label)
    write_output(report.as_dict() if arguments.json else table.text())
    return 0
