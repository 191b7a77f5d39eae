"""A source of problems: a file, a folder or a Hub data set, opened once and read as often as needed."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from merge_snli.base.errors import InputError, Message, param
from merge_snli.base.files import is_path
from merge_snli.dataset.label_spellings import ENTAILMENT, NEGATIVE_OF_TWO, NOT_ENTAILMENT, TWO_WAY, canonical_name
from merge_snli.embedded import embedded_path
from merge_snli.problems.dataset_rows import class_label_names, dataset_rows, load_folder, load_from_hub
from merge_snli.problems.file_names import find_files, names_files
from merge_snli.problems.file_rows import READERS, parquet_label_names, read_file
from merge_snli.problems.label_names import LabelNames, read_label_names, without_decimals
from merge_snli.problems.memory_rows import MEMORY, MemoryProblems
from merge_snli.problems.rows import NO_GOLD_LABEL, CheckedRow, SourceRow, check_row, check_sentences, label_text
from merge_snli.schema import NLI_LABELS

if TYPE_CHECKING:
    from merge_snli.problems.options import ProblemOptions

logger = logging.getLogger(__name__)

UNCLEAR = NEGATIVE_OF_TWO | {"0", "1"}
"""Labels that do not show whether there are two labels or three."""

SENTENCE_COLUMNS = (
    ("premise", "hypothesis"),
    ("sentence1", "sentence2"),
    ("sentence_A", "sentence_B"),
    ("text", "hypothesis"),
    ("context", "hypothesis"),
)
"""Usual names of the columns of premise and hypothesis, tried in this order: those of SNLI's files, SICK's, ANLI's."""

LABEL_COLUMNS = ("label", "gold_label", "entailment_label", "entailment_judgment")
"""Usual names of the column of the gold label, tried in this order."""

ReadRows = Callable[[], Iterator[SourceRow]]
"""Starts a new pass over the rows of a source."""


@dataclass(frozen=True)
class ProblemSource:
    """An open source of problems. Each iteration reads its rows from the start and checks them.

    Attributes:
        options: Names the source and its columns, also those that were guessed.
        read: Starts a new pass over the rows.
        labels: The names of the labels and their spellings in the source.
    """

    options: ProblemOptions
    read: ReadRows
    labels: LabelNames

    @property
    def columns(self) -> dict[str, Any]:
        """The options that name the columns of premise, hypothesis and label."""
        return {name: getattr(self.options, name) for name in ("premise_column", "hypothesis_column", "label_column")}

    def __iter__(self) -> Iterator[CheckedRow]:
        """Yield the rows up to `options.limit`, one in memory at a time.

        Raises:
            InputError: If the source cannot be read or a row is invalid.
        """
        for row in islice(self.read(), self.options.limit):
            yield check_row(row, self.options, self.labels)


def open_source(options: ProblemOptions) -> ProblemSource:
    """Open the source that `options.problems` names.

    The labels are those of `options.data_labels`, else those of the source's ClassLabel feature, else three-way or
    two-way NLI labels, depending on the labels in the rows.

    Args:
        options: Names the source, its split, its columns and its labels.

    Raises:
        InputError: If the source does not exist, cannot be read, or has numbers as labels without names.
    """
    if options.problems.startswith(MEMORY):
        return _memory_source(options)
    bundled, path = embedded_path(options.problems), Path(options.problems)
    if bundled is not None or names_files(options.problems):
        return _file_source(options, find_files(options.problems) if bundled is None else (bundled,))
    if path.is_dir():
        dataset = load_folder(path, options)
    elif is_path(options.problems):
        raise InputError(f"no such file: {options.problems} (expected a {', '.join(READERS)} file or a Hub id)")
    else:
        dataset = load_from_hub(options)
    if options.delimiter is not None:
        raise InputError(f"{param('delimiter')} is for text files, and {options.problems} is not one: remove it")
    read = partial(dataset_rows, dataset, f"{options.problems} split {options.split}")
    return _source(options, read, partial(class_label_names, dataset))


def _file_source(options: ProblemOptions, files: tuple[Path, ...]) -> ProblemSource:
    if options.split is not None:
        raise InputError(
            f"{param('split')} is {options.split!r}, but {options.problems} is a file, which has no splits"
        )

    def read() -> Iterator[SourceRow]:
        return chain.from_iterable(read_file(file, options.delimiter) for file in files)

    return _source(options, read, partial(_common_label_names, files))


def _common_label_names(files: Sequence[Path], column: str) -> tuple[str, ...] | None:
    """Return the names of the ClassLabel column of Parquet files.

    Raises:
        InputError: If they differ between the files.
    """
    names = {file: parquet_label_names(file, column) for file in files}
    other = next((file for file in files if names[file] != names[files[0]]), None)
    if other is not None:
        raise InputError(
            f"the labels of {other} are {names[other]}, those of {files[0]} {names[files[0]]}: read them one by one"
        )
    return names[files[0]]


def _memory_source(options: ProblemOptions) -> ProblemSource:
    problems = options.problems
    if not isinstance(problems, MemoryProblems):
        raise InputError(
            f"the problems of this run were in memory ({problems}): give them again with {param('problems')}"
        )
    if options.split is not None:
        raise InputError(
            f"{param('split')} is {options.split!r}, but problems in memory have no splits: give one split"
        )
    return _source(options, problems.read, problems.label_names)


def _source(
    options: ProblemOptions, read: ReadRows, label_names: Callable[[str], tuple[str, ...] | None]
) -> ProblemSource:
    options = _find_columns(options, next(read(), None))
    names = options.data_labels or label_names(options.label_column) or _infer_label_names(read(), options)
    return ProblemSource(options, read, read_label_names(names))


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
