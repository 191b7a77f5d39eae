"""Answers that state a label are read as a person reads them, and others are not read.

`answers.jsonl` has answers, what is read in them, and what the prompt asked for: the form and, if these are not the
labels, the words. `forms.jsonl` has answers to prompts and tasks of several kinds with what a person reads in them, as
written down by someone who did not know the reader.
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
    assert {row["reads"] for row in ROWS} == {*NLI_LABELS, "not_entailment", UNREAD}
    assert len({row["text"] for row in ROWS}) > 250


FACTS = ("SUPPORTS", "REFUTES", "NOT ENOUGH INFO")
ASKED: dict[str, dict[str, Any]] = {
    "word": {},
    "reasons": {},
    "json": {"form": "json"},
    "letter": {"form": "letter"},
    "plain": {"words": ("true", "unknown", "false")},
    "lm_eval": {"words": ("True", "Neither", "False")},
    "yesno": {"words": ("yes", "maybe", "no")},
    "two": {"labels": ("entailment", "not_entailment")},
    "para": {"labels": ("paraphrase", "not_paraphrase")},
    "fact": {"labels": FACTS},
}


def test_no_form_is_misread_and_few_are_lost() -> None:
    forms = [json.loads(line) for line in Path(__file__).with_name("forms.jsonl").read_text("utf-8").splitlines()]
    readings = [
        read_answer(row["text"], **{"labels": NLI_LABELS, "form": "word", **ASKED[row["kind"]]}) for row in forms
    ]
    stated = sum(row["reading"] is not None for row in forms)
    right = sum(read is not None for read in readings)
    assert [row for row, read in zip(forms, readings, strict=True) if read not in (None, row["reading"])] == []
    assert right >= 0.9 * stated > 130


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
