"""Forms: one masked occurrence each, and a full stop if the mask would end the sentence."""

from __future__ import annotations

import pytest

from generation.sentences.forms import (
    ALL,
    Form,
    forms,
    match_occurrence_case,
    replace_occurrences,
)
from merge_snli.dataset.variants import replaced_words


def test_one_form_per_occurrence() -> None:
    masked = forms("A girl sees a girl.", "girl", (2, 14))
    assert masked == (Form("A girl sees a girl.", 2, 6), Form("A girl sees a girl.", 14, 18))
    assert [form.original for form in masked] == ["girl", "girl"]


@pytest.mark.parametrize(
    ("sentence", "start", "text"),
    [("I see a dog", 8, "I see a dog."), ("I see a dog \n", 8, "I see a dog. \n"), ('I say "dog"', 7, 'I say "dog"')],
)
def test_a_full_stop_is_added_if_the_word_ends_the_sentence(sentence: str, start: int, text: str) -> None:
    assert forms(sentence, "dog", (start,)) == (Form(text, start, start + 3),)


def test_only_equal_forms_have_equal_keys() -> None:
    with_stop, without = forms("I see a dog.", "dog", (8,)) + forms("I see a dog", "dog", (8,))
    assert with_stop.key == without.key
    first, second = forms("A dog or a dog.", "dog", (2, 11))
    assert first.key != second.key


def test_all_occurrences_can_be_masked_together() -> None:
    first, second = forms("A girl sees a girl", "girl", (2, 14), ALL)
    assert first == Form("A girl sees a girl.", 2, 6, (14,))
    assert second == Form("A girl sees a girl.", 14, 18, (2,))
    assert len({form.key for form in (first, second, *forms("A girl sees a girl.", "girl", (2, 14)))}) == 4


def test_a_word_that_occurs_once_has_the_same_form_with_either_mask() -> None:
    for sentence in ("A dog runs.", "I see a dog"):
        start = sentence.index("dog")
        assert forms(sentence, "dog", (start,), ALL) == forms(sentence, "dog", (start,))


@pytest.mark.parametrize(
    ("sentence", "starts", "original", "word", "expected"),
    [
        ("A dog and a dog run.", (2, 12), "dog", "horse", "A horse and a horse run."),
        ("dog", (0,), "dog", "ox", "ox"),
        ("A dog and a dog run.", (12,), "dog", "ox", "A dog and a ox run."),
        ("Dogs, dogs, DOGS", (0, 6, 12), "dogs", "cats", "Cats, cats, CATS"),
    ],
)
def test_every_occurrence_is_replaced_in_its_case_and_nothing_else(
    sentence: str, starts: tuple[int, ...], original: str, word: str, expected: str
) -> None:
    assert replace_occurrences(sentence, starts, original, word)[0] == expected


def test_a_word_that_has_the_case_pattern_of_the_original_stays() -> None:
    assert match_occurrence_case("dogs", "dogs", "McCats") == "McCats"


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
    replaced, offsets = replace_occurrences(sentence, starts, original, word)
    assert len(offsets) == len(starts)
    occurrences = replaced_words(sentence, replaced, offsets, original, word)
    assert [occurrence.seed[0] for occurrence in occurrences] == list(starts)
    assert [occurrence.variant[0] for occurrence in occurrences] == list(offsets)
    for start, occurrence in zip(starts, occurrences, strict=True):
        written = sentence[start : start + len(original)]
        assert replaced[slice(*occurrence.variant)] == match_occurrence_case(written, original, word)
