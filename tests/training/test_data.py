"""Training data and evaluation data do not overlap."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from merge_snli.base.errors import InputError
from merge_snli.problems.problem import Problem
from training.mlm import masked_lm_sentences
from training.script import (
    HELD_OUT,
    MNLI_DEV,
    SNLI_DEV,
    SNLI_TEST,
    held_out_problems,
    training_problems,
    unique_sentences,
    with_stops,
)

EXTRA = 20


@pytest.fixture
def numbered(tmp_path: Path) -> Path:
    """A data folder with numbered problems."""
    for name in (SNLI_DEV, MNLI_DEV, SNLI_TEST):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        rows = [
            {"premise": f"{path.stem} premise {row}.", "hypothesis": f"{path.stem} guess {row}", "label": "neutral"}
            for row in range(HELD_OUT + EXTRA)
        ]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return tmp_path


def test_the_last_1500_are_held_out(numbered: Path) -> None:
    trained, held_out = training_problems(numbered, SNLI_DEV), held_out_problems(numbered, SNLI_DEV)
    assert [problem.premise for problem in trained] == [f"dev premise {row}." for row in range(EXTRA)]
    assert len(held_out) == HELD_OUT
    assert not {problem.premise for problem in trained} & {problem.premise for problem in held_out}


def test_snli_test_is_never_trained_on(numbered: Path) -> None:
    with pytest.raises(InputError, match=SNLI_TEST):
        training_problems(numbered, SNLI_TEST)
    assert not any("test" in sentence for sentence in masked_lm_sentences(numbered))


def test_a_missing_data_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nowhere.snli.dev\.jsonl.* as data DIR"):
        training_problems(tmp_path / "nowhere", SNLI_DEV)


def test_masked_lms_are_not_trained_on_held_out_sentences(data: Path) -> None:
    held_out = unique_sentences(held_out_problems(data, SNLI_DEV) + held_out_problems(data, MNLI_DEV))
    assert not set(held_out) & set(masked_lm_sentences(data))


def test_sentences_are_unique_and_stripped() -> None:
    problems = [Problem("1", "A dog runs. ", "A dog", 0), Problem("2", "A dog runs.", "A cat", 0)]
    assert unique_sentences(problems) == ["A dog runs.", "A dog", "A cat"]


def test_every_second_sentence_without_a_full_stop_gets_one() -> None:
    assert with_stops(["a", "b", "c.", "d", "e?"]) == ["a.", "b", "c.", "d.", "e?"]
