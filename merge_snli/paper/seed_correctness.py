"""Compare the variants of seeds that a model answers right with those of seeds that it answers wrong (section 5.5)."""

from dataclasses import dataclass

import numpy as np

from merge_snli.comparison.curves import mean_pattern_accuracy
from merge_snli.comparison.scored_dataset import ModelAnswers, NotComputable, ScoredDataset


@dataclass(frozen=True, kw_only=True)
class SeedCorrectness:
    """PA at the quality threshold by whether a model answered the seed right, mean over the subsamples.

    Attributes:
        models: By name of the model, the number of seeds with drawn variants that it answered right, `seeds_right`, and
            wrong, `seeds_wrong`; and PA on the variants of both, `right` and `wrong`, NaN without such a seed.
        mean_right: Mean of `right` over the models that have such seeds.
        mean_wrong: Mean of `wrong` over the models that have such seeds.
    """

    models: dict[str, dict[str, float]]
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
    rows = models.values()
    if not any(row["seeds_right"] and row["seeds_wrong"] for row in rows):
        raise NotComputable("seeds answered right and wrong cannot be compared: no model has some of both")
    mean_right = float(np.nanmean([row["right"] for row in rows]))
    mean_wrong = float(np.nanmean([row["wrong"] for row in rows]))
    return SeedCorrectness(models=models, mean_right=mean_right, mean_wrong=mean_wrong)


def _scores(scored: ScoredDataset, model: ModelAnswers) -> dict[str, float]:
    is_right = model.seeds.correct[scored.groups]
    right = model.answers.counts(rows=is_right)
    wrong = model.answers.counts(rows=~is_right)
    return {
        "seeds_right": int(right.drawn.sum()),
        "seeds_wrong": int(wrong.drawn.sum()),
        "right": mean_pattern_accuracy(right),
        "wrong": mean_pattern_accuracy(wrong),
    }
