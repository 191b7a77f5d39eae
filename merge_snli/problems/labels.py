"""What the labels of a source stand for, from the options, the type of the column, or the rows."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from textwrap import shorten

from merge_snli.base.errors import InputError, param
from merge_snli.dataset.label_names import (
    NO_LABEL,
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
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.problem import check_sentences, refuse_score
from merge_snli.problems.rows import Rows, SourceRow, are_numbers, label_text
from merge_snli.schema import NLI_LABELS

# The numbers of the labels of NLI, as texts.
THREE_NUMBERS = frozenset({"0", "1", "2"})

EXAMPLES = 2  # number of problems of each label that a message shows
SHOWN_CHARACTERS = 60  # of each sentence
MAX_SEEN = MAX_LABELS + 3  # after so many values, there are too many labels

# Some problems of each label, for messages.
Examples = dict[str, list[str]]


def read_labels(files: Mapping[str, Rows], options: ProblemOptions) -> LabelNames:
    """Return what the labels of a source stand for.

    The names are those of `options.data_labels`, else those of the source's `ClassLabel`, else those in the rows.

    Args:
        files: The rows of each file by its name.
        options: Names the columns, and perhaps the labels.

    Raises:
        InputError: If the source does not show the names of its labels, or has too many.
    """
    classes = _class_names(files, options.label_column)
    rows = chain.from_iterable(file.read() for file in files.values())
    if classes is not None and options.data_labels:
        labels = _named_classes(classes, options)
    elif classes is not None:
        _require_names(classes, rows, options)
        labels = _classes(classes)
    else:
        numeric = are_numbers(files.values(), options.label_column, options.limit)
        if options.data_labels:
            labels = names_of_entries(options.data_labels, are_numbers=numeric)
        else:
            labels = names_in_order(_infer_names(rows, options, numeric=numeric), are_numbers=numeric)
    _require_few(labels.names, options)
    return labels


def _class_names(files: Mapping[str, Rows], column: str) -> tuple[str, ...] | None:
    """Return the names of the ClassLabel column of a source; None if it has another type."""
    (first, names), *others = [(name, file.label_names.get(column)) for name, file in files.items()]
    for other, of_other in others:
        if of_other != names:
            raise InputError(f"the labels of {other} are {of_other}, those of {first} {names}: read them one by one")
    return names


def _classes(classes: Sequence[str]) -> LabelNames:
    """Return the labels of a ClassLabel, whose numbers are the positions of its names."""
    labels = [NO_LABEL if stands_for_no_label(name) else name for name in classes]
    names = tuple(name for name in labels if name != NO_LABEL)
    return LabelNames(names, dict(enumerate(labels)), {}, are_numbers=True)


def _named_classes(classes: Sequence[str], options: ProblemOptions) -> LabelNames:
    """Return the labels of a ClassLabel that `--data-labels` names."""
    entries = options.data_labels or ()
    given = names_of_entries(entries)
    if not any("=" in entry for entry in entries):
        _require_order(entries, classes, options)
        return LabelNames(given.names, dict(enumerate(entries)), {}, are_numbers=True)
    have_numbers = any(whole_number(name) is not None for name in classes)
    for value in given.of_texts:
        if have_numbers and whole_number(value) is not None and value not in classes:
            raise InputError(f"{param('data_labels')} names {value!r}, but {_listed(classes, options)}")
    of_numbers = {}
    for number, name in enumerate(classes):
        label = given.of_texts.get(name)
        if label is None and not have_numbers:
            label = given.of_texts.get(str(number))
        if label is None and stands_for_no_label(name):
            label = NO_LABEL
        if label is not None:
            of_numbers[number] = label
    return LabelNames(given.names, of_numbers, {}, are_numbers=True)


def _require_order(entries: Sequence[str], classes: Sequence[str], options: ProblemOptions) -> None:
    """Refuse names that are not in the order of the classes, as those that the classes themselves have show."""
    own, given = _comparable(classes), _comparable(entries)
    moved = [name for number, name in enumerate(given) if name in own and own.index(name) != number]
    if moved or len(entries) != len(classes):
        raise InputError(
            f"{param('data_labels')} is {','.join(entries)!r}, but {_listed(classes, options)}. Name each class: "
            f"{_form(classes)}"
        )


def _comparable(names: Sequence[str]) -> list[str]:
    return [canonical_name(name, two_way=len(names) == len(TWO_WAY)) or spelling(name) for name in names]


def _listed(classes: Sequence[str], options: ProblemOptions) -> str:
    listed = ", ".join(f"{number} = {name}" for number, name in enumerate(classes))
    return f"the classes of column {options.label_column!r} are {listed}"


def _form(labels: Sequence[str]) -> str:
    """Return the option that names labels."""
    return param("data_labels", tuple(f"{label}=NAME" for label in labels))


def _require_names(classes: Sequence[str], rows: Iterator[SourceRow], options: ProblemOptions) -> None:
    """Refuse classes whose names do not say what they mean."""
    if not say_nothing(classes):
        return
    examples: Examples = {name: [] for name in classes}
    for row in islice(rows, options.limit):
        number = whole_number(label_text(row, options.label_column))
        if number is not None and 0 <= number < len(classes):
            _add_example(examples, classes[number], row, options)
    raise InputError(_meaningless(classes, options) + _shown(classes, examples))


def _meaningless(labels: Sequence[str], options: ProblemOptions) -> str:
    return (
        f"{options.problems}: the labels in column {options.label_column!r} are named {', '.join(labels)}, which does "
        f"not say what they mean. Name each: {_form(labels)}. Some problems:"
    )


def _shown(labels: Sequence[str], examples: Examples) -> str:
    return "".join(f"\n  {label}: {example}" for label in labels for example in examples[label])


def _add_example(examples: Examples, label: str, row: SourceRow, options: ProblemOptions) -> InputError | None:
    """Add a row to the examples of a label; return what is wrong with its sentences."""
    invalid = None
    try:
        sentences = check_sentences(row, options)
    except InputError as error:
        invalid, sentences = error, ("", "")
    of_label = examples.setdefault(label, [])
    if len(of_label) < EXAMPLES:
        of_label.append(" / ".join(shorten(sentence, SHOWN_CHARACTERS) for sentence in sentences))
    return invalid


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
        wrong = _add_example(seen, text, row, options)
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
        raise InputError(unclear + _shown(labels, seen))
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
            f"another task, name each: {_form(labels)}. Some problems:"
        )
    if numeric:
        return (
            f"{only}. If they are graded scores, a replaced word can change them: name a column of classes with "
            f"{param('label_column')}. If they are classes, name each with {_form(labels)}. Some problems:"
        )
    if say_nothing(labels):
        return _meaningless(labels, options)
    if not NEGATIVE_OF_TWO.isdisjoint(map(str.lower, labels)) and _nli_names(labels, options) <= {
        ENTAILMENT,
        CONTRADICTION,
    }:
        return (
            f"{only}, which do not show the names. Set them with {two} or {three}; in another task, with "
            f"{_form(labels)}. Some problems:"
        )
    return None
