"""Words in another form, words in compounds, and suggestions of one gender beside a pronoun of the other."""

import pytest

from generation.filters.conditions import (
    MEN,
    WOMEN,
    does_not_fit_pronoun,
    has_other_form,
    in_problem,
    is_in_compound,
)
from generation.filters.filter import Occurrence
from generation.sentences.tagging import TaggedProblem, TaggedSentence, Token
from generation.sentences.words import SharedWord, words_of
from merge_snli.problems.problem import Problem


def occurrence_in_problem(premise: str, hypothesis: str, word: str, word_class: str) -> Occurrence:
    tagged = TaggedProblem(
        Problem("p", premise, hypothesis, 0), TaggedSentence(premise, ()), TaggedSentence(hypothesis, ())
    )
    start = premise.index(word)
    shared = SharedWord(word, word_class, (start,), (hypothesis.index(word),))
    return Occurrence(tagged, shared, words_of(tagged), "premise", start, start + len(word))


def occurrence_of(text: str, tags: str, word: str) -> Occurrence:
    """Return the occurrence of a word in a sentence whose tokens are separated by spaces or are one character."""
    tokens, at = [], 0
    for piece, tag in zip(text.replace("-", " - ").replace("/", " / ").split(), tags.split(), strict=True):
        at = text.index(piece, at)
        tokens.append(Token(piece, at, tag))
        at += len(piece)
    sentence = TaggedSentence(text, tuple(tokens))
    tagged = TaggedProblem(Problem("p", text, text, 0), sentence, sentence)
    start = text.index(word)
    shared = SharedWord(word, "noun", (start,), (start,))
    return Occurrence(tagged, shared, frozenset(), "premise", start, start + len(word))


@pytest.mark.parametrize(
    ("text", "tags", "word", "expected"),
    [
        ("Some ice cream melts", "DT NN NN VBZ", "ice", True),
        ("Some ice cream melts", "DT NN NN VBZ", "cream", True),
        ("A blue-green car", "DT JJ HYPH JJ NN", "blue", True),
        ("A blue-green car", "DT JJ HYPH JJ NN", "green", True),
        ("cats/dogs", "NNS SYM NNS", "dogs", True),
        ("The blue car", "DT JJ NN", "blue", False),
        ("The blue car", "DT JJ NN", "car", False),
        ("Dogs chase cats", "NNS VBP NNS", "cats", False),
        ("ice", "NN", "ice", False),
    ],
)
def test_a_word_in_a_compound(text: str, tags: str, word: str, *, expected: bool) -> None:
    assert is_in_compound(occurrence_of(text, tags, word)) is expected


@pytest.mark.parametrize(
    ("premise", "original", "dropped", "kept"),
    [
        ("A musician plays his guitar", "musician", "woman", "man"),
        ("A musician plays HIS guitar", "musician", "women", "artist"),
        ("A musician hurt herself", "musician", "man", "woman"),
        ("A black dog follows her", "black", "male", "female"),
    ],
)
def test_a_word_of_the_other_gender_is_dropped(premise: str, original: str, dropped: str, kept: str) -> None:
    drops = does_not_fit_pronoun(occurrence_in_problem(premise, f"One {original} is here", original, "noun"))
    assert drops(dropped) and drops(dropped.capitalize())
    assert not drops(kept)


def test_the_pronoun_means_somebody_else_if_the_original_has_the_gender_of_the_suggestion() -> None:
    drops = does_not_fit_pronoun(occurrence_in_problem("The lady greets his brother", "A lady greets", "lady", "noun"))
    assert not drops("girl") and not drops("man")


def test_the_hypothesis_counts_and_other_words_do_not() -> None:
    occurrence = occurrence_in_problem("A child runs to the hero", "A child runs to his mother", "child", "noun")
    assert does_not_fit_pronoun(occurrence)("girl")
    assert not does_not_fit_pronoun(occurrence_in_problem("A child runs to the hero", "A child runs", "child", "noun"))(
        "girl"
    )


def test_no_word_has_both_genders() -> None:
    assert MEN.isdisjoint(WOMEN)


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
    occurrence = occurrence_in_problem(
        "Three girls and a boy are playing by the men", "One boy is playing", "boy", word_class
    )
    assert in_problem(occurrence)(suggestion) is expected


@pytest.mark.parametrize(
    ("premise", "hypothesis", "expected"),
    [
        ("They write a check at the bank", "A check is long", False),
        ("They write a check on their checks", "A check is long", True),
        ("They checked the check", "A check is long", True),
    ],
)
def test_another_form_of_the_original(premise: str, hypothesis: str, *, expected: bool) -> None:
    assert has_other_form(occurrence_in_problem(premise, hypothesis, "check", "noun")) is expected
