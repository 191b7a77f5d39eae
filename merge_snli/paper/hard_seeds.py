"""Compare seeds answered right and wrong by their variants, and find hard seeds (section 5.5, Table 10)."""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from merge_snli.answers.data import ScoredData
from merge_snli.base.arrays import Bools, Floats, Ints
from merge_snli.comparison.curves import mean_pattern_accuracy
from merge_snli.comparison.scored_dataset import ModelAnswers, NotComputable, ScoredDataset
from merge_snli.dataset.texts import TextNames
from merge_snli.statistics import mean_of_known, ratios

# Seeds with a smaller mean accuracy are rarely answered right.
RARELY = 0.05
# The mean of a tenth and of 0 may be slightly below 0.05 as a float.
TOLERANCE = 1e-12


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
    if not any(row["seeds_right"] and row["seeds_wrong"] for row in models.values()):
        raise NotComputable("seeds answered right and wrong cannot be compared: no model has some of both")
    return SeedCorrectness(
        models=models,
        mean_right=float(np.nanmean([row["right"] for row in models.values()])),
        mean_wrong=float(np.nanmean([row["wrong"] for row in models.values()])),
    )


def _scores(scored: ScoredDataset, model: ModelAnswers) -> dict[str, float]:
    right = model.seeds.correct[scored.groups]
    tables = {"right": model.answers.counts(rows=right), "wrong": model.answers.counts(rows=~right)}
    seeds = {f"seeds_{name}": int(table.drawn.sum()) for name, table in tables.items()}
    return seeds | {name: mean_pattern_accuracy(table) for name, table in tables.items()}


@dataclass(frozen=True, kw_only=True)
class HardSeed:
    """A seed and what the models answer.

    Attributes:
        seed_id: Its id.
        premise: Its premise.
        hypothesis: Its hypothesis.
        gold: Its gold label.
        votes: Number of annotators who gave each label, most first; None if the data set does not have their labels.
        answers: Predicted label of each model on the seed itself; None if the seed is too long for the model.
        variants: Number of variants of the seed on which a model was scored.
        mean_accuracy: Mean over the models of the share of the seed's variants answered right.
    """

    seed_id: str
    premise: str
    hypothesis: str
    gold: str
    votes: dict[str, int] | None
    answers: dict[str, str | None]
    variants: int
    mean_accuracy: float


@dataclass(frozen=True, kw_only=True)
class HardSeeds:
    """The hard seeds of a data set. All variants count, drawn or not, unless a model was scored on drawn ones only.

    Attributes:
        seeds: Number of seeds of the data set.
        never_right: Seeds with no variant that any model answers right.
        rarely_right: Seeds with a mean accuracy below 5%, including these; smallest accuracy first.
        texts: What the two texts of a seed are called.
    """

    seeds: int
    never_right: tuple[HardSeed, ...]
    rarely_right: tuple[HardSeed, ...]
    texts: TextNames


def hard_seeds(scored: ScoredDataset) -> HardSeeds:
    """List the seeds that no model, or hardly any, answers right on their variants.

    Args:
        scored: A config of a data set.
    """
    accuracy = mean_accuracy(scored)
    order = [int(seed) for seed in np.lexsort((np.array(scored.ids), accuracy)) if not np.isnan(accuracy[seed])]
    variants = _per_seed(scored, np.any([model.answers.is_predicted for model in scored.models], axis=0))
    rarely = [
        HardSeed(
            seed_id=scored.ids[seed],
            premise=scored.seeds[seed][0],
            hypothesis=scored.seeds[seed][1],
            gold=scored.seeds[seed][2],
            votes=votes_on(scored.data, seed),
            answers={
                model.name: None if (label := model.seeds.predicted[seed]) < 0 else model.answers.labels[label]
                for model in scored.models
            },
            variants=int(variants[seed]),
            mean_accuracy=float(accuracy[seed]),
        )
        for seed in order
        if accuracy[seed] < RARELY - TOLERANCE
    ]
    return HardSeeds(
        seeds=len(scored.ids),
        never_right=tuple(seed for seed in rarely if seed.mean_accuracy == 0),
        rarely_right=tuple(rarely),
        texts=scored.data.stored.record.texts,
    )


def mean_accuracy(scored: ScoredDataset) -> Floats:
    """Return the mean over models of the share of each seed's variants answered right, [n_seeds].

    A model that has no prediction on the seed's variants is left out of the mean; NaN if no model has one.
    """
    shares = [
        ratios(_per_seed(scored, model.answers.correct), _per_seed(scored, model.answers.is_predicted))
        for model in scored.models
    ]
    return mean_of_known(shares, axis=0)


def _per_seed(scored: ScoredDataset, mask: Bools) -> Ints:
    return np.bincount(scored.groups[mask], minlength=len(scored.ids))


def votes_on(data: ScoredData, seed: int) -> dict[str, int] | None:
    """Return how many annotators gave each label to a seed, most first; None if the data set has no such labels.

    Args:
        data: The data.
        seed: Index of the seed.
    """
    if data.annotators is None:
        return None
    votes = Counter(dict(zip(data.label_names, data.annotators[seed].tolist(), strict=True)))
    return dict((+votes).most_common())
