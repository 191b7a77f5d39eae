"""Find the names of the labels of a source, and say how labels that are numbers are read."""

from __future__ import annotations

from itertools import islice
from textwrap import shorten
from typing import TYPE_CHECKING

from merge_snli.base.errors import InputError, param
from merge_snli.dataset.label_spellings import ENTAILMENT, NEGATIVE_OF_TWO, NOT_ENTAILMENT, TWO_WAY, canonical_name
from merge_snli.problems.checked_rows import NO_GOLD_LABEL, check_sentences
from merge_snli.problems.rows import label_text, without_decimals
from merge_snli.schema import NLI_LABELS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from merge_snli.problems.options import ProblemOptions
    from merge_snli.problems.rows import Rows, SourceRow

# Labels that do not show whether there are two labels or three.
UNCLEAR = NEGATIVE_OF_TWO | {"0", "1"}

EXAMPLES = 2  # number of problems of each label that a message shows
SHOWN_CHARACTERS = 60  # of each sentence


def label_names(parts: Mapping[str, Rows], column: str) -> tuple[str, ...] | None:
    """Return the names of the ClassLabel column of a source; None if it has another type.

    Raises:
        InputError: If they differ between the files.
    """
    (first, names), *others = [(name, part.label_names.get(column)) for name, part in parts.items()]
    for other, of_other in others:
        if of_other != names:
            raise InputError(f"the labels of {other} are {of_other}, those of {first} {names}: read them one by one")
    return names


def infer_label_names(rows: Iterator[SourceRow], options: ProblemOptions) -> tuple[str, ...]:
    """Distinguish two-way from three-way labels; read only as many rows as needed.

    Args:
        rows: The rows of the source.
        options: Names the columns.

    Raises:
        InputError: If the labels do not show it, a column is missing, or a text is invalid.
    """
    undecided = NO_GOLD_LABEL | UNCLEAR
    seen: dict[str, list[str]] = {}
    for row in islice(rows, options.limit):
        sentences = check_sentences(row, options)
        text = without_decimals(label_text(row, options.label_column))
        label = canonical_name(text, two_way=False)
        if label == NOT_ENTAILMENT:
            return TWO_WAY
        if label != ENTAILMENT and text.lower() not in undecided:
            return NLI_LABELS
        of_label = seen.setdefault(text.lower() if label != ENTAILMENT else ENTAILMENT, [])
        if len(of_label) < EXAMPLES:
            of_label.append(" / ".join(shorten(sentence, SHOWN_CHARACTERS) for sentence in sentences))
    unclear = seen.keys() - NO_GOLD_LABEL
    if unclear and (unclear <= UNCLEAR or unclear & NEGATIVE_OF_TWO):
        shown = "".join(f"\n  {label}: {example}" for label in sorted(unclear) for example in seen[label])
        raise InputError(_unclear(options, sorted(unclear)) + shown)
    return NLI_LABELS


def _unclear(options: ProblemOptions, labels: Sequence[str]) -> str:
    """Return a message on labels that do not show their names."""
    two, reversed_two, three = (param("data_labels", names) for names in (TWO_WAY, TWO_WAY[::-1], NLI_LABELS))
    found = f"{options.problems}: column {options.label_column!r} has only the labels {', '.join(labels)}"
    if not any(map(str.isdecimal, labels)):
        return f"{found}, which do not show the names. Set them with {two} or {three}. Some problems:"
    return (
        f"{found}. Name them in the order of their numbers: {two} if 0 is entailment, {reversed_two} if 1 is, or three "
        f"names, such as {three}. Some problems:"
    )


def are_numbers(rows: Iterator[SourceRow], options: ProblemOptions) -> bool:
    """Return whether the first gold label is a number.

    Args:
        rows: The rows of the source.
        options: Names the columns.
    """
    texts = (without_decimals(label_text(row, options.label_column)) for row in islice(rows, options.limit))
    return next((text for text in texts if text not in NO_GOLD_LABEL), "").isdecimal()
