"""Conditions on a word in its sentence: its base forms, compounds, pronouns, agreement, and elision."""

import re
from collections.abc import Callable
from functools import lru_cache, partial
from itertools import pairwise

from generation.filters.filter import Occurrence
from generation.filters.lexical import article_of
from generation.sentences.tagging import Token, features_of, lemma_of
from generation.sentences.words import fold
from merge_snli.languages.language import is_english, language_of
from merge_snli.models.wordnet import base_forms, is_capitalized

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

# The word before an occurrence, with its apostrophe if it is elided; only quotes or brackets may stand between them.
WORD_BEFORE = re.compile(r"([^\W\d_]+)(['’]|\s)[\s\"'“‘«„(]*$")

# An indefinite article at the end of a text; only opening quotes or brackets may separate it from the next word.
ARTICLE = re.compile(r"(?<![\w'’-])(an?)\s+[\"'“‘(]*$", re.IGNORECASE)


@lru_cache(maxsize=64)
def base_forms_of(words: frozenset[str], word_class: str) -> frozenset[str]:
    """Return words with their base forms in a word class.

    Args:
        words: The folded words of a problem.
        word_class: The class of the shared word.
    """
    return frozenset[str]().union(*(base_forms(word, word_class) for word in words))


def in_problem(occurrence: Occurrence) -> Callable[[str], bool]:
    """Return the condition on suggestions that the problem has them in some form, such as "boys" for "boy".

    Args:
        occurrence: The occurrence that a suggestion replaces.
    """
    return partial(
        is_form_of_any,
        words=occurrence.problem_words,
        word_class=occurrence.word.word_class,
        language=occurrence.tagged.language,
    )


def is_form_of_any(word: str, words: frozenset[str], word_class: str, language: str | None = None) -> bool:
    """Return whether a word is one of the folded `words`, or in English another form of one in a word class."""
    if not is_english(language):
        return fold(word) in words
    return not base_forms_of(words, word_class).isdisjoint(base_forms(fold(word), word_class))


def is_form_of_problem(occurrence: Occurrence) -> Callable[[str | None], bool]:
    """Return the condition on the tag of a suggestion that its lemma is that of a word of the problem.

    Args:
        occurrence: An occurrence in another language than English, of which tags have lemmas.
    """
    lemmas = {lemma_of(token.tag) for token in occurrence.tagged.tokens} - {None}
    return lambda tag: tag is not None and lemma_of(tag) in lemmas


def is_in_compound(occurrence: Occurrence) -> bool:
    """Return whether an occurrence is part of a compound, by the characters and the tokens beside it.

    That is next to a hyphen, en dash or slash, with no space between, or a noun whose neighbor token is a noun, too.

    Args:
        occurrence: The occurrence.
    """
    sentence = occurrence.sentence
    if not JOINERS.isdisjoint(sentence[: occurrence.start][-1:] + sentence[occurrence.end :][:1]):
        return True
    for first, second in pairwise(getattr(occurrence.tagged, occurrence.side).tokens):
        is_beside = occurrence.start in (first.start, second.start)
        if is_beside and _is_noun(first) and _is_noun(second):
            return True
    return False


def _is_noun(token: Token) -> bool:
    return token.tag.partition("|")[0] in NOUN_TAGS


def does_not_fit_pronoun(occurrence: Occurrence) -> Callable[[str], bool]:
    """Return the condition on suggestions that they are of one gender, and the problem has a pronoun of the other.

    Args:
        occurrence: The occurrence that a suggestion replaces. If the original is of the same gender as the suggestion,
            the pronoun means somebody else, so the suggestion is kept.
    """
    original = fold(occurrence.word.text)
    dropped: set[str] = set()
    for words, pronouns in OTHER_PRONOUNS:
        if original not in words and not pronouns.isdisjoint(occurrence.problem_words):
            dropped |= words
    return lambda word: fold(word) in dropped


def lacks_capital(occurrence: Occurrence) -> Callable[[str], bool]:
    """Return the condition on suggestions that they are adjectives from names, and in lower case in their place.

    Args:
        occurrence: The occurrence that a suggestion replaces.
    """
    if occurrence.word.word_class != "adj":
        return lambda word: False
    return lambda word: occurrence.written(word) == word.lower() and is_capitalized(fold(word))


def disagrees(occurrence: Occurrence) -> Callable[[str | None], bool]:
    """Return the condition on the tag of a suggestion that it does not agree with the original.

    Each feature of a suggestion must be one of the original's, with the same value. A feature that the original lacks,
    such as the gender of the French "livre", is that of the determiner before it. A suggestion may lack features.

    Args:
        occurrence: The occurrence that a suggestion replaces.
    """
    before = occurrence.tag_before
    of_determiner = features_of(before) if before.partition("|")[0] == "DET" else {}
    allowed = of_determiner | features_of(occurrence.tag)
    return lambda tag: tag is None or not features_of(tag).items() <= allowed.items()


def disagrees_with_article(occurrence: Occurrence) -> Callable[[str], bool]:
    """Return the condition on suggestions that the article before them does not fit; false if there is none.

    Args:
        occurrence: The occurrence that a suggestion replaces.
    """
    article = ARTICLE.search(occurrence.sentence, 0, occurrence.start)
    if article is None:
        return lambda word: False
    return lambda word: article_of(occurrence.written(word)) != article[1].lower()


def sounds_wrong(occurrence: Occurrence) -> Callable[[str], bool]:
    """Return the condition on suggestions that the word before them is not written before their sound.

    In French, "l'" stands before a vowel and "le" before a consonant. If the original is not written so either, nothing
    is dropped.

    Args:
        occurrence: The occurrence that a suggestion replaces.
    """
    language = language_of(occurrence.tagged.language)
    before = WORD_BEFORE.search(occurrence.sentence, 0, occurrence.start)
    written = ""
    if before is not None:
        apostrophe = "'" if before[2] in "'’" else ""
        written = before[1].lower() + apostrophe
    sounds = language.sounds_after(written)
    original = language.sound_of(fold(occurrence.sentence[occurrence.start : occurrence.end]))
    return lambda word: original in sounds and language.sound_of(fold(occurrence.written(word))) not in sounds
