"""Check the language of problems by their function words; `merge_snli.languages` has those of each language."""

import logging
import re
from collections import Counter
from collections.abc import Mapping
from functools import cache

from merge_snli.base.errors import InputError, param
from merge_snli.languages.language import ENGLISH, languages

logger = logging.getLogger(__name__)

WORD = re.compile(r"[^\W\d_]+")
OTHER_SCRIPT = re.compile(r"[^\W\d_\u0000-\u024f\u1e00-\u1eff]")  # a letter that is not Latin

WORDS, LETTERS, NOT_LATIN = "words", "letters", "not latin"

# The share of English function words is 46 % in SNLI and 48 % in MultiNLI, about 20 % in captions without articles, and
# 0 to 10 % in other languages, which share some of these words ("in", "is" and "was" are Dutch).
MIN_SHARE = 0.12

# A text may lack this many function words. So none of fewer than 67 words is refused for the share alone, such as a few
# problems of the kind "Dogs bark" and "Animals make noise".
MARGIN = 8

# More function words of another language than of the expected one show that language if they are at least this many:
# fewer can be parts of names, such as "De Niro" in both sentences.
MIN_OTHER = 3

# A language is named if at least this share are its function words. It is 30 to 45 % in the languages of the folder.
MIN_NAMED = 0.2
ANOTHER = "another language"

MAX_DEVIATING = 0.1  # the largest share of problems that may look like another language; they get a warning


def use_of_words(text: str, expected: str) -> Counter[str]:
    """Count the `WORDS` and `LETTERS` of a text, letters that are `NOT_LATIN`, and function words by language.

    Args:
        text: The text.
        expected: The code of its expected language. The function words of other languages that it shares count as its
            own only.
    """
    words = WORD.findall(text.lower())
    codes = _codes(expected)
    counts = Counter({WORDS: len(words), LETTERS: sum(map(len, words))})
    if not text.isascii():
        counts[NOT_LATIN] = len(OTHER_SCRIPT.findall(text))
    for word in words:
        counts.update(codes.get(word, ()))
    return counts


@cache
def _codes(expected: str) -> Mapping[str, tuple[str, ...]]:
    """Return the languages that each function word shows: only the expected one if it is a word of that."""
    shown: dict[str, tuple[str, ...]] = {}
    for code, language in languages().items():
        for word in language.function_words:
            shown[word] = (*shown.get(word, ()), code)
    return shown | dict.fromkeys(languages()[expected].function_words, (expected,))


def other_language(use: Mapping[str, int], expected: str) -> str | None:
    """Return what a text looks like if it does not look like the expected language.

    Args:
        use: Its counts, from `use_of_words`.
        expected: The code of the language.

    Returns:
        The name of another language, or what is known of it; None if the text looks like the expected language, or is
        too short to tell.
    """
    if 2 * use[NOT_LATIN] > use[LETTERS]:
        return "a language in other letters"
    best = max((code for code in languages() if code != expected), key=lambda code: use[code])
    if use[best] >= MIN_OTHER and use[best] > use[expected]:
        return languages()[best].name if use[best] >= MIN_NAMED * use[WORDS] else ANOTHER
    return ANOTHER if use[expected] < MIN_SHARE * use[WORDS] - MARGIN else None


class LanguageCheck:
    """Checks the language of problems while they are read."""

    def __init__(self, expected: str = ENGLISH, *, is_given: bool = False) -> None:
        """Start without problems.

        Args:
            expected: The code of the language.
            is_given: Whether the user gave it: then problems that look like another one are a warning, not an error.
        """
        self._expected = expected
        self._is_given = is_given
        self._problems = 0
        self._total: Counter[str] = Counter()
        self._deviating = 0
        self._first = ""

    def add(self, location: str, premise: str, hypothesis: str) -> None:
        """Count a problem.

        Args:
            location: Where it is, for messages.
            premise: Its premise.
            hypothesis: Its hypothesis.
        """
        use = use_of_words(f"{premise} {hypothesis}", self._expected)
        self._problems += 1
        self._total.update(use)
        other = other_language(use, self._expected)
        if other is not None:
            self._deviating += 1
            self._first = self._first or f"the first at {location} like {other}"

    def require(self, problems: str) -> None:
        """Check that the problems look like the expected language; warn about single ones that do not.

        Args:
            problems: The name of the problems.
        """
        name = languages()[self._expected].name
        other = other_language(self._total, self._expected)
        if other is None and not self._deviating:
            return
        look = f"do not all look like {name}: {self._deviating:,} of {self._problems:,} look like other languages"
        look = f"{look}, {self._first}"
        if other is not None:
            share = self._total[self._expected] / self._total[WORDS]
            look = f"look like {other}, not {name} ({share:.1%} of their words are {name} function words)"
        advice = "remove them, or check their variants"
        if other is not None or self._deviating > MAX_DEVIATING * self._problems:
            advice = f"the tagger and the filters are for {name}, as given"
            if not self._is_given:
                codes = [code for code, language in languages().items() if language.name == other]
                instead = "".join(f", or {param('language', code)} for {other}" for code in codes)
                raise InputError(
                    f"the problems of {problems} {look}: the tagger and the filters are for {name}. Give problems in "
                    f"{name}, or add {param('language', self._expected)} if they are{instead}"
                )
        logger.warning("the problems of %s %s; %s", problems, look, advice)
