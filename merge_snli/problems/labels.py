"""What the labels of a source stand for, from the options, the type of the column, or the rows."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice

from merge_snli.base.errors import InputError, param
from merge_snli.dataset.label_names import (
    NO_LABEL_NUMBER,
    LabelNames,
    names_in_order,
    names_of_entries,
    say_nothing,
    stands_for_no_label,
)
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
    whole_number,
)
from merge_snli.dataset.texts import NLI_COLUMNS
from merge_snli.problems.class_labels import class_names, labels_of_classes, named_classes, require_names
from merge_snli.problems.label_examples import Examples, add_example, meaningless, naming_option, shown
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.problem import refuse_score
from merge_snli.problems.rows import Rows, SourceRow, are_numbers, label_text
from merge_snli.schema import NLI_LABELS

# The numbers of the labels of NLI, as texts.
THREE_NUMBERS = frozenset({"0", "1", "2"})

MAX_SEEN = MAX_LABELS + 3  # after so many values, there are too many labels


def read_labels(files: Mapping[str, Rows], options: ProblemOptions) -> LabelNames:
    """Return what the labels of a source stand for.

    The names are those of `options.data_labels`, else those of the source's `ClassLabel`, else those in the rows.

    Args:
        files: The rows of each file by its name.
        options: Names the columns, and perhaps the labels.

    Raises:
        InputError: If the source does not show the names of its labels, or has too many.
    """
    classes = class_names(files, options.label_column)
    rows = chain.from_iterable(file.read() for file in files.values())
    if classes is not None and options.data_labels:
        labels = named_classes(classes, options)
    elif classes is not None:
        require_names(classes, rows, options)
        labels = labels_of_classes(classes)
    else:
        numeric = are_numbers(files.values(), options.label_column, options.limit)
        if options.data_labels:
            labels = names_of_entries(options.data_labels, are_numbers=numeric)
        else:
            labels = names_in_order(_infer_names(rows, options, numeric=numeric), are_numbers=numeric)
    _require_few(labels.names, options)
    return labels


def _infer_names(rows: Iterator[SourceRow], options: ProblemOptions, *, numeric: bool) -> tuple[str, ...]:
    """Return the names of the labels in the rows: two-way or three-way NLI labels, or those of another task, sorted.

    Of NLI labels, only as many rows are read as show that they are.

    Args:
        rows: The rows of the source.
        options: Names the columns.
        numeric: Whether the labels are numbers.
    """
    seen: Examples = {}
    invalid: InputError | None = None
    for row in islice(rows, options.limit):
        given = label_text(row, options.label_column)
        number = whole_number(given) if numeric else None
        text = given if number is None else str(number)
        wrong = add_example(seen, text, row, options)
        invalid = invalid or wrong  # the survey of all rows names it, if the labels are clear
        label = canonical_name(text, two_way=False)
        if label == NOT_ENTAILMENT:
            return TWO_WAY
        if label == CONTRADICTION and len(text) > 1 and text.lower() not in NEGATIVE_OF_TWO:
            return NLI_LABELS
        if not stands_for_no_label(given) and whole_number(given) not in range(len(THREE_NUMBERS)):
            refuse_score(given, row, options.label_column)
        if len(seen) > MAX_SEEN:
            break
    labels = sorted(text for text in seen if not stands_for_no_label(text))
    if numeric:
        labels.sort(key=float)
    unclear = _unclear(labels, seen, options, numeric=numeric)
    if invalid is not None and (len(labels) == 1 or unclear):
        raise invalid
    if unclear:
        raise InputError(unclear + shown(labels, seen))
    if numeric or _are_nli(labels, options):
        return NLI_LABELS
    if len(labels) == 1:
        raise InputError(
            f"{options.problems}: column {options.label_column!r} has only the label {labels[0]!r}: name all labels of "
            f"the task with {param('data_labels')}"
        )
    return tuple(labels)


def _are_nli(labels: Sequence[str], options: ProblemOptions) -> bool:
    """Return whether texts are the labels of NLI, or some of them."""
    return None not in _nli_names(labels, options) or any("entail" in label.lower() for label in labels)


def _nli_names(labels: Sequence[str], options: ProblemOptions) -> set[str | None]:
    """Return the NLI labels that texts spell, with None for another, such as the answer to a question."""
    is_nli = (options.premise_column, options.hypothesis_column) in NLI_COLUMNS
    words = [label for label in labels if whole_number(label) is None]
    names = [canonical_name(word, two_way=False) for word in words]
    answers = [spelling(word) in ANSWERS_TO_QUESTIONS for word in words]
    return {name if is_nli or not answer else None for name, answer in zip(names, answers, strict=True)}


def _require_few(labels: Sequence[str], options: ProblemOptions) -> None:
    """Check that labels are few enough to be scored."""
    if len(labels) > MAX_LABELS:
        raise InputError(
            f"{options.problems}: column {options.label_column!r} has more than {MAX_LABELS} labels "
            f"({', '.join(labels[:MAX_LABELS])}, …), which is the most that can be scored. Name the column of the "
            f"labels with {param('label_column')}, or join labels with "
            f"{param('data_labels', ('SPELLING=NAME', 'SPELLING=NAME'))}"
        )


def _unclear(labels: Sequence[str], seen: Examples, options: ProblemOptions, *, numeric: bool) -> str | None:
    """Return a message on labels that do not show their names; None for others."""
    two, reversed_two, three = (param("data_labels", names) for names in (TWO_WAY, TWO_WAY[::-1], NLI_LABELS))
    only = f"{options.problems}: column {options.label_column!r} has only the labels {', '.join(labels)}"
    if numeric and str(NO_LABEL_NUMBER) in seen:
        only += f", and {NO_LABEL_NUMBER}, which stands for no label unless {NO_LABEL_NUMBER}=NAME names it"
    if not labels or (numeric and {"2"} <= {*labels} <= THREE_NUMBERS):
        return None
    if numeric and {*labels} <= THREE_NUMBERS:
        return (
            f"{only}. Name them in the order of their numbers: {two} if 0 is entailment, {reversed_two} if 1 is; in "
            f"another task, name each: {naming_option(labels)}. Some problems:"
        )
    if numeric:
        return (
            f"{only}. If they are graded scores, a replaced word can change them: name a column of classes with "
            f"{param('label_column')}. If they are classes, name each with {naming_option(labels)}. Some problems:"
        )
    if say_nothing(labels):
        return meaningless(labels, options)
    if not NEGATIVE_OF_TWO.isdisjoint(map(str.lower, labels)) and _nli_names(labels, options) <= {
        ENTAILMENT,
        CONTRADICTION,
    }:
        return (
            f"{only}, which do not show the names. Set them with {two} or {three}; in another task, with "
            f"{naming_option(labels)}. Some problems:"
        )
    return None
