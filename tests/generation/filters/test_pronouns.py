"""Suggestions of one gender in a problem with a pronoun of the other."""

import pytest

from generation.filters.pronouns import MEN, WOMEN, does_not_fit_pronoun
from tests.generation.filters.test_word_forms import place_of


@pytest.mark.parametrize(
    ("premise", "original", "dropped", "kept"),
    [
        ("A musician plays his guitar", "musician", "woman", "man"),
        ("A musician plays HIS guitar", "musician", "women", "artist"),
        ("A musician hurt herself", "musician", "man", "woman"),
        ("A black dog follows her", "black", "male", "female"),
    ],
)
def test_a_word_of_the_other_gender_is_dropped(premise: str, original: str, dropped: str, kept: str) -> None:
    drops = does_not_fit_pronoun(place_of(premise, f"One {original} is here", original, "noun"))
    assert drops(dropped) and drops(dropped.capitalize())
    assert not drops(kept)


def test_the_pronoun_means_somebody_else_if_the_original_has_the_gender_of_the_suggestion() -> None:
    drops = does_not_fit_pronoun(place_of("The lady greets his brother", "A lady greets", "lady", "noun"))
    assert not drops("girl") and not drops("man")


def test_the_hypothesis_counts_and_other_words_do_not() -> None:
    place = place_of("A child runs to the hero", "A child runs to his mother", "child", "noun")
    assert does_not_fit_pronoun(place)("girl")
    assert not does_not_fit_pronoun(place_of("A child runs to the hero", "A child runs", "child", "noun"))("girl")


def test_no_word_has_both_genders() -> None:
    assert MEN.isdisjoint(WOMEN)
