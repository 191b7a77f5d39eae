"""Find the seeds that are hard for a model, and the variants that change its prediction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from merge_snli.models.labels import positions
from merge_snli.scoring.results.scores import NO_ANSWER_TEXT, NOT_ASKED, label_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from merge_snli.scoring.results.result import Result


@dataclass(frozen=True)
class HardSeed:
    """A model's predictions on a seed and its variants.

    Attributes:
        index: Index of the seed in the result's table of seeds.
        seed_id: Id of the seed.
        gold: Gold label, among the compared labels.
        predicted: Predicted label of the seed itself, or `NO_ANSWER_TEXT`.
        correct: Number of variants with the gold label.
        variants: Number of scored variants.
    """

    index: int
    seed_id: str
    gold: str
    predicted: str
    correct: int
    variants: int

    @property
    def seed_correct(self) -> bool:
        """Whether the prediction on the seed itself is correct."""
        return self.predicted == self.gold


def seeds_by_hardness(result: Result) -> list[HardSeed]:
    """Return every seed of a result, sorted by its share of correct variants, smallest first."""
    table, labels = result.groups, result.compared_labels
    anchors = table.anchors or (None,) * len(table.id)
    gold = np.array(positions(result.dataset.labels, labels))[[int(numbers[0]) for numbers in table.gold]].tolist()
    seeds = [
        HardSeed(
            index=index,
            seed_id=table.id[index],
            gold=labels[gold[index]],
            predicted=anchors[index] or NO_ANSWER_TEXT,
            correct=predictions.count(str(gold[index])),
            variants=len(predictions) - predictions.count(NOT_ASKED),
        )
        for index, predictions in enumerate(table.predictions)
    ]
    return sorted(seeds, key=lambda seed: (seed.correct / seed.variants, -seed.variants, seed.seed_id))


def inconsistent(seeds: Iterable[HardSeed]) -> list[HardSeed]:
    """Return the seeds that the model predicts correctly, but not all of their variants."""
    return [seed for seed in seeds if seed.seed_correct and seed.correct < seed.variants]


def flips(result: Result, seed: HardSeed) -> list[tuple[int, str]]:
    """Return the variants with another prediction than the seed: index among the seed's variants, and prediction."""
    predictions = enumerate(result.groups.predictions[seed.index])
    labels = [(index, label_of(number, result.compared_labels)) for index, number in predictions if number != NOT_ASKED]
    return [(index, label) for index, label in labels if label != seed.predicted]
