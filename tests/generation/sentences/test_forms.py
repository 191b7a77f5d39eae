"""Forms: one masked occurrence each, with a full stop if the mask would end the sentence, in windows of long texts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generation.masked_lms.encoded_forms import window_around
from generation.sentences.forms import (
    ALL,
    Form,
    forms,
    match_occurrence_case,
    replace_occurrences,
    sentence_starts,
)
from merge_snli.dataset.variants import replaced_words
from tests.reference.literal import sentences_of


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
    both = forms("A girl sees a girl", "girl", (2, 14), ALL)
    assert [*both] == [Form("A girl sees a girl.", 2, 6, (14,)), Form("A girl sees a girl.", 14, 18, (2,))]
    assert len({form.key for form in (*both, *forms("A girl sees a girl.", "girl", (2, 14)))}) == 4


def test_a_word_that_has_the_case_pattern_of_the_original_stays() -> None:
    assert match_occurrence_case("dogs", "dogs", "McCats") == "McCats"


@pytest.mark.parametrize(
    ("sentence", "starts", "word", "expected", "offsets"),
    [
        ("A dog and a dog run.", (2, 12), "horse", "A horse and a horse run.", (2, 14)),
        ("A dog and a dog run.", (12,), "ox", "A dog and a ox run.", (12,)),
        ("Dog, dog, DOG", (0, 5, 10), "straße", "Straße, straße, STRASSE", (0, 8, 16)),  # "STRASSE" is longer
    ],
)
def test_every_occurrence_is_replaced_in_its_case_and_nothing_else(
    sentence: str, starts: tuple[int, ...], word: str, expected: str, offsets: tuple[int, ...]
) -> None:
    assert replace_occurrences(sentence, starts, "dog", word) == (expected, offsets)
    occurrences = replaced_words(sentence, expected, offsets, "dog", word)
    assert [occurrence.seed[0] for occurrence in occurrences] == list(starts)
    assert [occurrence.variant[0] for occurrence in occurrences] == list(offsets)


@pytest.mark.parametrize(
    ("text", "starts"),
    [
        ("A man sings.", [0]),
        ("A man sings.  A dog (old) barks! ", [0, 14]),
        ('"Go!" he says. It\'s 3.5 km… "Far?"', [0, 6, 15, 28]),
        ("One line\n\n  another line\n", [0, 12]),
        ("", [0]),
    ],
)
def test_sentences_begin_after_punctuation_with_white_space_and_at_lines(text: str, starts: list[int]) -> None:
    assert sentence_starts(text) == starts


@given(st.text(alphabet=".!? \n\t\"')ab…”\u00a0", max_size=30))
def test_the_reference_finds_the_same_sentences(text: str) -> None:
    assert [start for start, _ in sentences_of(text)] == sentence_starts(text)


@pytest.mark.parametrize(
    ("limit", "window"),
    [
        (0, (2, 3)),
        (7, (1, 3)),
        (8, (1, 4)),
        (14, (1, 5)),
        (24, (0, 5)),
        (99, (0, 5)),
    ],
)
def test_sentences_are_added_in_turn_as_long_as_they_fit(limit: int, window: tuple[int, int]) -> None:
    assert window_around(2, [10, 3, 4, 1, 6], limit) == window


def test_a_window_keeps_the_occurrences_in_it_and_ends_with_a_full_stop() -> None:
    first, second, third = forms("Dogs bark. A dog sees a dog\nThe dog", "dog", (13, 24, 32), ALL)
    assert third.text == "Dogs bark. A dog sees a dog\nThe dog."
    assert first.within(11, 28) == Form("A dog sees a dog.", 2, 5, (13,))
    assert second.within(11, 28) == Form("A dog sees a dog.", 13, 16, (2,))
    assert third.within(28, 36) == Form("The dog.", 4, 7, ())
