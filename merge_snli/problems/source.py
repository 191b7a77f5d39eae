"""A source of problems: a file, a folder or a Hub data set, opened once and read as often as needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from merge_snli.embedded import embedded_path
from merge_snli.errors import InputError
from merge_snli.files import is_path
from merge_snli.problems.dataset_rows import class_label_names, dataset_rows, load_folder, load_from_hub
from merge_snli.problems.file_rows import READERS, parquet_label_names, read_file
from merge_snli.problems.label_names import LabelNames, read_label_names, without_decimals
from merge_snli.problems.rows import NO_GOLD_LABEL, CheckedRow, SourceRow, check_row, check_sentences, label_text
from merge_snli.schema import NLI_LABELS

if TYPE_CHECKING:
    from merge_snli.problems.options import ProblemOptions

TWO_WAY_LABELS = ("entailment", "not_entailment")

ReadRows = Callable[[], Iterator[SourceRow]]
"""Starts a new pass over the rows of a source."""


@dataclass(frozen=True)
class ProblemSource:
    """An open source of problems. Each iteration reads its rows from the start and checks them.

    Attributes:
        options: Names the source and its columns.
        read: Starts a new pass over the rows.
        labels: The names of the labels and their spellings in the source.
    """

    options: ProblemOptions
    read: ReadRows
    labels: LabelNames

    def __iter__(self) -> Iterator[CheckedRow]:
        """Yield the rows up to `options.limit`, one in memory at a time.

        Raises:
            InputError: If the source cannot be read or a row is invalid.
        """
        for row in islice(self.read(), self.options.limit):
            yield check_row(row, self.options, self.labels)


def open_source(options: ProblemOptions) -> ProblemSource:
    """Open the source that `options.problems` names.

    The labels are those of `options.label_names`, else those of the source's ClassLabel feature, else three-way or
    two-way NLI labels, depending on the labels in the rows.

    Args:
        options: Names the source, its split, its columns and its labels.

    Raises:
        InputError: If the source does not exist, cannot be read, or has numbers as labels without names.
    """
    path = embedded_path(options.problems) or Path(options.problems)
    if path.is_file():
        return _source(options, partial(read_file, path), parquet_label_names(path, options.label_column))
    if path.is_dir():
        dataset = load_folder(path, options)
    elif path.suffix in READERS or is_path(options.problems):
        raise InputError(f"no such file: {options.problems} (expected a {', '.join(READERS)} file or a Hub id)")
    else:
        dataset = load_from_hub(options)
    read = partial(dataset_rows, dataset, f"{options.problems} split {options.split}")
    return _source(options, read, class_label_names(dataset, options.label_column))


def _source(options: ProblemOptions, read: ReadRows, label_names: tuple[str, ...] | None) -> ProblemSource:
    names = options.label_names or label_names or _infer_label_names(read(), options)
    return ProblemSource(options, read, read_label_names(names))


def _infer_label_names(rows: Iterator[SourceRow], options: ProblemOptions) -> tuple[str, ...]:
    """Distinguish two-way from three-way labels; read only as many rows as needed."""
    undecided = NO_GOLD_LABEL | {"0", "1", NLI_LABELS[0]}
    seen: set[str] = set()
    for row in islice(rows, options.limit):
        check_sentences(row, options)
        text = without_decimals(label_text(row, options.label_column))
        if text not in undecided:
            return TWO_WAY_LABELS if text in TWO_WAY_LABELS else NLI_LABELS
        seen.add(text)
    numbers = seen - NO_GOLD_LABEL
    if numbers and numbers <= {"0", "1"}:
        raise InputError(
            f"{options.problems}: column {options.label_column!r} has only the labels {', '.join(sorted(numbers))}, "
            "which do not show the names. Set them with --label-names entailment,not_entailment or "
            "--label-names entailment,neutral,contradiction"
        )
    return NLI_LABELS
