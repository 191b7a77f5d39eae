"""A source of problems: a file, a folder or a Hub data set, opened once and read as often as needed."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from merge_snli.base.errors import InputError, Message, param
from merge_snli.base.files import is_path
from merge_snli.dataset.label_spellings import ENTAILMENT, NEGATIVE_OF_TWO, NOT_ENTAILMENT, TWO_WAY, canonical_name
from merge_snli.problems.file_rows import FILE_TYPES, open_file
from merge_snli.problems.rows import (
    LabelNames,
    Rows,
    SourceRow,
    column_text,
    label_text,
    read_label_names,
    require_valid_unicode,
    without_decimals,
)
from merge_snli.problems.tables import load_dataset, table_rows
from merge_snli.schema import NLI_LABELS

if TYPE_CHECKING:
    from merge_snli.problems.options import ProblemOptions

logger = logging.getLogger(__name__)

# The longest text that spaCy tags.
MAX_CHARACTERS = 1_000_000

# Labels of the problems on which SNLI's annotators did not agree.
NO_GOLD_LABEL = frozenset({"-1", "-", ""})

# Labels that do not show whether there are two labels or three.
UNCLEAR = NEGATIVE_OF_TWO | {"0", "1"}

# Usual names of the columns of premise and hypothesis, tried in this order: those of SNLI's files, SICK's, ANLI's.
SENTENCE_COLUMNS = (
    ("premise", "hypothesis"),
    ("sentence1", "sentence2"),
    ("sentence_A", "sentence_B"),
    ("text", "hypothesis"),
    ("context", "hypothesis"),
)

# Usual names of the column of the gold label, tried in this order.
LABEL_COLUMNS = ("label", "gold_label", "entailment_label", "entailment_judgment")


@dataclass(frozen=True, slots=True)
class CheckedRow:
    """A row whose values are valid.

    Attributes:
        location: File and line, or data set, split and row, for messages.
        premise: A text that is not empty.
        hypothesis: A text that is not empty.
        label: The number of its gold label; None if it has none.
        id: The value of `--id-column`; None without that option or without a gold label.
        extra: The values of the columns of `--keep-column`, as strings.
    """

    location: str
    premise: str
    hypothesis: str
    label: int | None
    id: str | None
    extra: tuple[str, ...]


@dataclass(frozen=True)
class ProblemSource:
    """An open source of problems. Each iteration reads its rows from the start and checks them.

    Attributes:
        options: Names the source and its columns, also those that were guessed.
        parts: The rows of its files, or of its table.
        labels: The names of the labels and their spellings in the source.
    """

    options: ProblemOptions
    parts: tuple[Rows, ...]
    labels: LabelNames

    @property
    def columns(self) -> dict[str, Any]:
        """The options that name the columns of premise, hypothesis and label."""
        return {name: getattr(self.options, name) for name in ("premise_column", "hypothesis_column", "label_column")}

    def read(self) -> Iterator[SourceRow]:
        """Yield the rows from the start, as they are."""
        return _read(self.parts)

    def __iter__(self) -> Iterator[CheckedRow]:
        """Yield the rows up to `options.limit`, one in memory at a time.

        Raises:
            InputError: If the source cannot be read or a row is invalid.
        """
        for row in islice(self.read(), self.options.limit):
            yield check_row(row, self.options, self.labels)


@contextmanager
def without_options(name: str) -> Iterator[None]:
    """Say in an error which advises options of `ProblemOptions` that a source is read without them.

    Args:
        name: What names the source, for the message.

    Raises:
        InputError: If reading the source raises one.
    """
    try:
        yield
    except InputError as error:
        marked = error.message.marked
        if marked == str(error):
            raise
        raise InputError(f"{marked}, which {name} does not take: give a file that needs no options") from error


def open_source(options: ProblemOptions) -> ProblemSource:
    """Open the source that `options.problems` names.

    The labels are those of `options.data_labels`, else those of the source's ClassLabel feature, else three-way or
    two-way NLI labels, depending on the labels in the rows.

    Args:
        options: Names the source, its split, its columns and its labels.

    Raises:
        InputError: If no source is named, it does not exist or cannot be read, or its labels are numbers without names.
    """
    problems = options.problems
    if problems is None:
        raise InputError("no problems are given: name a file, a folder, a Hub id or demo:problems")
    if problems.were_in_memory:
        parts = {str(problems): _in_memory(options)}
    elif problems.are_bundled or problems.are_files:
        _refuse_split(options, "a file, which has no splits")
        parts = {str(file): open_file(file, options.delimiter) for file in problems.files()}
    else:
        parts = {str(problems): _data_set(options)}
    rows = tuple(parts.values())
    options = _find_columns(options, next(_read(rows), None))
    names = options.data_labels or _label_names(parts, options.label_column) or _infer_label_names(_read(rows), options)
    return ProblemSource(options, rows, read_label_names(names))


def _in_memory(options: ProblemOptions) -> Rows:
    problems = options.problems
    if problems.table is None:
        raise InputError(
            f"the problems of this run were in memory ({problems}): give them again with {param('problems')}"
        )
    _refuse_split(options, "in memory: give one split")
    return table_rows(problems.table, str(problems))


def _data_set(options: ProblemOptions) -> Rows:
    name = str(options.problems)
    if is_path(name) and not Path(name).is_dir():
        raise InputError(f"no such file: {name} (expected a {', '.join(FILE_TYPES)} file or a Hub id)")
    if options.delimiter is not None:
        raise InputError(f"{param('delimiter')} is for text files, and {name} is not one: remove it")
    return table_rows(load_dataset(name, options.config, options.split), f"{name} split {options.split}")


def _refuse_split(options: ProblemOptions, what: str) -> None:
    if options.split is not None:
        raise InputError(f"the split is {options.split!r}, but {options.problems} is {what}")


def _read(parts: Iterable[Rows]) -> Iterator[SourceRow]:
    return chain.from_iterable(part.read() for part in parts)


def _label_names(parts: Mapping[str, Rows], column: str) -> tuple[str, ...] | None:
    """Return the names of the ClassLabel column of a source; None if it has another type.

    Raises:
        InputError: If they differ between the files.
    """
    (first, names), *others = [(name, part.label_names.get(column)) for name, part in parts.items()]
    for other, of_other in others:
        if of_other != names:
            raise InputError(f"the labels of {other} are {of_other}, those of {first} {names}: read them one by one")
    return names


def _find_columns(options: ProblemOptions, row: SourceRow | None) -> ProblemOptions:
    """Return the options with the columns of premise, hypothesis and label; guess those that are not given.

    Args:
        options: The options.
        row: The first row of the source; None if it has no rows.
    """
    columns = () if row is None else tuple(row.values)
    given = (options.premise_column, options.hypothesis_column)
    pairs = [tuple(name or usual for name, usual in zip(given, pair, strict=True)) for pair in SENTENCE_COLUMNS]
    premise, hypothesis = next((pair for pair in pairs if {*pair} <= {*columns}), pairs[0])
    labels = [options.label_column or usual for usual in LABEL_COLUMNS]
    label = next((name for name in labels if name in columns), labels[0])
    found = replace(options, premise_column=premise, hypothesis_column=hypothesis, label_column=label)
    if (premise, hypothesis, label) not in {(*pairs[0], labels[0]), (*given, options.label_column)}:
        logger.warning(
            Message(
                "%s: reading the columns %s (premise), %s (hypothesis) and %s (label); to choose others, set "
                f"{param('premise_column')}, {param('hypothesis_column')} and {param('label_column')}"
            ),
            *(options.problems, premise, hypothesis, label),
        )
    return found


def _infer_label_names(rows: Iterator[SourceRow], options: ProblemOptions) -> tuple[str, ...]:
    """Distinguish two-way from three-way labels; read only as many rows as needed."""
    undecided = NO_GOLD_LABEL | UNCLEAR
    seen: set[str] = set()
    for row in islice(rows, options.limit):
        check_sentences(row, options)
        text = without_decimals(label_text(row, options.label_column))
        label = canonical_name(text, two_way=False)
        if label == NOT_ENTAILMENT:
            return TWO_WAY
        if label != ENTAILMENT and text.lower() not in undecided:
            return NLI_LABELS
        seen.add(text.lower() if label != ENTAILMENT else ENTAILMENT)
    unclear = seen - NO_GOLD_LABEL
    if unclear and (unclear <= UNCLEAR or unclear & NEGATIVE_OF_TWO):
        raise InputError(
            f"{options.problems}: column {options.label_column!r} has only the labels {', '.join(sorted(unclear))}, "
            f"which do not show the names. Set them with {param('data_labels', ('entailment', 'not_entailment'))} or "
            f"{param('data_labels', ('entailment', 'neutral', 'contradiction'))}"
        )
    return NLI_LABELS


def check_row(row: SourceRow, options: ProblemOptions, labels: LabelNames) -> CheckedRow:
    """Check the values of a row.

    Args:
        row: A row of the source.
        options: Names the columns.
        labels: The labels that the source may use.

    Raises:
        InputError: If a column is missing, a text is empty or invalid, or the label is unknown.
    """
    premise, hypothesis = check_sentences(row, options)
    label = _label_number(row, options.label_column, labels)
    identity = None if options.id_column is None or label is None else _id(row, options.id_column)
    extra = tuple(column_text(row, column, "keep_column") for column in options.keep_column)
    return CheckedRow(row.location, premise, hypothesis, label, identity, extra)


def check_sentences(row: SourceRow, options: ProblemOptions) -> tuple[str, str]:
    """Return the premise and the hypothesis of a row.

    Args:
        row: A row of the source.
        options: Names the columns.

    Raises:
        InputError: If a column is missing, or its text is empty, too long or invalid.
    """
    return (
        _sentence(row, options.premise_column, "premise_column"),
        _sentence(row, options.hypothesis_column, "hypothesis_column"),
    )


def _sentence(row: SourceRow, column: str, option: str) -> str:
    text = row.value(column, option)
    if not isinstance(text, str):
        raise InputError(f"{row.location}: column {column!r} is not text: {text!r}")
    require_valid_unicode(text, row, column)
    if len(text) > MAX_CHARACTERS:
        raise InputError(
            f"{row.location}: column {column!r} has {len(text):,} characters, more than {MAX_CHARACTERS:,}; "
            "remove this problem"
        )
    if not text.strip():
        raise InputError(f"{row.location}: column {column!r} is empty; add the sentence or remove this problem")
    return text


def _label_number(row: SourceRow, column: str, labels: LabelNames) -> int | None:
    """Return the number of a row's label, or None if it has no gold label."""
    text = label_text(row, column)
    number = labels.number(text)
    if number is None and without_decimals(text) not in NO_GOLD_LABEL:
        raise InputError(
            f"{row.location}: unknown label {text!r} in column {column!r}; expected {', '.join(labels.spellings)}, a "
            f"number from 0 to {len(labels.spellings) - 1}, or -1 for no gold label. Set other names with "
            f"{param('data_labels')}"
        )
    return number


def _id(row: SourceRow, column: str) -> str:
    value = row.value(column, "id_column")
    identity = "" if value is None else str(value)
    require_valid_unicode(identity, row, column)
    if not identity.strip():
        raise InputError(f"{row.location}: the id in column {column!r} is empty; every problem needs an id")
    return identity
