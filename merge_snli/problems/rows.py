"""Rows of problems as their source has them, and the types of their values."""

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple

from merge_snli.base.errors import InputError, brief, listed, nearest, param
from merge_snli.dataset.label_names import stands_for_no_label
from merge_snli.dataset.label_spellings import Labels, whole_number

# Joins the names of columns, as in `question+answer`.
JOIN = "+"

# The longest text that spaCy tags.
MAX_CHARACTERS = 1_000_000

# A column's name that is probably a sentence, in a file without a header: four words, or a full stop after two.
SENTENCE = re.compile(r"\s*\S+(\s+\S+){3,}\s*|.*\w\s+\w.*[.!?]\s*")
# How a byte is read that is not valid UTF-8.
NOT_UTF_8 = re.compile("[\udc80-\udcff]")

EXAMPLE = "premise,hypothesis,label"


@dataclass(frozen=True)
class Header:
    """The names of the columns of a table. Those that nobody asks for may occur twice or be broken.

    Attributes:
        location: Where the names are, for messages.
        names: The names in the order of the columns.
        broken: Why columns cannot be read, by name.
        classes: The names of each ClassLabel column in the order of their numbers.
    """

    location: str
    names: Sequence[str]
    broken: Mapping[str, str] = field(default_factory=dict)
    classes: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @cached_property
    def unusable(self) -> Mapping[str, str]:
        """Why columns cannot be used, by name."""
        unusable = dict(self.broken)
        for name, number in Counter(self.names).items():
            if number > 1:
                unusable[name] = "is there twice; rename one"
        return unusable

    def row(self, location: str, cells: Iterable[Any]) -> "SourceRow":
        """Return a row of the table."""
        values = dict(zip(self.names, cells, strict=True))
        for name in self.unusable:
            del values[name]
        return SourceRow(location, values, self)


class SourceRow(NamedTuple):
    """A row as its source has it.

    Attributes:
        location: File and line, or data set, split and row, for messages.
        values: The row's values by column.
        header: The names of the columns, if they are those of all rows.
    """

    location: str
    values: Mapping[str, Any]
    header: Header | None = None

    def columns_of(self, name: str) -> list[str]:
        """Return the columns that a name such as `question+answer` joins; the name itself if it is a column."""
        return [name] if name in self.values else name.split(JOIN)

    def value(self, column: str, option: str) -> Any:  # noqa: ANN401 - any value of a source
        """Return the value of a column.

        Args:
            column: The column's name.
            option: The option that sets this name, for the message.
        """
        if column not in self.values:
            raise InputError(self._without({column: option}))
        return self.values[column]

    def require(self, columns: Mapping[str, str]) -> None:
        """Check that the row has columns.

        Args:
            columns: Their names, by the option that sets each.
        """
        missing: dict[str, str] = {}
        for option, name in columns.items():
            for column in self.columns_of(name):
                if column not in self.values:
                    missing[column] = option
        if missing:
            raise InputError(self._without(missing))

    def _without(self, missing: Mapping[str, str]) -> str:
        """Return a message on columns that the row lacks, with the option that names each."""
        place = self.location
        names = list(map(str, self.values))
        if self.header is not None:
            place = self.header.location
            names = list(map(str, self.header.names))
            for column in missing:
                if column in self.header.unusable:
                    return f"{place}: column {column!r} {self.header.unusable[column]}"
        hint = next(filter(None, (nearest(column, names) for column in missing)), ";")
        if any(SENTENCE.fullmatch(name) for name in names):
            hint = f"; if the first line of the file is a problem, write the names above it, such as {EXAMPLE}; else"
        has = f"{place} has no column {', '.join(map(repr, missing))} (columns: {listed(names) or 'none'})"
        return f"{has}{hint} set the name with {', '.join(map(param, dict.fromkeys(missing.values())))}"


class Rows(NamedTuple):
    """The rows of a file or a table.

    Attributes:
        read: Yields the rows from the first one, as often as it is called.
        label_names: The names of each ClassLabel column in the order of their numbers.
        numeric: Whether each column has numbers, as the schema says, or None if it has no values; empty without a
            schema.
        has_types: Whether values have types; if not, all are texts.
    """

    read: Callable[[], Iterator[SourceRow]]
    label_names: Mapping[str, Labels] = {}
    numeric: Mapping[str, bool | None] = {}
    has_types: bool = True


def read_files(files: Iterable[Rows]) -> Iterator[SourceRow]:
    """Yield the rows of files from the first one."""
    for file in files:
        yield from file.read()


def are_numbers(files: Iterable[Rows], column: str, limit: int | None = None) -> bool:
    """Return whether a column of labels has numbers.

    The type of the column decides if the source has types, in which the text `1` is a text. In a source without types,
    a column of whole numbers only has numbers. Values that stand for no label do not count.

    Args:
        files: The rows of each file.
        column: The column.
        limit: The number of rows that are read; None for all.
    """
    files = tuple(file for file in files if file.numeric.get(column, False) is not None)
    if all(column in file.numeric for file in files):
        return all(file.numeric[column] for file in files)
    found = False
    rows = ((file, row) for file in files for row in file.read())
    for file, row in islice(rows, limit):
        value = row.values.get(column)
        text = value_text(value)
        if stands_for_no_label(text):
            continue
        if whole_number(text) is None or (file.has_types and isinstance(value, str)):
            return False
        found = True
    return found


def is_missing(value: object) -> bool:
    """Return whether a value stands for a missing one: None, NaN, or that of pandas."""
    return value is None or type(value).__name__ == "NAType" or (isinstance(value, float) and math.isnan(value))


def value_text(value: object) -> str:
    """Return a value of a column of labels as text; a missing one as the empty text."""
    if is_missing(value):
        return ""
    return json.dumps(value, default=str) if isinstance(value, list | dict) else str(value).strip()


def label_text(row: SourceRow, column: str) -> str:
    """Return the label of a row as text; that of a ClassLabel is the name of its class.

    Args:
        row: A row of the source.
        column: The label's column.
    """
    value = row.value(column, "label_column")
    classes = () if row.header is None else row.header.classes.get(column, ())
    if isinstance(value, int) and 0 <= value < len(classes):
        return classes[value]
    text = value_text(value)
    if isinstance(value, int) and text in classes:
        return ""  # a row without a label (-1) is not of the class that is called "-1"
    return text


def column_text(row: SourceRow, column: str, option: str) -> str:
    """Return the value of a column: text as it is, a missing value as the empty text, anything else as JSON.

    Args:
        row: A row of the source.
        column: The column.
        option: The option that names the column, for messages.
    """
    value = row.value(column, option)
    if is_missing(value):
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
    escaped = NOT_UTF_8.search(text)
    if escaped:
        byte = ord(escaped[0]) - 0xDC00
        raise InputError(
            f"{row.location}: byte 0x{byte:02x} in column {column!r} ({brief(text)}) is not valid UTF-8; save the file "
            "as UTF-8"
        )
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise InputError(
            f"{row.location}: column {column!r} contains a lone surrogate, which cannot be written as UTF-8; "
            "fix the text"
        )
