"""Languages other than English: agreement in morphological features, elision after the word before, and lemmas."""

import re
from collections.abc import Callable

from generation.filters.filter import Place
from generation.sentences.tagging import features_of, lemma_of
from generation.sentences.words import fold
from merge_snli.languages.language import language_of

# The word before a place, with its apostrophe if it is elided; only quotes or brackets may separate it from the place.
WORD_BEFORE = re.compile(r"([^\W\d_]+)(['’]|\s)[\s\"'“‘«„(]*$")

DETERMINER = "DET"


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


def is_form_of_problem(place: Place) -> Callable[[str | None], bool]:
    """Return the condition on the tag of a suggestion that its lemma is that of a word of the problem.

    Args:
        place: The occurrence that a suggestion replaces.
    """
    sentences = (place.tagged.premise, place.tagged.hypothesis)
    lemmas = {lemma_of(token.tag) for sentence in sentences for token in sentence.tokens} - {None}
    return lambda tag: tag is not None and lemma_of(tag) in lemmas


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
