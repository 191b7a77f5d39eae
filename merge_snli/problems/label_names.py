"""The names of the labels, and how the source spells them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_DIGITS = 4
"""Longer numbers are no labels."""


@dataclass(frozen=True)
class LabelNames:
    """The labels of a source.

    Attributes:
        spellings: How the source writes each, in the order of its numbers.
        meanings: The name of each, in the same order; two spellings may have one name.
    """

    spellings: tuple[str, ...]
    meanings: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names in the order of their numbers in the data set that is made, each once."""
        return tuple(dict.fromkeys(self.meanings))

    def number(self, text: str) -> int | None:
        """Return the number of the label that the source writes so, by its name or its number; None for no label."""
        if text in self.spellings:
            return self.names.index(self.meanings[self.spellings.index(text)])
        if text.isdecimal() and len(text) <= MAX_DIGITS and int(text) < len(self.meanings):
            return self.names.index(self.meanings[int(text)])
        return None


def read_label_names(given: Sequence[str]) -> LabelNames:
    """Read the entries of `--label-names`.

    Args:
        given: Names in the order of their numbers; `spelling=name` where the source writes a label otherwise.
    """
    pairs = [entry.partition("=") for entry in given]
    return LabelNames(
        tuple(spelling for spelling, _, _ in pairs), tuple(name or spelling for spelling, _, name in pairs)
    )
