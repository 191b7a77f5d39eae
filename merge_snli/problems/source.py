"""A source of problems: a file, a folder or a Hub data set, opened once and read as often as needed."""

import hashlib
import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from heapq import nsmallest
from itertools import chain, islice
from pathlib import Path
from typing import Any

from merge_snli.base.errors import InputError, param
from merge_snli.base.files import is_path
from merge_snli.problems.file_rows import FILE_TYPES, open_file
from merge_snli.problems.guesses import are_numbers, check_number, find_columns, infer_label_names, label_names
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.problem import Problem, check_row
from merge_snli.problems.rows import LabelNames, Rows, SourceRow, read_label_names
from merge_snli.problems.tables import load_dataset, table_rows


@dataclass(frozen=True)
class ProblemSource:
    """An open source of problems. Each iteration reads its rows from the start and checks them.

    Attributes:
        options: Names the source and its columns, also those that were guessed.
        files: The rows of its files, or of its table.
        labels: The names of the labels and their spellings in the source.
    """

    options: ProblemOptions
    files: tuple[Rows, ...]
    labels: LabelNames

    @property
    def columns(self) -> dict[str, Any]:
        """The options that name the columns of premise, hypothesis and label."""
        return {name: getattr(self.options, name) for name in ("premise_column", "hypothesis_column", "label_column")}

    @property
    def labels_are_numbers(self) -> bool:
        """Whether labels are numbers that neither the source nor the options name."""
        named = self.options.data_labels or any(self.options.label_column in file.label_names for file in self.files)
        return not named and are_numbers(self.read(), self.options)

    def read(self) -> Iterator[SourceRow]:
        """Yield the rows from the start, as they are."""
        return _read(self.files)

    def __iter__(self) -> Iterator[tuple[str, Problem | None]]:
        """Yield the location and the problem of each row up to `options.limit`, one in memory at a time.

        The problem is None without a gold label. With `options.sample`, only the problems of the sample are yielded.
        """
        rows = islice(self.read(), self.options.limit)
        problems = ((row.location, check_row(row, self.options, self.labels)) for row in rows)
        if self.options.sample is None:
            return problems
        last = self._last_of_sample
        return (
            (location, problem)
            for number, (location, problem) in enumerate(problems)
            if problem is not None and self._rank(number, problem) <= last
        )

    @cached_property
    def _last_of_sample(self) -> tuple[bytes, int]:
        """The highest rank in the sample."""
        everything = replace(self, options=replace(self.options, sample=None))
        ranks = (self._rank(number, problem) for number, (_, problem) in enumerate(everything) if problem is not None)
        return max(nsmallest(self.options.sample or 0, ranks), default=(b"", 0))

    def _rank(self, number: int, problem: Problem) -> tuple[bytes, int]:
        """Return the rank of a problem: random by its content and the seed, then by its row if several are equal."""
        content = [self.options.sampling_seed, problem.premise, problem.hypothesis, problem.label]
        return hashlib.sha256(json.dumps(content, ensure_ascii=False).encode()).digest(), number


@contextmanager
def without_options(name: str) -> Iterator[None]:
    """Say in an error which advises options of `ProblemOptions` that a source is read without them.

    Args:
        name: What names the source, for the message.
    """
    try:
        yield
    except InputError as error:
        marked = error.message.marked
        if marked == str(error):
            raise
        raise InputError(f"{marked}, which {name} does not take: give a file that needs no options") from error


def open_source(options: ProblemOptions) -> ProblemSource:
    """Open the source that `options.problems` names.

    The labels are those of `options.data_labels`, else those of the source's ClassLabel feature, else those in the rows
    (see `infer_label_names`).

    Args:
        options: Names the source, its split, its columns and its labels.
    """
    problems = options.problems
    if problems is None:
        raise InputError("no problems are given: name a file, a folder, a Hub id or demo:problems")
    if problems.were_in_memory:
        files = {str(problems): _in_memory(options)}
    elif problems.are_bundled or problems.are_files:
        _refuse_split(options, "a file, which has no splits")
        files = {str(file): open_file(file, options.delimiter) for file in problems.files()}
    else:
        files = {str(problems): _data_set(options)}
    rows = tuple(files.values())
    options = find_columns(options, next(_read(rows), None))
    if options.data_labels:
        labels = read_label_names(options.data_labels)
    else:
        names = label_names(files, options.label_column) or infer_label_names(_read(rows), options)
        labels = LabelNames(names, names)
    check_number(labels.names, options)
    return ProblemSource(options, rows, labels)


def _in_memory(options: ProblemOptions) -> Rows:
    problems = options.problems
    if problems.table is None:
        raise InputError(
            f"the problems of this run were in memory ({problems}): give them again with {param('problems')}"
        )
    _refuse_split(options, "in memory: give one split")
    return table_rows(problems.table, str(problems))


def _data_set(options: ProblemOptions) -> Rows:
    name = str(options.problems)
    if is_path(name) and not Path(name).is_dir():
        raise InputError(f"no such file: {name} (expected a {', '.join(FILE_TYPES)} file or a Hub id)")
    if options.delimiter is not None:
        raise InputError(f"{param('delimiter')} is for text files, and {name} is not one: remove it")
    return table_rows(load_dataset(name, options.config, options.split), f"{name} split {options.split}")


def _refuse_split(options: ProblemOptions, what: str) -> None:
    if options.split is not None:
        raise InputError(f"the split is {options.split!r}, but {options.problems} is {what}")


def _read(files: Iterable[Rows]) -> Iterator[SourceRow]:
    return chain.from_iterable(file.read() for file in files)
