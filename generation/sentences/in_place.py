"""A suggestion in its place: the sentence with only one occurrence replaced."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class InPlace:
    """A suggestion in the place of one occurrence.

    Attributes:
        sentence: The sentence, with the original word.
        start: Offset of the occurrence's first character.
        end: Offset behind its last character.
        word: What is to stand there.
    """

    sentence: str
    start: int
    end: int
    word: str

    @property
    def text(self) -> str:
        """The sentence with the word in place."""
        return self.sentence[: self.start] + self.word + self.sentence[self.end :]
