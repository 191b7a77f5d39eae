"""`merge-snli explore`: write a page with every seed, variant and answer, and a tidy table of the answers."""

import argparse
import sys
from pathlib import Path

from merge_snli.base.errors import InputError, param
from merge_snli.cli.arguments import DATASET, add_results


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_results(parser)
    parser.add_argument("--dataset", required=True, metavar=DATASET, help="data set that the models were scored on")
    parser.add_argument("--config", help="config whose answers to show (default: all, or the only one with results)")
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder for the page, one file that works offline")
    parser.add_argument(
        "--export",
        type=Path,
        metavar="FILE",
        help="write a table with a row per variant and model: a .parquet or .csv file",
    )
    parser.add_argument(
        "--wide", action="store_true", help="with --export: a row per variant instead, with columns for each model"
    )
    parser.add_argument(
        "--with-text",
        action="store_true",
        help="include the sentences, whose terms apply; the page has them anyway if their license allows to share them",
    )
    parser.add_argument(
        "--corpus",
        metavar="FILE|ID",
        help="training data of the models, to show how frequent replacements are in it on the page (as for analyze)",
    )


def run(arguments: argparse.Namespace) -> None:
    """Write the page, the table, or both, and print their paths."""
    from merge_snli.analysis.corpus import count_corpus, open_corpus, tagger_of
    from merge_snli.dataset.folders import check_out
    from merge_snli.dataset.stored import find_dataset
    from merge_snli.explorer.write import check_table_path, results_on, write_answers, write_explorer
    from merge_snli.scoring.results.files import read_results, work_folder

    out, export, text, name = arguments.out, arguments.export, arguments.with_text, arguments.corpus
    if out is None and export is None:
        raise InputError(f"name a folder for the page with {param('out')}, a table with {param('export')}, or both")
    for option, given, needed, needs in (("wide", arguments.wide, "export", export), ("corpus", name, "out", out)):
        if given and needs is None:
            raise InputError(f"{param(option)} needs {param(needed)}: add it, or remove {param(option)}")
    if out is not None:
        check_out(out)
    path = None if export is None else check_table_path(export)
    dataset = find_dataset(arguments.dataset)
    results = results_on(read_results(*arguments.results), dataset, arguments.config)
    if path is not None:
        write_answers(path, results, dataset, wide=arguments.wide, with_text=text)
        sys.stdout.write(f"{path}\n")
    if out is not None:
        corpus = name and count_corpus(open_corpus(name), tagger_of(dataset.record), work_folder(out) / "corpora")
        sys.stdout.write(f"{write_explorer(results, dataset, out, with_text=text, corpus=corpus)}\n")
