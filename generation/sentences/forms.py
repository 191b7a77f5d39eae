"""Forms: a sentence with an occurrence of a shared word masked, which is what a masked LM is asked."""

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
"""What is masked: one occurrence at a time, or every occurrence of the sentence at once."""


@dataclass(frozen=True, slots=True)
class Form:
    """The masked context S[s_i := MASK] of section 3, with the original words still in their places.

    Attributes:
        text: The sentence, with a full stop after the word where the word would end it.
        start: Offset of the first character of the masked word, the one that is asked for.
        end: Offset behind its last character.
        also_masked: Offsets of the first characters of the word's other occurrences that are masked at the same time.
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
        """The first 32 hexadecimal digits of the sha256 of the form's content: the same form has one key anywhere."""
        others = "".join(f"and {start} " for start in self.also_masked)
        return hashlib.sha256(f"{others}{self.start} {self.end} {self.text}".encode()).hexdigest()[:32]


def forms(sentence: str, word: str, starts: Sequence[int], mask: str = ONE) -> tuple[Form, ...]:
    """Make the forms of a word in a sentence, one an occurrence.

    Args:
        sentence: Premise or hypothesis.
        word: The shared word.
        starts: Offset of the first character of each occurrence.
        mask: `one` masks the occurrence that a form asks for alone; `all` the others with it, so that a masked LM
            never sees the word in the sentence. A word that occurs once has the same form either way.

    Returns:
        The forms in the order of `starts`.
    """
    if mask == ONE or len(starts) == 1:
        return tuple(Form(_stopped(sentence, start + len(word)), start, start + len(word)) for start in starts)
    text = _stopped(sentence, max(starts) + len(word))
    return tuple(
        Form(text, start, start + len(word), tuple(other for other in starts if other != start)) for start in starts
    )


def forms_of_word(tagged: TaggedProblem, word: SharedWord, mask: str = ONE) -> Iterator[tuple[str, str, Form]]:
    """Yield the forms of a shared word, the premise's before the hypothesis's.

    Args:
        tagged: The problem.
        word: One of its shared words.
        mask: As of `forms`.

    Yields:
        The side, its sentence, and the form.
    """
    for side, sentence, starts in (
        (PREMISE, tagged.premise.text, word.premise),
        (HYPOTHESIS, tagged.hypothesis.text, word.hypothesis),
    ):
        for form in forms(sentence, word.text, starts, mask):
            yield side, sentence, form


def _stopped(sentence: str, end: int) -> str:
    """Add a full stop where nothing follows the mask, else a masked LM proposes punctuation there."""
    return sentence if sentence[end:].strip() else f"{sentence[:end]}.{sentence[end:]}"
