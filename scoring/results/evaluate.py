"""Compute the result of a model from its predictions on a config."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from merge_snli.errors import InputError
from merge_snli.files import sha256_of_json
from merge_snli.schema import WORD_CLASSES, data_version
from metrics.pattern_accuracy.core import CURVE, QUALITY_THRESHOLD
from scoring.models.labels import compared_labels, positions
from scoring.results.describe import best_outputs, label_notes, labels_in_use, model_record, run_record
from scoring.results.fields import SCHEMA_VERSION
from scoring.results.measure import (
    PredictedLabels,
    align_predictions,
    scores,
    scores_against,
    scores_against_majority,
    seed_table,
)
from scoring.results.records import DatasetRecord, LeftOut, PartialRecord
from scoring.results.result import Result
from scoring.results.scores import Scores
from scoring.results.source_scores import source_scores

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from scoring.models.predictor import ModelFacts
    from scoring.models.scored_model import ScoredModel
    from scoring.predictions.pairs import ScoredConfig
    from scoring.predictions.source import ScoredSource
    from scoring.predictions.store import Predictions
    from scoring.results.scores import SourceScores

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
    names = labels_in_use(scored.labels, outputs)
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
        kind="merge",
        model=model_record(scored, facts, names),
        dataset=_dataset_record(data),
        run=run_record(scored, predictions),
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
    yield from label_notes(scored, names, data.label_names)
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
        labels = scored.labels
        order = f"check the label order {','.join(labels.names)}"
        hint = "check the function" if labels.origin == "function" else order
        yield (
            f"warning: accuracy on seeds is {overall.seed_sample_accuracy:.1%}, close to or below the "
            f"{majority_share:.1%} of always predicting the most common label; {hint}"
        )


def _dataset_record(data: ScoredConfig) -> DatasetRecord:
    dataset = data.dataset
    local = dataset.revision is None and Path(dataset.name).is_dir()
    part, digest = data.part, dataset.digest
    return DatasetRecord(
        name=dataset.folder.resolve().name if local else dataset.name,
        title=dataset.record.title if part is None else f"{dataset.record.title} ({part})",
        revision=dataset.revision,
        version=data_version(dataset.digest),
        digest=digest if part is None else sha256_of_json([digest, str(part)]),
        config=data.config,
        labels=data.label_names,
        partial=None if part is None else PartialRecord(part.limit_seeds, part.subsample, digest),
    )
