"""Words by their base forms: suggestions that the problem has in another form, and other forms of the original."""

from collections.abc import Callable
from functools import lru_cache, partial

from generation.filters.filter import Place
from generation.sentences.tagging import lemma_of
from generation.sentences.words import fold
from merge_snli.languages.language import is_english
from merge_snli.models.wordnet import base_forms

INFLECTED_CLASSES = ("noun", "verb")


@lru_cache(maxsize=64)
def base_forms_of(words: frozenset[str], word_class: str) -> frozenset[str]:
    """Return words with their base forms in a word class.

    Args:
        words: The folded words of a problem.
        word_class: The class of the shared word.
    """
    return frozenset[str]().union(*(base_forms(word, word_class) for word in words))


def in_problem(place: Place) -> Callable[[str], bool]:
    """Return the condition on suggestions that the problem has them in some form, such as "boys" for "boy".

    Args:
        place: The occurrence that a suggestion replaces.
    """
    language = place.tagged.language
    return partial(is_form_of_any, words=place.problem_words, word_class=place.word.word_class, language=language)


def is_form_of_any(word: str, words: frozenset[str], word_class: str, language: str | None = None) -> bool:
    """Return whether a word is one of the folded `words`, or in English another form of one in a word class."""
    if not is_english(language):
        return fold(word) in words
    return not base_forms_of(words, word_class).isdisjoint(base_forms(fold(word), word_class))


def is_form_of_problem(place: Place) -> Callable[[str | None], bool]:
    """Return the condition on the tag of a suggestion that its lemma is that of a word of the problem.

    Args:
        place: An occurrence in another language than English, of which tags have lemmas.
    """
    sentences = (place.tagged.premise, place.tagged.hypothesis)
    lemmas = {lemma_of(token.tag) for sentence in sentences for token in sentence.tokens} - {None}
    return lambda tag: tag is not None and lemma_of(tag) in lemmas


def has_other_form(place: Place) -> bool:
    """Return whether the problem has the original in another form as well, as a noun or a verb.

    Args:
        place: An occurrence of the original.
    """
    original = fold(place.word.text)
    others = place.problem_words - {original}
    return any(
        not base_forms(original, one).isdisjoint(base_forms(word, other))
        for word in others
        for one in INFLECTED_CLASSES
        for other in INFLECTED_CLASSES
    )
