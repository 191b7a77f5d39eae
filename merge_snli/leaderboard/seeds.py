"""Find the seeds that are hard for a model, and read their texts; result files contain no texts."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from merge_snli.base.errors import InputError
from merge_snli.card.metadata import license_of, license_text
from merge_snli.dataset.stored import MergeDataset, read_split
from merge_snli.dataset.texts import TextNames
from merge_snli.dataset.variants import seed_offsets
from merge_snli.leaderboard.boards import Board
from merge_snli.models.labels import positions
from merge_snli.scoring.results.result import Result
from merge_snli.scoring.results.scores import NO_ANSWER_TEXT, NOT_ASKED, label_of

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
    "subsamples",
)


@dataclass(frozen=True)
class SeedText:
    """A seed's sentences and the replacements in its variants.

    Attributes:
        premise: The seed's premise.
        hypothesis: The seed's hypothesis.
        words: The words that were replaced, with the offsets of their characters in the premise and the hypothesis.
        variants: Index in `words` and replacement of each variant that was scored, in the order of the split `test`.
    """

    premise: str
    hypothesis: str
    words: Mapping[str, tuple[tuple[int, ...], tuple[int, ...]]]
    variants: tuple[tuple[int, str], ...]


@dataclass(frozen=True)
class Texts:
    """The texts of a board's seeds by id, what the two texts of a seed are called, and their license."""

    license: str
    terms: str
    seeds: dict[str, SeedText]
    names: TextNames


def read_texts(board: Board, dataset: MergeDataset) -> Texts | None:
    """Read the texts of a board's seeds.

    Args:
        board: The board; of a part of a data set, if its models were scored on that.
        dataset: A data set.

    Returns:
        The texts, or None if the board is on other data.

    Raises:
        InputError: If the data set lacks a column or its files are damaged.
    """
    partial = board.dataset.partial
    if dataset.digest != (board.dataset.digest if partial is None else partial.of):
        return None
    subsample = None if partial is None else partial.subsample
    table = read_split(dataset, str(board.dataset.config))
    missing = [name for name in COLUMNS if name not in table.column_names]
    if missing:
        raise InputError(f"config {board.dataset.config} of {dataset.name} has no column {missing[0]}")
    by_seed: dict[str, list[dict[str, Any]]] = {}
    for row in table.select(COLUMNS).to_pylist():
        if subsample is None or subsample in row["subsamples"]:
            by_seed.setdefault(row["seed_id"], []).append(row)
    return Texts(
        license=license_of(dataset.record) or "not stated",
        terms=license_text(dataset.record),
        seeds={seed_id: _seed_text(rows) for seed_id, rows in by_seed.items()},
        names=dataset.record.texts,
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
        variants=tuple((index[row["original"]], row["replacement"]) for row in rows),
    )


@dataclass(frozen=True)
class SeedPredictions:
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


def seeds_by_hardness(result: Result) -> list[SeedPredictions]:
    """Return every seed of a result, sorted by its share of correct variants, smallest first."""
    table, labels = result.groups, result.compared_labels
    anchors = table.anchors or (None,) * len(table.id)
    gold = np.array(positions(result.dataset.labels, labels))[[int(numbers[0]) for numbers in table.gold]].tolist()
    seeds = [
        SeedPredictions(
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


def inconsistent(seeds: Iterable[SeedPredictions]) -> list[SeedPredictions]:
    """Return the seeds that the model predicts correctly, but not all of their variants."""
    return [seed for seed in seeds if seed.seed_correct and seed.correct < seed.variants]


def flips(result: Result, seed: SeedPredictions) -> list[tuple[int, str]]:
    """Return the variants with another prediction than the seed: index among the seed's variants, and prediction."""
    predictions = result.groups.predictions[seed.index]
    variants = len(predictions) // result.n_prompts
    labels = [
        (index % variants, label_of(number, result.compared_labels))
        for index, number in enumerate(predictions)
        if number != NOT_ASKED
    ]
    return list(dict.fromkeys((index, label) for index, label in labels if label != seed.predicted))
