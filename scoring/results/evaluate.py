"""Compute the result of a model from its predictions on a config."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from merge_snli.errors import InputError
from merge_snli.files import sha256_of_json
from merge_snli.schema import WORD_CLASSES, data_version
from metrics.pattern_accuracy.core import CURVE, QUALITY_THRESHOLD
from scoring.models.labels import ANSWERS, FUNCTION, compared_labels, positions
from scoring.results.describe import (
    best_outputs,
    compared_numbers,
    label_notes,
    labels_in_use,
    model_record,
    run_record,
)
from scoring.results.fields import SCHEMA_VERSION
from scoring.results.measure import (
    NO_ANSWER_NUMBER,
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
    from scoring.results.records import PromptRecord
    from scoring.results.scores import SourceScores

CHANCE_MARGIN = 0.05
"""SA on seeds below the share of the most common label plus this margin suggests permuted labels."""


def evaluate(
    scored: ScoredModel,
    facts: ModelFacts,
    predictions: Predictions,
    data: ScoredConfig,
    source: ScoredSource | None = None,
    *,
    prompt: PromptRecord | None = None,
) -> Result:
    """Compute the result of a model.

    Args:
        scored: The model.
        facts: Properties known after loading the model.
        predictions: Logits of the config's pairs followed by the new pairs of the source, in their order.
        data: Seeds and variants of the config.
        source: The problems of the source, if it was scored.
        prompt: How a language model was asked; None for other models.

    Raises:
        InputError: If no seed fits into the model's maximum length, or has all its imported answers.
    """
    outputs = best_outputs(predictions)
    names = labels_in_use(scored.labels, outputs)
    compared = compared_labels(names, data.label_names)
    pair_labels = compared_numbers(outputs, names, compared)
    gold = np.array(positions(data.label_names, compared))[data.seed_labels]
    imported = scored.labels.origin == ANSWERS
    predicted = align_predictions(data, pair_labels, gold, whole_seeds=imported)
    if not len(predicted.gold):
        if imported:
            raise InputError(f"no seed of config {data.config} has the answers to itself and all its variants")
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
    return Result(
        schema_version=SCHEMA_VERSION,
        kind="merge",
        model=model_record(scored, facts, names),
        dataset=dataset_record(data),
        run=run_record(scored, predictions, outputs, prompt),
        compared_labels=compared,
        left_out=left_out,
        notes=tuple(_notes(scored, data, names, left_out, overall, predicted, on_source, outputs)),
        quality_threshold=QUALITY_THRESHOLD,
        thresholds=CURVE,
        scores=overall,
        source=on_source,
        **scores_of_parts(data, predicted, compared),
    )


def scores_of_parts(data: ScoredConfig, predicted: PredictedLabels, compared: tuple[str, ...]) -> dict[str, Any]:
    """Return the fields of a result besides `scores` that its answers determine.

    Args:
        data: Seeds and variants of the config.
        predicted: The answers.
        compared: The compared labels.
    """
    labels = data.seed_labels[data.variant_seeds]
    return {
        "classes": _parts(predicted, {name: data.variant_classes == name for name in WORD_CLASSES}),
        "labels": _parts(predicted, {name: labels == number for number, name in enumerate(data.label_names)}),
        "masked_lms": _parts(predicted, data.validated_by),
        "consistency": {
            "seed": scores_against(predicted, predicted.seed_predictions),
            "majority": scores_against_majority(predicted),
        },
        "seeds": seed_table(data, predicted, compared),
    }


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
    outputs: NDArray[np.int64],
) -> Iterator[str]:
    """Yield what a reader of a result must know, one sentence per note."""
    yield from label_notes(scored, names, data.label_names)
    if left_out.seeds or left_out.variants:
        limit = f"longer than the model's maximum of {left_out.max_length} tokens"
        why = "not all of a seed's answers were imported" if scored.labels.origin == ANSWERS else limit
        yield f"{left_out.seeds} seeds and {left_out.variants} variants left out: {why}"
    if unread := int(np.count_nonzero(outputs == NO_ANSWER_NUMBER)):
        yield f"no answer to {unread:,} of {len(outputs):,} distinct pairs can be read; they count as wrong"
    if on_source is not None and on_source.too_long:
        yield (
            f"{on_source.too_long} problems of the source left out: longer than the model's maximum of "
            f"{left_out.max_length} tokens"
        )
    if (warning := chance_warning(overall, predicted)) is not None:
        labels = scored.labels
        order = f"check the label order {','.join(labels.names)}"
        hint = f"check the {labels.origin}" if labels.origin in (FUNCTION, ANSWERS) else order
        yield f"{warning}; {hint}"


def chance_warning(overall: Scores, predicted: PredictedLabels) -> str | None:
    """Return the note on a model that is hardly better than always predicting the most common label; None if not."""
    majority_share = int(np.bincount(predicted.gold).max()) / len(predicted.gold)
    if overall.seed_sample_accuracy >= majority_share + CHANCE_MARGIN:
        return None
    return (
        f"warning: accuracy on seeds is {overall.seed_sample_accuracy:.1%}, close to or below the "
        f"{majority_share:.1%} of always predicting the most common label"
    )


def dataset_record(data: ScoredConfig) -> DatasetRecord:
    """Return what a result records about a config of a data set."""
    dataset = data.dataset
    part, digest = data.part, dataset.digest
    return DatasetRecord(
        name=dataset.public_name,
        title=dataset.record.title if part is None else f"{dataset.record.title} ({part})",
        revision=dataset.revision,
        version=data_version(dataset.digest),
        digest=digest if part is None else sha256_of_json([digest, str(part)]),
        config=data.config,
        labels=data.label_names,
        partial=None if part is None else PartialRecord(part.limit_seeds, part.subsample, digest),
    )
