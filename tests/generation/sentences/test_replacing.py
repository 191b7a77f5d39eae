"""Replacements at offsets, each in the case pattern of what it replaces."""

from __future__ import annotations

import pytest

from generation.sentences.replacing import match_case, match_occurrence_case, replace_occurrences


def test_every_occurrence_is_replaced_and_nothing_else() -> None:
    assert replace_occurrences("A dog and a dog run.", (2, 12), "dog", "horse") == "A horse and a horse run."
    assert replace_occurrences("dog", (0,), "dog", "ox") == "ox"
    assert replace_occurrences("A dog and a dog run.", (12,), "dog", "ox") == "A dog and a ox run."


def test_occurrences_in_other_cases_keep_their_case() -> None:
    assert replace_occurrences("Dogs, dogs, DOGS", (0, 6, 12), "dogs", "cats") == "Cats, cats, CATS"
    assert match_occurrence_case("dogs", "dogs", "McCats") == "McCats", "already in the case pattern of the word"


@pytest.mark.parametrize(
    ("original", "expected"),
    [("dog", "mccat"), ("Dog", "Mccat"), ("DOG", "MCCAT"), ("I", "Mccat"), ("O'Dog", "McCat"), ("3-D", "Mccat")],
)
def test_case_patterns(original: str, expected: str) -> None:
    assert match_case(original, "McCat") == expected
