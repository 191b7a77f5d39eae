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
from scoring.results.result import NOT_SCORED, Curve, Scores, SeedTable, Spread, VariantScores

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from scoring.predictions.pairs import ScoredConfig

    Ints = NDArray[np.int64]
    Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class PredictedLabels:
    """Predicted labels of the scored seeds and variants, as positions in the compared labels.

    Attributes:
        gold: Gold label of each seed, [n_seeds].
        seeds: Predicted label of each seed, [n_seeds].
        variants: Predicted label of each variant, [n_variants].
        variant_seeds: Seed of each variant, [n_variants].
        drawn: Which subsample drew which variant, [n_subsamples, n_variants].
        seed_indices: Index of each seed in the config, [n_seeds].
        variant_indices: Index of each variant in the config, [n_variants].
    """

    gold: Ints
    seeds: Ints
    variants: Ints
    variant_seeds: Ints
    drawn: Bools
    seed_indices: Ints
    variant_indices: Ints

    def select(self, variants: Bools) -> PredictedLabels:
        """Return the predictions on some variants, [n_variants], and on their seeds."""
        mask = np.zeros(len(self.gold), dtype=bool)
        mask[self.variant_seeds[variants]] = True
        new_index = np.cumsum(mask) - 1
        return PredictedLabels(
            gold=self.gold[mask],
            seeds=self.seeds[mask],
            variants=self.variants[variants],
            variant_seeds=new_index[self.variant_seeds[variants]],
            drawn=self.drawn[:, variants],
            seed_indices=self.seed_indices[mask],
            variant_indices=self.variant_indices[variants],
        )

    @property
    def correct(self) -> Bools:
        """Whether each variant has the gold label of its seed, [n_variants]."""
        return np.asarray(self.variants == self.gold[self.variant_seeds])


def align_predictions(data: ScoredConfig, predicted: Ints, gold: Ints) -> PredictedLabels:
    """Assign the predictions on pairs to seeds and variants.

    Args:
        data: Seeds, variants and pairs.
        predicted: Predicted label of each pair, [n_pairs], -1 if the pair is too long for the model.
        gold: Gold label of each seed, [n_seeds].

    Returns:
        The predictions. Left out are variants without a prediction, seeds without a prediction with all their
        variants, and seeds without a remaining variant.
    """
    everything = PredictedLabels(
        gold=gold,
        seeds=predicted[data.seed_pairs],
        variants=predicted[data.variant_pairs],
        variant_seeds=data.variant_seeds,
        drawn=data.in_subsample,
        seed_indices=np.arange(len(data.seed_ids)),
        variant_indices=np.arange(len(data.variant_pairs)),
    )
    return everything.select((everything.variants >= 0) & (everything.seeds[everything.variant_seeds] >= 0))


def scores(predicted: PredictedLabels) -> Scores:
    """Return SA on seeds, the scores on variants, QT and MT (sections 4 and 5.1)."""
    seeds_correct = predicted.seeds == predicted.gold
    on_seeds = sample_accuracy(seeds_correct)
    on_variants = scores_against(predicted, predicted.gold)
    at_quality = on_variants.pattern_accuracy.mean
    curve = np.array(on_variants.curve.mean, dtype=np.float64)
    return Scores(
        seeds=len(predicted.gold),
        seed_sample_accuracy=on_seeds,
        on_variants=on_variants,
        qt=None if at_quality is None else quality_drop(at_quality, on_seeds),
        mt=None if at_quality is None else matching_threshold(curve, on_seeds),
        intervals=seed_intervals(seeds_correct, *_counts(predicted, predicted.correct)),
    )


def scores_against(predicted: PredictedLabels, reference: Ints) -> VariantScores:
    """Score the predictions on variants against one label per seed, [n_seeds]."""
    correct = predicted.variants == reference[predicted.variant_seeds]
    return _variant_scores(
        *_counts(predicted, correct), test_sample_accuracy=sample_accuracy(correct), variants=len(correct)
    )


def scores_against_majority(predicted: PredictedLabels) -> VariantScores:
    """Score the predictions on variants against the most frequent prediction in their group.

    The group is the seed's variants in the subsample, or all of them for SA on the whole split. Ties do not affect any
    score.
    """
    most_frequent, _ = count_cells(predicted.variant_seeds, len(predicted.gold), predicted.variants)
    n_variants = len(predicted.variants)
    return _variant_scores(
        *_counts(predicted, predicted.variants),
        test_sample_accuracy=int(most_frequent.sum()) / n_variants,
        variants=n_variants,
    )


def seed_table(data: ScoredConfig, predicted: PredictedLabels, names: tuple[str, ...]) -> SeedTable:
    """Return the predictions and counts of every seed; `names` are the compared labels."""
    correct, sizes = _counts(predicted, predicted.correct)
    return SeedTable(
        seed_id=tuple(data.seed_ids[seed] for seed in predicted.seed_indices),
        gold=tuple(data.label_names[data.seed_labels[seed]] for seed in predicted.seed_indices),
        predicted=tuple(names[label] for label in predicted.seeds),
        sizes=tuple(map(tuple, sizes.tolist())),
        correct=tuple(map(tuple, correct.tolist())),
        variant_predictions=_variant_predictions(data, predicted),
    )


def _variant_predictions(data: ScoredConfig, predicted: PredictedLabels) -> tuple[str, ...]:
    """Return the predictions on the variants of each scored seed in the form of `SeedTable`."""
    labels = np.full(len(data.variant_seeds), -1)
    labels[predicted.variant_indices] = predicted.variants
    order = np.argsort(data.variant_seeds, kind="stable")
    starts = np.searchsorted(data.variant_seeds[order], np.arange(1, len(data.seed_ids)))
    by_seed = np.split(labels[order], starts)
    return tuple(
        "".join(NOT_SCORED if label < 0 else str(label) for label in by_seed[seed]) for seed in predicted.seed_indices
    )


def _counts(predicted: PredictedLabels, values: Bools | Ints) -> tuple[Ints, Ints]:
    """Count the correct variants and all variants of each seed in each subsample, [n_subsamples, n_seeds] each.

    Correct are the variants that are True in `values`, [n_variants], or those with its most frequent number.
    """
    shape = len(predicted.drawn), len(predicted.gold)
    subsample, variant = np.nonzero(predicted.drawn)
    cells = subsample * shape[1] + predicted.variant_seeds[variant]
    correct, sizes = count_cells(cells, shape[0] * shape[1], values[variant])
    return correct.reshape(shape), sizes.reshape(shape)


def _variant_scores(correct: Ints, sizes: Ints, *, test_sample_accuracy: float, variants: int) -> VariantScores:
    drawn = sizes.sum(axis=1)
    accuracy = np.divide(correct.sum(axis=1), drawn, out=np.full(len(drawn), np.nan), where=drawn > 0)
    curves = pattern_accuracy(correct, sizes, CURVE)
    return VariantScores(
        variants=variants,
        sample_accuracy=_spread(accuracy),
        test_sample_accuracy=test_sample_accuracy,
        pattern_accuracy=_spread(curves[:, CURVE.index(QUALITY_THRESHOLD)]),
        curve=_curve(curves, np.count_nonzero(sizes, axis=1)),
    )


def _curve(shares: NDArray[np.float64], seeds: Ints) -> Curve:
    """Convert a curve to counts of seeds, which take less space in a file."""
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
