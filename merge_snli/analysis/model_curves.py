"""Compute the PA curve of every model (Figures 4 and 11 of the paper)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from merge_snli.analysis.curves import mean_curve, number_drawn
from metrics.pattern_accuracy.core import QUALITY_THRESHOLD

if TYPE_CHECKING:
    from merge_snli.analysis.curves import MeanCurve
    from merge_snli.analysis.scored_dataset import ScoredDataset


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
    curves = [
        mean_curve([(model.name, model.answers.counts())], variants=number_drawn(scored, model))
        for model in scored.models
    ]
    return ModelCurves(
        threshold=QUALITY_THRESHOLD,
        seeds=len(scored.ids),
        curves=tuple(sorted(curves, key=_rank)),
    )


def _rank(curve: MeanCurve) -> tuple[float, tuple[str, ...]]:
    accuracy = curve.at(QUALITY_THRESHOLD)
    return (1.0 if math.isnan(accuracy) else -accuracy), curve.models
