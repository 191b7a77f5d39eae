"""`merge-snli figures`: the PA curves of the models of a results folder as pictures."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("results", metavar="DIR", type=Path, help="the folder that merge-snli score wrote with --out")
    parser.add_argument("--out", required=True, metavar="DIR", type=Path, help="folder for the pictures")


def run(arguments: argparse.Namespace) -> int:
    """Draw three pictures for each data set and config, and print their names."""
    from scoring.reports.figures import draw_figures
    from scoring.results.files import read_results

    for path in draw_figures(read_results(arguments.results), arguments.out):
        sys.stdout.write(f"{path}\n")
    return 0
