"""Compute SA, PA, QT, MT and consistency from predicted labels.

The groups are the seeds in every config. Thresholds are compared on counts (`metrics.pattern_accuracy`).
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean, stdev
from typing import TYPE_CHECKING

import numpy as np

from metrics.pattern_accuracy.core import (
    CURVE,
    QUALITY_THRESHOLD,
    matching_threshold,
    pattern_accuracy,
    quality_drop,
    sample_accuracy,
)
from metrics.pattern_accuracy.counts import count_cells
from scoring.results.intervals import seed_intervals
from scoring.results.scores import NO_ANSWER, NOT_SCORED, Curve, Scores, SeedTable, Spread, VariantScores
from scoring.statistics import ratios

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from scoring.predictions.pairs import ScoredConfig

    Ints = NDArray[np.int64]
    Bools = NDArray[np.bool_]


LEFT_OUT, NO_ANSWER_NUMBER = -1, -2
"""Stand in arrays of predicted labels for no prediction, and for an answer that cannot be read, which is wrong."""

UNNUMBERED = {LEFT_OUT: NOT_SCORED, NO_ANSWER_NUMBER: NO_ANSWER}
"""Their characters in `SeedTable.variant_predictions`."""


@dataclass(frozen=True)
class PredictedLabels:
    """Predicted labels of the scored seeds and variants.

    Each label is an index into `compared_labels` of the result, or `NO_ANSWER_NUMBER`.

    Attributes:
        gold: Gold label of each seed, [n_seeds].
        seed_predictions: Predicted label of each seed, [n_seeds].
        variant_predictions: Predicted label of each variant, [n_variants].
        variant_seeds: Index into `gold` of the seed of each variant, [n_variants].
        drawn: Whether each subsample drew each variant, [n_subsamples, n_variants].
        seed_indices: Index into `ScoredConfig.seed_ids` of each seed, [n_seeds].
        variant_indices: Index into `ScoredConfig.variant_pairs` of each variant, [n_variants].
    """

    gold: Ints
    seed_predictions: Ints
    variant_predictions: Ints
    variant_seeds: Ints
    drawn: Bools
    seed_indices: Ints
    variant_indices: Ints

    def select(self, variant_mask: Bools) -> PredictedLabels:
        """Return the predictions on the variants that are True in the mask, [n_variants], and on their seeds."""
        seed_mask = np.zeros(len(self.gold), dtype=bool)
        seed_mask[self.variant_seeds[variant_mask]] = True
        new_index = np.cumsum(seed_mask) - 1
        return PredictedLabels(
            gold=self.gold[seed_mask],
            seed_predictions=self.seed_predictions[seed_mask],
            variant_predictions=self.variant_predictions[variant_mask],
            variant_seeds=new_index[self.variant_seeds[variant_mask]],
            drawn=self.drawn[:, variant_mask],
            seed_indices=self.seed_indices[seed_mask],
            variant_indices=self.variant_indices[variant_mask],
        )

    @property
    def correct(self) -> Bools:
        """Whether the predicted label of each variant is the gold label of its seed, [n_variants]."""
        return np.asarray(self.variant_predictions == self.gold[self.variant_seeds])


def align_predictions(data: ScoredConfig, predicted: Ints, gold: Ints, *, whole_seeds: bool = False) -> PredictedLabels:
    """Assign the predictions on pairs to seeds and variants.

    Args:
        data: Seeds, variants and pairs.
        predicted: Predicted label of each pair as an index into the compared labels, `LEFT_OUT` or `NO_ANSWER_NUMBER`,
            [n_pairs].
        gold: Gold label of each seed as an index into the compared labels, [n_seeds].
        whole_seeds: Whether a seed is left out with all its variants if one of them has no prediction.

    Returns:
        The predictions. Left out are variants without a prediction, seeds without a prediction with all their
        variants, and seeds without a remaining variant.
    """
    everything = PredictedLabels(
        gold=gold,
        seed_predictions=predicted[data.seed_pairs],
        variant_predictions=predicted[data.variant_pairs],
        variant_seeds=data.variant_seeds,
        drawn=data.in_subsample,
        seed_indices=np.arange(len(data.seed_ids)),
        variant_indices=np.arange(len(data.variant_pairs)),
    )
    variant_predicted = everything.variant_predictions != LEFT_OUT
    seed_predicted = everything.seed_predictions != LEFT_OUT
    if whole_seeds:
        seed_predicted[everything.variant_seeds[~variant_predicted]] = False
    return everything.select(variant_predicted & seed_predicted[everything.variant_seeds])


def scores(predicted: PredictedLabels) -> Scores:
    """Return SA on seeds, the scores on variants, QT and MT (sections 4 and 5.1)."""
    seeds_correct = predicted.seed_predictions == predicted.gold
    on_seeds = sample_accuracy(seeds_correct)
    on_variants = scores_against(predicted, predicted.gold)
    pa_at_quality_threshold = on_variants.pattern_accuracy.mean
    curve = np.array(on_variants.curve.mean, dtype=np.float64)
    return Scores(
        seeds=len(predicted.gold),
        seed_sample_accuracy=on_seeds,
        on_variants=on_variants,
        qt=None if pa_at_quality_threshold is None else quality_drop(pa_at_quality_threshold, on_seeds),
        mt=None if pa_at_quality_threshold is None else matching_threshold(curve, on_seeds),
        intervals=seed_intervals(seeds_correct, *_counts(predicted, predicted.correct)),
    )


def scores_against(predicted: PredictedLabels, reference: Ints) -> VariantScores:
    """Score the predictions on variants against one label per seed.

    Against the gold labels, the scores are accuracies (SA and PA). Against the model's own predictions on the seeds,
    they are its consistency.

    Args:
        predicted: The predictions.
        reference: The label of each seed to compare with, [n_seeds].
    """
    answered = predicted.variant_predictions != NO_ANSWER_NUMBER
    correct = answered & (predicted.variant_predictions == reference[predicted.variant_seeds])
    return _variant_scores(
        *_counts(predicted, correct), test_sample_accuracy=sample_accuracy(correct), variants=len(correct)
    )


def scores_against_majority(predicted: PredictedLabels) -> VariantScores:
    """Compute consistency: score the predictions on variants against the most frequent prediction in their group.

    The group is the seed's variants in the subsample, or all its variants for `test_sample_accuracy`. Ties do not
    affect any score. No answer is no prediction.
    """
    most_frequent, _ = count_answers(predicted.variant_seeds, len(predicted.gold), predicted.variant_predictions)
    n_variants = len(predicted.variant_predictions)
    return _variant_scores(
        *_counts(predicted, predicted.variant_predictions),
        test_sample_accuracy=int(most_frequent.sum()) / n_variants,
        variants=n_variants,
    )


def seed_table(data: ScoredConfig, predicted: PredictedLabels, names: tuple[str, ...]) -> SeedTable:
    """Return the predictions and counts of every seed; `names` are the compared labels."""
    correct, sizes = _counts(predicted, predicted.correct)
    return SeedTable(
        seed_id=tuple(data.seed_ids[seed] for seed in predicted.seed_indices),
        gold=tuple(data.label_names[data.seed_labels[seed]] for seed in predicted.seed_indices),
        predicted=tuple(None if label < 0 else names[label] for label in predicted.seed_predictions),
        sizes=tuple(map(tuple, sizes.tolist())),
        correct=tuple(map(tuple, correct.tolist())),
        variant_predictions=_variant_predictions(data, predicted),
    )


def _variant_predictions(data: ScoredConfig, predicted: PredictedLabels) -> tuple[str, ...]:
    """Return the predictions on the variants of each scored seed in the form of `SeedTable`."""
    labels = np.full(len(data.variant_seeds), LEFT_OUT)
    labels[predicted.variant_indices] = predicted.variant_predictions
    order = np.argsort(data.variant_seeds, kind="stable")
    starts = np.searchsorted(data.variant_seeds[order], np.arange(1, len(data.seed_ids)))
    by_seed = np.split(labels[order], starts)
    return tuple(
        "".join(UNNUMBERED.get(label) or str(label) for label in by_seed[seed].tolist())
        for seed in predicted.seed_indices
    )


def count_answers(cells: Ints, n_cells: int, answers: Bools | Ints) -> tuple[Ints, Ints]:
    """Count as `count_cells`, but `NO_ANSWER_NUMBER` is never the most frequent label of a cell."""
    answered = answers != NO_ANSWER_NUMBER
    correct, _ = count_cells(cells[answered], n_cells, answers[answered])
    return correct, np.bincount(cells, minlength=n_cells)


def _counts(predicted: PredictedLabels, correct_or_labels: Bools | Ints) -> tuple[Ints, Ints]:
    """Count the correct variants and all variants of each seed in each subsample.

    Args:
        predicted: The predictions.
        correct_or_labels: bool, [n_variants]: whether each variant is correct. Or int, [n_variants]: its predicted
            label; the variants with the most frequent label of their seed in the subsample then count as correct.

    Returns:
        The correct variants and all variants, [n_subsamples, n_seeds] each.
    """
    shape = len(predicted.drawn), len(predicted.gold)
    subsample, variant = np.nonzero(predicted.drawn)
    cells = subsample * shape[1] + predicted.variant_seeds[variant]
    correct, sizes = count_answers(cells, shape[0] * shape[1], correct_or_labels[variant])
    return correct.reshape(shape), sizes.reshape(shape)


def _variant_scores(correct: Ints, sizes: Ints, *, test_sample_accuracy: float, variants: int) -> VariantScores:
    accuracy = ratios(correct.sum(axis=1), sizes.sum(axis=1))
    curves = pattern_accuracy(correct, sizes, CURVE)
    return VariantScores(
        variants=variants,
        sample_accuracy=_spread(accuracy),
        test_sample_accuracy=test_sample_accuracy,
        pattern_accuracy=_spread(curves[:, CURVE.index(QUALITY_THRESHOLD)]),
        curve=pa_curve(curves, np.count_nonzero(sizes, axis=1)),
    )


def pa_curve(shares: NDArray[np.float64], seeds: Ints) -> Curve:
    """Convert a curve to counts of seeds or groups, which take less space in a file.

    Args:
        shares: PA of each subsample at each threshold, [n_subsamples, n_thresholds]; NaN if it has no row.
        seeds: Number of seeds or groups of each subsample, [n_subsamples].
    """
    passing = np.rint(np.nan_to_num(shares) * seeds[:, np.newaxis]).astype(np.int64)
    some = shares[seeds > 0]
    return Curve(
        mean=tuple(fmean(column) if len(some) else None for column in some.T),
        passing=tuple(map(tuple, passing.tolist())),
        seeds=tuple(seeds.tolist()),
    )


def _spread(values: NDArray[np.float64]) -> Spread:
    some = values[~np.isnan(values)].tolist()
    return Spread(
        mean=fmean(some) if some else None,
        std=stdev(some) if len(some) > 1 else None,
        each=tuple(None if np.isnan(value) else value for value in values.tolist()),
    )
