"""A problem, and the checks of the row that it is read from: its sentences, its label and its id."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from merge_snli.base.errors import InputError, brief, param
from merge_snli.dataset.label_names import NO_LABEL, LabelNames
from merge_snli.dataset.label_spellings import whole_number
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.rows import (
    MAX_CHARACTERS,
    SourceRow,
    column_text,
    is_missing,
    label_text,
    require_valid_unicode,
)

SCORE = re.compile(r"-?\d+\.\d+")


@dataclass(frozen=True, slots=True)
class Problem:
    """An NLI problem.

    Attributes:
        id: Its id, unique in the source.
        premise: The premise P.
        hypothesis: The hypothesis H.
        label: The number of its gold label.
        extra: The values of the columns of `--keep-column`.
    """

    id: str
    premise: str
    hypothesis: str
    label: int
    extra: tuple[str, ...] = ()


def check_row(row: SourceRow, options: ProblemOptions, labels: LabelNames) -> Problem | None:
    """Check the values of a row, and return its problem.

    Args:
        row: A row of the source.
        options: Names the columns.
        labels: The labels that the source may use.

    Returns:
        The problem, with an empty id without `--id-column`; None if the row has no gold label.
    """
    premise, hypothesis = check_sentences(row, options)
    label = _label_number(row, options, labels)
    extra = tuple(column_text(row, column, "keep_column") for column in options.keep_column)
    if label is None:
        return None
    return Problem("" if options.id_column is None else _id(row, options.id_column), premise, hypothesis, label, extra)


def check_sentences(row: SourceRow, options: ProblemOptions) -> tuple[str, str]:
    """Return the premise and the hypothesis of a row.

    Args:
        row: A row of the source.
        options: Names the columns.
    """
    premise, hypothesis = (
        " ".join(_text(row, column, option) for column in row.columns_of(getattr(options, option)))
        for option in ("premise_column", "hypothesis_column")
    )
    return premise, hypothesis


def _text(row: SourceRow, column: str, option: str) -> str:
    value = row.value(column, option)
    text = "" if is_missing(value) else value
    if not isinstance(text, str):
        raise InputError(f"{row.location}: column {column!r} is not text: {brief(text)}")
    require_valid_unicode(text, row, column)
    if len(text) > MAX_CHARACTERS:
        raise InputError(
            f"{row.location}: column {column!r} has {len(text):,} characters, more than {MAX_CHARACTERS:,}; "
            "remove this problem"
        )
    if not text.strip():
        raise InputError(f"{row.location}: column {column!r} is empty; add the sentence or remove this problem")
    return text


def _label_number(row: SourceRow, options: ProblemOptions, labels: LabelNames) -> int | None:
    """Return the number of a row's label in the data set, or None if it has no gold label."""
    text = label_text(row, options.label_column)
    name = labels.read(text)
    if name is None:
        refuse_score(text, row, options.label_column)
        raise InputError(f"{row.location}: {_unknown(text, options, labels)}")
    return None if name == NO_LABEL else labels.names.index(name)


def _unknown(text: str, options: ProblemOptions, labels: LabelNames) -> str:
    """Return a message on a value that is not a label."""
    numbers = [f"{number} ({name or 'no label'})" for number, name in labels.of_numbers.items()]
    values = numbers if labels.are_numbers else labels.of_texts
    message = (
        f"unknown label {text!r} in column {options.label_column!r}; expected {', '.join(values)}, or -1 for no gold "
        "label. Set other names with ⟦data_labels⟧"
    )
    if not labels.are_numbers and whole_number(text) is not None:
        return f"{message}: this column has texts, and {text!r} is not a number there"
    if labels.are_numbers and options.data_labels and whole_number(text) == len(labels.of_numbers):
        from_one = tuple(f"{number}={name}" for number, name in enumerate(labels.of_numbers.values(), start=1))
        return f"{message} (if their numbers begin with 1: {param('data_labels', from_one)})"
    return message


def refuse_score(text: str, row: SourceRow, column: str) -> None:
    """Refuse a label that is a graded score, such as the similarity of two sentences.

    Args:
        text: The label.
        row: Its row, for the message.
        column: Its column, for the message.
    """
    if SCORE.fullmatch(text):
        raise InputError(
            f"{row.location}: the label {text!r} in column {column!r} is a graded score, and a replaced word can "
            "change it: name a column of classes with ⟦label_column⟧"
        )


def _id(row: SourceRow, column: str) -> str:
    value = row.value(column, "id_column")
    identity = "" if value is None else str(value)
    require_valid_unicode(identity, row, column)
    if not identity.strip():
        raise InputError(f"{row.location}: the id in column {column!r} is empty; every problem needs an id")
    return identity


def of_every_premise(problems: Iterable[Problem], nth: int) -> Iterator[Problem]:
    """Yield all problems of every n-th premise.

    The problems of a premise have forms in common. A sample of single problems has few of these, so its number of
    distinct forms does not scale with its size.
    """
    numbers: dict[str, int] = {}
    for problem in problems:
        if numbers.setdefault(problem.premise, len(numbers)) % nth == 0:
            yield problem
