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
        assert replaced[slice(*occurrence.variant)] == match_occurrence_case(
            sentence[start : start + len(original)], original, word
        )


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("A man sings.", ["A man sings."]),
        ("A man sings.  A dog (old) barks! ", ["A man sings.  ", "A dog (old) barks! "]),
        ('"Go!" he says. It\'s 3.5 km… "Far?"', ['"Go!" ', "he says. ", "It's 3.5 km… ", '"Far?"']),
        ("One line\n\n  another line\n", ["One line\n\n  ", "another line\n"]),
        ("no end", ["no end"]),
        ("", [""]),
    ],
)
def test_sentences_begin_after_punctuation_with_white_space_and_at_lines(text: str, sentences: list[str]) -> None:
    starts = sentence_starts(text)
    assert [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=True)] == sentences


@given(st.text(alphabet=".!? \n\t\"')ab…”\u00a0", max_size=30))
def test_the_reference_finds_the_same_sentences(text: str) -> None:
    assert [start for start, _ in sentences_of(text)] == sentence_starts(text)


@pytest.mark.parametrize(
    ("limit", "window"),
    [
        (0, (2, 3)),
        (4, (2, 3)),
        (7, (1, 3)),
        (8, (1, 4)),
        (14, (1, 5)),
        (15, (1, 5)),
        (24, (0, 5)),
        (99, (0, 5)),
    ],
)
def test_sentences_are_added_in_turn_as_long_as_they_fit(limit: int, window: tuple[int, int]) -> None:
    assert window_around(2, [10, 3, 4, 1, 6], limit) == window


def test_a_window_keeps_the_occurrences_in_it_and_ends_with_a_full_stop() -> None:
    first, second, third = forms("Dogs bark. A dog sees a dog\nThe dog", "dog", (13, 24, 32), ALL)
    assert third.text == "Dogs bark. A dog sees a dog\nThe dog."
    form = second.within(11, 28)
    assert (form.text, form.original, form.start, form.also_masked) == ("A dog sees a dog.", "dog", 13, (2,))
    form = first.within(11, 28)
    assert (form.text, form.start, form.also_masked) == ("A dog sees a dog.", 2, (13,))
    form = third.within(28, 36)
    assert (form.text, form.start, form.also_masked) == ("The dog.", 4, ())
