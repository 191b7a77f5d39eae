"""`merge-snli explore`: write the answers of models as a tidy table."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from merge_snli.cli.arguments import DATASET, add_results

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_results(parser)
    parser.add_argument("--dataset", required=True, metavar=DATASET, help="data set that the models were scored on")
    parser.add_argument("--config", help="config whose answers to show (default: all, or the only one with results)")
    parser.add_argument(
        "--export",
        required=True,
        type=Path,
        metavar="FILE",
        help="write a table with a row per variant and model: a .parquet or .csv file",
    )
    parser.add_argument(
        "--wide", action="store_true", help="write a row per variant instead, with columns for each model"
    )
    parser.add_argument(
        "--with-text", action="store_true", help="include the sentences; the terms of the problems apply to them"
    )


def run(arguments: argparse.Namespace) -> None:
    """Write the table, and print its path."""
    from merge_snli.dataset.stored import find_dataset
    from merge_snli.explorer.export import check_table_path, results_on, write_answers
    from merge_snli.scoring.results.files import read_results

    path = check_table_path(arguments.export)
    dataset = find_dataset(arguments.dataset)
    results = results_on(read_results(*arguments.results), dataset, arguments.config)
    write_answers(path, results, dataset, wide=arguments.wide, with_text=arguments.with_text)
    sys.stdout.write(f"{path}\n")
