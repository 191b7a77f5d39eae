"""Names of the labels, and how the source spells them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from merge_snli.dataset.label_spellings import canonical_name, canonical_names

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_DIGITS = 4
"""A text with more digits is not the number of a label."""

WHOLE_NUMBER = re.compile(r"(-?\d+)\.0*")
"""A whole number written as a decimal, such as `1.0` in a CSV file that pandas wrote."""


@dataclass(frozen=True)
class LabelNames:
    """The labels of a source.

    Attributes:
        spellings: How the source writes each label, in the order of its numbers.
        meanings: The name of each label, in the same order. Several spellings may have the same name.
    """

    spellings: tuple[str, ...]
    meanings: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The distinct names, in the order of their numbers in the generated data set."""
        return tuple(dict.fromkeys(self.meanings))

    def number(self, text: str) -> int | None:
        """Return the number of a label in the generated data set.

        Args:
            text: A spelling of the source, one of its numbers, or another usual spelling of its NLI labels.

        Returns:
            The number of the label's name; None if `text` is not a label.
        """
        if text in self.spellings:
            return self.names.index(self.meanings[self.spellings.index(text)])
        text = without_decimals(text)
        if text.isdecimal() and len(text) <= MAX_DIGITS and int(text) < len(self.meanings):
            return self.names.index(self.meanings[int(text)])
        label = canonical_name(text, two_way=len(self.names) == 2) if self._canonical else None
        return self._canonical.index(label) if label in self._canonical else None

    @cached_property
    def _canonical(self) -> tuple[str, ...]:
        """The canonical names of the labels; empty if they are not NLI labels or have spellings from the user."""
        return (canonical_names(self.names) or ()) if self.spellings == self.meanings else ()


def without_decimals(text: str) -> str:
    """Return `1` for `1.0`, and any other text unchanged."""
    found = WHOLE_NUMBER.fullmatch(text)
    return text if found is None else found[1]


def read_label_names(entries: Sequence[str]) -> LabelNames:
    """Read the entries of `--data-labels`.

    Args:
        entries: Names in the order of their numbers; `spelling=name` if the source spells a label differently.
    """
    pairs = [entry.partition("=") for entry in entries]
    return LabelNames(
        tuple(spelling for spelling, _, _ in pairs), tuple(name or spelling for spelling, _, name in pairs)
    )
