"""Read the texts of a board's seeds and variants from the data set; result files contain no texts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from merge_snli.base.errors import InputError
from merge_snli.card.metadata import license_of, license_text
from merge_snli.dataset.replaced import replaced_words
from merge_snli.dataset.stored import read_split

if TYPE_CHECKING:
    from merge_snli.dataset.stored import MergeDataset
    from merge_snli.leaderboard.boards import Board

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
class Word:
    """A word of a seed that was replaced.

    Attributes:
        text: The word in the seed.
        premise: Character offsets of its occurrences in the premise.
        hypothesis: Character offsets of its occurrences in the hypothesis.
    """

    text: str
    premise: tuple[int, ...]
    hypothesis: tuple[int, ...]


@dataclass(frozen=True)
class SeedText:
    """A seed's sentences and the replacements in its variants.

    Attributes:
        premise: The seed's premise.
        hypothesis: The seed's hypothesis.
        words: The words that were replaced.
        variants: Index in `words` and replacement of each variant that was scored, in the order of the split `test`.
    """

    premise: str
    hypothesis: str
    words: tuple[Word, ...]
    variants: tuple[tuple[int, str], ...]


@dataclass(frozen=True)
class Texts:
    """The texts of a board's seeds by id, and their license."""

    license: str
    terms: str
    seeds: dict[str, SeedText]


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
    )


def _seed_text(rows: list[dict[str, Any]]) -> SeedText:
    words: dict[str, Word] = {}
    for row in rows:
        original = row["original"]
        if original not in words:
            words[original] = Word(original, _offsets(row, "premise"), _offsets(row, "hypothesis"))
    index = {original: number for number, original in enumerate(words)}
    return SeedText(
        premise=rows[0]["seed_premise"],
        hypothesis=rows[0]["seed_hypothesis"],
        words=tuple(words.values()),
        variants=tuple((index[row["original"]], row["replacement"]) for row in rows),
    )


def _offsets(row: dict[str, Any], side: str) -> tuple[int, ...]:
    """Return the offsets of the replaced word in a sentence of the seed."""
    words = replaced_words(row[f"seed_{side}"], row[side], row[f"{side}_offsets"], row["original"], row["replacement"])
    return tuple(start for (start, _), _ in words)
