"""The labels of a `ClassLabel` column, which is read as the names of its classes."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from merge_snli.base.errors import InputError
from merge_snli.dataset.label_names import LabelNames, names_of_entries, say_nothing, stands_for_no_label
from merge_snli.dataset.label_spellings import (
    LABEL_SETS,
    TWO_WAY,
    Labels,
    are_answers,
    canonical_name,
    spelling,
    whole_number,
)
from merge_snli.dataset.texts import are_nli_columns
from merge_snli.problems.label_examples import with_examples
from merge_snli.problems.label_sets import naming_option, unclear_names
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.rows import Rows, SourceRow, label_text


def class_names(files: Mapping[str, Rows], column: str) -> Labels | None:
    """Return the names of the ClassLabel column of a source; None if it has another type."""
    first = names = None
    for other, file in files.items():
        of_other = file.label_names.get(column)
        if file.numeric.get(column, False) is None:
            continue  # a column without values
        if first is None:
            first = other
            names = of_other
        if of_other != names:
            raise InputError(f"the labels of {other} are {of_other}, those of {first} {names}: read them one by one")
    return names


def read_classes(classes: Sequence[str], rows: Iterator[SourceRow], options: ProblemOptions) -> LabelNames:
    """Return the labels of classes, as the options or their own names say.

    Args:
        classes: The names of the classes, in the order of their numbers.
        rows: The rows of the source.
        options: Names the columns, and perhaps the labels.

    Raises:
        InputError: If the names do not say what the labels mean.
    """
    if options.data_labels:
        return _named_classes(classes, options)
    named = [name for name in classes if not stands_for_no_label(name)]
    unclear = unclear_names(classes if say_nothing(named) else named, options)
    if unclear is not None:
        raise with_examples(unclear, classes, rows, options, partial(label_text, column=options.label_column))
    labels = {name: name for name in named}
    if _are_spellings(named, options):
        labels = {name: str(canonical_name(name, two_way=False)) for name in named}
    return LabelNames(tuple(dict.fromkeys(labels.values())), {}, labels)


def _are_spellings(names: Sequence[str], options: ProblemOptions) -> bool:
    """Return whether names stand for the labels of NLI that they spell: answers, or several that spell the same."""
    labels = {canonical_name(name, two_way=False) for name in names}
    if labels not in LABEL_SETS:
        return False
    if are_answers(names):
        return are_nli_columns(options.premise_column, options.hypothesis_column)
    return len(labels) < len(names)


def _named_classes(classes: Sequence[str], options: ProblemOptions) -> LabelNames:
    """Return the labels of a ClassLabel that `--data-labels` names."""
    entries = options.data_labels or ()
    given = names_of_entries(entries)
    if not any("=" in entry for entry in entries):
        # They are as many as the classes, and not those of the classes in another order.
        own = _comparable(classes)
        named = _comparable(entries)
        moved = [name for number, name in enumerate(named) if name in own and own.index(name) != number]
        if moved or len(entries) != len(classes):
            raise InputError(f"⟦data_labels⟧ is {','.join(entries)!r}, {_but_classes(classes, options)}")
        return LabelNames(given.names, {}, dict(zip(classes, entries, strict=True)))
    of_texts = dict(given.of_texts)
    have_numbers = any(whole_number(name) is not None for name in classes)
    for value in given.of_texts:
        number = whole_number(value)
        if number is None or value in classes:
            continue
        if have_numbers:
            raise InputError(f"⟦data_labels⟧ names {value!r}, {_but_classes(classes, options)}")
        if 0 <= number < len(classes):
            of_texts.setdefault(classes[number], given.of_texts[value])
    return LabelNames(given.names, {}, of_texts)


def _comparable(names: Sequence[str]) -> list[str]:
    return [canonical_name(name, two_way=len(names) == len(TWO_WAY)) or spelling(name) for name in names]


def _but_classes(classes: Sequence[str], options: ProblemOptions) -> str:
    listed = ", ".join(f"{number} = {name}" for number, name in enumerate(classes))
    return f"but the classes of column {options.label_column!r} are {listed}. Name each: {naming_option(classes)}"
