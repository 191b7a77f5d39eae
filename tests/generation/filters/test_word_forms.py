"""Words of a problem in another form: as suggestions, and beside the original."""

from __future__ import annotations

import pytest

from generation.filters.filter import Place
from generation.filters.word_forms import has_other_form, in_problem
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
    ("word_class", "suggestion", "expected"),
    [
        ("noun", "girl", True),
        ("noun", "girls", True),
        ("noun", "boys", True),
        ("noun", "man", True),
        ("noun", "women", False),
        ("noun", "play", False),
        ("verb", "plays", True),
        ("verb", "girl", False),
        ("adj", "girl", False),
    ],
)
def test_a_suggestion_that_the_problem_has_in_another_form(word_class: str, suggestion: str, *, expected: bool) -> None:
    place = place_of("Three girls and a boy are playing by the men", "One boy is playing", "boy", word_class)
    assert in_problem(place)(suggestion) is expected


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
