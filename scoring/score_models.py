"""Score models on data that has been read, and write result files; `score` and the command both do."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, overload

from merge_snli.errors import InputError, param
from scoring.models.infer_labels import check_labels, infer_labels
from scoring.models.labels import INFERRED, TABLE
from scoring.models.scored_model import model_from_name
from scoring.predictions.grouped import GroupedPairs
from scoring.predictions.partial import part_of_config
from scoring.predictions.predict import predict_pairs
from scoring.predictions.store import PredictionStore, join
from scoring.results.describe import best_outputs
from scoring.results.evaluate import evaluate
from scoring.results.files import work_folder, write_result
from scoring.results.group_scores import evaluate_groups

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from merge_snli.errors import Message
    from scoring.models.labels import ModelLabels
    from scoring.models.options import ModelOptions
    from scoring.models.predictor import Predictor
    from scoring.models.scored_model import ScoredModel
    from scoring.predictions.pairs import ScoredConfig
    from scoring.predictions.source import ScoredSource
    from scoring.predictions.store import Predictions
    from scoring.results.grouped_result import GroupedResult
    from scoring.results.result import Result


def take_part(
    data: ScoredConfig | GroupedPairs, *, limit_seeds: int | None = None, subsample: int | None = None
) -> ScoredConfig | GroupedPairs:
    """Return the part of a config that `--limit-seeds` and `--subsample` name; without them, the data as it is.

    Raises:
        InputError: If the data is pairs in groups, or does not have that part.
    """
    if limit_seeds is None and subsample is None:
        return data
    option = "subsample" if limit_seeds is None else "limit_seeds"
    return part_of_config(require_seeds(data, option), limit_seeds=limit_seeds, subsample=subsample)


def require_seeds(data: ScoredConfig | GroupedPairs, option: str) -> ScoredConfig:
    """Return data that has seeds.

    Args:
        data: The data to score.
        option: The option that needs seeds, for the message.

    Raises:
        InputError: If the data is pairs in groups.
    """
    if isinstance(data, GroupedPairs):
        raise InputError(f"{param(option)} is for MERGE data sets, and {data.name} has pairs in groups; remove it")
    return data


@overload
def score_model(
    scored: ScoredModel, data: ScoredConfig, *, source: ScoredSource | None = None, out: Path | None = None
) -> Result: ...


@overload
def score_model(
    scored: ScoredModel,
    data: ScoredConfig | GroupedPairs,
    *,
    source: ScoredSource | None = None,
    out: Path | None = None,
) -> Result | GroupedResult: ...


def score_model(
    scored: ScoredModel,
    data: ScoredConfig | GroupedPairs,
    *,
    source: ScoredSource | None = None,
    out: Path | None = None,
) -> Result | GroupedResult:
    """Score a model on a config or on pairs in groups.

    The pairs of the config are predicted before those of the source, so that a source changes neither their batches nor
    their predictions.

    Args:
        scored: The model.
        data: The config, or the pairs.
        source: The source of the data set, to score the model on it as well.
        out: Folder for the result file and, in `OUT.work`, the cached predictions; None to write nothing.

    Raises:
        InputError: If the model cannot be loaded, fails or every seed is too long for it, its labels are to be inferred
            from pairs in groups, or `out` is not writable.
    """
    store = None if out is None else prediction_store(scored, out)
    load = cache(scored.load)
    if isinstance(data, GroupedPairs):
        _require_labels(scored, data)
        predictions, facts = predict_pairs(load, data.pairs, store, name=scored.name)
        result: Result | GroupedResult = evaluate_groups(scored, facts, predictions, data)
    else:
        result = _score_config(scored, load, data, source, store)
    if out is not None:
        write_result(result, out)
    return result


def prediction_store(scored: ScoredModel, out: Path) -> PredictionStore | None:
    """Return where the predictions of a model are cached, or None if they are not cached.

    Args:
        scored: The model.
        out: Folder for the result file.
    """
    return None if scored.key is None else PredictionStore(work_folder(out) / "predictions" / scored.key[:16])


def _score_config(
    scored: ScoredModel,
    load: Callable[[], Predictor],
    data: ScoredConfig,
    source: ScoredSource | None,
    store: PredictionStore | None,
) -> Result:
    predictions, facts = predict_pairs(load, data.pairs, store, name=scored.name)
    if scored.labels.origin in {INFERRED, TABLE}:
        scored = replace(scored, labels=_labels_on_seeds(scored, predictions, data))
    if source is not None and source.new_pairs:
        on_source, _ = predict_pairs(load, source.new_pairs, store, name=f"{scored.name} on {source.name}")
        predictions = join(predictions, on_source)
    return evaluate(scored, facts, predictions, data, source)


def _require_labels(scored: ScoredModel, data: GroupedPairs) -> None:
    """Refuse to infer labels from pairs on which a model with the right labels may be wrong most of the time."""
    if scored.labels.origin == INFERRED:
        raise InputError(
            f"the labels of {scored.name} cannot be inferred from {data.name}, on which a model may be wrong most of "
            f"the time: give them with {param('model_labels')}, or infer them on a MERGE data set first"
        )


@overload
def score_models(
    models: Mapping[str, str],
    data: ScoredConfig,
    *,
    options: ModelOptions,
    out: Path,
    source: ScoredSource | None = None,
    predicted_on: str | None = None,
) -> tuple[list[Result], dict[str, Message]]: ...


@overload
def score_models(
    models: Mapping[str, str],
    data: ScoredConfig | GroupedPairs,
    *,
    options: ModelOptions,
    out: Path,
    source: ScoredSource | None = None,
    predicted_on: str | None = None,
) -> tuple[list[Result | GroupedResult], dict[str, Message]]: ...


def score_models(
    models: Mapping[str, str],
    data: ScoredConfig | GroupedPairs,
    *,
    options: ModelOptions,
    out: Path,
    source: ScoredSource | None = None,
    predicted_on: str | None = None,
) -> tuple[list[Result], dict[str, Message]] | tuple[list[Result | GroupedResult], dict[str, Message]]:
    """Score models, one after another; a model that fails does not stop the others.

    Args:
        models: Hub ids, folders or `demo:NAME`, by display name (see `name_models`).
        data: The config or the pairs to score them on.
        options: How to load each model, and what its outputs mean.
        out: Folder for the result files.
        source: The source of the data set, to score the models on it as well.
        predicted_on: See `model_from_name`.

    Returns:
        The results of the models that were scored, and the error message of each model that failed, by its name.
    """
    results: list[Result | GroupedResult] = []
    failed: dict[str, Message] = {}
    for name, model in models.items():
        display_name = name if Path(model).is_dir() else None  # without its revision, a Hub id names the repository
        try:
            scored = model_from_name(model, options, display_name=display_name, predicted_on=predicted_on)
            results.append(score_model(scored, data, source=source, out=out))
        except InputError as error:
            failed[name] = error.message
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
