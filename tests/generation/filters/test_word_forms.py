"""Words that a problem has in another form as well."""

from __future__ import annotations

import pytest

from generation.filters.filter import Place
from generation.filters.word_forms import has_other_form
from generation.sentences.tagging import TaggedProblem, TaggedSentence
from generation.sentences.words import SharedWord, words_of
from merge_snli.problems.reading import Problem


def place_of(premise: str, hypothesis: str, word: str, word_class: str) -> Place:
    tagged = TaggedProblem(
        Problem("p", premise, hypothesis, 0), TaggedSentence(premise, ()), TaggedSentence(hypothesis, ())
    )
    start = premise.index(word)
    shared = SharedWord(word, word_class, (start,), (hypothesis.index(word),))
    return Place(tagged, shared, words_of(tagged), "premise", start, start + len(word))


@pytest.mark.parametrize(
    ("premise", "hypothesis", "expected"),
    [
        ("They write a check at the bank", "A check is long", False),
        ("They write a check on their checks", "A check is long", True),
        ("They checked the check", "A check is long", True),
    ],
)
def test_another_form_of_the_original(premise: str, hypothesis: str, *, expected: bool) -> None:
    assert has_other_form(place_of(premise, hypothesis, "check", "noun")) is expected
