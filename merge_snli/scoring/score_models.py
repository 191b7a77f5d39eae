"""Score models on data that has been read, and write result files; `score` and the command both do."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from merge_snli.base.errors import InputError, param
from merge_snli.models.labels import INFERRED, TABLE
from merge_snli.models.scored_model import model_from_name
from merge_snli.scoring.infer_labels import check_labels, infer_labels
from merge_snli.scoring.predictions.predict import predict_pairs
from merge_snli.scoring.predictions.store import PredictionStore, join
from merge_snli.scoring.results.evaluate import evaluate
from merge_snli.scoring.results.files import work_folder, write_result

if TYPE_CHECKING:
    from collections.abc import Mapping

    from merge_snli.base.errors import Message
    from merge_snli.models.labels import ModelLabels
    from merge_snli.models.options import ModelOptions
    from merge_snli.models.scored_model import ScoredModel
    from merge_snli.scoring.predictions.scored_data import ScoredData
    from merge_snli.scoring.predictions.source import ScoredSource
    from merge_snli.scoring.predictions.store import Predictions
    from merge_snli.scoring.results.result import Result


def score_model(
    scored: ScoredModel, data: ScoredData, *, source: ScoredSource | None = None, out: Path | None = None
) -> Result:
    """Score a model on data.

    The pairs of the data are predicted before those of the source, so that a source changes neither their batches nor
    their predictions.

    Args:
        scored: The model.
        data: The data.
        source: The source of the data set, to score the model on it as well.
        out: Folder for the result file and, in `OUT.work`, the cached predictions; None to write nothing.

    Raises:
        InputError: If the model cannot be loaded or fails, every group is too long for it, its labels are to be
            inferred from data without seeds, or `out` is not writable.
    """
    if scored.labels.origin == INFERRED and data.anchors is None:
        raise InputError(
            f"the labels of {scored.name} cannot be inferred from {data.name}, on which a model may be wrong most of "
            f"the time: give them with {param('labels')}, or infer them on a MERGE data set first"
        )
    store = None if out is None else prediction_store(scored, out)
    load = cache(scored.load)
    predictions, facts = predict_pairs(load, data.pairs, store, name=scored.name)
    scored = replace(scored, labels=_labels_on_seeds(scored, predictions, data))
    if source is not None and source.new_pairs:
        on_source, _ = predict_pairs(load, source.new_pairs, store, name=f"{scored.name} on {source.name}")
        predictions = join(predictions, on_source)
    result = evaluate(scored, facts, predictions, data, source)
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


def score_models(
    models: Mapping[str, str],
    data: ScoredData,
    *,
    options: ModelOptions,
    out: Path,
    source: ScoredSource | None = None,
    predicted_on: str | None = None,
) -> tuple[list[Result], dict[str, Message]]:
    """Score models, one after another; a model that fails does not stop the others.

    Args:
        models: Hub ids, folders or `demo:NAME`, by display name (see `name_models`).
        data: The data to score them on.
        options: How to load each model, and what its outputs mean.
        out: Folder for the result files.
        source: The source of the data set, to score the models on it as well.
        predicted_on: See `model_from_name`.

    Returns:
        The results of the models that were scored, and the error message of each model that failed, by its name.
    """
    results: list[Result] = []
    failed: dict[str, Message] = {}
    for name, model in models.items():
        display_name = name if Path(model).is_dir() else None  # without its revision, a Hub id names the repository
        try:
            scored = model_from_name(model, options, display_name=display_name, predicted_on=predicted_on)
            results.append(score_model(scored, data, source=source, out=out))
        except InputError as error:
            failed[name] = error.message
    return results, failed


def _labels_on_seeds(scored: ScoredModel, predictions: Predictions, data: ScoredData) -> ModelLabels:
    """Infer the labels of a model from the seeds, or check those of the table; other labels stay what they are."""
    labels, anchors = scored.labels, data.anchors
    if anchors is None or labels.origin not in {INFERRED, TABLE}:
        return labels
    best = predictions.outputs[anchors.pairs]
    if labels.origin == INFERRED:
        return infer_labels(best, anchors.labels, data.label_names, config_names=labels.config_names, model=scored.name)
    check_labels(labels, best, anchors.labels, data.label_names, model=scored.name)
    return labels
