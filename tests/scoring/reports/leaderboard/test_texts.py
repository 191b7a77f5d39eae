"""Tests of the texts of a board's seeds and of the offsets of replaced words."""

import dataclasses

import pyarrow.parquet as pq
import pytest

from merge_snli.dataset import find_dataset
from scoring.reports.leaderboard.boards import Board
from scoring.reports.leaderboard.texts import Texts, read_texts, replaced_offsets
from tests.scoring.reports.leaderboard.conftest import SHIPPED


@pytest.mark.parametrize(
    ("seed", "variant", "original", "replacement", "offsets"),
    [
        ("A cat sleeps.", "A dog sleeps.", "cat", "dog", (2,)),
        ("The cat's cat.", "The dog's dog.", "cat", "dog", (4, 10)),
        ("A cat in a category.", "A dog in a category.", "cat", "dog", (2,)),
        ("A cat sleeps.", "A dog slept.", "cat", "dog", ()),
        ("Nothing here.", "Nothing here.", "cat", "dog", ()),
        ("One a.b two", r"One \g<0> two", "a.b", r"\g<0>", (4,)),
    ],
)
def test_offsets_of_the_replaced_word(
    seed: str, variant: str, original: str, replacement: str, offsets: tuple[int, ...]
) -> None:
    assert replaced_offsets(seed, variant, original, replacement) == offsets


def replace_at(sentence: str, offsets: tuple[int, ...], word: str, replacement: str) -> str:
    assert offsets
    for offset in reversed(offsets):
        sentence = sentence[:offset] + replacement + sentence[offset + len(word) :]
    return sentence


def test_variants_can_be_rebuilt_from_offsets(texts: dict[int, Texts]) -> None:
    rows = pq.read_table(SHIPPED / "data/all/test.parquet").to_pylist()
    seen: dict[str, int] = {}
    for row in rows:
        text = texts[0].seeds[row["seed_id"]]
        index = seen.get(row["seed_id"], 0)
        seen[row["seed_id"]] = index + 1
        word, replacement = text.variants[index]
        marks = text.words[word]
        assert (marks.text, replacement) == (row["original"], row["replacement"])
        assert (text.premise, text.hypothesis) == (row["seed_premise"], row["seed_hypothesis"])
        assert replace_at(text.premise, marks.premise, marks.text, replacement) == row["premise"]
        assert replace_at(text.hypothesis, marks.hypothesis, marks.text, replacement) == row["hypothesis"]


def test_license(texts: dict[int, Texts]) -> None:
    assert texts[0].license == "apache-2.0"
    assert "Apache-2.0" in texts[0].terms


def test_other_data_has_no_texts(boards: tuple[Board, ...]) -> None:
    entry = boards[0].entries[0]
    data = dataclasses.replace(entry.result.dataset, digest="0" * 64)
    other = dataclasses.replace(entry, result=dataclasses.replace(entry.result, dataset=data))
    assert read_texts(Board("other", (other,)), find_dataset(str(SHIPPED))) is None
