"""Answers in many forms are read, and unclear ones are no answer."""

from __future__ import annotations

import pytest

from merge_snli.language_models.answers import read_answer
from merge_snli.schema import NLI_LABELS

TWO = ("entailment", "not_entailment")


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("neutral", "neutral"),
        ("**Neutral.**", "neutral"),
        ("Contradiction\n\nExplanation: both cannot be true.", "contradiction"),
        ("Entailment. The premise implies it.", "entailment"),
        ("Neutral - nothing says so.", "neutral"),
        ("The hypothesis contradicts the premise.", "contradiction"),
        ("A", "entailment"),
        ("(b)", "neutral"),
        ("C) the two contradict", "contradiction"),
        ("Final answer: C", "contradiction"),
        ('{"answer": "B"}', "neutral"),
        ('```json\n{"reason": "no", "Label": "Contradiction"}\n```', "contradiction"),
        ('"entailment"', "entailment"),
        ("Step 1: entailment?\nStep 2: it is neutral.\nAnswer: **Entailment**", "entailment"),
        ("Answer: neutral, because it does not follow", "neutral"),
        ("The relationship is contradiction because they cannot both hold.", "contradiction"),
        ("The two agree.\nSo the answer is entailment.", "entailment"),
        (r"\boxed{\text{neutral}}", "neutral"),
        ("<think>maybe contradiction</think>\nneutral", "neutral"),
    ],
)
def test_a_clear_answer_is_read(text: str, label: str) -> None:
    assert read_answer(text, NLI_LABELS) == label


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n",
        "I cannot tell.",
        "A dog runs.",
        "yes",
        "1",
        "D",
        "entailment or neutral",
        "entailment, but also neutral",
        "The answer is not entailment",
        "The hypothesis does not contradict the premise.",
        "It isn't neutral",
        "Answer: LABEL",
        '{"answer": "maybe"}',
        '{"answer": 1}',
        "<think>entailment",
    ],
)
def test_an_unclear_answer_is_none(text: str) -> None:
    assert read_answer(text, NLI_LABELS) is None


@pytest.mark.parametrize(
    "text", ["not_entailment", "Not entailment.", "The answer is not entailment", "non-entailment", "B"]
)
def test_the_negated_label_of_two(text: str) -> None:
    assert read_answer(text, TWO) == "not_entailment"
    assert read_answer("entailed", TWO) == "entailment"
    assert read_answer("neutral", TWO) is None
