"""Find what the options do not say of a source: its columns, and the names of its labels."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from textwrap import shorten
from typing import Any

from merge_snli.base.errors import InputError, Message, param
from merge_snli.dataset.label_spellings import (
    ANSWERS_TO_QUESTIONS,
    CONTRADICTION,
    ENTAILMENT,
    MAX_LABELS,
    NEGATIVE_OF_TWO,
    NOT_ENTAILMENT,
    TWO_WAY,
    canonical_name,
    spelling,
)
from merge_snli.dataset.texts import NLI_COLUMNS
from merge_snli.problems.known_datasets import known_dataset
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.problem import NO_GOLD_LABEL, check_sentences, refuse_score
from merge_snli.problems.rows import Rows, SourceRow, label_text, without_decimals
from merge_snli.schema import NLI_LABELS

logger = logging.getLogger(__name__)

# Usual names of the columns of the two texts of other tasks, tried in this order.
OTHER_TEXT_COLUMNS = (
    ("question1", "question2"),
    ("passage", "question"),
    ("evidence", "claim"),
    ("question", "sentence"),
    ("text1", "text2"),
)

# Columns of problems whose labels also depend on what is known about the world.
KNOWLEDGE_COLUMNS = frozenset({"claim", "evidence", "passage", "paragraph"})

# Usual names of the column of the gold label, tried in this order.
LABEL_COLUMNS = ("label", "gold_label", "entailment_label", "entailment_judgment", "is_duplicate", "answer", "score")

THREE_NUMBERS = frozenset({"0", "1", "2"})
OTHER_TASK = ("different", "paraphrase")  # an example of names

EXAMPLES = 2  # number of problems of each label that a message shows
SHOWN_CHARACTERS = 60  # of each sentence


def find_columns(options: ProblemOptions, row: SourceRow | None) -> ProblemOptions:
    """Return the options with the columns of premise, hypothesis and label; guess those that are not given.

    If no column has a name, one that has it in another case is taken.

    Args:
        options: The options.
        row: The first row of the source; None if it has no rows.
    """
    columns = () if row is None else tuple(row.values)
    in_any_case = {str(name).casefold(): name for name in reversed(columns)}

    def written(name: str) -> str:
        return name if name in columns else in_any_case.get(name.casefold(), name)

    given = (options.premise_column, options.hypothesis_column)
    usual_pairs = NLI_COLUMNS + OTHER_TEXT_COLUMNS
    pairs = [tuple(written(name or usual) for name, usual in zip(given, pair, strict=True)) for pair in usual_pairs]
    premise, hypothesis = next((pair for pair in pairs if {*pair} <= {*columns}), pairs[0])
    labels = [written(options.label_column or usual) for usual in LABEL_COLUMNS]
    label = next((name for name in labels if name in columns), labels[0])
    names: dict[str, Any] = {"premise_column": premise, "hypothesis_column": hypothesis, "label_column": label}
    if row is not None:
        _require_two_texts(row, {premise, hypothesis}, label)
        row.require(names)
    chosen = tuple(name and written(name) for name in (*given, options.label_column))
    if (premise, hypothesis, label) not in {(*pairs[0], labels[0]), chosen}:
        logger.warning(
            Message(
                "%s: reading the columns %s (premise), %s (hypothesis) and %s (label); to choose others, set "
                f"{param('premise_column')}, {param('hypothesis_column')} and {param('label_column')}"
            ),
            *(options.problems, premise, hypothesis, label),
        )
    return replace(options, **names)


def needs_world_knowledge(options: ProblemOptions) -> bool:
    """Return whether what is known about the replaced word can decide the labels, as for claims and their evidence.

    Args:
        options: The options with the columns.
    """
    known = known_dataset(str(options.problems), options.config)
    if known is not None:
        return known.world_knowledge
    names = (options.premise_column, options.hypothesis_column)
    return not KNOWLEDGE_COLUMNS.isdisjoint(str(name).casefold() for name in names)


def _require_two_texts(row: SourceRow, columns: set[str], label: str) -> None:
    """Refuse problems with one text, in which no word can be shared."""
    texts = [name for name, value in row.values.items() if isinstance(value, str) and name != label and " " in value]
    has_text = any({*row.columns_of(name)} <= {*row.values} for name in columns)
    if len(texts) == 1 and label in row.values and not has_text:
        raise InputError(
            f"{row.location} has one text (column {texts[0]!r}) and a label: a task over one text has no word that two "
            f"texts share. If another column is a text, name both with {param('premise_column')} and "
            f"{param('hypothesis_column')}"
        )


def label_names(files: Mapping[str, Rows], column: str) -> tuple[str, ...] | None:
    """Return the names of the ClassLabel column of a source; None if it has another type."""
    (first, names), *others = [(name, file.label_names.get(column)) for name, file in files.items()]
    for other, of_other in others:
        if of_other != names:
            raise InputError(f"the labels of {other} are {of_other}, those of {first} {names}: read them one by one")
    return names


def infer_label_names(rows: Iterator[SourceRow], options: ProblemOptions) -> tuple[str, ...]:
    """Return the names of the labels in the rows: two-way or three-way NLI labels, or those of another task, sorted.

    Of NLI labels, only as many rows are read as show that they are.

    Args:
        rows: The rows of the source.
        options: Names the columns.
    """
    seen: dict[str, list[str]] = {}
    invalid: InputError | None = None
    for row in islice(rows, options.limit):
        given = label_text(row, options.label_column)
        try:
            sentences = check_sentences(row, options)
        except InputError as error:  # the survey of all rows names it, if the labels are clear
            invalid, sentences = invalid or error, ("", "")
        text = without_decimals(given)
        label = canonical_name(text, two_way=False)
        if label == NOT_ENTAILMENT:
            return TWO_WAY
        if label == CONTRADICTION and len(text) > 1 and text.lower() not in NEGATIVE_OF_TWO:
            return NLI_LABELS
        if text not in THREE_NUMBERS | NO_GOLD_LABEL:
            refuse_score(given, row, options.label_column)
        of_label = seen.setdefault(text, [])
        if len(of_label) < EXAMPLES:
            of_label.append(" / ".join(shorten(sentence, SHOWN_CHARACTERS) for sentence in sentences))
        if len(seen) > MAX_LABELS + len(NO_GOLD_LABEL):
            break
    labels = sorted(seen.keys() - NO_GOLD_LABEL)
    names = {_nli_name(label, options) for label in labels if not label.isdecimal()}
    if invalid is not None and (len(labels) == 1 or _need_names(labels, names)):
        raise invalid
    if _need_names(labels, names):
        shown = "".join(f"\n  {label}: {example}" for label in labels for example in seen[label])
        raise InputError(_unclear(options, labels) + shown)
    if None not in names or any("entail" in label.lower() for label in labels):
        return NLI_LABELS
    if len(labels) == 1:
        raise InputError(
            f"{options.problems}: column {options.label_column!r} has only the label {labels[0]!r}: name all labels of "
            f"the task with {param('data_labels')}"
        )
    return tuple(labels)


def _nli_name(label: str, options: ProblemOptions) -> str | None:
    """Return the NLI label that a text spells; None for another, such as the answer to a question."""
    is_nli = (options.premise_column, options.hypothesis_column) in NLI_COLUMNS
    return canonical_name(label, two_way=False) if is_nli or spelling(label) not in ANSWERS_TO_QUESTIONS else None


def check_number(labels: Sequence[str], options: ProblemOptions) -> None:
    """Check that labels are few enough to be scored."""
    if len(labels) > MAX_LABELS:
        joined = param("data_labels", ("SPELLING=NAME", "…"))
        raise InputError(
            f"{options.problems}: column {options.label_column!r} has more than {MAX_LABELS} labels "
            f"({', '.join(labels[:MAX_LABELS])}, …), which is the most that can be scored. Name the column of the "
            f"labels with {param('label_column')}, or join labels with {joined}"
        )


def _need_names(labels: Sequence[str], names: set[str | None]) -> bool:
    """Return whether labels do not show their names: numbers, or `no` without a sign of the number of labels."""
    if labels and all(map(str.isdecimal, labels)):
        return not {"2"} <= {*labels} <= THREE_NUMBERS
    return not NEGATIVE_OF_TWO.isdisjoint(map(str.lower, labels)) and names <= {ENTAILMENT, CONTRADICTION}


def _unclear(options: ProblemOptions, labels: Sequence[str]) -> str:
    """Return a message on labels that do not show their names."""
    two, reversed_two, three = (param("data_labels", names) for names in (TWO_WAY, TWO_WAY[::-1], NLI_LABELS))
    own = param("data_labels", tuple(labels))
    only = f"{options.problems}: column {options.label_column!r} has only the labels {', '.join(labels)}"
    if not any(map(str.isdecimal, labels)):
        return (
            f"{only}, which do not show the names. Set them with {two} or {three}; in another task, with {own}. Some "
            "problems:"
        )
    if not {*labels} <= THREE_NUMBERS:
        return (
            f"{only}. If they are graded scores, a replaced word can change them: name a column of classes with "
            f"{param('label_column')}. If they are classes, name each with "
            f"{param('data_labels', tuple(f'{label}=NAME' for label in labels))}. Some problems:"
        )
    return (
        f"{only}. Name them in the order of their numbers: {two} if 0 is entailment, {reversed_two} if 1 is, or three "
        f"names, such as {three}; in another task, {param('data_labels', OTHER_TASK)} or the like. Some problems:"
    )


def are_numbers(rows: Iterator[SourceRow], options: ProblemOptions) -> bool:
    """Return whether the first gold label is a number.

    Args:
        rows: The rows of the source.
        options: Names the columns.
    """
    texts = (without_decimals(label_text(row, options.label_column)) for row in islice(rows, options.limit))
    return next((text for text in texts if text not in NO_GOLD_LABEL), "").isdecimal()
