"""What the seeds and variants of a board say, from the data set's own folder: result files hold no text of a corpus."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from merge_snli.card.license import license_of, license_text
from merge_snli.dataset import read_split
from merge_snli.errors import InputError

if TYPE_CHECKING:
    from merge_snli.dataset import MergeDataset
    from scoring.reports.leaderboard.boards import Board

COLUMNS = ("seed_id", "premise", "hypothesis", "seed_premise", "seed_hypothesis", "original", "replacement")


@dataclass(frozen=True)
class Word:
    """A word of a seed that was replaced.

    Attributes:
        text: The word as the seed has it.
        premise: Where it stands in the premise, by the position of its first character.
        hypothesis: Where it stands in the hypothesis.
    """

    text: str
    premise: tuple[int, ...]
    hypothesis: tuple[int, ...]


@dataclass(frozen=True)
class SeedText:
    """A seed's sentences and what its variants have in their place.

    Attributes:
        premise: The seed's premise.
        hypothesis: The seed's hypothesis.
        words: The words that were replaced.
        variants: Position in `words` and replacement of each variant, in the order of the split `test`.
    """

    premise: str
    hypothesis: str
    words: tuple[Word, ...]
    variants: tuple[tuple[int, str], ...]


@dataclass(frozen=True)
class Texts:
    """The seeds of a board by id, and under which terms they stand."""

    licence: str
    terms: str
    seeds: dict[str, SeedText]


def read_texts(board: Board, source: MergeDataset) -> Texts | None:
    """Read the texts of a board's seeds.

    Args:
        board: The board.
        source: A data set.

    Returns:
        The texts, or None where the board is on other data.

    Raises:
        InputError: Where the data set's files are damaged.
    """
    if source.digest != board.dataset.digest:
        return None
    table = read_split(source, board.dataset.config)
    missing = [name for name in COLUMNS if name not in table.column_names]
    if missing:
        raise InputError(f"config {board.dataset.config} of {source.name} lacks the column {missing[0]}")
    by_seed: dict[str, list[dict[str, Any]]] = {}
    for row in table.select(COLUMNS).to_pylist():
        by_seed.setdefault(row["seed_id"], []).append(row)
    return Texts(
        licence=license_of(source.record) or "not stated",
        terms=license_text(source.record),
        seeds={seed_id: _seed_text(rows) for seed_id, rows in by_seed.items()},
    )


def _seed_text(rows: list[dict[str, Any]]) -> SeedText:
    first_of: dict[str, dict[str, Any]] = {}
    for row in rows:
        first_of.setdefault(row["original"], row)
    place = {original: index for index, original in enumerate(first_of)}
    return SeedText(
        premise=rows[0]["seed_premise"],
        hypothesis=rows[0]["seed_hypothesis"],
        words=tuple(map(_word, first_of.values())),
        variants=tuple((place[row["original"]], row["replacement"]) for row in rows),
    )


def _word(row: dict[str, Any]) -> Word:
    original, replacement = row["original"], row["replacement"]
    return Word(
        text=original,
        premise=replaced_at(row["seed_premise"], row["premise"], original, replacement),
        hypothesis=replaced_at(row["seed_hypothesis"], row["hypothesis"], original, replacement),
    )


def replaced_at(seed: str, variant: str, original: str, replacement: str) -> tuple[int, ...]:
    """Find where a variant has the replacement instead of the original.

    Args:
        seed: A sentence of the seed.
        variant: The same sentence of a variant.
        original: The word that was replaced.
        replacement: What stands in its place.

    Returns:
        The places in `seed`, none where the sentences differ in something else.

    Examples:
        >>> replaced_at("A cat sees a category of cats, cat.", "A dog sees a category of cats, dog.", "cat", "dog")
        (2, 31)
    """
    whole_word = re.compile(rf"(?<!\w){re.escape(original)}(?!\w)")
    places = tuple(match.start() for match in whole_word.finditer(seed))
    return places if whole_word.sub(lambda _: replacement, seed) == variant else ()
