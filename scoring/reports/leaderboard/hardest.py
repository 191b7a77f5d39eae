"""Which seeds a model finds hard, and which variants change its answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from scoring.models.labels import positions

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scoring.results.result import Result

LEFT_OUT = "-"


@dataclass(frozen=True)
class HardSeed:
    """What a model makes of a seed and its variants.

    Attributes:
        place: Position of the seed in the result's table of seeds.
        seed_id: The seed.
        gold: Its gold label, among the labels compared.
        predicted: The model's answer on the seed itself.
        right: How many of its variants have the gold label.
        variants: How many variants the model was asked.
    """

    place: int
    seed_id: str
    gold: str
    predicted: str
    right: int
    variants: int

    @property
    def right_itself(self) -> bool:
        """Whether the answer on the seed itself is right."""
        return self.predicted == self.gold


def seeds_by_hardness(result: Result) -> list[HardSeed]:
    """Return every seed of a result, those with the smallest share of right variants first."""
    gold = positions(result.seeds.gold, result.compared_labels)
    seeds = [_seed(result, place, gold[place]) for place in range(len(gold))]
    return sorted(seeds, key=lambda seed: (seed.right / seed.variants, -seed.variants, seed.seed_id))


def undone(seeds: Iterable[HardSeed]) -> list[HardSeed]:
    """Keep the seeds that the model answers right, of which some variant undoes that."""
    return [seed for seed in seeds if seed.right_itself and seed.right < seed.variants]


def flips(result: Result, seed: HardSeed) -> list[tuple[int, str]]:
    """Return the variants that the model answers otherwise than the seed: position among the seed's, and answer."""
    asked = enumerate(result.seeds.variant_predictions[seed.place])
    answers = [(place, result.compared_labels[int(answer)]) for place, answer in asked if answer != LEFT_OUT]
    return [(place, answer) for place, answer in answers if answer != seed.predicted]


def _seed(result: Result, place: int, gold: int) -> HardSeed:
    answers = result.seeds.variant_predictions[place]
    return HardSeed(
        place=place,
        seed_id=result.seeds.seed_id[place],
        gold=result.compared_labels[gold],
        predicted=result.seeds.predicted[place],
        right=answers.count(str(gold)),
        variants=len(answers) - answers.count(LEFT_OUT),
    )
