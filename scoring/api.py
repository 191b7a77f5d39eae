"""Scores a model on a data set: from names to numbers, and to the files that keep both."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeGuard, cast

from merge_snli.dataset import MergeDataset, find_dataset
from merge_snli.errors import InputError
from merge_snli.inference.models import quiet_loading
from scoring.models.function import function_model
from scoring.models.infer_labels import infer_labels
from scoring.models.labels import INFERRED
from scoring.models.options import ModelOptions
from scoring.models.scored_model import loaded_model, named_model
from scoring.predictions.pairs import read_config
from scoring.predictions.predict import predict_pairs
from scoring.predictions.store import PredictionStore
from scoring.results.evaluate import best_outputs, evaluate
from scoring.results.files import safe_name, write_result

if TYPE_CHECKING:
    from collections.abc import Sequence

    from transformers import TextClassificationPipeline

    from scoring.models.function import LabelFunction
    from scoring.models.labels import ModelLabels
    from scoring.models.scored_model import ScoredModel
    from scoring.predictions.pairs import ScoredConfig
    from scoring.predictions.store import Shard
    from scoring.results.result import Result


def score(
    model: str | Path | TextClassificationPipeline | LabelFunction,
    dataset: str | Path | MergeDataset,
    *,
    config: str = "all",
    labels: Sequence[str] | str | None = None,
    dtype: str = "float32",
    device: str | None = None,
    allow_pickle: bool = False,
    trust_remote_code: bool = False,
    out: str | Path | None = None,
    name: str | None = None,
    version: str | None = None,
) -> Result:
    """Score one model on one config of a data set (sections 4 and 5 of the paper).

    Args:
        model: Hub id, folder or `demo:NAME` of a sequence classifier; or a text-classification pipeline that is
            loaded already; or any function that takes a list of (premise, hypothesis) and gives a label for each, by
            name or by its number in the data set.
        dataset: Folder or Hub id of a MERGE data set.
        config: `all` or a word class.
        labels: What the model's outputs mean, in their order; needed where its config does not say, and heard before
            what its config says; or `infer`, to find their order on the seeds. Not for a function.
        dtype: `float32`, `bfloat16`, `float16` or `int8`; this and the next three for a model by its name alone.
        device: Device of torch, such as `cpu` or `cuda:0`; by default a GPU where there is one.
        allow_pickle: Take weights that are pickles, which can run code of whoever made them.
        trust_remote_code: Run Python code of the model's repository.
        out: Folder for the result's JSON file; the predictions are kept beside it in `OUT.work`. Without it nothing
            is written.
        name: What to call a pipeline or a function.
        version: What tells a function from other versions of itself; given one, its answers are kept too.

    Returns:
        The numbers and whose they are; in a notebook it shows as a table.

    Raises:
        InputError: Where the user can mend what is wrong: what, where and how.
    """
    options = ModelOptions(
        labels=labels if labels is None or isinstance(labels, str) else tuple(labels),
        dtype=dtype,
        device=device,
        allow_pickle=allow_pickle,
        trust_remote_code=trust_remote_code,
    )
    _check_options(model, options, name=name, version=version)
    source = dataset if isinstance(dataset, MergeDataset) else find_dataset(str(dataset))
    data = read_config(source, config)
    folder = None if out is None else Path(out)
    if folder is not None:
        check_results_folder(folder)
    if isinstance(model, str | Path):
        scored = named_model(str(model), options)
    elif _is_pipeline(model):
        scored = loaded_model(model, labels=labels, name=name)
    else:
        scored = function_model(cast("LabelFunction", model), data.label_names, name=name, version=version)
    return score_model(scored, data, out=folder)


def _check_options(model: object, options: ModelOptions, *, name: str | None, version: str | None) -> None:
    """Refuse what cannot be scored, and options that would not be heard.

    Raises:
        InputError: Names the option.
    """
    unset = ModelOptions(labels=options.labels)
    loading = [key for key, value in asdict(options).items() if value != getattr(unset, key)]
    of_function = ["version"] if version is not None else []
    if isinstance(model, str | Path):
        kind, unheard = "a model by its name", [*(["name"] if name is not None else []), *of_function]
    elif _is_pipeline(model):
        kind, unheard = "a loaded pipeline", [*loading, *of_function]
    elif callable(model) and not hasattr(model, "task"):
        kind, unheard = "a function", [*(["labels"] if options.labels is not None else []), *loading]
    else:
        raise InputError(
            f"a {type(model).__name__} cannot be scored: give the name of a model, a text-classification pipeline, or "
            "a function from pairs to labels"
        )
    if unheard:
        raise InputError(f"{unheard[0]} is not for {kind}, which would not heed it: leave it out")


def score_model(scored: ScoredModel, data: ScoredConfig, *, out: Path | None = None) -> Result:
    """Score a model that was found on a config that was read; `score` finds and reads them.

    Raises:
        InputError: Where the model cannot be loaded, fails or takes none of the seeds, or `out` cannot be written.
    """
    store = None
    if out is not None and scored.key is not None:
        store = PredictionStore(work_folder(out) / "predictions" / f"{safe_name(scored.name)}-{scored.key[:12]}")
    predictions, facts = predict_pairs(scored.load, data.pairs, store, name=scored.name)
    if scored.labels.found == INFERRED:
        scored = replace(scored, labels=_inferred(scored, predictions, data))
    result = evaluate(scored, facts, predictions, data)
    if out is not None:
        write_result(result, out)
    return result


def score_models(
    names: Sequence[str], data: ScoredConfig, *, options: ModelOptions, out: Path
) -> tuple[list[Result], dict[str, str]]:
    """Score models by name, one after another; a model that fails does not stop the others.

    Args:
        names: Hub ids, folders or `demo:NAME`; duplicates are scored once.
        data: The config to score them on.
        options: How to load each model, and what its outputs mean.
        out: Folder for the result files.

    Returns:
        The results of the models that were scored, and the error message of each model that failed, by its name.
    """
    quiet_loading()
    results: list[Result] = []
    failed: dict[str, str] = {}
    for name in dict.fromkeys(names):
        try:
            results.append(score_model(named_model(name, options), data, out=out))
        except InputError as error:
            failed[name] = str(error)
    return results, failed


def _inferred(scored: ScoredModel, predictions: Shard, data: ScoredConfig) -> ModelLabels:
    on_seeds = best_outputs(predictions)[data.seed_pairs]
    return infer_labels(on_seeds, data.seed_labels, data.label_names, own=scored.labels.own, model=scored.name)


def work_folder(out: Path) -> Path:
    """Return where the work in progress of a results folder lies: beside it."""
    return out.resolve().with_name(f"{out.resolve().name}.work")


def check_results_folder(out: Path) -> None:
    """Refuse to write results among files that are something else.

    Raises:
        InputError: Where `out` is a file or below one, may not be written, or is a folder that has files and no result.
    """
    there = next(path for path in (out, *out.absolute().parents) if path.exists())
    if not there.is_dir():
        raise InputError(f"{there} is a file: give --out a folder")
    if not os.access(there, os.W_OK):
        raise InputError(f"{there} may not be written: give --out another folder")
    if not out.is_dir():
        return
    names = sorted(path.name for path in out.iterdir() if not path.name.startswith("."))
    if names and not any(_is_result(out / name) for name in names):
        raise InputError(f"{out} has other files, such as {names[0]}, and no results: give --out a new or empty folder")


def _is_result(path: Path) -> bool:
    """Tell a result of any version from another file: older ones are written anew."""
    if path.suffix != ".json":
        return False
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(value, dict) and {"schema_version", "model", "dataset"} <= value.keys()


def _is_pipeline(model: object) -> TypeGuard[TextClassificationPipeline]:
    transformers = sys.modules.get("transformers")
    return transformers is not None and isinstance(model, transformers.TextClassificationPipeline)
