"""Where words were replaced, and what a board's seeds say."""

import dataclasses

import pyarrow.parquet as pq
import pytest

from merge_snli.dataset import find_dataset
from scoring.reports.leaderboard.boards import Board
from scoring.reports.leaderboard.texts import Texts, read_texts, replaced_at
from tests.scoring.reports.leaderboard.conftest import SHIPPED


@pytest.mark.parametrize(
    ("seed", "variant", "original", "replacement", "places"),
    [
        ("A cat sleeps.", "A dog sleeps.", "cat", "dog", (2,)),
        ("The cat's cat.", "The dog's dog.", "cat", "dog", (4, 10)),
        ("A cat in a category.", "A dog in a category.", "cat", "dog", (2,)),
        ("A cat sleeps.", "A dog slept.", "cat", "dog", ()),
        ("Nothing here.", "Nothing here.", "cat", "dog", ()),
        ("One a.b two", r"One \g<0> two", "a.b", r"\g<0>", (4,)),
    ],
)
def test_places_of_the_replaced_word(
    seed: str, variant: str, original: str, replacement: str, places: tuple[int, ...]
) -> None:
    assert replaced_at(seed, variant, original, replacement) == places


def exchanged(sentence: str, places: tuple[int, ...], word: str, replacement: str) -> str:
    assert places
    for place in reversed(places):
        sentence = sentence[:place] + replacement + sentence[place + len(word) :]
    return sentence


def test_every_variant_of_the_shipped_data_can_be_made_from_its_marks(texts: dict[int, Texts]) -> None:
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
        assert exchanged(text.premise, marks.premise, marks.text, replacement) == row["premise"]
        assert exchanged(text.hypothesis, marks.hypothesis, marks.text, replacement) == row["hypothesis"]


def test_licence_is_said(texts: dict[int, Texts]) -> None:
    assert texts[0].licence == "apache-2.0"
    assert "Apache-2.0" in texts[0].terms


def test_other_data_has_no_texts(boards: tuple[Board, ...]) -> None:
    entry = boards[0].entries[0]
    data = dataclasses.replace(entry.result.dataset, digest="0" * 64)
    other = dataclasses.replace(entry, result=dataclasses.replace(entry.result, dataset=data))
    assert read_texts(Board("other", (other,)), find_dataset(str(SHIPPED))) is None
