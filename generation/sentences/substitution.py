"""A sentence with one occurrence of a word replaced by a suggestion."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Substitution:
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
