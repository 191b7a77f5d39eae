"""Compute the PA curve of every model (Figures 4 and 11 of the paper), and average curves and seeds over models."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from merge_snli.answers.answers import Counts
from merge_snli.base.arrays import Bools, Floats
from merge_snli.comparison.scored_dataset import ModelAnswers, ScoredDataset
from merge_snli.results.grouping import best_first
from merge_snli.results.measure import spread
from merge_snli.statistics import mean_of_known
from metrics.pattern_accuracy.core import CURVE, QUALITY_THRESHOLD, pattern_accuracy


@dataclass(frozen=True)
class MeanCurve:
    """A PA curve, averaged over models.

    Attributes:
        models: Names of the models.
        seeds: Number of seeds with a variant, the largest over the models.
        variants: Number of distinct variants that a subsample drew and the model has a prediction on, the largest over
            the models.
        mean: Mean over the models of the mean over the subsamples, [101]; NaN if nothing was drawn.
        low: Lowest subsample of the mean over the models, [101].
        high: Highest subsample, [101].
    """

    models: tuple[str, ...]
    seeds: int
    variants: int
    mean: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]

    def at(self, threshold: float) -> float:
        """Return PA at a threshold in whole percent."""
        return self.mean[CURVE.index(threshold)]


def averaged(scored: ScoredDataset, mask: Bools | None = None) -> tuple[MeanCurve, Floats]:
    """Average the models of a data set on some of its drawn variants.

    Args:
        scored: The data set.
        mask: Variants to count, [n_variants]; by default all.

    Returns:
        The mean PA curve, and the value of each seed in a test, [n_seeds]: the mean over models of `Counts.passes`,
        NaN for a seed without a variant in some model.
    """
    curve, tables = mean_curve([(model, mask) for model in scored.models])
    return curve, np.asarray(np.mean([table.passes() for table in tables], axis=0))


def mean_pattern_accuracy(table: Counts, threshold: float = QUALITY_THRESHOLD) -> float:
    """Return PA as in results: the mean over the subsamples with a variant, NaN without one."""
    mean = spread(pattern_accuracy(table.correct, table.sizes, threshold)[:, 0]).mean
    return math.nan if mean is None else mean


def mean_curve(masked: Sequence[tuple[ModelAnswers, Bools | None]]) -> tuple[MeanCurve, list[Counts]]:
    """Average the PA curves of models, as in Figures 5 to 8 of the paper.

    A subsample without a variant is left out of the mean of its model.

    Args:
        masked: At least one model of a data set, each with the variants to count, [n_variants]; None for all.

    Returns:
        The curve, and the counts of each model.
    """
    tables = [model.answers.counts(rows=mask) for model, mask in masked]
    variants = []
    for model, mask in masked:
        drawn = model.answers.is_predicted & model.answers.drawn
        variants.append(int(np.count_nonzero(drawn if mask is None else drawn & mask)))
    by_subsample = np.stack([pattern_accuracy(table.correct, table.sizes, CURVE) for table in tables])
    by_model = mean_of_known(by_subsample, axis=1)
    over_models = by_subsample.mean(axis=0)
    seeds = max(int(table.drawn.sum()) for table in tables)
    curve = MeanCurve(
        models=tuple(model.name for model, _ in masked),
        seeds=seeds,
        variants=max(variants),
        mean=tuple(by_model.mean(axis=0).tolist()),
        low=tuple(np.fmin.reduce(over_models, axis=0).tolist()),
        high=tuple(np.fmax.reduce(over_models, axis=0).tolist()),
    )
    return curve, tables


@dataclass(frozen=True, kw_only=True)
class ModelCurves:
    """The curves of the models.

    Attributes:
        threshold: The quality threshold, by which the models are ranked.
        seeds: Number of seeds of the config.
        curves: The curve of each model, best first, then by name; those without a drawn variant last.
    """

    threshold: float
    seeds: int
    curves: tuple[MeanCurve, ...]


def model_curves(scored: ScoredDataset) -> ModelCurves:
    """Compute the PA curve of every model, with the range of its subsamples (section 5.1)."""
    curves = [mean_curve([(model, None)])[0] for model in scored.models]
    curves.sort(key=lambda curve: best_first(curve.at(QUALITY_THRESHOLD), curve.models[0]))
    return ModelCurves(threshold=QUALITY_THRESHOLD, seeds=len(scored.ids), curves=tuple(curves))
