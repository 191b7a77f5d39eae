"""The files of languages: negations, affixes, capitals of nouns, and sounds after words that are elided."""

import pytest

from generation.sentences.words import is_negation, is_whole_word
from merge_snli.languages.language import Language, language_of, languages

NEGATIONS = {
    "en": "not Nobody don’t",
    "fr": "pas Jamais n’ aucune",
    "de": "nicht Kein keinem ohne",
    "es": "no Nunca ningún",
    "it": "non Nessuno",
    "nl": "niet Geen",
    "pt": "não Ninguém",
    "da": "ikke Ingen",
    "sv": "inte Aldrig",
}
OTHERS = {"en": "pas", "fr": "not", "de": "not", "es": "not", "it": "not", "nl": "nicht", "pt": "not", "da": "not"}


@pytest.mark.parametrize("code", NEGATIONS)
def test_negations_of_a_language_are_no_suggestions_there(code: str) -> None:
    for word in NEGATIONS[code].split():
        assert is_negation(word, code)
        assert not is_whole_word(word, code)
    assert not is_negation(OTHERS.get(code, "not"), code)


def test_every_language_has_negations_and_is_tested() -> None:
    assert NEGATIONS.keys() == languages().keys()
    for language in languages().values():
        assert language.negations


@pytest.mark.parametrize(
    ("text", "language", "whole"),
    [
        ("tri", "fr", True),
        ("tri", None, False),
        ("very", None, True),
        ("keit", "de", False),
        # A combining mark alone.
        ("ि", "hi", False),
        ("िहि", "hi", False),
    ],
)
def test_affixes_and_marks_alone_are_no_words_of_a_language(text: str, language: str | None, whole: bool) -> None:
    assert is_whole_word(text, language) is whole


@pytest.mark.parametrize("code", [code for code in languages() if code != "en"])
def test_function_words_of_another_language_are_no_suggestions_there(code: str) -> None:
    for word in language_of(code).function_words:
        if len(word) > 1:
            assert not is_whole_word(word.title(), code)


WORDS = {"fr": "élève", "de": "Straße", "ru": "собака", "el": "σκύλος", "hi": "हिन्दी", "fa": "کتاب", "ko": "강아지"}


@pytest.mark.parametrize("language", WORDS)
def test_words_of_any_script_are_whole_words(language: str) -> None:
    word = WORDS[language]
    assert is_whole_word(word, language)
    assert not is_whole_word(f"{word}1", language)
    assert not is_whole_word(f"{word} {word}", language)


@pytest.mark.parametrize(
    ("code", "before", "fits", "does_not_fit"),
    [
        ("fr", "l'", "arbre homme herbe huitre yeux œuf ile", "chat hibou heros yaourt"),
        ("fr", "le", "chat hibou heros yaourt onze", "arbre homme haleine œuf"),
        ("fr", "du", "pain haricot", "eau"),
        ("fr", "cet", "arbre homme", "chien hamster"),
        ("es", "y", "agua hielo oso", "iglesia hijo"),
        ("es", "e", "iglesia hijo", "agua hielo"),
        ("es", "o", "agua iglesia", "oso hombre"),
        ("es", "u", "oso hombre", "agua"),
        ("it", "lo", "studente zio gnomo psicologo", "cane amico"),
        ("it", "il", "cane libro", "studente amico"),
        ("it", "l'", "amico hotel", "cane studente"),
        ("it", "gli", "amici studenti", "cani"),
        ("it", "un", "amico cane", "studente"),
        ("it", "la", "casa strada", "amica"),
    ],
)
def test_what_a_word_stands_before(code: str, before: str, fits: str, does_not_fit: str) -> None:
    language = language_of(code)
    sounds = language.sounds_after(before)
    for word in fits.split():
        assert language.sound_of(word) in sounds
    for word in does_not_fit.split():
        assert language.sound_of(word) not in sounds


def test_sounds_are_named_as_they_are_used() -> None:
    for code, language in languages().items():
        assert language.before.keys() <= {*language.sounds, "other"}, code
    assert not language_of("fr").sounds_after("dans")
    assert language_of("de").noun_capitals
    assert language_of(None) is language_of("en")
    assert language_of("pl") == Language("pl")
