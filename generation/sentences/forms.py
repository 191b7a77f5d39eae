"""Sentences with a word masked or replaced: the inputs of the masked LMs, and suggestions in the case of a word."""

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

PREMISE, HYPOTHESIS = "premise", "hypothesis"
SIDES = (PREMISE, HYPOTHESIS)

# The values of the option `mask`: mask one occurrence per form, or every occurrence in the sentence.
ONE, ALL = "one", "all"

# Closing quotation marks and brackets belong to the sentence. An abbreviation such as "Dr." ends one as well: then the
# window begins or ends within a sentence, as the text of a masked LM often does.
SENTENCE_END = re.compile(r"[.!?…]+[\"'”’)\]]*\s+|\n\s*")


@dataclass(frozen=True, slots=True)
class Form:
    """The masked context S[s_i := MASK] of section 3 of the paper, stored with the original words.

    Attributes:
        text: The sentence, with a full stop after the word if the word would end it.
        start: Offset of the first character of the masked word.
        end: Offset after its last character.
        also_masked: Offsets of the first characters of the other occurrences that are masked, too.
    """

    text: str
    start: int
    end: int
    also_masked: tuple[int, ...] = ()

    @property
    def original(self) -> str:
        """The masked word."""
        return self.text[self.start : self.end]

    def within(self, start: int, end: int) -> "Form":
        """Return the form of the same occurrence in a window of the text, without white space at its end.

        Args:
            start: Offset of the first character of the window.
            end: Offset after its last character.
        """
        others = tuple(other - start for other in self.also_masked if start <= other < end)
        begin, stop = self.start - start, self.end - start
        text = _with_full_stop(self.text[start:end].rstrip(), max(begin, *others) + stop - begin if others else stop)
        return Form(text, begin, stop, others)

    @property
    def key(self) -> str:
        """The first 32 hexadecimal digits of the sha256 of the form's content. Equal forms have equal keys."""
        others = "".join(f"and {start} " for start in self.also_masked)
        return hashlib.sha256(f"{others}{self.start} {self.end} {self.text}".encode()).hexdigest()[:32]


def forms(sentence: str, word: str, starts: Sequence[int], mask: str = ONE) -> tuple[Form, ...]:
    """Return the forms of a word in a sentence, one per occurrence.

    Args:
        sentence: Premise or hypothesis.
        word: The shared word.
        starts: Offset of the first character of each occurrence.
        mask: `one` masks only the form's own occurrence. `all` also masks the others, so that the masked LM does not
            see the word. Both give the same form if the word occurs once.

    Returns:
        The forms in the order of `starts`.
    """
    found = []
    for start in starts:
        end = start + len(word)
        others = () if mask == ONE else tuple(other for other in starts if other != start)
        last = max((start, *others)) + len(word)
        found.append(Form(_with_full_stop(sentence, last), start, end, others))
    return tuple(found)


def sentence_starts(text: str) -> list[int]:
    """Return the offset of the first character of each sentence, ascending from 0."""
    return [0, *sorted({match.end() for match in SENTENCE_END.finditer(text)} - {len(text)})]


def _with_full_stop(sentence: str, end: int) -> str:
    """Add a full stop if nothing follows the mask, since masked LMs predict punctuation at the end of a sentence."""
    return sentence if sentence[end:].strip() else f"{sentence[:end]}.{sentence[end:]}"


class Substitution(NamedTuple):
    """A suggestion in the place of one occurrence of the original word.

    Attributes:
        sentence: The sentence, with the original word.
        start: Offset of the occurrence's first character.
        end: Offset after its last character.
        word: The suggestion.
    """

    sentence: str
    start: int
    end: int
    word: str

    @property
    def text(self) -> str:
        """The sentence with the suggestion."""
        return self.sentence[: self.start] + self.word + self.sentence[self.end :]


def match_case(original: str, word: str) -> str:
    """Return `word` in the case pattern of `original`.

    Args:
        original: The word to replace.
        word: The suggestion, as it is in the masked LM's vocabulary.

    Returns:
        `word` in lower case, capitalized or in upper case, like `original`; unchanged if `original` mixes cases.
    """
    return case_of(original)(word)


@lru_cache(maxsize=1024)
def case_of(original: str) -> Callable[[str], str]:
    """Return the function that `match_case` applies to words for an original."""
    capitals = [letter.isupper() for letter in original if letter.isalpha()]
    if not any(capitals):
        return str.lower
    if all(capitals) and len(capitals) > 1:
        return str.upper
    if capitals[0] and not any(capitals[1:]):
        return lambda word: word[:1].upper() + word[1:].lower()
    return str


def replace_occurrences(sentence: str, starts: Sequence[int], original: str, word: str) -> tuple[str, tuple[int, ...]]:
    """Replace `original` with `word` at each offset.

    Args:
        sentence: The sentence.
        starts: Offsets of the first characters of the occurrences, ascending.
        original: The word to replace; its occurrences may have other cases.
        word: The replacement, in the case pattern of `original`.

    Returns:
        The sentence, and the offsets at which the replacements start in it.
    """
    replaced = ""
    offsets = []
    position = 0
    for start in starts:
        end = start + len(original)
        replaced += sentence[position:start]
        offsets.append(len(replaced))
        replaced += match_occurrence_case(sentence[start:end], original, word)
        position = end
    return replaced + sentence[position:], tuple(offsets)


def match_occurrence_case(occurrence: str, original: str, word: str) -> str:
    """Return a replacement in the case pattern of one occurrence of the shared word.

    Args:
        occurrence: The shared word as it is written at this occurrence.
        original: The text of the shared word.
        word: The replacement, in the case pattern of `original`.
    """
    return word if occurrence == original else match_case(occurrence, word)
