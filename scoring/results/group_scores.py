"""Compute the result of a model from its predictions on labeled pairs in groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from merge_snli.errors import InputError
from metrics.pattern_accuracy.core import CURVE, QUALITY_THRESHOLD, pattern_accuracy, sample_accuracy
from metrics.pattern_accuracy.counts import count_cells
from scoring.models.labels import compared_labels, positions
from scoring.results.describe import (
    best_outputs,
    compared_numbers,
    label_notes,
    labels_in_use,
    model_record,
    run_record,
)
from scoring.results.fields import SCHEMA_VERSION
from scoring.results.grouped_result import GroupedResult, GroupScores, GroupTable
from scoring.results.intervals import group_intervals
from scoring.results.measure import NO_ANSWER_NUMBER, pa_curve
from scoring.results.records import GroupedDatasetRecord, PairsLeftOut

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scoring.models.predictor import ModelFacts
    from scoring.models.scored_model import ScoredModel
    from scoring.predictions.grouped import GroupedPairs
    from scoring.predictions.store import Predictions

    Ints = NDArray[np.int64]
    Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class PredictedPairs:
    """The pairs that have a prediction. Each label is an index into `compared_labels` of the result.

    Attributes:
        gold: Gold label of each pair, [n].
        predicted: Predicted label of each pair, [n].
        groups: Group of each pair as a number, [n].
    """

    gold: Ints
    predicted: Ints
    groups: Ints

    def select(self, mask: Bools) -> PredictedPairs:
        """Return the pairs that are True in the mask, [n]."""
        return PredictedPairs(self.gold[mask], self.predicted[mask], self.groups[mask])

    @property
    def correct(self) -> Bools:
        """Whether the predicted label of each pair is its gold label, [n]."""
        return np.asarray(self.predicted == self.gold)

    def counts(self) -> tuple[Ints, Ints]:
        """Return the correct pairs and all pairs of each group that has any, in the order of the group numbers."""
        present, groups = np.unique(self.groups, return_inverse=True)
        return count_cells(groups, len(present), self.correct)


def evaluate_groups(
    scored: ScoredModel, facts: ModelFacts, predictions: Predictions, data: GroupedPairs
) -> GroupedResult:
    """Compute the result of a model on pairs in groups.

    Args:
        scored: The model.
        facts: Properties known after loading the model.
        predictions: Logits of the distinct pairs, in their order.
        data: The pairs.

    Raises:
        InputError: If the pairs that fit into the model's maximum length are in fewer than two groups, or a function
            gave no answer.
    """
    outputs = best_outputs(predictions)
    names = labels_in_use(scored.labels, outputs)
    compared = compared_labels(names, data.label_names)
    predicted = compared_numbers(outputs, names, compared)[data.row_pairs]
    gold = np.array(positions(data.label_names, compared))[data.row_labels]
    if NO_ANSWER_NUMBER in predicted:
        raise InputError(
            f"{scored.name} gave no answer to some pairs of {data.name}; pairs in groups need a label each"
        )
    fits = predicted >= 0
    pairs = PredictedPairs(gold, predicted, data.row_groups).select(fits)
    n_groups = len(np.unique(pairs.groups))
    if n_groups < 2:
        raise InputError(
            f"the pairs of {data.name} that fit into the {facts.max_length} tokens of model {scored.name} are in "
            f"{n_groups} groups, and at least two are needed: score a model with a larger maximum length"
        )
    left_out = PairsLeftOut(facts.max_length, len(data.group_ids) - n_groups, int(np.count_nonzero(~fits)))
    too_long = (
        f"{left_out.pairs} pairs left out, and with them {left_out.groups} groups: longer than the model's maximum of "
        f"{left_out.max_length} tokens"
    )
    return GroupedResult(
        schema_version=SCHEMA_VERSION,
        kind="groups",
        model=model_record(scored, facts, names),
        dataset=_dataset_record(data),
        run=run_record(scored, predictions, outputs),
        compared_labels=compared,
        left_out=left_out,
        notes=(*label_notes(scored, names, data.label_names), *([too_long] if left_out.pairs else [])),
        quality_threshold=QUALITY_THRESHOLD,
        thresholds=CURVE,
        scores=group_scores(pairs, compared),
        intervals=group_intervals(*pairs.counts()),
        by={column: _by_value(pairs, np.array(values)[fits], compared) for column, values in data.by.items()},
        groups=_group_table(pairs, data.group_ids),
    )


def group_scores(pairs: PredictedPairs, labels: Sequence[str]) -> GroupScores:
    """Return SA, PA and the predicted labels of some pairs, at least one; `labels` are the compared labels."""
    correct, sizes = pairs.counts()
    shares = pattern_accuracy(correct[np.newaxis], sizes[np.newaxis], CURVE)
    cells = np.bincount(pairs.gold * len(labels) + pairs.predicted, minlength=len(labels) ** 2)
    table = dict(zip(labels, cells.reshape(len(labels), -1).tolist(), strict=True))
    return GroupScores(
        pairs=len(pairs.gold),
        groups=len(sizes),
        sample_accuracy=sample_accuracy(pairs.correct),
        pattern_accuracy=float(shares[0, CURVE.index(QUALITY_THRESHOLD)]),
        curve=pa_curve(shares, np.array([len(sizes)])),
        predicted={gold: dict(zip(labels, row, strict=True)) for gold, row in table.items() if any(row)},
    )


def _by_value(pairs: PredictedPairs, values: NDArray[np.str_], labels: Sequence[str]) -> dict[str, GroupScores]:
    """Compute the scores of the pairs with each value, [n], in the order of their first rows."""
    return {str(value): group_scores(pairs.select(values == value), labels) for value in dict.fromkeys(values.tolist())}


def _group_table(pairs: PredictedPairs, group_ids: Sequence[str]) -> GroupTable:
    correct, sizes = pairs.counts()
    order = np.argsort(pairs.groups, kind="stable")
    ends = np.cumsum(sizes)[:-1]

    def digits(labels: Ints) -> tuple[str, ...]:
        return tuple("".join(map(str, group)) for group in np.split(labels[order], ends))

    return GroupTable(
        group_id=tuple(group_ids[group] for group in np.unique(pairs.groups)),
        sizes=tuple(sizes.tolist()),
        correct=tuple(correct.tolist()),
        gold=digits(pairs.gold),
        predictions=digits(pairs.predicted),
    )


def _dataset_record(data: GroupedPairs) -> GroupedDatasetRecord:
    return GroupedDatasetRecord(
        name=data.name,
        title=data.title,
        revision=data.revision,
        config=data.config,
        digest=data.digest,
        labels=data.label_names,
        group_column=data.group_column,
        without_label=data.without_label,
    )
