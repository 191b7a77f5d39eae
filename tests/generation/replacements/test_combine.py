"""The set operations on examples, and their properties on any suggestions."""

from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from generation.replacements.combine import (
    Replacement,
    Validated,
    over_mlms,
    over_sentences,
    scramble,
    scramble_all,
)


def test_over_mlms_unites_and_takes_the_largest_log_odds() -> None:
    assert over_mlms({"m1": {"boy": 1.0}, "m2": {"boy": 2.0, "dog": 3.0}}) == {
        "boy": Validated(("m1", "m2"), 2.0),
        "dog": Validated(("m2",), 3.0),
    }


def test_different_masked_lms_may_validate_premise_and_hypothesis() -> None:
    premise = {"boy": Validated(("m1",), 1.0), "cat": Validated(("m1",), -1.0)}
    hypothesis = {"boy": Validated(("m2",), 0.5), "ant": Validated(("m2",), 2.0)}
    boy = Replacement("boy", ("m1",), ("m2",), 0.5)
    assert over_sentences(premise, hypothesis) == (boy,)
    ant = Replacement("ant", (), ("m2",), 2.0)
    cat = Replacement("cat", ("m1",), (), -1.0)
    assert over_sentences(premise, hypothesis, sides="union") == (ant, boy, cat)


SCRAMBLED = st.text("abcdeé'-", min_size=1).filter(lambda word: any(letter.isalpha() for letter in word))
CASES = st.sampled_from([str.lower, str.upper, str.capitalize])


def replacements(words: list[str]) -> list[Replacement]:
    return [Replacement(word, ("m",), (), index / 10) for index, word in enumerate(sorted(words))]


@given(SCRAMBLED, CASES, st.integers())
@example("ox", str.lower, 0)
@example("noon", str.upper, 0)
@example("aab", str.capitalize, 0)
def test_only_the_order_of_the_letters_changes(word: str, case: Callable[[str], str], random_seed: int) -> None:
    word = case(word)
    scrambled = scramble(word, random_seed)
    assert scrambled is not None
    assert sorted(scrambled.casefold()) == sorted(word.casefold())
    for old, new in zip(word, scrambled, strict=True):
        assert old.isalpha() == new.isalpha()
    different = {letter.casefold() for letter in word if letter.isalpha()}
    assert (scrambled.casefold() == word.casefold()) == (len(different) == 1)


@pytest.mark.parametrize(
    ("random_seed", "scrambled"), [(0, ["yob", "Sboy", "MM", "lglw-eebni"]), (1, ["oby", "Ybso", "MM", "lnli-egbew"])]
)
def test_orders_are_the_same_on_every_machine(random_seed: int, scrambled: list[str]) -> None:
    assert [scramble(word, random_seed) for word in ("boy", "Boys", "MM", "well-being")] == scrambled


def test_no_scrambled_word_is_a_negation_or_a_word_of_the_problem() -> None:
    scrambled, left_out = scramble_all(replacements(["on", "ton", "ram", "ox"]), {"arm", "mar", "xo"}, 0)
    assert [replacement.word for replacement in left_out] == ["on", "ox"]
    of_ram, of_ton = sorted(replacement.word for replacement in scrambled)
    assert of_ram in {"amr", "mra", "rma"}
    assert of_ton in {"nto", "otn", "tno", "ont"}


def test_a_word_of_the_problem_with_other_accents_is_not_a_scrambled_word() -> None:
    assert scramble("né", 0) == "én"
    assert scramble("né", 0, {"en"}) is None


@given(st.lists(st.text("abc", min_size=1, max_size=3), unique=True), st.integers(0, 3))
def test_scrambled_words_are_distinct_and_keep_their_validation(words: list[str], random_seed: int) -> None:
    before = replacements(words)
    scrambled, left_out = scramble_all(before, frozenset(), random_seed)
    names = [replacement.word for replacement in scrambled]
    assert names == sorted(set(names))
    assert len(scrambled) + len(left_out) == len(words)
    letters_of = {replacement.log_odds: sorted(replacement.word) for replacement in before}
    assert all(letters_of[replacement.log_odds] == sorted(replacement.word) for replacement in scrambled)
