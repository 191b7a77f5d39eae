"""`merge-snli score`: NLI models on a data set, as a table in the shape of the paper's Table 3 and a JSON file each."""

from __future__ import annotations

import argparse
import json
import logging
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from merge_snli.errors import InputError

if TYPE_CHECKING:
    from scoring.predictions.pairs import ScoredConfig

logger = logging.getLogger(__name__)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "names", nargs="*", metavar="MODEL", help="sequence classifier: Hub id, folder, demo:nli-a or demo:nli-b"
    )
    parser.add_argument("--models", choices=("paper",), help="the paper's thirteen models, beside those named")
    parser.add_argument(
        "--dataset",
        required=True,
        metavar="DIR|ID",
        help="MERGE data set: a folder, or a Hub id, ORG/NAME or ORG/NAME@REVISION",
    )
    parser.add_argument("--config", default="all", help="all, noun, verb, adj … (default: all)")
    parser.add_argument(
        "--labels",
        metavar="A,B,C",
        help="what the outputs of all these models mean, in their order, where their configs do not say; or infer, to "
        "find the order on the seeds",
    )
    parser.add_argument(
        "--dtype",
        default="float32",
        metavar="T",
        help="float32 (the reference), bfloat16, float16 or int8 (default: float32)",
    )
    parser.add_argument(
        "--allow-pickle",
        action="store_true",
        help="take weights that are pickles where there are no safetensors: they can run code of whoever made them",
    )
    parser.add_argument(
        "--trust-remote-code", action="store_true", help="run the Python code that a model's repository holds"
    )
    parser.add_argument("--device", help="device of torch, such as cpu or cuda:0 (default: a GPU where there is one)")
    parser.add_argument("--out", required=True, metavar="DIR", type=Path, help="folder for a JSON file a model")
    parser.add_argument(
        "--eval-results",
        nargs="?",
        const="",
        metavar="ORG/NAME",
        help="write the results of Hub models in the Hub's form too, under DIR/eval_results; with the Hub id that the "
        "data set is published under, where --dataset is a folder",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document instead of the table")


def run(arguments: argparse.Namespace) -> int:
    """Score the models and print their table; a model that fails does not stop the others.

    Returns:
        0 where all were scored, 2 where some were not.

    Raises:
        InputError: Where nothing can be scored at all: the data set, the labels or the folder for results.
    """
    from merge_snli.dataset import find_dataset
    from merge_snli.inference.models import find_device
    from scoring.api import check_results_folder, score_models
    from scoring.models.labels import parse_labels
    from scoring.models.options import ModelOptions
    from scoring.predictions.pairs import read_config
    from scoring.results.files import to_json
    from scoring.results.score_table import score_table

    dataset_id = _dataset_id(arguments)
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
    results, failed = score_models(names, data, options=options, out=arguments.out)
    if dataset_id is not None:
        _write_eval_results(dataset_id, data, arguments.out)
    if arguments.json:
        document = {"results": [to_json(result) for result in results], "failed": failed}
        sys.stdout.write(json.dumps(document, ensure_ascii=False) + "\n")
    else:
        sys.stdout.write(score_table(results, failed).text())
    for name, reason in failed.items():
        logger.warning("%s was not scored: %s", name, reason)
    return 2 if failed else 0


def _dataset_id(arguments: argparse.Namespace) -> str | None:
    """Return the data set's Hub id for its results in the Hub's form, or None where they are not asked for."""
    from merge_snli.hub import split_revision
    from scoring.results.eval_results import check_dataset_id

    if arguments.eval_results is None:
        return None
    folder = Path(arguments.dataset)
    # A folder such as data/merge_snli has the form of a Hub id.
    named = arguments.eval_results or (str(folder.resolve()) if folder.is_dir() else arguments.dataset)
    check_dataset_id(named)
    return split_revision(named)[0]


def _write_eval_results(dataset_id: str, data: ScoredConfig, out: Path) -> None:
    """Write what the folder holds on this data set, so that results on other configs stay in the file."""
    from scoring.results.eval_results import write_eval_results
    from scoring.results.files import read_results

    if any(out.glob("*.json")):
        same_data = [result for result in read_results(out) if result.dataset.digest == data.data_set.digest]
        write_eval_results(same_data, out, dataset_id=dataset_id)


def _names(arguments: argparse.Namespace) -> list[str]:
    """Return the models that are named, and those of the paper where they are asked for."""
    from scoring.models.paper_models import PAPER_MODELS

    names = [*arguments.names, *(model.name for model in PAPER_MODELS if arguments.models == "paper")]
    if not names:
        raise InputError("no model is named: give Hub ids, folders or demo:nli-a, or --models paper")
    return names
