"""Write numbers and lists as parts of a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

SMALLEST_P = 0.001
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


def percent(share: float) -> str:
    """Return a share in percent.

    Examples:
        >>> percent(0.1234)
        '12.3%'
    """
    return f"{100 * share:.1f}%"


def points(difference: float, *, sign: bool = True) -> str:
    """Return a difference of shares in percentage points.

    Examples:
        >>> points(-0.021), points(0.021, sign=False)
        ('−2.1 points', '2.1 points')
    """
    return f"{_number(difference, sign=sign)} points"


def points_range(differences: Sequence[float], *, sign: bool = True) -> str:
    """Return the range of some differences of shares.

    Examples:
        >>> points_range([0.021, -0.3]), points_range([0.1], sign=False)
        ('−30.0 to +2.1 points', '10.0 points')
    """
    ends = [_number(end, sign=sign) for end in (min(differences), max(differences))]
    return f"{' to '.join(dict.fromkeys(ends))} points"


def _number(difference: float, *, sign: bool) -> str:
    rounded = round(100 * difference, 1) + 0.0  # + 0.0: no -0.0
    return format(rounded, "+.1f" if sign and rounded else ".1f").replace("-", "−")


def p_value(p: float) -> str:
    """Return a p-value as an equation or a bound.

    Examples:
        >>> p_value(0.0312), p_value(1e-9)
        ('p = 0.031', 'p < 0.001')
    """
    return f"p < {SMALLEST_P}" if p < SMALLEST_P else f"p = {p:.3f}"


def and_list(names: Sequence[str]) -> str:
    """Join names as in a sentence.

    Examples:
        >>> and_list(["a"]), and_list(["a", "b"]), and_list(["a", "b", "c"])
        ('a', 'a and b', 'a, b and c')
    """
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def short_list(names: Sequence[str], most: int) -> str:
    """Join names as in a sentence, and count those after the first few.

    Examples:
        >>> short_list(["a", "b", "c", "d"], 2)
        'a, b and 2 others'
    """
    if len(names) <= most + 1:
        return and_list(names)
    return and_list([*names[:most], f"{len(names) - most} others"])


def capital(text: str) -> str:
    """Return a text with a capital first letter.

    Examples:
        >>> capital("nouns and PA")
        'Nouns and PA'
    """
    return text[:1].upper() + text[1:]
