"""Shared words, and the reasons to leave some out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from generation.output.dataset import count_words
from generation.sentences.forms import match_case
from generation.sentences.tagging import TaggedProblem, TaggedSentence, Token, tag
from generation.sentences.words import (
    NEGATION,
    OTHER_CASE,
    OTHER_CLASS,
    PART_OF_WORD,
    SharedWord,
    is_negation,
    is_whole_word,
    shared_words,
)
from merge_snli.languages.language import languages
from merge_snli.models.tagger import Tagger
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.problem import Problem
from merge_snli.problems.reading import read_problems


def sentence(*tagged: str) -> TaggedSentence:
    """Return a sentence from tokens spelled `word/TAG`; a leading `+` joins a token to the previous one."""
    text, tokens = "", []
    for token in tagged:
        joined = token.startswith("+")
        word, tag_ = token.removeprefix("+").rsplit("/", 1)
        text += word if joined or not text else f" {word}"
        tokens.append(Token(word, len(text) - len(word), tag_))
    return TaggedSentence(text, tuple(tokens))


def words(premise: TaggedSentence, hypothesis: TaggedSentence) -> list[SharedWord]:
    return list(shared_words(TaggedProblem(Problem("x", premise.text, hypothesis.text, 0), premise, hypothesis)))


def test_every_token_of_the_word_is_an_occurrence_and_classes_are_ordered() -> None:
    premise = sentence("A/DT", "small/JJ", "girl/NN", "carries/VBZ", "a/DT", "girl/NN")
    assert words(premise, sentence("There/EX", "is/VBZ", "a/DT", "small/JJ", "girl/NN")) == [
        SharedWord("girl", "noun", (8, 23), (17,)),
        SharedWord("small", "adj", (2,), (11,)),
    ]


def test_proper_nouns_pronouns_and_comparatives_are_not_open_class_words() -> None:
    same = sentence("Ann/NNP", "sees/VBZ", "her/PRP", "taller/JJR")
    assert [word.text for word in words(same, same)] == ["sees"]


LEFT_OUT = {
    OTHER_CASE: (sentence("Dogs/NNS", "chase/VBP", "dogs/NNS"), sentence("The/DT", "dogs/NNS")),
    OTHER_CLASS: (sentence("A/DT", "watch/NN", "we/PRP", "watch/VBP"), sentence("A/DT", "watch/NN")),
    NEGATION: (sentence("They/PRP", "did/VBD", "+n't/RB"), sentence("They/PRP", "did/VBD")),
    PART_OF_WORD: (sentence("He/PRP", "+'s/VBZ", "there/EX"), sentence("She/PRP", "'s/VBZ", "there/EX")),
}


@pytest.mark.parametrize("reason", LEFT_OUT)
def test_words_that_cannot_be_replaced_everywhere_are_left_out(reason: str) -> None:
    assert [word.left_out for word in words(*LEFT_OUT[reason])] == [reason]


def reasons(both: TaggedSentence) -> list[tuple[str, str | None]]:
    """Return the words that a sentence shares with itself, and the reason to leave each out."""
    return [(word.text, word.left_out) for word in words(both, both)]


@pytest.mark.parametrize("negation", ["+n't", "n't", "+n’t", "n’t", "+nt", "N'T", "+not"])
def test_a_verb_with_a_contracted_negation_is_left_out(negation: str) -> None:
    assert reasons(sentence("He/PRP", "is/VBZ", f"{negation}/RB", "there/EX"))[0] == ("is", NEGATION)


@pytest.mark.parametrize("following", ["not", "nth", "note", "+-not"])
def test_a_verb_before_another_word_is_not_left_out(following: str) -> None:
    assert reasons(sentence("He/PRP", "is/VBZ", f"{following}/XX", "there/EX")) == [("is", None)]


def test_negations_are_left_out() -> None:
    assert reasons(sentence("Nobody/NN", "is/VBZ", "lacking/VBG", "absent/JJ", "not/RB", "n’t/RB", "here/RB")) == [
        ("Nobody", NEGATION),
        ("is", None),
        ("lacking", NEGATION),
        ("absent", NEGATION),
        ("not", NEGATION),
        ("n’t", NEGATION),
        ("here", None),
    ]


def test_parts_of_words_are_left_out() -> None:
    both = sentence("He/PRP", "+'s/VBZ", "gon/VBG", "+na/TO", "run/VB", "5/CD", "+km/NNS", "x/XX", "+_/XX", "+y/NN")
    assert reasons(both) == [
        ("km", PART_OF_WORD),
        ("y", PART_OF_WORD),
        ("'s", PART_OF_WORD),
        ("gon", PART_OF_WORD),
        ("run", None),
    ]


def test_words_beside_apostrophes_and_hyphens_are_whole() -> None:
    both = sentence("The/DT", "red/JJ", "+-/HYPH", "+haired/JJ", "girl/NN", "+'s/POS", "(/-LRB-", "+dog/NN", "+)/-RRB-")
    assert reasons(both) == [("girl", None), ("dog", None), ("red", None), ("haired", None)]


def test_a_word_with_two_classes_is_left_out_of_both() -> None:
    both = sentence("A/DT", "watch/NN", "we/PRP", "watch/VBP")
    assert [(word.word_class, word.left_out) for word in words(both, both)] == [
        ("noun", OTHER_CLASS),
        ("verb", OTHER_CLASS),
    ]


@pytest.mark.slow
def test_counts_of_snli_test(corpus: Callable[[str], Path], tagger: Tagger) -> None:
    """The paper's Table 4, with the corpus's own parses, has 7,363, 3,780, 1,067 and 76."""
    problems = read_problems(ProblemOptions(problems=str(corpus("snli/test.jsonl"))))
    tagged = [(problem, shared_words(problem)) for problem in tag(problems.problems, tagger)]
    counts = count_words(tagged, problems.label_names)
    assert {name: of.problems for name, of in counts.items()} == {
        "noun": 7410,
        "verb": 3806,
        "adj": 996,
        "adv": 140,
    }
    assert {name: of.problems_after for name, of in counts.items()} == {
        "noun": 7399,
        "verb": 3803,
        "adj": 995,
        "adv": 138,
    }
    nouns = counts["noun"].labels
    assert {name: round(100 * nouns[name] / 7410, 1) for name in nouns} == {
        "entailment": 37.9,
        "neutral": 33.4,
        "contradiction": 28.7,
    }
    counted = Counter(word.left_out for _, of_problem in tagged for word in of_problem)
    assert counted == {None: 17_629, OTHER_CASE: 21, OTHER_CLASS: 11, NEGATION: 5, PART_OF_WORD: 2}


def test_ignoring_case_all_spellings_are_one_word() -> None:
    premise = sentence("Dogs/NNS", "chase/VBP", "dogs/NNS", "and/CC", "a/DT", "Cat/NN")
    hypothesis = sentence("DOGS/NNS", "chase/VBP", "a/DT", "Cat/NN", "İx/NN")
    problem = TaggedProblem(Problem("x", premise.text, hypothesis.text, 0), premise, hypothesis)
    assert shared_words(problem, ignore_case=True) == (
        SharedWord("dogs", "noun", (0, 11), (0,)),
        SharedWord("Cat", "noun", (22,), (13,)),
        SharedWord("chase", "verb", (5,), (5,)),
    )
    assert [word.text for word in shared_words(problem)] == ["Cat", "chase"]


def test_ignoring_case_a_proper_noun_of_the_same_letters_leaves_a_word_out() -> None:
    premise, hypothesis = sentence("An/DT", "apple/NN"), sentence("Apple/NNP", "sells/VBZ", "no/DT", "apple/NN")
    problem = TaggedProblem(Problem("x", premise.text, hypothesis.text, 0), premise, hypothesis)
    (word,) = shared_words(problem, ignore_case=True)
    assert (word.left_out, word.hypothesis) == (OTHER_CLASS, (0, 15))


@pytest.mark.parametrize("text", ["dog", "Dog", "café", "T-shirt", "o'clock", "well-known", "ox", "ХЛЕБ"])
def test_whole_words(text: str) -> None:
    assert is_whole_word(text)


@pytest.mark.parametrize(
    "text",
    ["a", "", "##s", "3d", "4", ".", "-dog", "dog-", "dog--cat", "two words", "ing", "Un", "not", "NEVER", "x_y"],
)
def test_pieces_that_are_not_whole_words(text: str) -> None:
    assert not is_whole_word(text)


@pytest.mark.parametrize("text", ["absent", "Lacking", "minus", "nowise", "without"])
def test_words_that_reverse_inferences_are_negations(text: str) -> None:
    assert is_negation(text)
    assert not is_whole_word(text)


def test_negations_with_either_apostrophe_are_excluded() -> None:
    assert not is_whole_word("don't")
    assert not is_whole_word("don’t")


def test_the_word_lists_are_lower_case_and_disjoint() -> None:
    for language in languages().values():
        assert all(word == word.casefold() for word in language.affixes | language.negations)
        assert not language.affixes & language.negations


@pytest.mark.parametrize(
    ("original", "word", "written"),
    [
        ("dog", "Cat", "cat"),
        ("Dog", "cat", "Cat"),
        ("DOG", "cat", "CAT"),
        ("Dog", "NASA", "Nasa"),
        ("iPod", "Cat", "Cat"),
        ("T-shirt", "blouse", "Blouse"),
        ("3D", "red", "Red"),
        ("2", "Red", "red"),
    ],
)
def test_case_patterns(original: str, word: str, written: str) -> None:
    assert match_case(original, word) == written
