"""What the numbers and the texts of a column of labels stand for: the one place where a value becomes a label.

A number and a text are read by different functions, so that the text `1` is never taken for the number 1.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from merge_snli.base.errors import Message, brief, listed, param
from merge_snli.dataset.label_spellings import (
    TWO_WAY,
    Labels,
    are_nli,
    canonical_name,
    canonical_names,
    task_labels,
    whole_number,
)
from merge_snli.schema import NLI_LABELS

# What is returned for a value that stands for no label, such as the texts (in lower case) and the numbers below it.
NO_LABEL = ""
NO_LABEL_TEXTS = frozenset({"", "-", "hidden", "na", "n/a", "#n/a", "<na>", "null", "none", "nan"})
NO_LABEL_NUMBERS = (-1, -100)

# A name that does not say what its label means: a number, `LABEL_1`, a list or an object.
SAYS_NOTHING = re.compile(r"-?\d+(\.\d*)?|label_\d+|[\[{].*", re.IGNORECASE)


@dataclass(frozen=True)
class LabelNames:
    """What the numbers and the texts of a column of labels stand for.

    Attributes:
        names: The distinct names of the labels, in the order of their numbers in the data set.
        of_numbers: The name of the label of each number of the source, or `NO_LABEL`.
        of_texts: The name of the label of each text of the source.
        are_numbers: Whether the values of the column are numbers.
    """

    names: Labels
    of_numbers: Mapping[int, str]
    of_texts: Mapping[str, str]
    are_numbers: bool = False

    def read(self, text: str) -> str | None:
        """Return the label of a value of the column.

        Args:
            text: The value as text.

        Returns:
            The name of the label, `NO_LABEL` for a value that stands for no label, or None for an unknown value.
        """
        number = whole_number(text) if self.are_numbers else None
        return self.of_text(text) if number is None else self.of_number(number)

    def of_number(self, number: int) -> str | None:
        """Return the label of a number, like `read`."""
        return self.of_numbers.get(number, NO_LABEL if number in NO_LABEL_NUMBERS else None)

    def of_text(self, text: str) -> str | None:
        """Return the label that a text spells, also in another usual spelling of NLI labels, like `read`."""
        if text in self.of_texts:
            return self.of_texts[text]
        if stands_for_no_label(text):
            return NO_LABEL
        label = canonical_name(text, two_way=len(self.names) == len(TWO_WAY)) if self._canonical else None
        return self.names[self._canonical.index(label)] if label in self._canonical else None

    @cached_property
    def _canonical(self) -> tuple[str, ...]:
        """The canonical names of the labels; empty if they are not NLI labels or have other texts."""
        are_their_names = all(text == name for text, name in self.of_texts.items())
        return (canonical_names(self.names) or ()) if are_their_names else ()


def names_in_order(names: Sequence[str], *, are_numbers: bool = False) -> LabelNames:
    """Return labels that are numbered in order, and written as their names.

    Args:
        names: The names in the order of their numbers.
        are_numbers: Whether the values of the column are numbers.
    """
    return LabelNames(tuple(names), dict(enumerate(names)), {name: name for name in names}, are_numbers)


def names_of_entries(entries: Sequence[str], *, are_numbers: bool = False) -> LabelNames:
    """Return the labels that the entries of `--data-labels` name.

    Args:
        entries: `VALUE=NAME`, or names in the order of their numbers. A name that is a whole number names itself.
        are_numbers: Whether the values of the column are numbers.

    Examples:
        >>> names_of_entries(["entailment", "neutral", "contradiction"]).of_number(1)
        'neutral'
        >>> names_of_entries(["1=entailment", "2=neutral", "3=contradiction"]).of_number(1)
        'entailment'
    """
    of_texts = {}
    for entry in entries:
        value, _, name = entry.partition("=")
        of_texts[value] = name or value
    of_numbers = {number: name for value, name in of_texts.items() if (number := whole_number(value)) is not None}
    names = tuple(dict.fromkeys(of_texts.values()))
    return LabelNames(names, of_numbers or dict(enumerate(of_texts.values())), of_texts, are_numbers)


def stands_for_no_label(text: str) -> bool:
    """Return whether a text, or a number as text, stands for no label."""
    return text.lower() in NO_LABEL_TEXTS or whole_number(text) in NO_LABEL_NUMBERS


def say_nothing(names: Sequence[str]) -> bool:
    """Return whether no name says what its label means, as `1` and `LABEL_1`."""
    return all(SAYS_NOTHING.fullmatch(name) for name in names)


def labels_of_other_task(names: Sequence[str]) -> Message | None:
    """Return what to say at the beginning about labels that are not those of NLI; None for those of NLI."""
    if are_nli(task_labels(names)):
        return None
    option = param("data_labels", tuple(f"{brief(name, 20)}=LABEL" for name in names))
    return Message(
        f"the labels {listed(names)} are not those of NLI: they are a task of its own, for models with these labels. "
        f"If they mean {', '.join(NLI_LABELS)}, read the problems with {option}"
    )
