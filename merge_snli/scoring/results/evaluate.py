"""Compute the result of a model from its predictions on rows in groups."""

from collections.abc import Iterator
from dataclasses import replace
from platform import python_version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from merge_snli.base import __version__
from merge_snli.base.errors import InputError
from merge_snli.base.files import sha256_of_json
from merge_snli.base.table import count
from merge_snli.dataset.label_spellings import NOT_ENTAILMENT
from merge_snli.models.function import FUNCTION_LABELS
from merge_snli.models.labels import (
    ANSWERS,
    FUNCTION,
    INFERRED,
    PROMPT,
    TABLE,
    Missing,
    ModelFacts,
    ModelLabels,
    compared_labels,
)
from merge_snli.models.scored_model import ScoredModel
from merge_snli.schema import NLI_LABELS
from merge_snli.scoring.answers import Answers, Predicted, align, asked_answers, compared_numbers
from merge_snli.scoring.predictions.predict import Predictions
from merge_snli.scoring.predictions.scored_data import ScoredData
from merge_snli.scoring.predictions.source import ScoredSource
from merge_snli.scoring.results.calibration import as_stored, calibration_of, label_probabilities
from merge_snli.scoring.results.measure import (
    consistency,
    group_table,
    scores,
    scores_of_parts,
    source_scores,
)
from merge_snli.scoring.results.records import (
    SCHEMA_VERSION,
    DatasetRecord,
    LeftOut,
    ModelRecord,
    PartialRecord,
    RunRecord,
)
from merge_snli.scoring.results.result import Result
from merge_snli.scoring.results.scores import Scores
from metrics.pattern_accuracy.core import CURVE, QUALITY_THRESHOLD

# SA on anchors below the share of the most common label plus this margin suggests permuted labels.
CHANCE_MARGIN = 0.05


def evaluate(
    scored: ScoredModel,
    facts: ModelFacts,
    predictions: Predictions,
    data: ScoredData,
    source: ScoredSource | None = None,
    **of_run: Any,  # noqa: ANN401 - fields of a record
) -> Result:
    """Compute the result of a model.

    Args:
        scored: The model.
        facts: Properties known after loading the model.
        predictions: Predictions on the pairs of the data followed by the new pairs of the source, in their order.
        data: The rows and groups.
        source: The problems of the source, if it was scored.
        of_run: Fields of `RunRecord` that the predictions do not have, such as `prompt`.

    Raises:
        InputError: If no group fits into the model's maximum length, or has all its imported answers.
    """
    outputs = predictions.outputs
    names = labels_in_use(scored.labels, outputs)
    compared = compared_labels(names, data.label_names)
    pair_labels = compared_numbers(names, compared)[outputs]
    imported = scored.labels.origin == ANSWERS
    logits = predictions.logits
    probabilities = None if logits is None else as_stored(label_probabilities(logits, names, compared))
    answers = asked_answers(align(data, Predicted(pair_labels, probabilities), compared), whole_groups=imported)
    if not len(answers.rows):
        if imported:
            raise InputError(f"no {data.units[0]} of {data.place} has all its answers")
        raise InputError(
            f"no {data.units[0]} of {data.place} fits into the {facts.max_length} tokens of model {scored.name}: score "
            "a model with a larger maximum length"
        )
    on_source = None if source is None else source_scores(source, pair_labels, data.label_names, compared)
    result = Result(
        schema_version=SCHEMA_VERSION,
        model=model_record(scored, facts, names),
        dataset=dataset_record(data),
        run=run_record(scored, predictions, outputs, **of_run),
        compared_labels=compared,
        left_out=left_out_of(answers, data, facts.max_length),
        notes=(),
        quality_threshold=QUALITY_THRESHOLD,
        thresholds=CURVE,
        scores=scores(answers),
        source=on_source,
        **fields_of(answers, data),
    )
    return replace(result, notes=tuple(notes_of(result, answers, pairs=len(outputs))))


def left_out_of(answers: Answers, data: ScoredData, max_length: int | None) -> LeftOut:
    """Return how many groups and rows of data have no answer."""
    undrawn = int(np.count_nonzero(~data.draws.any(axis=0))) if answers.drawn_only and data.draws is not None else 0
    return LeftOut(
        max_length=max_length,
        groups=len(data.group_ids) - len(answers.group_index),
        rows=len(data.row_groups) - undrawn - len(answers.rows),
        undrawn=undrawn,
    )


def fields_of(answers: Answers, data: ScoredData) -> dict[str, Any]:
    """Return the fields of a result besides `scores` that its answers determine.

    Args:
        answers: The answers; none is `NOT_ASKED`.
        data: The data that they are on.
    """
    return {
        "draws": None if data.draws is None else len(data.draws),
        "parts": scores_of_parts(answers, data.parts),
        "consistency": consistency(answers),
        "groups": group_table(answers, data),
        "calibration": calibration_of(answers, data),
    }


def labels_in_use(labels: ModelLabels, outputs: NDArray[np.int64]) -> tuple[str, ...]:
    """Return the label of each output, without not_entailment if a function or imported answers never have it."""
    if labels.names == FUNCTION_LABELS and labels.names.index(NOT_ENTAILMENT) not in outputs:
        return NLI_LABELS
    return labels.names


def _ties(predictions: Predictions) -> int:
    """Count the pairs on which the largest logits of two outputs are equal."""
    if predictions.logits is None:
        return 0
    second, first = np.partition(predictions.logits, -2, axis=1)[:, -2:].T
    return int(np.count_nonzero((first == second) & np.isfinite(first)))


