"""Forms: one occurrence masked each, a full stop where the mask would end the sentence."""

from generation.sentences.forms import ALL, Form, forms


def test_one_form_an_occurrence() -> None:
    made = forms("A girl sees a girl.", "girl", (2, 14))
    assert made == (Form("A girl sees a girl.", 2, 6), Form("A girl sees a girl.", 14, 18))
    assert [form.original for form in made] == ["girl", "girl"]


def test_a_full_stop_where_the_word_ends_the_sentence() -> None:
    assert forms("I see a dog", "dog", (8,)) == (Form("I see a dog.", 8, 11),)
    assert forms("I see a dog \n", "dog", (8,)) == (Form("I see a dog. \n", 8, 11),)
    assert forms('I say "dog"', "dog", (7,)) == (Form('I say "dog"', 7, 10),)


def test_equal_forms_have_equal_keys_and_others_do_not() -> None:
    with_stop, without = forms("I see a dog.", "dog", (8,)) + forms("I see a dog", "dog", (8,))
    assert with_stop.key == without.key
    first, second = forms("A dog or a dog.", "dog", (2, 11))
    assert first.key != second.key


def test_all_occurrences_masked_at_once() -> None:
    first, second = forms("A girl sees a girl", "girl", (2, 14), ALL)
    assert first == Form("A girl sees a girl.", 2, 6, (14,))
    assert second == Form("A girl sees a girl.", 14, 18, (2,))
    alone = forms("A girl sees a girl.", "girl", (2, 14))
    assert len({form.key for form in (first, second, *alone)}) == 4


def test_a_word_that_occurs_once_has_the_same_form_either_way() -> None:
    for sentence in ("A dog runs.", "I see a dog"):
        start = sentence.index("dog")
        assert forms(sentence, "dog", (start,), ALL) == forms(sentence, "dog", (start,))
