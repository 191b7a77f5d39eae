"""`merge-snli figures`: plot the pattern accuracy curves of scored models."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("results", metavar="DIR", type=Path, help="results folder of merge-snli score")
    parser.add_argument("--out", required=True, metavar="DIR", type=Path, help="folder for the figures, PNG and SVG")


def run(arguments: argparse.Namespace) -> int:
    """Draw the figures of each data set and config, and print their paths."""
    from scoring.reports.figures import draw_figures
    from scoring.results.files import read_all_results

    results, grouped = read_all_results(arguments.results)
    for path in draw_figures(results, arguments.out, grouped=grouped):
        sys.stdout.write(f"{path}\n")
    return 0
