"""Replacements at offsets, each in the case pattern of what it replaces."""

from __future__ import annotations

import pytest

from generation.sentences.replacing import match_case, match_occurrence_case, replace_occurrences, replaced_offsets
from merge_snli.dataset.variants import replaced_words


def test_every_occurrence_is_replaced_and_nothing_else() -> None:
    assert replace_occurrences("A dog and a dog run.", (2, 12), "dog", "horse") == "A horse and a horse run."
    assert replace_occurrences("dog", (0,), "dog", "ox") == "ox"
    assert replace_occurrences("A dog and a dog run.", (12,), "dog", "ox") == "A dog and a ox run."


def test_occurrences_in_other_cases_keep_their_case() -> None:
    assert replace_occurrences("Dogs, dogs, DOGS", (0, 6, 12), "dogs", "cats") == "Cats, cats, CATS"
    assert match_occurrence_case("dogs", "dogs", "McCats") == "McCats", "already in the case pattern of the word"


@pytest.mark.parametrize(
    ("sentence", "starts", "original", "word"),
    [
        ("A dog and a dog run.", (2, 12), "dog", "horse"),
        ("A dog and a dog run.", (2, 12), "dog", "ox"),
        ("Dogs, dogs, DOGS", (0, 6, 12), "dogs", "cats"),
        ("Dogs, dogs", (6,), "dogs", "ox"),
        ("DOG, dog", (0, 5), "dog", "straße"),  # "STRASSE" is longer
    ],
)
def test_offsets_of_the_replacements(sentence: str, starts: tuple[int, ...], original: str, word: str) -> None:
    replaced = replace_occurrences(sentence, starts, original, word)
    offsets = replaced_offsets(sentence, starts, original, word)
    assert len(offsets) == len(starts)
    found = replaced_words(sentence, replaced, offsets, original, word)
    assert [each.seed[0] for each in found] == list(starts)
    assert [each.variant[0] for each in found] == list(offsets)
    for start, each in zip(starts, found, strict=True):
        occurrence = sentence[start : start + len(original)]
        assert replaced[slice(*each.variant)] == match_occurrence_case(occurrence, original, word)


@pytest.mark.parametrize(
    ("original", "expected"),
    [("dog", "mccat"), ("Dog", "Mccat"), ("DOG", "MCCAT"), ("I", "Mccat"), ("O'Dog", "McCat"), ("3-D", "Mccat")],
)
def test_case_patterns(original: str, expected: str) -> None:
    assert match_case(original, "McCat") == expected
