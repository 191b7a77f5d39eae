"""Answers that state a label are read as a person reads them, and others are not read.

`answers.jsonl` has answers, what is read in them, and what the prompt asked for: the form and, if these are not the
labels, the words. `forms.jsonl` has answers to prompts and tasks of several kinds with what a person reads in them;
about half were written by someone who did not know the reader. Those that are marked must be read. `replies.jsonl` has
150 replies and 60 traps that were written before the reader was made to read them. `templates.json` has texts with one
label or two, which are filled with the labels of several tasks.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from merge_snli.base.files import read_json
from merge_snli.dataset.label_spellings import TWO_WAY
from merge_snli.language_models.answers import read_answer
from merge_snli.schema import NLI_LABELS
from tests.oracles import read_jsonl

UNREAD = "unread"
ROWS, FORMS, REPLIES = (
    read_jsonl(Path(__file__).with_name(name)) for name in ("answers.jsonl", "forms.jsonl", "replies.jsonl")
)


def labels_of(row: dict[str, Any]) -> tuple[str, ...]:
    return tuple(row.get("labels", NLI_LABELS))


FAMILIES = [*dict.fromkeys(row["family"] for row in ROWS)]


@pytest.mark.parametrize("family", FAMILIES)
def test_an_answer_is_read_as_by_a_person(family: str) -> None:
    for row in ROWS:
        if row["family"] == family:
            assert (reading_of(row) or UNREAD) == row["reads"], row["text"]


def test_the_form_need_not_be_known() -> None:
    for row in ROWS:
        if row["form"] != "word":
            assert (read_answer(row["text"], labels_of(row)) or UNREAD) == row["reads"], row["text"]


def test_the_table_has_every_reading_and_many_answers() -> None:
    assert {row["reads"] for row in ROWS} == {*NLI_LABELS, "not_entailment", UNREAD}
    assert len({row["text"] for row in ROWS}) > 250


def reading_of(row: dict[str, Any]) -> str | None:
    return read_answer(row["text"], labels_of(row), row.get("form"), row.get("words", ()))


def test_no_form_is_misread_and_few_are_lost() -> None:
    right = stated = 0
    for row in FORMS:
        found = reading_of(row)
        assert found in (None, row["reading"]), row
        assert found or "must" not in row, row
        stated += row["reading"] is not None
        right += found is not None
    assert right >= 0.88 * stated > 700
    assert len(FORMS) - stated > 1_000


def test_of_replies_few_are_unread_and_none_is_misread() -> None:
    assert len(REPLIES) == 210
    unread = []
    for row in REPLIES:
        found = reading_of(row) or UNREAD
        assert found in (row["reads"], UNREAD), row
        if found != row["reads"]:
            unread.append(row)
    assert len(unread) <= 7
    assert len([row for row in unread if "trap" not in row]) <= 5


# The labels of tasks, and the words for the labels of NLI in prompts.
TASKS = (
    NLI_LABELS,
    TWO_WAY,
    ("paraphrase", "not_paraphrase"),
    ("duplicate", "not_duplicate"),
    ("SUPPORTS", "REFUTES", "NOT ENOUGH INFO"),
    ("same", "different"),
    ("acceptable", "unacceptable"),
)
WORDS = (("true", "unknown", "false"), ("True", "Neither", "False"), ("yes", "maybe", "no"), ("A", "B", "C"))
TEMPLATES = read_json(Path(__file__).with_name("templates.json"))


def filled(template: str, labels: tuple[str, ...], words: tuple[str, ...]) -> Iterator[tuple[str, str, str | None]]:
    """Yield a label, a text of the template with it and the next label, and what is read in the text."""
    for label, word, other in zip(labels, words, (*words[1:], words[0]), strict=True):
        text = template.format(L=word, M=other)
        if words == ("A", "B", "C"):
            yield label, text, read_answer(text, labels, "letter")
        else:
            yield label, text, read_answer(text, labels, "word", () if words == labels else words)


@pytest.mark.parametrize(
    ("labels", "words"),
    [*((labels, labels) for labels in TASKS), *((NLI_LABELS, words) for words in WORDS)],
    ids=lambda each: "-".join(each),
)
def test_templates_of_statements_are_read_with_every_label_and_others_with_none(
    labels: tuple[str, ...], words: tuple[str, ...]
) -> None:
    following = dict(zip(labels, (*labels[1:], labels[0]), strict=True))
    for kind, templates in TEMPLATES.items():
        for template in templates:
            for label, text, read in filled(template, labels, words):
                if kind == "stating":
                    assert read == label, text
                elif kind == "correcting":
                    assert read == following[label], text
                else:
                    assert read is None or (f"not {label}" in text and f"not_{label}" in labels), text


@pytest.mark.parametrize("reasoning", ["<think>{}</think>\n\n{}", "{}\n</think>\n\n{}", "[THINK]{}[/THINK]{}"])
def test_reasoning_never_changes_what_is_read(reasoning: str) -> None:
    thoughts = [row["text"] for row in ROWS if "<" not in row["text"] and "[" not in row["text"]]
    answers = [row for row in ROWS if row["family"] == "label alone" and "assistant" not in row["text"]]
    for number, thought in enumerate(thoughts):
        row = answers[number % len(answers)]
        assert read_answer(reasoning.format(thought, row["text"]), labels_of(row)) == row["reads"], thought
