"""Answers are read as a person reads them, and unclear ones are not read.

`answers.jsonl` has the answers, what a person reads in them, and what the prompt asked for: the form and, if these are
not the labels, the words.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from merge_snli.language_models.answers import read_answer
from merge_snli.schema import NLI_LABELS

UNREAD = "unread"
ROWS: list[dict[str, Any]] = [
    json.loads(line) for line in Path(__file__).with_name("answers.jsonl").read_text(encoding="utf-8").splitlines()
]


def labels_of(row: dict[str, Any]) -> tuple[str, ...]:
    return tuple(row.get("labels", NLI_LABELS))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['family']}: {row['text'][:30]!r}")
def test_an_answer_is_read_as_by_a_person(row: dict[str, Any]) -> None:
    assert (read_answer(row["text"], labels_of(row), row["form"], row.get("words", ())) or UNREAD) == row["reads"]


@pytest.mark.parametrize("row", [row for row in ROWS if row["form"] != "word"], ids=lambda row: row["text"][:30])
def test_the_form_need_not_be_known(row: dict[str, Any]) -> None:
    assert (read_answer(row["text"], labels_of(row)) or UNREAD) == row["reads"]


def test_the_table_has_every_reading_and_many_answers() -> None:
    assert {row["reads"] for row in ROWS} == {*NLI_LABELS, "not_entailment", "no", UNREAD}
    assert len({row["text"] for row in ROWS}) > 250


@pytest.mark.parametrize("reasoning", ["<think>{}</think>\n\n{}", "{}\n</think>\n\n{}", "[THINK]{}[/THINK]{}"])
def test_reasoning_never_changes_what_is_read(reasoning: str) -> None:
    thoughts = [row["text"] for row in ROWS if "<" not in row["text"] and "[" not in row["text"]]
    answers = [row for row in ROWS if row["family"] == "label alone" and "assistant" not in row["text"]]
    for number, thought in enumerate(thoughts):
        row = answers[number % len(answers)]
        assert read_answer(reasoning.format(thought, row["text"]), labels_of(row)) == row["reads"], thought


@pytest.mark.parametrize(
    "text", [" " * 20_000, "entail" * 5_000, "neither " * 5_000 + "neutral", "{" * 20_000, "*" * 20_000]
)
def test_long_answers_are_read_in_time(text: str) -> None:
    read_answer(text, NLI_LABELS)
