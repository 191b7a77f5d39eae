"""Forms: one masked occurrence each, with a full stop if the mask would end the sentence, in windows of long texts."""

from hypothesis import given
from hypothesis import strategies as st

from generation.masked_lms.encoded_forms import window_around
from generation.sentences.forms import ALL, Form, forms, match_occurrence_case, replace_occurrences, sentence_starts
from merge_snli.dataset.variants import replaced_words
from tests.reference.literal import sentences_of


def test_one_form_per_occurrence() -> None:
    masked = forms("A girl sees a girl.", "girl", (2, 14))
    assert masked == (Form("A girl sees a girl.", 2, 6), Form("A girl sees a girl.", 14, 18))
    assert [form.original for form in masked] == ["girl", "girl"]


def test_a_full_stop_is_added_if_the_word_ends_the_sentence() -> None:
    assert forms("I see a dog", "dog", (8,)) == (Form("I see a dog.", 8, 11),)
    assert forms("I see a dog \n", "dog", (8,)) == (Form("I see a dog. \n", 8, 11),)
    assert forms('I say "dog"', "dog", (7,)) == (Form('I say "dog"', 7, 10),)


def test_only_equal_forms_have_equal_keys() -> None:
    [with_stop] = forms("I see a dog.", "dog", (8,))
    [without] = forms("I see a dog", "dog", (8,))
    assert with_stop.key == without.key
    first, second = forms("A dog or a dog.", "dog", (2, 11))
    assert first.key != second.key


def test_all_occurrences_can_be_masked_together() -> None:
    first, second = forms("A girl sees a girl", "girl", (2, 14), ALL)
    assert first == Form("A girl sees a girl.", 2, 6, (14,))
    assert second == Form("A girl sees a girl.", 14, 18, (2,))
    alone, other = forms("A girl sees a girl.", "girl", (2, 14))
    keys = {first.key, second.key, alone.key, other.key}
    assert len(keys) == 4


def test_a_word_that_has_the_case_pattern_of_the_original_stays() -> None:
    assert match_occurrence_case("dogs", "dogs", "McCats") == "McCats"


def replaced(sentence: str, starts: list[int], word: str) -> tuple[str, list[int]]:
    """Replace "dog"; the occurrences that are read from the new sentence must be those that were replaced."""
    variant, offsets = replace_occurrences(sentence, tuple(starts), "dog", word)
    seeds = []
    variants = []
    for occurrence in replaced_words(sentence, variant, offsets, "dog", word):
        seeds.append(occurrence.seed[0])
        variants.append(occurrence.variant[0])
    assert seeds == starts
    assert variants == list(offsets)
    return variant, variants


def test_every_occurrence_is_replaced_in_its_case_and_nothing_else() -> None:
    sentence = "A dog and a dog run."
    assert replaced(sentence, [2, 12], "horse") == ("A horse and a horse run.", [2, 14])
    assert replaced(sentence, [12], "ox") == ("A dog and a ox run.", [12])
    longer = "Straße, straße, STRASSE"
    assert replaced("Dog, dog, DOG", [0, 5, 10], "straße") == (longer, [0, 8, 16])


def test_sentences_begin_after_punctuation_with_white_space_and_at_lines() -> None:
    assert sentence_starts("A man sings.") == [0]
    assert sentence_starts("A man sings.  A dog (old) barks! ") == [0, 14]
    assert sentence_starts('"Go!" he says. It\'s 3.5 km… "Far?"') == [0, 6, 15, 28]
    assert sentence_starts("One line\n\n  another line\n") == [0, 12]
    assert sentence_starts("") == [0]


@given(st.text(alphabet=".!? \n\t\"')ab…”\u00a0", max_size=30))
def test_the_reference_finds_the_same_sentences(text: str) -> None:
    assert [start for start, _ in sentences_of(text)] == sentence_starts(text)


def test_sentences_are_added_in_turn_as_long_as_they_fit() -> None:
    lengths = [10, 3, 4, 1, 6]
    assert window_around(2, lengths, 0) == (2, 3)
    assert window_around(2, lengths, 7) == (1, 3)
    assert window_around(2, lengths, 8) == (1, 4)
    assert window_around(2, lengths, 14) == (1, 5)
    assert window_around(2, lengths, 24) == (0, 5)


def test_a_window_keeps_the_occurrences_in_it_and_ends_with_a_full_stop() -> None:
    first, second, third = forms("Dogs bark. A dog sees a dog\nThe dog", "dog", (13, 24, 32), ALL)
    assert third.text == "Dogs bark. A dog sees a dog\nThe dog."
    assert first.within(11, 28) == Form("A dog sees a dog.", 2, 5, (13,))
    assert second.within(11, 28) == Form("A dog sees a dog.", 13, 16, (2,))
    assert third.within(28, 36) == Form("The dog.", 4, 7, ())
