"""Conditions on a word in its place: compounds, pronouns of the problem, agreement, and elision."""

import re
from collections.abc import Callable
from itertools import pairwise

from generation.filters.filter import Place
from generation.sentences.tagging import features_of
from generation.sentences.words import fold
from merge_snli.languages.language import language_of

# Hyphens, the en dash and the slash.
JOINERS = frozenset("-\u2010\u2011\u2013/")

NOUN_TAGS = frozenset({"NN", "NNS", "NNP", "NNPS", "NOUN", "PROPN"})

MEN = frozenset(
    """
    man men boy boys guy guys gentleman gentlemen male males lad lads father fathers dad dads daddy brother brothers
    son sons grandson grandsons grandfather grandfathers grandpa husband husbands uncle uncles nephew nephews groom
    king kings prince princes actor actors waiter waiters policeman policemen fireman firemen businessman businessmen
    cowboy cowboys monk monks priest priests
    """.split()  # noqa: SIM905 - a word list is more readable as text
)
WOMEN = frozenset(
    """
    woman women girl girls lady ladies female females mother mothers mom moms mommy sister sisters daughter daughters
    granddaughter granddaughters grandmother grandmothers grandma wife wives aunt aunts niece nieces bride brides queen
    queens princess princesses actress actresses waitress waitresses policewoman policewomen businesswoman
    businesswomen nun nuns widow widows
    """.split()  # noqa: SIM905
)
# Words of one gender, with the pronouns of the other.
OTHER_PRONOUNS = (
    (MEN, frozenset({"she", "her", "hers", "herself"})),
    (WOMEN, frozenset({"he", "him", "his", "himself"})),
)

# The word before a place, with its apostrophe if it is elided; only quotes or brackets may separate it from the place.
WORD_BEFORE = re.compile(r"([^\W\d_]+)(['’]|\s)[\s\"'“‘«„(]*$")

DETERMINER = "DET"


def is_in_compound(place: Place) -> bool:
    """Return whether an occurrence is part of a compound, by the characters and the tokens beside it.

    That is next to a hyphen, en dash or slash, with no space between, or a noun whose neighbor token is a noun, too.

    Args:
        place: The occurrence.
    """
    sentence = place.sentence
    if not JOINERS.isdisjoint(sentence[: place.start][-1:] + sentence[place.end :][:1]):
        return True
    tokens = getattr(place.tagged, place.side).tokens
    return any(
        {each.tag.partition("|")[0] for each in (first, second)} <= NOUN_TAGS
        and place.start in {first.start, second.start}
        for first, second in pairwise(tokens)
    )


def does_not_fit_pronoun(place: Place) -> Callable[[str], bool]:
    """Return the condition on suggestions that they are of one gender, and the problem has a pronoun of the other.

    Args:
        place: The occurrence that a suggestion replaces. If the original is of the same gender as the suggestion, the
            pronoun means somebody else, so the suggestion is kept.
    """
    original = fold(place.word.text)
    dropped = frozenset[str]().union(
        *(
            words
            for words, pronouns in OTHER_PRONOUNS
            if original not in words and not pronouns.isdisjoint(place.problem_words)
        )
    )
    return lambda word: fold(word) in dropped


def disagrees(place: Place) -> Callable[[str | None], bool]:
    """Return the condition on the tag of a suggestion that it does not agree with the original in its place.

    Each feature of a suggestion must be one of the original's, with the same value. A feature that the original lacks,
    such as the gender of the French "livre", is that of the determiner before it. A suggestion may lack features.

    Args:
        place: The occurrence that a suggestion replaces.
    """
    allowed = features_of(place.tag)
    if place.tag_before.partition("|")[0] == DETERMINER:
        allowed = features_of(place.tag_before) | allowed
    return lambda tag: tag is None or not features_of(tag).items() <= allowed.items()


def sounds_wrong(place: Place) -> Callable[[str], bool]:
    """Return the condition on suggestions that the word before them is not written before their sound.

    In French, "l'" stands before a vowel and "le" before a consonant. If the original is not written so either, nothing
    is dropped.

    Args:
        place: The occurrence that a suggestion replaces.
    """
    language, found = language_of(place.tagged.language), WORD_BEFORE.search(place.sentence, 0, place.start)
    before = "" if found is None else found[1].lower() + ("'" if found[2] in "'’" else "")
    sounds = language.sounds_after(before)
    original = language.sound_of(fold(place.sentence[place.start : place.end]))
    if original not in sounds:
        return lambda word: False
    return lambda word: language.sound_of(fold(place.written(word))) not in sounds
