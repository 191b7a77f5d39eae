"""Which article a word takes, and before which occurrences that matters."""

from __future__ import annotations

import pytest

from generation.filters.articles import article_of, disagrees_with_article


@pytest.mark.parametrize("word", ["apple", "hour", "honest", "heir", "MRI", "x-ray", "old-fashioned", "Hour"])
def test_words_that_take_an(word: str) -> None:
    assert article_of(word) == "an"


@pytest.mark.parametrize("word", ["dog", "unicorn", "European", "user", "one-legged", "UFO", "once", "hotel", "NASA"])
def test_words_that_take_a(word: str) -> None:
    assert article_of(word) == "a"


@pytest.mark.parametrize(
    ("before", "applies"),
    [
        ("A ", True),
        ("There is a ", True),
        ("with  a\t", True),
        ("he says a “", True),
        ('a ("', True),
        ("A big ", False),
        ("vitamin-a ", False),
        ("mama ", False),
        ("the ", False),
        ("plan a-", False),
        ("", False),
    ],
)
def test_only_an_article_directly_before_the_occurrence_counts(before: str, applies: bool) -> None:
    sentence = f"{before}boy runs"
    disagrees = disagrees_with_article(sentence, len(before), len(before) + 3, "boy")
    assert (disagrees("girl"), disagrees("hour")) == (False, applies)


def test_the_word_is_written_as_at_the_occurrence() -> None:
    disagrees = disagrees_with_article("An MP here", 3, 5, "mp")
    assert not disagrees("mri")
    assert disagrees("ufo")
