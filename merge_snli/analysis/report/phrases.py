"""Write counts, names and lists as parts of a note or label."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

PLURALS = {"noun": "nouns", "verb": "verbs", "adj": "adjectives", "adv": "adverbs"}

PREDICTORS = {
    "log_odds": "log-odds of the replacement",
    "masked_lms": "number of masked LMs",
    "sentence_length": "sentence length",
    "log_count": "log count of the replacement",
}


def predictor_name(name: str, reference: str | None) -> str:
    """Return the display name of a predictor of the regression.

    Examples:
        >>> predictor_name("label: neutral", "entailment"), predictor_name("sentence_length", None)
        ('neutral (against entailment)', 'sentence length')
    """
    level = name.partition(": ")[2]
    return f"{level} (against {reference})" if level else PREDICTORS[name]


def class_plural(word_class: str) -> str:
    """Return the words of a class.

    Examples:
        >>> class_plural("adj")
        'adjectives'
    """
    return PLURALS[word_class]


def basis(seeds: int, models: int) -> str:
    """Return the number of seeds and models that a figure or table is computed from.

    Examples:
        >>> basis(2222, 1)
        '2,222 seeds, 1 model'
    """
    return f"{count(seeds, 'seed')}, {count(models, 'model')}"


def count(number: int, noun: str) -> str:
    """Return a number with its noun.

    Examples:
        >>> count(1, "seed"), count(1200, "seed")
        ('1 seed', '1,200 seeds')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def and_list(names: Sequence[str]) -> str:
    """Join names as in a sentence.

    Examples:
        >>> and_list(["a"]), and_list(["a", "b"]), and_list(["a", "b", "c"])
        ('a', 'a and b', 'a, b and c')
    """
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def capital(text: str) -> str:
    """Return a text with a capital first letter.

    Examples:
        >>> capital("nouns and PA")
        'Nouns and PA'
    """
    return text[:1].upper() + text[1:]
