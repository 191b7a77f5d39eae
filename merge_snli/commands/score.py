"""`merge-snli score`: score NLI models on a data set."""

from __future__ import annotations

import argparse
import logging
from pathlib import Path
from typing import TYPE_CHECKING

from merge_snli.commands.output import write_output
from merge_snli.commands.problem_arguments import SOURCE_OPTIONS, add_source_arguments
from merge_snli.errors import InputError

if TYPE_CHECKING:
    from merge_snli.problems.options import ProblemOptions
    from scoring.predictions.pairs import ScoredConfig

logger = logging.getLogger(__name__)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "names",
        nargs="*",
        metavar="MODEL",
        help="sequence classifiers: Hub ids, folders, demo:nli-a or demo:nli-b; NAME=FOLDER names a folder's model",
    )
    parser.add_argument("--models", choices=("paper",), help="add the thirteen models of the paper")
    parser.add_argument(
        "--dataset",
        required=True,
        metavar="DIR|ID",
        help="data set: folder or Hub id, ORG/NAME or ORG/NAME@REVISION",
    )
    parser.add_argument(
        "--config", default="all", help="config of the data set: all, noun, verb, adj, adv (default: %(default)s)"
    )
    parser.add_argument(
        "--labels",
        metavar="A,B,C",
        help="labels of the models' outputs in order, if their configs do not name them; or infer, to find the order "
        "on the seeds",
    )
    parser.add_argument(
        "--dtype",
        default="float32",
        metavar="DTYPE",
        help="float32, bfloat16, float16 or int8 (default: %(default)s)",
    )
    parser.add_argument(
        "--allow-pickle",
        action="store_true",
        help="load pickle weights if a model has no safetensors; pickle weights can execute arbitrary code",
    )
    parser.add_argument("--trust-remote-code", action="store_true", help="run Python code from model repositories")
    parser.add_argument("--device", help="torch device, such as cpu or cuda:0 (default: GPU if available)")
    parser.add_argument(
        "--out", required=True, metavar="DIR", type=Path, help="results folder, one JSON file per model and config"
    )
    parser.add_argument(
        "--eval-results",
        nargs="?",
        const="",
        metavar="ORG/NAME",
        help="also write results of Hub models in the Hub's format to DIR/eval_results; if --dataset is a folder, give "
        "the Hub id of the data set",
    )
    add_source_arguments(parser)
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    parser.epilog = (
        "examples:\n"
        "  merge-snli score demo:nli-a demo:nli-b --dataset merge_snli --out results\n"
        "  merge-snli score --models paper --dataset ORG/merge_snli --config noun --out results\n"
        "  merge-snli score demo:nli-a --dataset merge_snli --source recorded --out results"
    )


def run(arguments: argparse.Namespace) -> int:
    """Score the models and print a table. A model that fails does not stop the others.

    Returns:
        0 if all models were scored, otherwise 2.

    Raises:
        InputError: If the data set, its source, the labels or the results folder cannot be used.
    """
    from merge_snli.dataset import find_dataset
    from merge_snli.inference.models import find_device
    from scoring.api import check_results_folder, score_models
    from scoring.models.labels import parse_labels
    from scoring.models.options import ModelOptions
    from scoring.predictions.pairs import read_config
    from scoring.predictions.source import read_source
    from scoring.results.files import to_json
    from scoring.results.grouping import names_of
    from scoring.results.score_table import score_table

    dataset_id, source = _dataset_id(arguments), _source(arguments)
    options = ModelOptions(
        labels=None if arguments.labels is None else parse_labels(arguments.labels),
        dtype=arguments.dtype,
        device=find_device(arguments.device),
        allow_pickle=arguments.allow_pickle,
        trust_remote_code=arguments.trust_remote_code,
    )
    names = _names(arguments)
    check_results_folder(arguments.out)
    data = read_config(find_dataset(arguments.dataset), arguments.config)
    problems = None if source is None else read_source(source, data)
    results, failed = score_models(names, data, options=options, out=arguments.out, source=problems)
    if dataset_id is not None:
        _write_eval_results(dataset_id, data, arguments.out)
    if arguments.json:
        write_output({"results": [to_json(result) for result in results], "failed": failed})
    else:
        write_output(score_table(results, failed, names=names_of(results)).text())
    if failed:
        logger.warning("not scored: %s", ", ".join(failed))
    return 2 if failed else 0


def _dataset_id(arguments: argparse.Namespace) -> str | None:
    """Return the Hub id of the data set for `--eval-results`, or None without this option."""
    from merge_snli.hub import split_revision
    from scoring.results.eval_results import check_dataset_id

    if arguments.eval_results is None:
        return None
    folder = Path(arguments.dataset)
    # A relative folder such as data/merge_snli looks like a Hub id.
    dataset_id = arguments.eval_results or (str(folder.resolve()) if folder.is_dir() else arguments.dataset)
    check_dataset_id(dataset_id)
    return split_revision(dataset_id)[0]


def _source(arguments: argparse.Namespace) -> str | ProblemOptions | None:
    """Return `recorded`, the options for reading the source, or None without `--source`."""
    from merge_snli.problems.options import ProblemOptions, flag
    from scoring.predictions.source import RECORDED

    options = {name: value for name, value in vars(arguments).items() if name in SOURCE_OPTIONS}
    if options and arguments.source in (None, RECORDED):
        needed = "a FILE or ID as --source" if arguments.source is None else "another --source than recorded"
        raise InputError(f"{flag(next(iter(options)))} needs {needed}; add it, or remove the option")
    if not options:
        source: str | None = arguments.source
        return source
    return ProblemOptions(problems=arguments.source, **options)


def _write_eval_results(dataset_id: str, data: ScoredConfig, out: Path) -> None:
    """Write all results on the data set in the folder, including those on other configs."""
    from scoring.results.eval_results import write_eval_results
    from scoring.results.files import read_results

    if any(out.glob("*.json")):
        same_data = [result for result in read_results(out) if result.dataset.digest == data.dataset.digest]
        write_eval_results(same_data, out, dataset_id=dataset_id)


def _names(arguments: argparse.Namespace) -> list[str]:
    """Return the models from the command line, and those of the paper with `--models paper`."""
    from scoring.models.paper_models import PAPER_MODELS

    names = [*arguments.names, *(model.name for model in PAPER_MODELS if arguments.models == "paper")]
    if not names:
        raise InputError("no model given: pass Hub ids, folders or demo:nli-a, or --models paper")
    return names
