"""Whole words, and the case patterns of replacements."""

import pytest

from generation.sentences.replacing import match_case
from generation.sentences.whole_words import AFFIXES, NEGATIONS, is_negation, is_whole_word


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
    assert all(word == word.casefold() for word in AFFIXES | NEGATIONS)
    assert not AFFIXES & NEGATIONS


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
