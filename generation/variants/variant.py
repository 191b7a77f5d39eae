"""Variants: the problem with every occurrence of a shared word replaced by one word, in both sentences alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from generation.sentences.whole_words import with_case_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from generation.replacements.combine import Replacement
    from generation.sentences.words import SharedWord
    from merge_snli.problems.reading import Problem


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
        """The premise with the replacement at every occurrence, in its case; nothing else of it differs."""
        return replace(self.seed.premise, self.word.premise, self.word.text, self.replacement.word)

    @property
    def hypothesis(self) -> str:
        """The hypothesis with the replacement at every occurrence, in its case; nothing else of it differs."""
        return replace(self.seed.hypothesis, self.word.hypothesis, self.word.text, self.replacement.word)


def replace(sentence: str, starts: Sequence[int], original: str, word: str) -> str:
    """Put `word` in the place of `original` at each of the offsets.

    Args:
        sentence: The sentence.
        starts: Offsets of the first characters of the occurrences, rising.
        original: What stands there, in whatever case.
        word: What is to stand there, in the case pattern of `original`.
    """
    for start in reversed(starts):
        end = start + len(original)
        sentence = sentence[:start] + in_case_of(sentence[start:end], original, word) + sentence[end:]
    return sentence


def in_case_of(occurrence: str, original: str, word: str) -> str:
    """Write a replacement as an occurrence of the shared word asks for.

    Args:
        occurrence: The shared word as it is written in this place.
        original: The shared word's own text, whose case pattern `word` has.
        word: The replacement.
    """
    return word if occurrence == original else with_case_of(occurrence, word)
