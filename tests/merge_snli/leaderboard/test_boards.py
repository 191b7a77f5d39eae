"""Tests of boards: grouping, ranking, names and keys."""

import dataclasses

import pytest

from merge_snli import Result
from merge_snli.base.errors import InputError
from merge_snli.leaderboard.boards import Board, make_boards
from merge_snli.leaderboard.write import latex, markdown
from tests.merge_snli.leaderboard.conftest import QUOTES, SCRIPT


def test_one_board_per_config_ranked_by_pattern_accuracy(boards: tuple[Board, ...]) -> None:
    assert [(board.dataset.config, len(board.entries)) for board in boards] == [("all", 5), ("noun", 1)]
    at_quality = [entry.result.row["pattern_accuracy"] for entry in boards[0].entries]
    assert at_quality == sorted(at_quality, key=lambda value: -(value or 0))
    assert boards[0].entries[0].name == "org/careful-large"


def test_data_sets_with_the_same_name_get_their_own_board(results: list[Result]) -> None:
    data = dataclasses.replace(results[0].dataset, digest="0" * 64)
    other = dataclasses.replace(results[0], dataset=data)
    first, second = make_boards([results[0], other])
    assert first.title == "MERGE on its bundled problems [00000000], config all"
    assert second.title == f"MERGE on its bundled problems [{results[0].dataset.digest[:8]}], config all"
    headings = [line for line in markdown((first, second)).splitlines() if line.startswith("## ")]
    assert len(set(headings)) == 3  # both data sets, and both side by side
    assert "MERGE on its bundled problems {[}00000000{]}, config all: " in latex((first, second))


def test_keys_are_safe_and_unique(boards: tuple[Board, ...]) -> None:
    keys = [entry.key for entry in boards[0].entries]
    assert len(set(keys)) == len(keys)
    assert not set("<>\"'&#= /") & set("".join(keys))


def test_names_are_unique(results: list[Result]) -> None:
    other = dataclasses.replace(results[0].model, digest="f" * 64)
    same_name = dataclasses.replace(results[0], model=other)
    low = dataclasses.replace(results[0], run=dataclasses.replace(results[0].run, dtype="int8"))
    [board] = make_boards([results[0], same_name, low])
    names = {entry.name for entry in board.entries}
    assert names == {
        f"org/hasty-base [{(results[0].model.digest or '')[:8]}]",
        "org/hasty-base [ffffffff]",
        "org/hasty-base (int8)",
    }
    assert len({entry.key for entry in board.entries}) == 3


def test_a_duplicated_result_is_refused(results: list[Result]) -> None:
    name = results[0].model.name
    with pytest.raises(InputError, match=rf"2 results of {name} "):
        make_boards([results[0], *results])
    assert len(make_boards([results[1], results[5]])) == 2  # one model on two configs


def test_parts_are_classes_labels_and_masked_lms(boards: tuple[Board, ...]) -> None:
    parts = [row["part"] for row in boards[0].entries[0].result.as_rows()]
    assert parts[:4] == ["all", "word_class:noun", "word_class:verb", "word_class:adj"]
    assert parts[4:7] == ["label:entailment", "label:neutral", "label:contradiction"]
    assert set(parts[7:]) == {"masked_lm:demo:mlm-wordpiece", "masked_lm:demo:mlm-bpe"}
    assert {SCRIPT, QUOTES} <= {entry.name for entry in boards[0].entries}
