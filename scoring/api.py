"""Score models on a data set, and write result files."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeGuard, cast

from merge_snli.dataset import MergeDataset, find_dataset
from merge_snli.errors import InputError
from scoring.models.function import model_from_function
from scoring.models.infer_labels import check_labels, infer_labels
from scoring.models.labels import INFERRED, TABLE
from scoring.models.names import name_models
from scoring.models.options import ModelOptions
from scoring.models.scored_model import model_from_name, model_from_pipeline, pipeline_of
from scoring.predictions.pairs import read_config
from scoring.predictions.predict import predict_pairs
from scoring.predictions.source import read_source
from scoring.predictions.store import PredictionStore, join
from scoring.results.evaluate import best_outputs, evaluate
from scoring.results.files import work_folder, write_result

if TYPE_CHECKING:
    from collections.abc import Sequence

    from transformers import PreTrainedModel, PreTrainedTokenizerBase, TextClassificationPipeline

    from merge_snli.problems.options import ProblemOptions
    from scoring.models.function import LabelFunction
    from scoring.models.labels import ModelLabels
    from scoring.models.scored_model import ScoredModel
    from scoring.predictions.pairs import ScoredConfig
    from scoring.predictions.source import ScoredSource
    from scoring.predictions.store import Predictions
    from scoring.results.result import Result


def score(
    model: str | Path | TextClassificationPipeline | tuple[PreTrainedModel, PreTrainedTokenizerBase] | LabelFunction,
    dataset: str | Path | MergeDataset,
    *,
    config: str = "all",
    source: str | Path | ProblemOptions | None = None,
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
        model: Hub id, folder or `demo:NAME` of a sequence classifier; or a loaded text-classification pipeline; or a
            tuple of a loaded sequence classifier and its tokenizer; or a function from a list of (premise, hypothesis)
            pairs to a label for each, by name or by its number in the data set.
        dataset: Folder or Hub id of a MERGE data set.
        config: `all` or a word class.
        source: The problems that the data set was generated from, to score the model on all of them as well: `recorded`
            for those that its record names, a file, a Hub id, or `merge_snli.problems.options.ProblemOptions`.
        labels: The label of each output, in order; `infer` to infer the order from the seeds. Required if the model's
            config has no meaningful names; overrides the config. Not for a function.
        dtype: `float32`, `bfloat16`, `float16` or `int8`. This and the next three are only for a model given by name.
        device: A torch device such as `cpu` or `cuda:0`; a GPU if available by default.
        allow_pickle: Accept pickle weights, which can execute arbitrary code.
        trust_remote_code: Run Python code from the model's repository.
        out: Folder for the result file; predictions are cached in `OUT.work`. If None, nothing is written.
        name: The name to report for a folder, a pipeline or a function.
        version: A version of a function. If given, its predictions are cached.

    Returns:
        The scores; a notebook shows them as a table.

    Raises:
        InputError: If the model, the data set, its source, an option or the folder cannot be used.
    """
    options = ModelOptions(
        labels=labels if labels is None or isinstance(labels, str) else tuple(labels),
        dtype=dtype,
        device=device,
        allow_pickle=allow_pickle,
        trust_remote_code=trust_remote_code,
    )
    if isinstance(model, tuple) and len(model) == 2:
        model = pipeline_of(*model)
    _check_options(model, options, name=name, version=version)
    data = read_config(_open_dataset(dataset), config)
    folder = None if out is None else Path(out)
    if folder is not None:
        check_results_folder(folder)
    problems = None if source is None else read_source(source, data)
    if isinstance(model, str | Path):
        scored = model_from_name(str(model), options, display_name=name)
    elif _is_pipeline(model):
        scored = model_from_pipeline(model, labels=labels, name=name)
    else:
        scored = model_from_function(cast("LabelFunction", model), data.label_names, name=name, version=version)
    return score_model(scored, data, source=problems, out=folder)


def _open_dataset(dataset: str | Path | MergeDataset) -> MergeDataset:
    if isinstance(dataset, MergeDataset):
        return dataset
    if isinstance(dataset, str | Path):
        return find_dataset(str(dataset))
    raise InputError(f"cannot score on a {type(dataset).__name__}; give the folder or Hub id of a MERGE data set")


