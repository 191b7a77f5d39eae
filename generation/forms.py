"""Forms: a sentence with exactly one occurrence of a shared word masked, which is what a masked LM is asked."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Form:
    """The masked context S[s_i := MASK] of section 3, with the original word still in its place.

    Attributes:
        text: The sentence, with a full stop after the word where the word would end it.
        start: Offset of the masked word's first character.
        end: Offset behind its last character.
    """

    text: str
    start: int
    end: int

    @property
    def original(self) -> str:
        """The masked word."""
        return self.text[self.start : self.end]

    @property
    def key(self) -> str:
        """The first 32 hexadecimal digits of the sha256 of the form's content: the same form has one key anywhere."""
        return hashlib.sha256(f"{self.start} {self.end} {self.text}".encode()).hexdigest()[:32]


def forms(sentence: str, word: str, starts: Sequence[int]) -> tuple[Form, ...]:
    """Make the forms of a word in a sentence, one an occurrence.

    Args:
        sentence: Premise or hypothesis.
        word: The shared word.
        starts: Offset of the first character of each occurrence.

    Returns:
        The forms in the order of `starts`.
    """
    return tuple(_form(sentence, start, start + len(word)) for start in starts)


def _form(sentence: str, start: int, end: int) -> Form:
    """Add a full stop where nothing follows the mask, else a masked LM proposes punctuation there."""
    if sentence[end:].strip():
        return Form(sentence, start, end)
    return Form(f"{sentence[:end]}.{sentence[end:]}", start, end)
