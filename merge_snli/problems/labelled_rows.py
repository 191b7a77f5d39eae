"""Rows that are checked: texts that are texts, labels that are labels, and a sentence that says what is wrong."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from merge_snli.errors import InputError
from merge_snli.problems.label_names import LabelNames, read_label_names
from merge_snli.problems.sources import Row, open_source
from merge_snli.schema import NLI_LABELS

if TYPE_CHECKING:
    from merge_snli.problems.options import ProblemOptions

TWO_WAY_LABELS = ("entailment", "not_entailment")
MAX_CHARACTERS = 1_000_000
"""Longer texts are no sentences; spaCy takes none."""

NO_GOLD_LABEL = frozenset({"-1", "-", ""})
"""What SNLI's distributions write where the annotators did not agree."""


@dataclass(frozen=True, slots=True)
class LabelledRow:
    """A row of a source that can be a problem.

    Attributes:
        where: Where it stands.
        premise: A text that is not empty.
        hypothesis: Another.
        label: The number of its gold label; None where it has none.
        id: The source's own id; None where ids are made from the content, and where there is no gold label.
        kept: What `--keep-column` carries on.
    """

    where: str
    premise: str
    hypothesis: str
    label: int | None
    id: str | None
    kept: tuple[str, ...]


def find_labels(options: ProblemOptions) -> LabelNames:
    """Return the labels of a source: those given, its own, or those that its rows show it to have.

    Args:
        options: `label_names` and what names the source are read.

    Raises:
        InputError: Where the rows leave open what the labels stand for, or the source cannot be read.
    """
    source = open_source(options)
    return read_label_names(options.label_names or source.label_names or _labels_seen(options))


def labelled_rows(options: ProblemOptions, labels: LabelNames) -> Iterator[LabelledRow]:
    """Yield the rows of a source in its order, each checked, holding none of them.

    Args:
        options: `problems`, `split`, `limit` and the column names are read.
        labels: What `find_labels` gave.

    Raises:
        InputError: Where the source or one of its rows cannot be used: says what, where, the value and how to mend it.
    """
    for row in _checked_rows(options):
        label = _label_number(row, labels, options)
        identity = None if options.id_column is None or label is None else _id(row, options)
        yield LabelledRow(row.where, row.premise, row.hypothesis, label, identity, _kept(row, options))


def _checked_rows(options: ProblemOptions) -> Iterator[Row]:
    """Let rows through whose premise and hypothesis are texts that are not empty."""
    for row in islice(open_source(options).rows, options.limit):
        for column, text in ((options.premise_column, row.premise), (options.hypothesis_column, row.hypothesis)):
            if not isinstance(text, str):
                raise InputError(f"{row.where}: column {column!r} holds {text!r}, which is no text")
            if _is_broken(text):
                raise InputError(
                    f"{row.where}: column {column!r} holds half a character (a lone surrogate); mend the text"
                )
            if len(text) > MAX_CHARACTERS:
                raise InputError(f"{row.where}: column {column!r} holds {len(text):,} characters: remove that problem")
            if not text.strip():
                raise InputError(f"{row.where}: column {column!r} is empty; mend or remove that problem")
        yield row


def _is_broken(text: str) -> bool:
    """Tell whether a text holds half a character (a lone surrogate), which no file can."""
    return any("\ud800" <= character <= "\udfff" for character in text)


def _label_text(row: Row) -> str:
    label = row.label
    if label is None:
        return ""
    if isinstance(label, float) and label.is_integer():
        label = int(label)
    return str(label).strip()


def _labels_seen(options: ProblemOptions) -> tuple[str, ...]:
    """Tell two-way from three-way labels by the rows, no further than the first that decides."""
    undecided = NO_GOLD_LABEL | {"0", "1", NLI_LABELS[0]}
    seen: set[str] = set()
    for row in _checked_rows(options):
        text = _label_text(row)
        seen.add(text)
        if text not in undecided:
            return TWO_WAY_LABELS if text in TWO_WAY_LABELS else NLI_LABELS
    numbers = seen - NO_GOLD_LABEL
    if numbers and numbers <= {"0", "1"}:
        where = f"{options.problems}: column {options.label_column!r}"
        raise InputError(
            f"{where} holds only the numbers {', '.join(sorted(numbers))}: say which labels they stand for with "
            "--label-names, such as --label-names entailment,not_entailment or "
            "--label-names entailment,neutral,contradiction"
        )
    return NLI_LABELS


def _label_number(row: Row, labels: LabelNames, options: ProblemOptions) -> int | None:
    """Return the number of a row's label, or None where it has no gold label."""
    text = _label_text(row)
    number = labels.number(text)
    if number is None and text not in NO_GOLD_LABEL:
        raise InputError(
            f"{row.where}: column {options.label_column!r} holds the label {text!r}, which is not one of "
            f"{', '.join(labels.spellings)} nor their numbers 0 to {len(labels.spellings) - 1} (-1: no gold label); "
            "name others with --label-names"
        )
    return number


def _kept(row: Row, options: ProblemOptions) -> tuple[str, ...]:
    """Return the values of the kept columns as strings: texts as they are, nothing as an empty one, else JSON."""
    values = tuple(
        value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False, default=str)
        for value in row.kept
    )
    for column, value in zip(options.keep_column, values, strict=True):
        if _is_broken(value):
            raise InputError(f"{row.where}: column {column!r} holds half a character; mend the text")
    return values


def _id(row: Row, options: ProblemOptions) -> str:
    identity = "" if row.id is None else str(row.id)
    if _is_broken(identity):
        raise InputError(f"{row.where}: column {options.id_column!r} holds half a character; mend the id")
    if not identity.strip():
        raise InputError(f"{row.where}: column {options.id_column!r} is empty; every problem needs an id")
    return identity
