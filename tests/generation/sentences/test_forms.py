"""Forms: one masked occurrence each, and a full stop if the mask would end the sentence."""

from generation.sentences.forms import ALL, Form, forms


def test_one_form_per_occurrence() -> None:
    found = forms("A girl sees a girl.", "girl", (2, 14))
    assert found == (Form("A girl sees a girl.", 2, 6), Form("A girl sees a girl.", 14, 18))
    assert [form.original for form in found] == ["girl", "girl"]


def test_a_full_stop_is_added_if_the_word_ends_the_sentence() -> None:
    assert forms("I see a dog", "dog", (8,)) == (Form("I see a dog.", 8, 11),)
    assert forms("I see a dog \n", "dog", (8,)) == (Form("I see a dog. \n", 8, 11),)
    assert forms('I say "dog"', "dog", (7,)) == (Form('I say "dog"', 7, 10),)


def test_only_equal_forms_have_equal_keys() -> None:
    with_stop, without = forms("I see a dog.", "dog", (8,)) + forms("I see a dog", "dog", (8,))
    assert with_stop.key == without.key
    first, second = forms("A dog or a dog.", "dog", (2, 11))
    assert first.key != second.key


def test_all_occurrences_can_be_masked_together() -> None:
    first, second = forms("A girl sees a girl", "girl", (2, 14), ALL)
    assert first == Form("A girl sees a girl.", 2, 6, (14,))
    assert second == Form("A girl sees a girl.", 14, 18, (2,))
    separate = forms("A girl sees a girl.", "girl", (2, 14))
    assert len({form.key for form in (first, second, *separate)}) == 4


def test_a_word_that_occurs_once_has_the_same_form_with_either_mask() -> None:
    for sentence in ("A dog runs.", "I see a dog"):
        start = sentence.index("dog")
        assert forms(sentence, "dog", (start,), ALL) == forms(sentence, "dog", (start,))
