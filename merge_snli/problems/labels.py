"""What the labels of a source stand for, from the options, the type of the column, or the rows."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice

from merge_snli.base.errors import InputError, listed, param
from merge_snli.dataset.label_names import (
    NO_LABEL,
    NO_LABEL_NUMBERS,
    LabelNames,
    names_in_order,
    names_of_entries,
    stands_for_no_label,
)
from merge_snli.dataset.label_spellings import (
    ANSWERS_TO_QUESTIONS,
    CONTRADICTION,
    MAX_LABELS,
    NOT_ENTAILMENT,
    TWO_WAY,
    Labels,
    are_answers,
    canonical_name,
    spelling,
    whole_number,
)
from merge_snli.dataset.texts import are_nli_columns
from merge_snli.problems.class_labels import class_names, read_classes
from merge_snli.problems.label_examples import with_examples
from merge_snli.problems.label_sets import naming_option, of_column, unclear_names
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.problem import refuse_score
from merge_snli.problems.rows import Rows, SourceRow, are_numbers, label_text, read_files
from merge_snli.schema import NLI_LABELS

# The numbers of the labels of NLI, as texts.
THREE_NUMBERS = frozenset({"0", "1", "2"})

MAX_SEEN = MAX_LABELS + 3  # after so many values, there are too many labels

# Starts a new pass over the rows of a source.
Read = Callable[[], Iterator[SourceRow]]


def read_labels(files: Mapping[str, Rows], options: ProblemOptions) -> LabelNames:
    """Return what the labels of a source stand for.

    The names are those of `options.data_labels`, else those of the source's `ClassLabel`, else those in the rows.

    Args:
        files: The rows of each file by its name.
        options: Names the columns, and perhaps the labels.

    Raises:
        InputError: If the source does not show the names of its labels, or has too many.
    """
    read = partial(read_files, files.values())
    classes = class_names(files, options.label_column)
    if classes is not None:
        labels = read_classes(classes, read(), options)
    else:
        numeric = are_numbers(files.values(), options.label_column, options.limit)
        if options.data_labels:
            labels = names_of_entries(options.data_labels, are_numbers=numeric)
        else:
            labels = names_in_order(_infer_names(read, options, numeric=numeric), are_numbers=numeric)
    _require_few(labels.names, options)
    return labels


def _infer_names(read: Read, options: ProblemOptions, *, numeric: bool) -> Labels:
    """Return the names of the labels in the rows: two-way or three-way NLI labels, or those of another task, sorted.

    Args:
        read: Starts a new pass over the rows of the source.
        options: Names the columns.
        numeric: Whether the labels are numbers.
    """
    label_of = partial(_label_of, options=options, numeric=numeric)
    found = _distinct_labels(read(), options, label_of)
    if found in (TWO_WAY, NLI_LABELS):
        return found
    labels = sorted(found, key=float) if numeric else sorted(found)
    unclear = None
    if numeric:
        unclear = _unclear_numbers(labels, read, options)
    elif labels:
        unclear = unclear_names(labels, options)
    if unclear is not None:
        raise with_examples(unclear, labels, read(), options, label_of)
    if numeric or _are_nli(labels, options):
        return NLI_LABELS
    if len(labels) == 1:
        raise InputError(
            f"{of_column(options)} has only the label {labels[0]!r}: name all labels of the task with ⟦data_labels⟧"
        )
    return tuple(labels)


def _label_of(row: SourceRow, options: ProblemOptions, *, numeric: bool) -> str:
    """Return the label of a row, a number without decimals; `NO_LABEL` for a value that stands for none."""
    text = label_text(row, options.label_column)
    if stands_for_no_label(text):
        return NO_LABEL
    number = whole_number(text) if numeric else None
    return text if number is None else str(number)


def _distinct_labels(
    rows: Iterator[SourceRow], options: ProblemOptions, label_of: Callable[[SourceRow], str]
) -> Labels:
    """Return the labels in the order in which they occur; of NLI labels, read only so many rows as show that."""
    found: dict[str, None] = {}
    for row in islice(rows, options.limit):
        text = label_of(row)
        if text == NO_LABEL or text in found:
            continue
        found[text] = None
        label = canonical_name(text, two_way=False)
        if label == NOT_ENTAILMENT:
            return TWO_WAY
        if label == CONTRADICTION and len(text) > 1 and spelling(text) not in ANSWERS_TO_QUESTIONS:
            return NLI_LABELS
        if text not in THREE_NUMBERS:
            refuse_score(label_text(row, options.label_column), row, options.label_column)
        if len(found) > MAX_SEEN:
            break
    return tuple(found)


def _are_nli(labels: Sequence[str], options: ProblemOptions) -> bool:
    """Return whether texts are the labels of NLI, or some of them."""
    if are_answers(labels):
        return are_nli_columns(options.premise_column, options.hypothesis_column)
    names = {canonical_name(label, two_way=False) for label in labels}
    return None not in names or any("entail" in label.lower() for label in labels)


def _require_few(labels: Sequence[str], options: ProblemOptions) -> None:
    """Check that labels are few enough to be scored."""
    if len(labels) > MAX_LABELS:
        raise InputError(
            f"{of_column(options)} has more than {MAX_LABELS} labels ({listed(labels[:MAX_LABELS])}, …), which is the "
            "most that can be scored. Name the column of the labels with ⟦label_column⟧, or join labels with "
            f"{param('data_labels', ('SPELLING=NAME', 'SPELLING=NAME'))}"
        )


def _unclear_numbers(labels: Sequence[str], read: Read, options: ProblemOptions) -> str | None:
    """Return a message on numbers that do not show which labels they are; None for others."""
    if not labels or {"2"} <= {*labels} <= THREE_NUMBERS:
        return None
    only = f"{of_column(options)} has only the labels {listed(labels)}"
    texts = {label_text(row, options.label_column) for row in islice(read(), options.limit)}
    for number in NO_LABEL_NUMBERS:
        if number in map(whole_number, texts):
            only += f", and {number}, which stands for no label unless {number}=NAME names it"
    if {*labels} <= THREE_NUMBERS:
        two, reversed_two = param("data_labels", TWO_WAY), param("data_labels", TWO_WAY[::-1])
        return (
            f"{only}. Name them in the order of their numbers: {two} if 0 is entailment, {reversed_two} if 1 is; in "
            f"another task, name each: {naming_option(labels)}"
        )
    return (
        f"{only}. If they are graded scores, a replaced word can change them: name a column of classes with "
        f"⟦label_column⟧. If they are classes, name each with {naming_option(labels)}"
    )
