"""A variant: a problem with every occurrence of a shared word replaced, in premise and hypothesis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from generation.sentences.replacing import replace_occurrences, replaced_offsets

if TYPE_CHECKING:
    from generation.replacements.combine import Replacement
    from generation.sentences.words import SharedWord
    from merge_snli.problems.reading import Problem


@dataclass(frozen=True, slots=True)
class Variant:
    """A variant ⟨P_ij, H_ij, l⟩ = ⟨P[w_i/v_ij], H[w_i/v_ij], l⟩ of a seed problem.

    Attributes:
        seed: The problem that it was made from.
        word: The shared word that was replaced.
        replacement: The word that replaces it.
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
        """The premise with every occurrence replaced in its own case."""
        return replace_occurrences(self.seed.premise, self.word.premise, self.word.text, self.replacement.word)

    @property
    def hypothesis(self) -> str:
        """The hypothesis with every occurrence replaced in its own case."""
        return replace_occurrences(self.seed.hypothesis, self.word.hypothesis, self.word.text, self.replacement.word)

    @property
    def premise_offsets(self) -> tuple[int, ...]:
        """The offsets at which the replacement starts in `premise`."""
        return replaced_offsets(self.seed.premise, self.word.premise, self.word.text, self.replacement.word)

    @property
    def hypothesis_offsets(self) -> tuple[int, ...]:
        """The offsets at which the replacement starts in `hypothesis`."""
        return replaced_offsets(self.seed.hypothesis, self.word.hypothesis, self.word.text, self.replacement.word)
