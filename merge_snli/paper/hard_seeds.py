"""Find hard seeds, whose variants hardly any model answers right (section 5.5, Table 10)."""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from merge_snli.answers.data import ScoredData
from merge_snli.base.arrays import Bools, Floats, Ints
from merge_snli.base.files import JsonObject
from merge_snli.comparison.scored_dataset import ScoredDataset
from merge_snli.dataset.texts import TextNames
from merge_snli.statistics import mean_of_known, ratios

# Seeds with a smaller mean accuracy are rarely answered right.
RARELY = 0.05
# The mean of a tenth and of 0 may be slightly below 0.05 as a float.
TOLERANCE = 1e-12


@dataclass(frozen=True, kw_only=True)
class HardSeeds:
    """The hard seeds of a data set. All variants count, drawn or not, unless a model was scored on drawn ones only.

    A seed has its id, `seed_id`; its `premise`, `hypothesis` and `gold` label; its `votes`, as `votes_on` returns them;
    its `answers`, the predicted label of each model on the seed itself, None if it is too long for the model; the
    number of its `variants` on which a model was scored; and its `mean_accuracy`, as the function of this name returns
    it.

    Attributes:
        seeds: Number of seeds of the data set.
        never_right: Seeds with no variant that any model answers right.
        rarely_right: Seeds with a mean accuracy below 5%, including these; smallest accuracy first.
        texts: What the two texts of a seed are called.
    """

    seeds: int
    never_right: tuple[JsonObject, ...]
    rarely_right: tuple[JsonObject, ...]
    texts: TextNames


def hard_seeds(scored: ScoredDataset) -> HardSeeds:
    """List the seeds that no model, or hardly any, answers right on their variants.

    Args:
        scored: A config of a data set.
    """
    accuracy = mean_accuracy(scored)
    predicted = np.any([model.answers.is_predicted for model in scored.models], axis=0)
    variants = _per_seed(scored, predicted)
    rarely = []
    for seed in np.lexsort((np.array(scored.ids), accuracy)).tolist():
        if accuracy[seed] < RARELY - TOLERANCE:  # not if it is NaN
            rarely.append(_hard_seed(scored, seed, int(variants[seed]), float(accuracy[seed])))
    return HardSeeds(
        seeds=len(scored.ids),
        never_right=tuple(seed for seed in rarely if seed["mean_accuracy"] == 0),
        rarely_right=tuple(rarely),
        texts=scored.data.stored.record.texts,
    )


def _hard_seed(scored: ScoredDataset, seed: int, variants: int, accuracy: float) -> JsonObject:
    premise, hypothesis, gold = scored.seeds[seed]
    answers: dict[str, str | None] = {}
    for model in scored.models:
        label = model.seeds.predicted[seed]
        answers[model.name] = None if label < 0 else model.answers.labels[label]
    return {
        "seed_id": scored.ids[seed],
        "premise": premise,
        "hypothesis": hypothesis,
        "gold": gold,
        "votes": votes_on(scored.data, seed),
        "answers": answers,
        "variants": variants,
        "mean_accuracy": accuracy,
    }


def mean_accuracy(scored: ScoredDataset) -> Floats:
    """Return the mean over models of the share of each seed's variants answered right, [n_seeds].

    A model that has no prediction on the seed's variants is left out of the mean; NaN if no model has one.
    """
    shares = []
    for model in scored.models:
        correct = model.answers.correct
        predicted = model.answers.is_predicted
        shares.append(ratios(_per_seed(scored, correct), _per_seed(scored, predicted)))
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
