"""`merge-snli figures`: the PA curves of the models of a results folder as pictures."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scoring.results.result import Result


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("results", metavar="DIR", type=Path, help="the folder that merge-snli score wrote with --out")
    parser.add_argument("--out", required=True, metavar="DIR", type=Path, help="folder for the pictures")


def run(arguments: argparse.Namespace) -> int:
    """Draw three pictures for each data set and config, and print their names."""
    from scoring.results.files import read_results

    for path in draw_figures(read_results(arguments.results), arguments.out):
        sys.stdout.write(f"{path}\n")
    return 0


def draw_figures(results: Iterable[Result], out: Path) -> list[Path]:
    """Draw the paper's Figures 4, 5 and 11 for each data set and config.

    Args:
        results: Results in any order.
        out: The folder for the pictures.

    Returns:
        The files, a PNG and an SVG a picture.
    """
    from scoring.reports.figures import FROM, draw_classes, draw_curves
    from scoring.results.files import safe_name
    from scoring.results.result import on_same_data

    files: list[Path] = []
    for group in on_same_data(results):
        data = group[0].dataset
        name = f"{safe_name(data.name)}-{data.digest[:8]}-{data.config}"
        files += draw_curves(group, out / f"{name}-figure-4-from-80", start=FROM)
        files += draw_classes(group, out / f"{name}-figure-5-word-classes")
        files += draw_curves(group, out / f"{name}-figure-11-from-0")
    return files