def _check_options(model: object, options: ModelOptions, *, name: str | None, version: str | None) -> None:
    """Check that the model can be scored and that every option applies to it.

    Raises:
        InputError: If not; names the option.
    """
    defaults = ModelOptions(labels=options.labels)
    loading = [key for key, value in asdict(options).items() if value != getattr(defaults, key)]
    function_only = ["version"] if version is not None else []
    if isinstance(model, str | Path):
        rename = name is not None and not Path(model).is_dir()
        kind, unused = "a model given by name", [*(["name"] if rename else []), *function_only]
    elif _is_pipeline(model):
        kind, unused = "a loaded pipeline", [*loading, *function_only]
    elif _is_module(model):
        raise InputError(f"cannot score a {type(model).__name__} alone; give (model, tokenizer)")
    elif callable(model) and not hasattr(model, "task"):
        kind, unused = "a function", [*(["labels"] if options.labels is not None else []), *loading]
    else:
        raise InputError(
            f"cannot score a {type(model).__name__}; give the name of a model, a text-classification pipeline, "
            "(model, tokenizer), or a function from pairs to labels"
        )
    if unused:
        raise InputError(f"{unused[0]} has no effect on {kind}; remove it")


def score_model(
    scored: ScoredModel, data: ScoredConfig, *, source: ScoredSource | None = None, out: Path | None = None
) -> Result:
    """Score a model on a config; `score` does the same from names.

    The pairs of the config are predicted before those of the source, so that a source changes neither their batches nor
    their predictions.

    Args:
        scored: The model.
        data: The config.
        source: The source of the data set, to score the model on it as well.
        out: Folder for the result file and, in `OUT.work`, the cached predictions; None to write nothing.

    Raises:
        InputError: If the model cannot be loaded, fails or every seed is too long for it, or `out` is not writable.
    """
    store = None
    if out is not None and scored.key is not None:
        store = PredictionStore(work_folder(out) / "predictions" / scored.key[:16])
    load = cache(scored.load)
    predictions, facts = predict_pairs(load, data.pairs, store, name=scored.name)
    if scored.labels.origin in {INFERRED, TABLE}:
        scored = replace(scored, labels=_labels_on_seeds(scored, predictions, data))
    if source is not None and source.new_pairs:
        on_source, _ = predict_pairs(load, source.new_pairs, store, name=f"{scored.name} on {source.name}")
        predictions = join(predictions, on_source)
    result = evaluate(scored, facts, predictions, data, source)
    if out is not None:
        write_result(result, out)
    return result


def score_models(
    names: Sequence[str],
    data: ScoredConfig,
    *,
    options: ModelOptions,
    out: Path,
    source: ScoredSource | None = None,
) -> tuple[list[Result], dict[str, str]]:
    """Score models by name, one after another; a model that fails does not stop the others.

    Args:
        names: Hub ids, folders, `NAME=FOLDER` or `demo:NAME`; duplicates are scored once.
        data: The config to score them on.
        options: How to load each model, and what its outputs mean.
        out: Folder for the result files.
        source: The source of the data set, to score the models on it as well.

    Returns:
        The results of the models that were scored, and the error message of each model that failed, by its name.

    Raises:
        InputError: If two models have the same name, or the folder of `NAME=FOLDER` does not exist.
    """
    results: list[Result] = []
    failed: dict[str, str] = {}
    for name, model in name_models(names).items():
        display_name = name if Path(model).is_dir() else None  # without its revision, a Hub id names the repository
        try:
            scored = model_from_name(model, options, display_name=display_name)
            results.append(score_model(scored, data, source=source, out=out))
        except InputError as error:
            failed[name] = str(error)
    return results, failed


def _labels_on_seeds(scored: ScoredModel, predictions: Predictions, data: ScoredConfig) -> ModelLabels:
    """Infer the labels of a model from the seeds, or check those of the table."""
    best, labels = best_outputs(predictions)[data.seed_pairs], scored.labels
    if labels.origin == INFERRED:
        return infer_labels(
            best, data.seed_labels, data.label_names, config_names=labels.config_names, model=scored.name
        )
    check_labels(labels, best, data.seed_labels, data.label_names, model=scored.name)
    return labels


def check_results_folder(out: Path) -> None:
    """Check that results can be written to a folder.

    Raises:
        InputError: If `out` or a parent is a file, it is not writable, or it has files but no result.
    """
    existing = next(path for path in (out, *out.absolute().parents) if path.exists())
    if not existing.is_dir():
        raise InputError(f"{existing} is a file; --out needs a folder")
    if not os.access(existing, os.W_OK):
        raise InputError(f"{existing} is not writable; choose another folder for --out")
    if not out.is_dir():
        return
    names = sorted(path.name for path in out.iterdir() if not path.name.startswith("."))
    if names and not any(_is_result(out / name) for name in names):
        raise InputError(f"{out} has other files ({names[0]}) but no results; choose a new or empty folder for --out")


def _is_result(path: Path) -> bool:
    """Return whether a file is a result, of any schema version."""
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


def _is_module(model: object) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(model, torch.nn.Module)
