"""Forms: sentences with one occurrence of a shared word masked, the inputs of the masked LMs."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from generation.sentences.tagging import TaggedProblem
    from generation.sentences.words import SharedWord

PREMISE, HYPOTHESIS = "premise", "hypothesis"
SIDES = (PREMISE, HYPOTHESIS)

ONE, ALL = "one", "all"
"""The values of the option `mask`: mask one occurrence per form, or every occurrence in the sentence."""


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
    if mask == ONE or len(starts) == 1:
        return tuple(Form(_with_full_stop(sentence, start + len(word)), start, start + len(word)) for start in starts)
    text = _with_full_stop(sentence, max(starts) + len(word))
    return tuple(
        Form(text, start, start + len(word), tuple(other for other in starts if other != start)) for start in starts
    )


def forms_of_word(tagged: TaggedProblem, word: SharedWord, mask: str = ONE) -> Iterator[tuple[str, str, Form]]:
    """Yield the forms of a shared word, the premise's before the hypothesis's.

    Args:
        tagged: The problem.
        word: One of its shared words.
        mask: `one` or `all`, see `forms`.

    Yields:
        The side, its sentence, and the form.
    """
    for side, sentence, starts in (
        (PREMISE, tagged.premise.text, word.premise),
        (HYPOTHESIS, tagged.hypothesis.text, word.hypothesis),
    ):
        for form in forms(sentence, word.text, starts, mask):
            yield side, sentence, form


def _with_full_stop(sentence: str, end: int) -> str:
    """Add a full stop if nothing follows the mask, since masked LMs predict punctuation at the end of a sentence."""
    return sentence if sentence[end:].strip() else f"{sentence[:end]}.{sentence[end:]}"
