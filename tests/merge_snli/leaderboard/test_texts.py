"""Tests of the texts of a board's seeds and of the offsets of replaced words."""

import dataclasses

import pyarrow.parquet as pq

from merge_snli.dataset.stored import find_dataset
from merge_snli.leaderboard.boards import Board
from merge_snli.leaderboard.texts import Texts, read_texts
from tests.merge_snli.leaderboard.conftest import SHIPPED


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
