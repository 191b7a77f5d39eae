"""Rows of problems as their source has them, and the names of their labels."""

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from merge_snli.base.errors import InputError, param
from merge_snli.dataset.label_spellings import canonical_name, canonical_names

# Joins the names of columns, as in `question+answer`.
JOIN = "+"

# A text with more digits is not the number of a label.
MAX_DIGITS = 4

WORDS_OF_SENTENCE = 4  # a column's name of so many words is probably a sentence in a file without a header
EXAMPLE = "premise,hypothesis,label"

# A whole number written as a decimal, such as `1.0` in a CSV file that pandas wrote.
WHOLE_NUMBER = re.compile(r"(-?\d+)\.0*")


class SourceRow(NamedTuple):
    """A row as its source has it.

    Attributes:
        location: File and line, or data set, split and row, for messages.
        values: The row's values by column.
        header: The location of the names of the columns, if they are those of all rows.
    """

    location: str
    values: Mapping[str, Any]
    header: str | None = None

    def columns_of(self, name: str) -> list[str]:
        """Return the columns that a name such as `question+answer` joins; the name itself if it is a column."""
        return [name] if name in self.values else name.split(JOIN)

    def value(self, column: str, option: str) -> Any:  # noqa: ANN401 - any value of a source
        """Return the value of a column.

        Args:
            column: The column's name.
            option: The option that sets this name, for the message.
        """
        self.require({option: column})
        return self.values[column]

    def require(self, columns: Mapping[str, str]) -> None:
        """Check that the row has columns.

        Args:
            columns: Their names, by the option that sets each.
        """
        named = ((option, column) for option, name in columns.items() for column in self.columns_of(name))
        missing = [(option, column) for option, column in named if column not in self.values]
        if not missing:
            return
        names = [str(name) for name in self.values]
        wanted = ", ".join(repr(column) for _, column in missing)
        options = ", ".join(map(param, dict(missing)))
        is_problem = any(len(name.split()) >= WORDS_OF_SENTENCE for name in names)
        hint = f"if the first line of the file is a problem, write the names above it, such as {EXAMPLE}; else "
        has = f"{self.header or self.location} has no column {wanted} (columns: {', '.join(names) or 'none'})"
        raise InputError(f"{has}; {hint if is_problem else ''}set the name with {options}")


class Rows(NamedTuple):
    """The rows of a file or a table.

    Attributes:
        read: Yields the rows from the first one, as often as it is called.
        label_names: The names of each ClassLabel column in the order of their numbers.
    """

    read: Callable[[], Iterator[SourceRow]]
    label_names: Mapping[str, tuple[str, ...]] = {}


def label_text(row: SourceRow, column: str) -> str:
    """Return the label of a row as text; a missing label (None or NaN) as the empty text.

    Args:
        row: A row of the source.
        column: The label's column.
    """
    label = row.value(column, "label_column")
    return "" if label is None or (isinstance(label, float) and math.isnan(label)) else str(label).strip()


def column_text(row: SourceRow, column: str, option: str) -> str:
    """Return the value of a column: text as it is, a missing value as the empty text, anything else as JSON.

    Args:
        row: A row of the source.
        column: The column.
        option: The option that names the column, for messages.
    """
    value = row.value(column, option)
    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    require_valid_unicode(text, row, column)
    return text


def require_valid_unicode(text: str, row: SourceRow, column: str) -> None:
    """Check that a text can be written as UTF-8.

    Args:
        text: The text.
        row: Its row, for the message.
        column: Its column, for the message.
    """
    if "\0" in text:
        raise InputError(f"{row.location}: column {column!r} contains a NUL character; fix the text")
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise InputError(
            f"{row.location}: column {column!r} contains a lone surrogate, which cannot be written as UTF-8; "
            "fix the text"
        )


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
    match = WHOLE_NUMBER.fullmatch(text)
    return text if match is None else match[1]


def read_label_names(entries: Sequence[str]) -> LabelNames:
    """Read the entries of `--data-labels`.

    Args:
        entries: Names in the order of their numbers; `spelling=name` if the source spells a label differently.
    """
    pairs = [entry.partition("=") for entry in entries]
    return LabelNames(
        tuple(spelling for spelling, _, _ in pairs), tuple(name or spelling for spelling, _, name in pairs)
    )
