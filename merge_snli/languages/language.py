"""Read what is known about a language from its file: words of closed classes, negations, and sounds in elisions."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from merge_snli.base.errors import InputError

FOLDER = Path(__file__).parent
ENGLISH = "en"

# Languages that are written without spaces, by code. A masked LM's pieces are no words there.
UNSPACED = {
    "bo": "Tibetan",
    "dz": "Dzongkha",
    "ja": "Japanese",
    "km": "Khmer",
    "lo": "Lao",
    "my": "Burmese",
    "th": "Thai",
    "yue": "Cantonese",
    "zh": "Chinese",
}

# The entries of a file that are one text and no list of words.
TEXTS = ("name", "particle")

# The sound of a word to which no other sound of its language applies.
OTHER_SOUND = "other"


@dataclass(frozen=True)
class Language:
    """What is known about a language; all words are in lower case.

    Attributes:
        name: Its name in English.
        function_words: Frequent words of its closed classes.
        negations: Negations, and words that reverse an inference as "without" does.
        affixes: Bare affixes, which are vocabulary pieces and which taggers tag like words.
        noun_capitals: Whether nouns begin with a capital.
        own_tags: Whether agreement needs the tagger's own tags as well, because the universal features are too few.
        particle: The tagger's own tag of a particle that is separated from its verb, as "bei" in "er trat ihm bei".
        sounds: Regular expressions that match the beginning of a word without accents and case, by sound; the first
            one that matches says its sound, `OTHER_SOUND` if none does.
        before: By sound, the words that stand before words of that sound; those of other words before them depend on
            no sound.
    """

    name: str
    function_words: frozenset[str] = frozenset()
    negations: frozenset[str] = frozenset()
    affixes: frozenset[str] = frozenset()
    noun_capitals: bool = False
    own_tags: bool = False
    particle: str | None = None
    sounds: Mapping[str, str] = field(default_factory=dict)
    before: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def sound_of(self, word: str) -> str:
        """Return the sound at the beginning of a word, in lower case without accents."""
        return next((sound for sound, pattern in self.sounds.items() if re.match(pattern, word)), OTHER_SOUND)

    def sounds_after(self, word: str) -> frozenset[str]:
        """Return the sounds with which a word may begin after a word in lower case; empty for any."""
        return frozenset(sound for sound, words in self.before.items() if word in words)


@cache
def languages() -> Mapping[str, Language]:
    """Return the languages of the folder by ISO 639-1 code."""
    return {path.stem: _language(path) for path in sorted(FOLDER.glob("*.toml"))}


def language_of(code: str | None) -> Language:
    """Return what is known about a language; only its code if the folder does not have it.

    Args:
        code: Its code; None for English.
    """
    code = code or ENGLISH
    return languages().get(code) or Language(code)


def is_english(code: str | None) -> bool:
    """Return whether an option `language` is English, which is its default."""
    return code in (None, ENGLISH)


def is_function_word(text: str, code: str | None) -> bool:
    """Return whether a word, in any case, is a function word of another language than English."""
    return not is_english(code) and text.lower() in language_of(code).function_words


def check_code(code: str) -> None:
    """Check the code of a language."""
    if not re.fullmatch("[a-z]{2,3}", code):
        raise InputError(f"⟦language⟧ is {code!r}: give the ISO 639 code of a language, such as de")
    if code in UNSPACED:
        raise InputError(
            f"{UNSPACED[code]} ({code}) is written without spaces, so the pieces of a masked LM cannot be told to be "
            "whole words: choose problems in a language that separates its words"
        )


def _language(path: Path) -> Language:
    """Read a file of the folder: texts are lists of words."""
    read = tomllib.loads(path.read_text(encoding="utf-8"))
    for key, value in read.items():
        if isinstance(value, str) and key not in TEXTS:
            read[key] = frozenset(value.split())
    before = read.get("before", {})
    for sound, words in before.items():
        before[sound] = frozenset(words.split())
    return Language(**read)
