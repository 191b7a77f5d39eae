"""Scrambled words have the same letters in another order, are reproducible and distinct."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from generation.replacements.combine import Replacement
from generation.replacements.scramble import scramble, scramble_all
from generation.sentences.whole_words import NEGATIONS

WORDS = st.text("abcdeé'-", min_size=1).filter(lambda word: any(letter.isalpha() for letter in word))
CASES = st.sampled_from([str.lower, str.upper, str.capitalize])


def replacements(words: list[str]) -> list[Replacement]:
    return [Replacement(word, ("m",), (), index / 10) for index, word in enumerate(sorted(words))]


@given(WORDS, CASES, st.integers())
@example("ox", str.lower, 0)
@example("noon", str.upper, 0)
@example("aab", str.capitalize, 0)
def test_only_the_order_of_the_letters_changes(word: str, case: object, random_seed: int) -> None:
    assert callable(case)
    word = case(word)
    scrambled = scramble(word, random_seed)
    assert scrambled is not None
    assert sorted(scrambled.casefold()) == sorted(word.casefold())
    assert [character if character in "'-" else "x" for character in scrambled] == [
        character if character in "'-" else "x" for character in word
    ]
    different = {letter.casefold() for letter in word if letter.isalpha()}
    assert (scrambled.casefold() == word.casefold()) == (len(different) == 1)
    assert scramble(word, random_seed) == scrambled


def test_orders_are_the_same_on_every_machine() -> None:
    assert [scramble(word, 0) for word in ("boy", "Boys", "MM", "well-being")] == ["yob", "Sboy", "MM", "lglw-eebni"]
    assert [scramble(word, 1) for word in ("boy", "Boys", "MM", "well-being")] == ["oby", "Ybso", "MM", "lnli-egbew"]


def test_no_scrambled_word_is_a_negation_or_a_word_of_the_problem() -> None:
    scrambled, left_out = scramble_all(replacements(["on", "ton", "ram", "ox"]), {"arm", "mar", "xo"}, 0)
    assert [each.word for each in left_out] == ["on", "ox"]
    assert not {each.word for each in scrambled} & {*NEGATIONS, "arm", "mar", "xo"}
    assert {"".join(sorted(each.word)) for each in scrambled} == {"not", "amr"}


def test_a_word_of_the_problem_with_other_accents_is_not_a_scrambled_word() -> None:
    assert scramble("né", 0) == "én"
    assert scramble("né", 0, {"en"}) is None


@given(st.lists(st.text("abc", min_size=1, max_size=3), unique=True), st.integers(0, 3))
def test_scrambled_words_are_distinct_and_keep_their_validation(words: list[str], random_seed: int) -> None:
    before = replacements(words)
    scrambled, left_out = scramble_all(before, frozenset(), random_seed)
    names = [each.word for each in scrambled]
    assert names == sorted(set(names))
    assert len(scrambled) + len(left_out) == len(words)
    letters_of = {each.log_odds: sorted(each.word) for each in before}
    assert all(letters_of[each.log_odds] == sorted(each.word) for each in scrambled)


def test_a_scrambled_word_does_not_depend_on_the_others() -> None:
    single, _ = scramble_all(replacements(["teacher"]), frozenset(), 5)
    several, _ = scramble_all(replacements(["aunt", "teacher", "zebra"]), frozenset(), 5)
    assert {each.word for each in single} < {each.word for each in several}
