"""Replace the gold labels of variants by a majority label (section 5.1 of the paper).

With "the majority baseline in ALL_Seed", the scores of the paper's models "decrease to ≈ 50%" at the quality threshold.
This may mean any of three labels; the constant one fits best, as 49.5% of the paper's seeds are entailments (Table 2).
"""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from merge_snli.answers.answers import MAJORITY
from merge_snli.base.arrays import Ints
from merge_snli.comparison.curves import mean_pattern_accuracy
from merge_snli.comparison.scored_dataset import ModelAnswers, ScoredDataset
from merge_snli.dataset.label_spellings import TWO_WAY, Labels
from merge_snli.models.labels import positions

# The labels that predictions are compared with: the gold labels; the model's most frequent answer on the seed's
# variants in the subsample; the label that most models predict on the seed; the most frequent gold label.
REFERENCES = ("gold", "own", "vote", "constant")


@dataclass(frozen=True, kw_only=True)
class Majority:
    """Scores against majority labels.

    Attributes:
        models: PA at the quality threshold of each model against each of `REFERENCES`, mean over the subsamples; NaN
            without a drawn variant.
        mean: Means over the models.
        labels: Labels in which the models vote.
        constant_label: The most frequent gold label of the seeds; of a tie, the first label of the data set.
        constant_share: Its share of the seeds.
        tied_votes: Number of seeds on which the vote is tied; the label that comes first in `labels` is taken.
        vote_accuracy: Share of the seeds on which the vote is the gold label.
    """

    models: dict[str, dict[str, float]]
    mean: dict[str, float]
    labels: Labels
    constant_label: str
    constant_share: float
    tied_votes: int
    vote_accuracy: float


def majority(scored: ScoredDataset) -> Majority:
    """Score each model against three kinds of majority labels.

    Args:
        scored: A config of a data set.
    """
    gold_counts = Counter(label for *_, label in scored.seeds)
    own = {model.answers.labels for model in scored.models}
    labels = TWO_WAY if TWO_WAY in own else next(iter(own))  # those that all models share
    votes = _votes(scored, labels)
    vote = votes.argmax(axis=1)
    has_most = votes == votes.max(axis=1, keepdims=True)
    constant_label = max(scored.record.labels, key=lambda label: gold_counts[label])
    by_model = {model.name: _scores(scored, model, labels, vote, constant_label) for model in scored.models}
    mean = {}
    for name in REFERENCES:
        mean[name] = float(np.mean([scores[name] for scores in by_model.values()]))
    gold = scored.models[0].answers.in_labels(labels).seeds
    assert gold is not None
    return Majority(
        models=by_model,
        mean=mean,
        labels=labels,
        constant_label=constant_label,
        constant_share=gold_counts[constant_label] / len(scored.ids),
        tied_votes=int(np.count_nonzero(has_most.sum(axis=1) > 1)),
        vote_accuracy=float(np.mean(vote == gold.gold)),
    )


def _votes(scored: ScoredDataset, labels: Labels) -> Ints:
    """Count the models that predict each label on each seed, [n_seeds, n_labels]."""
    votes = np.zeros((len(scored.ids), len(labels)), dtype=np.int64)
    for model in scored.models:
        seeds = model.answers.in_labels(labels).seeds
        assert seeds is not None
        predicted = seeds.predicted
        answered = np.flatnonzero(predicted >= 0)
        votes[answered, predicted[answered]] += 1
    return votes


def _scores(
    scored: ScoredDataset, model: ModelAnswers, labels: Labels, vote: Ints, constant_label: str
) -> dict[str, float]:
    answers = model.answers
    constant = np.full(len(scored.ids), positions([constant_label], answers.labels)[0])
    return {
        "gold": mean_pattern_accuracy(answers.counts()),
        "own": mean_pattern_accuracy(answers.counts(MAJORITY)),
        "vote": mean_pattern_accuracy(answers.in_labels(labels).counts(vote)),
        "constant": mean_pattern_accuracy(answers.counts(constant)),
    }
