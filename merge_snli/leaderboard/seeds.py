"""Find the seeds that are hard for a model, and read their texts, which results do not contain."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from merge_snli.answers.answers import Answers
from merge_snli.answers.data import ScoredData
from merge_snli.base.arrays import Ints
from merge_snli.base.files import JsonObject
from merge_snli.card.metadata import license_of, license_text
from merge_snli.comparison.html_page import words_of_seeds
from merge_snli.models.labels import Missing
from merge_snli.results.prompts import results_of
from merge_snli.results.result import Result
from merge_snli.results.scores import NO_ANSWER_TEXT

NO_ANSWER = Missing.NO_ANSWER.value


def read_texts(data: ScoredData) -> JsonObject:
    """Return the texts of a MERGE data set as JSON values of the page.

    Returns:
        `license` and `terms`; `names`, what the two texts of a seed are called; `seeds`: by id the premise, the
        hypothesis, and what `words_of_seeds` returns of the seed; `variants`: by id the replaced word and its
        replacement.

    Raises:
        InputError: If the data set lacks a column.
    """
    record = data.stored.record
    seeds = {}
    for name, texts, words in zip(data.group_ids, data.seed_texts, words_of_seeds(data), strict=True):
        seeds[name] = (*texts, words)
    rows = data.table.select(["original", "replacement"]).to_pylist()
    variants = {}
    for name, row in zip(data.row_ids.to_pylist(), rows, strict=True):
        variants[name] = (row["original"], row["replacement"])
    return {
        "license": license_of(record) or "not stated",
        "terms": license_text(record),
        "names": record.texts,
        "seeds": seeds,
        "variants": variants,
    }


@dataclass(frozen=True)
class SeedPredictions:
    """A model's predictions on a seed and its variants.

    Attributes:
        seed_id: Id of the seed.
        gold: Gold label, among the compared labels.
        predicted: Predicted label of the seed itself, or `NO_ANSWER_TEXT`; of several prompts the most frequent one.
        correct: Number of variants with the gold label; of several prompts the sum.
        variants: Number of answers to variants.
        flips: The variants with another prediction than the seed: id of the variant, and prediction.
    """

    seed_id: str
    gold: str
    predicted: str
    correct: int
    variants: int
    flips: tuple[tuple[str, str], ...]

    @property
    def seed_correct(self) -> bool:
        """Whether the prediction on the seed itself is correct."""
        return self.predicted == self.gold


def seeds_by_hardness(scored: Result) -> list[SeedPredictions]:
    """Return every seed of a result, sorted by its share of correct variants, smallest first."""
    names = dict(enumerate(scored.compared_labels)) | {NO_ANSWER: NO_ANSWER_TEXT}
    answers = [result.answers for result in results_of(scored)]
    first = answers[0]
    on_seeds = _predictions_on_seeds(answers)
    flips = _flips(answers, np.array(on_seeds), names)
    _, first_rows, sizes = np.unique(first.groups, return_index=True, return_counts=True)
    gold = first.gold[first_rows].tolist()
    correct = np.zeros(len(sizes), dtype=np.int64)
    for of_prompt in answers:
        correct += np.bincount(first.groups[of_prompt.correct], minlength=len(correct))
    seeds = []
    for group, seed_id in enumerate(first.group_ids):
        seeds.append(
            SeedPredictions(
                seed_id=seed_id,
                gold=names[gold[group]],
                predicted=names[on_seeds[group]],
                correct=int(correct[group]),
                variants=int(sizes[group]) * len(answers),
                flips=tuple(flips[group]),
            )
        )
    return sorted(seeds, key=lambda seed: (seed.correct / seed.variants, -seed.variants, seed.seed_id))


def _flips(answers: Sequence[Answers], on_seeds: Ints, names: Mapping[int, str]) -> list[dict[tuple[str, str], None]]:
    """Return id and prediction of the variants of each seed with another prediction, of several prompts each once."""
    first = answers[0]
    flips: list[dict[tuple[str, str], None]] = [{} for _ in first.group_ids]
    for of_prompt in answers:
        rows = np.flatnonzero(of_prompt.predicted != on_seeds[first.groups])
        groups = first.groups[rows].tolist()
        labels = of_prompt.predicted[rows].tolist()
        for name, group, label in zip(first.row_ids.take(rows).to_pylist(), groups, labels, strict=True):
            flips[group][name, names[label]] = None
    return flips


def _predictions_on_seeds(answers: Sequence[Answers]) -> list[int]:
    """Return the predicted label of each seed, the most frequent one of several prompts."""
    on_seeds = [of_prompt.seeds.predicted.tolist() for of_prompt in answers if of_prompt.seeds is not None]
    return [max(labels, key=labels.count) for labels in zip(*on_seeds, strict=True)]


def inconsistent(seeds: Iterable[SeedPredictions]) -> list[SeedPredictions]:
    """Return the seeds that the model predicts correctly, but not all of their variants."""
    return [seed for seed in seeds if seed.seed_correct and seed.correct < seed.variants]
