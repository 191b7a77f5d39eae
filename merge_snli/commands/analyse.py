"""`merge-snli analyse`: run the analyses of section 5 of the paper, and write a report."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from merge_snli.commands.output import write_output
from merge_snli.errors import InputError, param


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("results", nargs="+", metavar="RESULTS", help="results folders of merge-snli score")
    parser.add_argument(
        "--dataset",
        nargs="+",
        action="extend",
        required=True,
        metavar="DIR|ID",
        help="data sets that the models were scored on",
    )
    parser.add_argument(
        "--kin",
        action="append",
        default=[],
        metavar="MODEL=MLM",
        help="masked LM from which a model was fine-tuned (Figure 7; known for the paper's models); may be repeated",
    )
    parser.add_argument(
        "--corpus",
        metavar="FILE|ID",
        help="training data of the models, to count words in: a .txt file, or NLI problems as generate reads them "
        "(split train)",
    )
    parser.add_argument(
        "--without-seeds",
        type=Path,
        metavar="FILE",
        help="repeat every number without these seeds: one id per line, or a CSV file with a column seed_id",
    )
    parser.add_argument("--out", required=True, type=Path, metavar="DIR", help="folder for the report")
    parser.add_argument("--json", action="store_true", help="also print every number as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Write the report, and print the path of its page or its numbers."""
    from merge_snli.progress import Progress
    from scoring.reports.analysis.analyse import analyse
    from scoring.reports.analysis.seed_ids import read_seed_ids
    from scoring.reports.analysis.write import PAGE

    report = analyse(
        arguments.results,
        arguments.dataset,
        kin=_counterparts(arguments.kin),
        corpus=arguments.corpus,
        without_seeds=() if arguments.without_seeds is None else read_seed_ids(arguments.without_seeds),
        out=arguments.out,
        progress=Progress(),
    )
    if arguments.json:
        write_output(report.as_dict())
    else:
        sys.stdout.write(f"{arguments.out / PAGE}\n")
    return 0


def _counterparts(texts: list[str]) -> dict[str, str]:
    """Parse `MODEL=MLM` of each `--kin`."""
    counterparts: dict[str, str] = {}
    for text in texts:
        model, _, masked_lm = text.partition("=")
        if not model or not masked_lm:
            raise InputError(f"{param('kin')} {text} is not MODEL=MLM: name an NLI model and its masked LM")
        if counterparts.setdefault(model, masked_lm) != masked_lm:
            raise InputError(
                f"{param('kin')} names two masked LMs of {model}: {counterparts[model]} and {masked_lm}; keep one"
            )
    return counterparts
