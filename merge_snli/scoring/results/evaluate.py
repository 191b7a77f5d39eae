"""Compute the result of a model from its predictions on rows in groups."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from merge_snli.base.errors import InputError
from merge_snli.base.files import sha256_of_json
from merge_snli.models.labels import ANSWERS, FUNCTION, Missing, compared_labels, positions
from merge_snli.scoring.answers import Anchors, Answers
from merge_snli.scoring.results.describe import compared_numbers, label_notes, labels_in_use, model_record, run_record
from merge_snli.scoring.results.measure import (
    consistency,
    digits_of,
    group_table,
    scores,
    scores_of_parts,
    source_scores,
)
from merge_snli.scoring.results.records import SCHEMA_VERSION, DatasetRecord, LeftOut, PartialRecord
from merge_snli.scoring.results.result import Result
from metrics.pattern_accuracy.core import CURVE, QUALITY_THRESHOLD

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from merge_snli.models.labels import ModelFacts
    from merge_snli.models.scored_model import ScoredModel
    from merge_snli.scoring.predictions.predict import Predictions
    from merge_snli.scoring.predictions.scored_data import ScoredData
    from merge_snli.scoring.predictions.source import ScoredSource
    from merge_snli.scoring.results.records import PromptRecord
    from merge_snli.scoring.results.scores import Scores, SourceScores

    Ints = NDArray[np.int64]

CHANCE_MARGIN = 0.05
"""SA on anchors below the share of the most common label plus this margin suggests permuted labels."""


def evaluate(
    scored: ScoredModel,
    facts: ModelFacts,
    predictions: Predictions,
    data: ScoredData,
    source: ScoredSource | None = None,
    *,
    prompt: PromptRecord | None = None,
) -> Result:
    """Compute the result of a model.

    Args:
        scored: The model.
        facts: Properties known after loading the model.
        predictions: Predictions on the pairs of the data followed by the new pairs of the source, in their order.
        data: The rows and groups.
        source: The problems of the source, if it was scored.
        prompt: How a language model was asked; None for other models.

    Raises:
        InputError: If no group fits into the model's maximum length, or has all its imported answers.
    """
    outputs = predictions.outputs
    names = labels_in_use(scored.labels, outputs)
    compared = compared_labels(names, data.label_names)
    pair_labels = compared_numbers(outputs, names, compared)
    imported = scored.labels.origin == ANSWERS
    answers = asked_answers(align(data, pair_labels, compared), whole_groups=imported)
    if not len(answers.rows):
        if imported:
            raise InputError(f"no {data.units[0]} of {data.place} has all its answers")
        raise InputError(
            f"no {data.units[0]} of {data.place} fits into the {facts.max_length} tokens of model {scored.name}: score "
            "a model with a larger maximum length"
        )
    left_out = left_out_of(answers, data, facts.max_length)
    on_source = None if source is None else source_scores(source, pair_labels, data.label_names, compared)
    overall = scores(answers)
    return Result(
        schema_version=SCHEMA_VERSION,
        model=model_record(scored, facts, names),
        dataset=dataset_record(data),
        run=run_record(scored, predictions, outputs, prompt),
        compared_labels=compared,
        left_out=left_out,
        notes=tuple(_notes(scored, data, names, left_out, overall, answers, on_source, outputs)),
        quality_threshold=QUALITY_THRESHOLD,
        thresholds=CURVE,
        scores=overall,
        source=on_source,
        **fields_of(answers, data),
    )


def align(data: ScoredData, pair_labels: Ints, compared: tuple[str, ...]) -> Answers:
    """Assign predictions on pairs to the rows and anchors of data.

    Args:
        data: The rows, anchors and pairs.
        pair_labels: Number among the compared labels of the prediction on each pair, or a code of `Missing`, [n_pairs].
        compared: The compared labels.
    """
    anchors = data.anchors
    return answers_to(
        data, pair_labels[data.row_pairs], None if anchors is None else pair_labels[anchors.pairs], compared
    )


def answers_to(data: ScoredData, rows: Ints, anchors: Ints | None, compared: tuple[str, ...]) -> Answers:
    """Return answers to data, with its gold labels.

    Args:
        data: The rows and anchors.
        rows: Number of the predicted label of each row, or a code of `Missing`, [n_rows].
        anchors: Number of the predicted label of each anchor, or a code, [n_groups]; None without anchors.
        compared: The labels that the numbers mean.
    """
    gold = np.array(positions(data.label_names, compared))
    return Answers(
        labels=compared,
        rows=np.arange(len(data.row_groups)),
        group_index=np.arange(len(data.group_ids)),
        groups=data.row_groups,
        gold=gold[data.row_labels],
        predicted=rows,
        draws=data.draws,
        anchors=None if data.anchors is None or anchors is None else Anchors(gold[data.anchors.labels], anchors),
    )


def answers_of(result: Result, data: ScoredData) -> Answers:
    """Return the answers in a result, with a code for every row and anchor of the data that the result leaves out.

    Args:
        result: The result.
        data: The data that it is on.

    Raises:
        InputError: If a group is not in the data, or has another number of rows.
    """
    table, index = result.groups, {name: number for number, name in enumerate(data.group_ids)}
    unknown = next((name for name in table.id if name not in index), None)
    unit, row = data.units
    if unknown is not None:
        raise InputError(f"{unit} {unknown!r} is not in {data.place}")
    compared = compared_labels(result.model.labels, data.label_names)
    rows = data.by_group(np.arange(len(data.row_groups)))
    own = [rows[index[name]] for name in table.id]
    for name, numbers, answers in zip(table.id, own, table.predictions, strict=True):
        if len(numbers) != len(answers):
            raise InputError(
                f"{unit} {name!r} has {len(numbers)} {row}s, and the result has {len(answers)} answers to them"
            )
    predicted = np.full(len(data.row_groups), Missing.NOT_ASKED.value)
    predicted[np.concatenate(own)] = digits_of(table.predictions)
    return answers_to(data, predicted, _anchors_of(result, data, compared), compared)


def _anchors_of(result: Result, data: ScoredData, compared: tuple[str, ...]) -> Ints | None:
    """Return the predicted label of each anchor of the data; None without anchors."""
    table = result.groups
    if table.anchors is None or data.anchors is None:
        if (table.anchors is None) != (data.anchors is None):
            raise InputError(
                f"{'the result' if data.anchors is None else data.place} has seeds, and the other has none"
            )
        return None
    index = {name: number for number, name in enumerate(data.group_ids)}
    predicted = np.full(len(data.group_ids), Missing.NOT_ASKED.value)
    for name, answer in zip(table.id, table.anchors, strict=True):
        if answer is not None and answer not in compared:
            raise InputError(f"seed {name!r}: the answer {answer} is not one of {', '.join(compared)}")
        predicted[index[name]] = Missing.NO_ANSWER if answer is None else compared.index(answer)
    return predicted


def asked_answers(answers: Answers, *, whole_groups: bool = False) -> Answers:
    """Leave out what the model was not asked.

    Args:
        answers: The answers to all rows.
        whole_groups: Whether a group is left out with all its rows if one of them was not asked.

    Returns:
        The answers without rows that were not asked, without the rows of groups whose anchor was not, and without
        groups that have no other row.
    """
    asked, groups = answers.asked, np.ones(len(answers.group_index), dtype=bool)
    if answers.anchors is not None:
        groups &= answers.anchors.predicted != Missing.NOT_ASKED
    if whole_groups:
        groups[answers.groups[~asked]] = False
    return answers.take(rows=asked & groups[answers.groups])


def left_out_of(answers: Answers, data: ScoredData, max_length: int | None) -> LeftOut:
    """Return how many groups and rows of data have no answer."""
    return LeftOut(
        max_length=max_length,
        groups=len(data.group_ids) - len(answers.group_index),
        rows=len(data.row_groups) - len(answers.rows),
    )


def fields_of(answers: Answers, data: ScoredData) -> dict[str, Any]:
    """Return the fields of a result besides `scores` that its answers determine.

    Args:
        answers: The answers; the model was asked every row.
        data: The data that they are on.
    """
    return {
        "draws": None if data.draws is None else len(data.draws),
        "parts": scores_of_parts(answers, data.parts),
        "consistency": consistency(answers),
        "groups": group_table(answers, data),
    }


def _notes(
    scored: ScoredModel,
    data: ScoredData,
    names: Sequence[str],
    left_out: LeftOut,
    overall: Scores,
    answers: Answers,
    on_source: SourceScores | None,
    outputs: Ints,
) -> Iterator[str]:
    """Yield what a reader of a result must know, one sentence per note."""
    yield from label_notes(scored, names, data.label_names)
    group, row = data.units
    if left_out.groups or left_out.rows:
        limit = f"longer than the model's maximum of {left_out.max_length} tokens"
        why = f"not all of a {group}'s answers were imported" if scored.labels.origin == ANSWERS else limit
        yield f"{left_out.groups} {group}s and {left_out.rows} {row}s left out: {why}"
    if unread := int(np.count_nonzero(outputs == Missing.NO_ANSWER)):
        yield f"no answer to {unread:,} of {len(outputs):,} distinct pairs can be read; they count as wrong"
    if on_source is not None and on_source.too_long:
        yield (
            f"{on_source.too_long} problems of the source left out: longer than the model's maximum of "
            f"{left_out.max_length} tokens"
        )
    if (warning := chance_warning(overall, answers)) is not None:
        labels = scored.labels
        order = f"check the label order {','.join(labels.names)}"
        hint = f"check the {labels.origin}" if labels.origin in (FUNCTION, ANSWERS) else order
        yield f"{warning}; {hint}"


def chance_warning(overall: Scores, answers: Answers) -> str | None:
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
        digest=data.digest if part is None else sha256_of_json([data.digest, str(part)]),
        config=data.config,
        labels=data.label_names,
        group_column=data.group_column,
        without_label=data.without_label,
        partial=None if part is None else PartialRecord(part.limit_seeds, part.subsample, data.digest),
    )
