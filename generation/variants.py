"""Variants: the problem with every occurrence of a shared word replaced by one word, in both sentences alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from generation.combine import Replacement
    from generation.problems import Problem
    from generation.words import SharedWord


@dataclass(frozen=True, slots=True)
class Variant:
    """A variant ⟨P_ij, H_ij, l⟩ = ⟨P[w_i/v_ij], H[w_i/v_ij], l⟩ of a seed problem.

    Attributes:
        seed: The problem that it was made from.
        word: The shared word that was replaced.
        replacement: What stands in its place.
    """

    seed: Problem
    word: SharedWord
    replacement: Replacement

    @property
    def id(self) -> str:
        """The seed's id, word class, original and replacement, joined by colons."""
        return f"{self.seed.id}:{self.word.word_class}:{self.word.text}:{self.replacement.word}"

    @property
    def premise(self) -> str:
        """The premise with the replacement at every occurrence; nothing else of it differs."""
        return replace(self.seed.premise, self.word.premise, self.word.text, self.replacement.word)

    @property
    def hypothesis(self) -> str:
        """The hypothesis with the replacement at every occurrence; nothing else of it differs."""
        return replace(self.seed.hypothesis, self.word.hypothesis, self.word.text, self.replacement.word)


def replace(sentence: str, starts: Sequence[int], original: str, word: str) -> str:
    """Put `word` in the place of `original` at each of the offsets.

    Args:
        sentence: The sentence.
        starts: Offsets of the first characters of the occurrences, rising.
        original: What stands there.
        word: What is to stand there.
    """
    for start in reversed(starts):
        sentence = sentence[:start] + word + sentence[start + len(original) :]
    return sentence
