"""The labels of a `ClassLabel` column, whose numbers are the positions of its names."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from merge_snli.base.errors import InputError, param
from merge_snli.dataset.label_names import NO_LABEL, LabelNames, names_of_entries, say_nothing, stands_for_no_label
from merge_snli.dataset.label_spellings import TWO_WAY, canonical_name, spelling, whole_number
from merge_snli.problems.label_examples import Examples, add_example, meaningless, naming_option, shown
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.rows import Rows, SourceRow, label_text


def class_names(files: Mapping[str, Rows], column: str) -> tuple[str, ...] | None:
    """Return the names of the ClassLabel column of a source; None if it has another type."""
    (first, names), *others = [(name, file.label_names.get(column)) for name, file in files.items()]
    for other, of_other in others:
        if of_other != names:
            raise InputError(f"the labels of {other} are {of_other}, those of {first} {names}: read them one by one")
    return names


def require_names(classes: Sequence[str], rows: Iterator[SourceRow], options: ProblemOptions) -> None:
    """Refuse classes whose names do not say what they mean."""
    if not say_nothing(classes):
        return
    examples: Examples = {name: [] for name in classes}
    for row in islice(rows, options.limit):
        number = whole_number(label_text(row, options.label_column))
        if number is not None and 0 <= number < len(classes):
            add_example(examples, classes[number], row, options)
    raise InputError(meaningless(classes, options) + shown(classes, examples))


def labels_of_classes(classes: Sequence[str]) -> LabelNames:
    """Return the labels of a ClassLabel, whose numbers are the positions of its names."""
    labels = [NO_LABEL if stands_for_no_label(name) else name for name in classes]
    names = tuple(name for name in labels if name != NO_LABEL)
    return LabelNames(names, dict(enumerate(labels)), {}, are_numbers=True)


def named_classes(classes: Sequence[str], options: ProblemOptions) -> LabelNames:
    """Return the labels of a ClassLabel that `--data-labels` names."""
    entries = options.data_labels or ()
    given = names_of_entries(entries)
    if not any("=" in entry for entry in entries):
        _require_order(entries, classes, options)
        return LabelNames(given.names, dict(enumerate(entries)), {}, are_numbers=True)
    have_numbers = any(whole_number(name) is not None for name in classes)
    for value in given.of_texts:
        if have_numbers and whole_number(value) is not None and value not in classes:
            raise InputError(f"{param('data_labels')} names {value!r}, {_but_classes(classes, options)}")
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
    """Refuse names that are not as many as the classes, or are those of the classes in another order."""
    own, given = _comparable(classes), _comparable(entries)
    moved = [name for number, name in enumerate(given) if name in own and own.index(name) != number]
    if moved or len(entries) != len(classes):
        raise InputError(f"{param('data_labels')} is {','.join(entries)!r}, {_but_classes(classes, options)}")


def _comparable(names: Sequence[str]) -> list[str]:
    return [canonical_name(name, two_way=len(names) == len(TWO_WAY)) or spelling(name) for name in names]


def _but_classes(classes: Sequence[str], options: ProblemOptions) -> str:
    listed = ", ".join(f"{number} = {name}" for number, name in enumerate(classes))
    return f"but the classes of column {options.label_column!r} are {listed}. Name each: {naming_option(classes)}"
