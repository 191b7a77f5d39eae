"""`merge-snli figures`: plot the pattern accuracy curves of scored models."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from merge_snli.commands.result_arguments import add_datasets, add_results
from merge_snli.errors import InputError, param

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scoring.results.result import Result


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_results(parser)
    add_datasets(parser, "draw the results on these data sets only")
    parser.add_argument("--out", required=True, metavar="DIR", type=Path, help="folder for the figures, PNG and SVG")


def run(arguments: argparse.Namespace) -> int:
    """Draw the figures of each data set and config, and print their paths."""
    from scoring.reports.figures import draw_figures
    from scoring.results.files import read_results

    results = read_results(*arguments.results)
    if arguments.dataset:
        results = _on_datasets(results, arguments.dataset)
    for path in draw_figures(results, arguments.out):
        sys.stdout.write(f"{path}\n")
    return 0


def _on_datasets(results: Sequence[Result], names: Sequence[str]) -> list[Result]:
    """Return the results on some data sets."""
    from merge_snli.dataset import find_dataset
    from scoring.predictions.opening import data_keys
    from scoring.results.grouping import data_key

    keys = {name: data_keys(find_dataset(name)) for name in names}
    for name, of_data in keys.items():
        if not any(data_key(result.dataset) in of_data for result in results):
            raise InputError(f"{param('dataset')} {name}: no model was scored on this data")
    return [result for result in results if any(data_key(result.dataset) in of_data for of_data in keys.values())]