def notes_of(result: Result, answers: Answers, *, pairs: int) -> Iterator[str]:
    """Yield what a reader of a result must know, one sentence per note.

    Args:
        result: The result; its notes are ignored.
        answers: Its answers.
        pairs: Number of distinct pairs of the data and the source.
    """
    yield from _label_notes(result)
    left_out, (group, row) = result.left_out, result.units
    if left_out.groups or left_out.rows:
        limit = f"longer than the model's maximum of {left_out.max_length} tokens"
        imported = result.model.label_origin == ANSWERS
        why = f"not all of a {group}'s answers were imported" if imported else limit
        yield f"{left_out.groups} {group}s and {left_out.rows} {row}s left out: {why}"
    if left_out.undrawn:
        yield f"{left_out.undrawn:,} {row}s that no subsample has were not scored"
    if result.run.no_answers:
        run = result.run
        kinds = f"; {run.cut:,} were cut at the limit of output tokens, and {run.refused:,} are refusals"
        yield (
            f"no answer to {run.no_answers:,} of {pairs:,} distinct pairs can be read; they count as wrong"
            f"{kinds if run.cut or run.refused else ''}"
        )
    if result.run.agreement is not None:
        yield (
            f"the most frequent of {result.run.samples} answers to each pair counts; {result.run.agreement:.1%} of the "
            "answers agree with it"
        )
    if result.run.tied:
        yield f"the largest scores are tied on {result.run.tied:,} of {pairs:,} distinct pairs; the first label counts"
    if result.source is not None and result.source.too_long:
        yield (
            f"{count(result.source.too_long, 'problem')} of the source left out: longer than the model's maximum of "
            f"{left_out.max_length} tokens"
        )
    if (warning := _chance_warning(result.scores, answers)) is not None:
        origin = result.model.label_origin
        order = f"check the label order {','.join(result.model.labels)}"
        yield f"{warning}; {f'check the {origin}' if origin in (FUNCTION, ANSWERS, PROMPT) else order}"


def _label_notes(result: Result) -> Iterator[str]:
    """Yield what a reader must know about the labels of a model, one sentence per note."""
    model, data_labels = result.model, result.dataset.labels
    labels = ModelLabels(model.labels, model.label_origin, model.config_labels)
    outputs = ",".join(labels.names)
    if NOT_ENTAILMENT in labels.names and NOT_ENTAILMENT not in data_labels:
        yield (
            "two-way model: gold neutral and contradiction count as not_entailment, so compare its scores only with "
            "those of other two-way models"
        )
    if NOT_ENTAILMENT in data_labels and NOT_ENTAILMENT not in labels.names:
        yield "predictions of neutral and contradiction count as not_entailment, because the data has only two labels"
    if labels.origin == "given":
        yield f"labels given as {outputs}"
    if labels.origin == INFERRED:
        yield f"labels inferred from the seeds as {outputs}"
    if labels.origin == TABLE:
        yield f"the model's config names no labels; known labels used: {outputs}"
    if labels.overrides_config:
        yield f"the given labels contradict the model's config, {','.join(labels.config_names)}"


def _chance_warning(overall: Scores, answers: Answers) -> str | None:
    """Return the note on a model that is hardly better than always predicting the most common label; None if not.

    Without anchors there is no note, because a model may be wrong on most rows that were made to be hard.
    """
    if answers.anchors is None or overall.anchor_accuracy is None:
        return None
    majority_share = int(np.bincount(answers.anchors.gold).max()) / len(answers.anchors.gold)
    if overall.anchor_accuracy >= majority_share + CHANCE_MARGIN:
        return None
    return (
        f"warning: accuracy on seeds is {overall.anchor_accuracy:.1%}, close to or below the "
        f"{majority_share:.1%} of always predicting the most common label"
    )


def dataset_record(data: ScoredData) -> DatasetRecord:
    """Return what a result records about the data."""
    part = data.part
    return DatasetRecord(
        name=data.name,
        title=data.title if part is None else f"{data.title} ({part})",
        revision=data.revision,
        digest=data.digest if part is None else sha256_of_json([data.digest, part]),
        config=data.config,
        labels=data.label_names,
        group_column=data.group_column,
        without_label=data.without_label,
        partial=None
        if part is None
        else PartialRecord(data.limit_seeds, data.subsample, data.digest, data.min_agreement),
    )


def run_record(
    scored: ScoredModel,
    predictions: Predictions,
    outputs: NDArray[np.int64],
    **fields: Any,  # noqa: ANN401 - fields of a record
) -> RunRecord:
    """Return how the predictions were computed.

    Args:
        scored: The model.
        predictions: Its predictions.
        outputs: Its outputs.
        fields: Fields that these do not have, such as `prompt`.
    """
    return RunRecord(
        versions={"merge_snli": __version__, "python": python_version(), **scored.versions},
        dtype=scored.dtype,
        device=scored.device,
        seconds=round(predictions.seconds, 3),
        no_answers=int(np.count_nonzero(outputs == Missing.NO_ANSWER)),
        **({"tied": _ties(predictions)} | fields),
    )


def model_record(scored: ScoredModel, facts: ModelFacts, names: tuple[str, ...]) -> ModelRecord:
    """Return the model that was scored, with the labels of its outputs."""
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
