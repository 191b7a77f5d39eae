"""Find the seeds that are hard for a model, and read their texts, which results do not contain."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from merge_snli.base.errors import InputError
from merge_snli.card.metadata import license_of, license_text
from merge_snli.dataset.texts import TextNames
from merge_snli.dataset.variants import seed_offsets
from merge_snli.models.labels import Missing
from merge_snli.scoring.data import ScoredData
from merge_snli.scoring.prompts import Scored, results_of
from merge_snli.scoring.scores import NO_ANSWER_TEXT

NO_ANSWER = Missing.NO_ANSWER.value

COLUMNS = (
    "seed_id",
    "premise",
    "hypothesis",
    "seed_premise",
    "seed_hypothesis",
    "original",
    "replacement",
    "premise_offsets",
    "hypothesis_offsets",
    "variant_id",
)


@dataclass(frozen=True)
class SeedText:
    """A seed's sentences and the replacements in its variants.

    Attributes:
        premise: The seed's premise.
        hypothesis: The seed's hypothesis.
        words: The words that were replaced, with the offsets of their characters in the premise and the hypothesis.
        variants: Index in `words` and replacement of each variant, by its id.
    """

    premise: str
    hypothesis: str
    words: Mapping[str, tuple[tuple[int, ...], tuple[int, ...]]]
    variants: Mapping[str, tuple[int, str]]


@dataclass(frozen=True)
class Texts:
    """The texts of a board's seeds by id, what the two texts of a seed are called, and their license."""

    license: str
    terms: str
    seeds: dict[str, SeedText]
    names: TextNames


def read_texts(data: ScoredData) -> Texts:
    """Return the texts of the seeds of a MERGE data set.

    Raises:
        InputError: If the data set lacks a column.
    """
    table, record = data.table, data.stored.record
    missing = [name for name in COLUMNS if name not in table.column_names]
    if missing:
        raise InputError(f"{data.place} has no column {missing[0]}")
    by_seed: dict[str, list[dict[str, Any]]] = {}
    for row in table.select(COLUMNS).to_pylist():
        by_seed.setdefault(row["seed_id"], []).append(row)
    return Texts(
        license=license_of(record) or "not stated",
        terms=license_text(record),
        seeds={seed_id: _seed_text(rows) for seed_id, rows in by_seed.items()},
        names=record.texts,
    )


def _seed_text(rows: list[dict[str, Any]]) -> SeedText:
    words: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {}
    for row in rows:
        if row["original"] not in words:
            words[row["original"]] = seed_offsets(row, "premise"), seed_offsets(row, "hypothesis")
    index = {original: number for number, original in enumerate(words)}
    return SeedText(
        premise=rows[0]["seed_premise"],
        hypothesis=rows[0]["seed_hypothesis"],
        words=words,
        variants={row["variant_id"]: (index[row["original"]], row["replacement"]) for row in rows},
    )


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


def seeds_by_hardness(scored: Scored) -> list[SeedPredictions]:
    """Return every seed of a result, sorted by its share of correct variants, smallest first."""
    names = dict(enumerate(scored.compared_labels)) | {NO_ANSWER: NO_ANSWER_TEXT}
    answers = [result.answers for result in results_of(scored)]
    first = answers[0]
    of_seeds = [each.seeds.predicted.tolist() for each in answers if each.seeds is not None]
    predicted = [max(labels, key=labels.count) for labels in zip(*of_seeds, strict=True)]
    gold = first.gold[np.unique(first.groups, return_index=True)[1]].tolist()
    order = np.argsort(first.groups, kind="stable")
    rows = np.split(order, np.searchsorted(first.groups[order], np.arange(1, len(first.group_ids))))
    ids, labels = first.row_ids.to_pylist(), [each.predicted.tolist() for each in answers]
    seeds = []
    for group, name in enumerate(first.group_ids):
        given = [(row, of_prompt[row]) for of_prompt in labels for row in rows[group].tolist()]
        flipped = [(ids[row], names[label]) for row, label in given if label != predicted[group]]
        seeds.append(
            SeedPredictions(
                seed_id=name,
                gold=names[gold[group]],
                predicted=names[predicted[group]],
                correct=sum(label == gold[group] for _, label in given),
                variants=len(given),
                flips=tuple(dict.fromkeys(flipped)),
            )
        )
    return sorted(seeds, key=lambda seed: (seed.correct / seed.variants, -seed.variants, seed.seed_id))


def inconsistent(seeds: Iterable[SeedPredictions]) -> list[SeedPredictions]:
    """Return the seeds that the model predicts correctly, but not all of their variants."""
    return [seed for seed in seeds if seed.seed_correct and seed.correct < seed.variants]
