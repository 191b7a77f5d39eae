"""Windows of long texts: where sentences begin, and which of them a window has."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generation.masked_lms.encoded_forms import window_around
from generation.sentences.forms import ALL, forms, sentence_starts
from tests.reference.literal import sentences_of


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
