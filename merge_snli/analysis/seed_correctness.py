"""Compare the variants of seeds that a model answered right and wrong (section 5.5 of the paper)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from merge_snli.analysis.curves import mean_at_quality_threshold
from merge_snli.analysis.not_computable import NotComputable

if TYPE_CHECKING:
    from merge_snli.analysis.scored_dataset import ScoredDataset, ScoredModel


@dataclass(frozen=True, kw_only=True)
class CorrectnessScores:
    """PA at the quality threshold by whether a model answered the seed right, mean over the subsamples.

    Attributes:
        seeds_right: Number of seeds with drawn variants that the model answered right.
        seeds_wrong: Number of such seeds that it answered wrong.
        right: PA on the variants of the seeds answered right; NaN without one.
        wrong: PA on the variants of the seeds answered wrong; NaN without one.
    """

    seeds_right: int
    seeds_wrong: int
    right: float
    wrong: float


@dataclass(frozen=True, kw_only=True)
class SeedCorrectness:
    """Scores of each model, and their means over the models that have such seeds."""

    models: dict[str, CorrectnessScores]
    mean_right: float
    mean_wrong: float


def seed_correctness(scored: ScoredDataset) -> SeedCorrectness:
    """Score the variants of seeds answered right and of seeds answered wrong.

    Args:
        scored: A config of a data set.

    Raises:
        NotComputable: If no model has a seed of both kinds.
    """
    models = {model.name: _scores(scored, model) for model in scored.models}
    if not any(each.seeds_right and each.seeds_wrong for each in models.values()):
        raise NotComputable("seeds answered right and wrong cannot be compared: no model has some of both")
    return SeedCorrectness(
        models=models,
        mean_right=float(np.nanmean([each.right for each in models.values()])),
        mean_wrong=float(np.nanmean([each.wrong for each in models.values()])),
    )


def _scores(scored: ScoredDataset, model: ScoredModel) -> CorrectnessScores:
    right = model.anchors.correct[scored.groups]
    tables = [model.answers.counts(rows=mask) for mask in (right, ~right)]
    return CorrectnessScores(
        seeds_right=int(tables[0].drawn.sum()),
        seeds_wrong=int(tables[1].drawn.sum()),
        right=mean_at_quality_threshold(tables[0]),
        wrong=mean_at_quality_threshold(tables[1]),
    )
