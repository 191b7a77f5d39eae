"""Compute the result of a model from its predictions on a config."""

from __future__ import annotations

from pathlib import Path
from platform import python_version
from typing import TYPE_CHECKING

import numpy as np

import merge_snli
from merge_snli.errors import InputError
from merge_snli.label_spellings import NOT_ENTAILMENT
from merge_snli.schema import NLI_LABELS, WORD_CLASSES, data_version
from metrics.pattern_accuracy.core import CURVE, QUALITY_THRESHOLD
from scoring.models.labels import INFERRED, TABLE, compared_labels, positions
from scoring.results.measure import (
    PredictedLabels,
    align_predictions,
    scores,
    scores_against,
    scores_against_majority,
    seed_table,
)
from scoring.results.result import SCHEMA_VERSION, DatasetRecord, LeftOut, ModelRecord, Result, RunRecord, Scores
from scoring.results.source_scores import source_scores

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from scoring.models.labels import ModelLabels
    from scoring.models.predictor import ModelFacts
    from scoring.models.scored_model import ScoredModel
    from scoring.predictions.pairs import ScoredConfig
    from scoring.predictions.source import ScoredSource
    from scoring.predictions.store import Predictions
    from scoring.results.result import SourceScores

CHANCE_MARGIN = 0.05
"""SA on seeds below the share of the most common label plus this margin suggests permuted labels."""


def evaluate(
    scored: ScoredModel,
    facts: ModelFacts,
    predictions: Predictions,
    data: ScoredConfig,
    source: ScoredSource | None = None,
) -> Result:
    """Compute the result of a model.

    Args:
        scored: The model.
        facts: Properties known after loading the model.
        predictions: Logits of the config's pairs followed by the new pairs of the source, in their order.
        data: Seeds and variants of the config.
        source: The problems of the source, if it was scored.

    Raises:
        InputError: If no seed fits into the model's maximum length.
    """
    outputs = best_outputs(predictions)
    names = _labels_in_use(scored.labels, outputs)
    compared = compared_labels(names, data.label_names)
    pair_labels = np.append(positions(names, compared), -1)[outputs]
    gold = np.array(positions(data.label_names, compared))[data.seed_labels]
    predicted = align_predictions(data, pair_labels, gold)
    if not len(predicted.gold):
        raise InputError(
            f"no seed of config {data.config} fits into the {facts.max_length} tokens of model {scored.name}: score a "
            "model with a larger maximum length"
        )
    left_out = LeftOut(
        max_length=facts.max_length,
        seeds=len(data.seed_ids) - len(predicted.gold),
        variants=len(data.variant_pairs) - len(predicted.variant_predictions),
    )
    on_source = None if source is None else source_scores(source, pair_labels, data.label_names, compared)
    overall = scores(predicted)
    labels = data.seed_labels[data.variant_seeds]
    return Result(
        schema_version=SCHEMA_VERSION,
        model=_model_record(scored, facts, names),
        dataset=_dataset_record(data),
        run=RunRecord(
            versions={"merge_snli": merge_snli.__version__, "python": python_version(), **scored.versions},
            dtype=scored.dtype,
            device=scored.device,
            seconds=round(predictions.seconds, 3),
        ),
        compared_labels=compared,
        left_out=left_out,
        notes=tuple(_notes(scored, data, names, left_out, overall, predicted, on_source)),
        quality_threshold=QUALITY_THRESHOLD,
        thresholds=CURVE,
        scores=overall,
        classes=_parts(predicted, {name: data.variant_classes == name for name in WORD_CLASSES}),
        labels=_parts(predicted, {name: labels == number for number, name in enumerate(data.label_names)}),
        masked_lms=_parts(predicted, data.validated_by),
        consistency={
            "seed": scores_against(predicted, predicted.seed_predictions),
            "majority": scores_against_majority(predicted),
        },
        source=on_source,
        seeds=seed_table(data, predicted, compared),
    )


def best_outputs(predictions: Predictions) -> NDArray[np.int64]:
    """Return the output with the largest logit for each pair, -1 if the pair was too long."""
    left_out = np.isnan(predictions.logits[:, 0])
    best: NDArray[np.int64] = np.where(left_out, -1, np.nan_to_num(predictions.logits).argmax(axis=1))
    return best


def _labels_in_use(labels: ModelLabels, outputs: NDArray[np.int64]) -> tuple[str, ...]:
    """Return the label of each output, without not_entailment if a function never returns it."""
    if labels.origin == "function" and labels.names.index(NOT_ENTAILMENT) not in outputs:
        return NLI_LABELS
    return labels.names


def _parts(predicted: PredictedLabels, variants: Mapping[str, NDArray[np.bool_]]) -> dict[str, Scores]:
    """Compute the scores on parts of a config's variants, [n_variants] each, that have a prediction."""
    masks = {name: mask[predicted.variant_indices] for name, mask in variants.items()}
    return {name: scores(predicted.select(mask)) for name, mask in masks.items() if mask.any()}


def _notes(
    scored: ScoredModel,
    data: ScoredConfig,
    names: Sequence[str],
    left_out: LeftOut,
    overall: Scores,
    predicted: PredictedLabels,
    on_source: SourceScores | None,
) -> Iterator[str]:
    """Yield what a reader of a result must know, one sentence per note."""
    labels, outputs = scored.labels, ",".join(scored.labels.names)
    if NOT_ENTAILMENT in names and NOT_ENTAILMENT not in data.label_names:
        yield (
            "two-way model: gold neutral and contradiction count as not_entailment, so compare its scores only with "
            "those of other two-way models"
        )
    if NOT_ENTAILMENT in data.label_names and NOT_ENTAILMENT not in names:
        yield "predictions of neutral and contradiction count as not_entailment, because the data has only two labels"
    if labels.origin == "given":
        yield f"labels given as {outputs}"
    if labels.origin == INFERRED:
        yield f"labels inferred from the seeds as {outputs}"
    if labels.origin == TABLE:
        yield f"the model's config names no labels; known labels used: {outputs}"
    if labels.overrides_config:
        yield f"the given labels contradict the model's config, {','.join(labels.config_names)}"
    if left_out.seeds or left_out.variants:
        yield (
            f"{left_out.seeds} seeds and {left_out.variants} variants left out: longer than the model's maximum of "
            f"{left_out.max_length} tokens"
        )
    if on_source is not None and on_source.too_long:
        yield (
            f"{on_source.too_long} problems of the source left out: longer than the model's maximum of "
            f"{left_out.max_length} tokens"
        )
    majority_share = int(np.bincount(predicted.gold).max()) / len(predicted.gold)
    if overall.seed_sample_accuracy < majority_share + CHANCE_MARGIN:
        hint = "check the function" if labels.origin == "function" else f"check the label order {outputs}"
        yield (
            f"warning: accuracy on seeds is {overall.seed_sample_accuracy:.1%}, close to or below the "
            f"{majority_share:.1%} of always predicting the most common label; {hint}"
        )


def _model_record(scored: ScoredModel, facts: ModelFacts, names: tuple[str, ...]) -> ModelRecord:
    return ModelRecord(
        name=scored.name,
        revision=scored.revision,
        digest=scored.digest,
        architecture=facts.architecture,
        parameters=facts.parameters,
        training_data=scored.training_data,
        labels=names,
        label_origin=scored.labels.origin,
        config_labels=scored.labels.config_names,
    )


def _dataset_record(data: ScoredConfig) -> DatasetRecord:
    dataset = data.dataset
    local = dataset.revision is None and Path(dataset.name).is_dir()
    return DatasetRecord(
        name=dataset.folder.resolve().name if local else dataset.name,
        title=dataset.record.title,
        revision=dataset.revision,
        version=data_version(dataset.digest),
        digest=dataset.digest,
        config=data.config,
        labels=data.label_names,
    )
