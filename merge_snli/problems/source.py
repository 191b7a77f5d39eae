"""An open source of problems: a file, a folder, a Hub data set or a table, whose rows are checked as they are read."""

import hashlib
import json
import logging
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from heapq import nsmallest
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from merge_snli.base.errors import InputError
from merge_snli.base.files import is_path
from merge_snli.dataset.label_names import LabelNames, labels_of_other_task
from merge_snli.problems.data_sets import data_set_files
from merge_snli.problems.formats import open_file
from merge_snli.problems.guesses import USUAL_COLUMNS, find_columns
from merge_snli.problems.inputs import no_such_file
from merge_snli.problems.labels import read_labels
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.problem import Problem, check_row
from merge_snli.problems.rows import Rows, SourceRow, read_files

logger = logging.getLogger(__name__)


class CheckedRow(NamedTuple):
    """A row of a source.

    Attributes:
        row: The row as its source has it.
        problem: Its problem; None in an invalid row, and in one without a gold label.
        error: What is wrong with an invalid row; None for others.
    """

    row: SourceRow
    problem: Problem | None = None
    error: InputError | None = None


@dataclass(frozen=True)
class ProblemSource:
    """An open source of problems. Each iteration reads its rows from the start and checks them.

    Attributes:
        options: Names the source and its columns, also those that were guessed.
        files: The rows of its files, or of its table.
        labels: What the labels of the source stand for.
    """

    options: ProblemOptions
    files: tuple[Rows, ...]
    labels: LabelNames

    @property
    def columns(self) -> dict[str, Any]:
        """The options that name the columns of premise, hypothesis and label."""
        return {name: getattr(self.options, name) for name in USUAL_COLUMNS}

    def __iter__(self) -> Iterator[CheckedRow]:
        """Yield each row up to `options.limit`, one in memory at a time.

        With `options.sample`, only the problems of the sample and invalid rows are yielded.
        """
        is_sample = self.options.sample is not None
        for number, checked in enumerate(self._checked()):
            if not is_sample or checked.error is not None or number in self._sample:
                yield checked

    def _checked(self) -> Iterator[CheckedRow]:
        """Yield every row, without a sample."""
        for row in islice(read_files(self.files), self.options.limit):
            try:
                checked = CheckedRow(row, check_row(row, self.options, self.labels))
            except InputError as error:
                checked = CheckedRow(row, error=error)
            yield checked

    @cached_property
    def _sample(self) -> frozenset[int]:
        """The numbers of the rows of the sample."""
        drawn = nsmallest(self.options.sample or 0, self._ranks())
        return frozenset(number for _, number in drawn)

    def _ranks(self) -> Iterator[tuple[bytes, int]]:
        """Yield the rank of each problem, which is random by the seed and its content, and the number of its row.

        The rank of a further copy is that of its content and its id, or its number among the copies, so that copies are
        not drawn together.
        """
        copies: Counter[bytes] = Counter()
        for number, checked in enumerate(self._checked()):
            problem = checked.problem
            if problem is None:
                continue
            digest = content = self._digest(problem)
            copies[content] += 1
            if copies[content] > 1:
                digest = self._digest(problem, problem.id or str(copies[content]))
            yield digest, number

    def _digest(self, problem: Problem, *copy: str) -> bytes:
        content = [self.options.sampling_seed, problem.premise, problem.hypothesis, problem.label, *copy]
        return hashlib.sha256(json.dumps(content, ensure_ascii=False).encode()).digest()


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

    Args:
        options: Names the source, its split, its columns and its labels.
    """
    problems = options.problems
    if problems is None:
        raise InputError("no problems are given: name a file, a folder, a Hub id or demo:problems")
    files: Mapping[str, Rows]
    if problems.were_in_memory:
        if problems.table is None:
            raise InputError(f"the problems of this run were in memory ({problems}): give them again with ⟦problems⟧")
        _refuse_split(options, "in memory: give one split")
        files = {str(problems): problems.table}
    elif problems.are_bundled or problems.are_files:
        _refuse_split(options, "a file, which has no splits")
        files = {str(file): open_file(file, options.delimiter) for file in problems.files()}
    else:
        files = _data_set(options)
    rows = tuple(files.values())
    options = find_columns(options, next(read_files(rows), None))
    labels = read_labels(files, options)
    other_task = None if options.data_labels else labels_of_other_task(labels.names)
    if other_task is not None:
        logger.warning("%s: %s", problems, other_task)
    return ProblemSource(options, rows, labels)


def _data_set(options: ProblemOptions) -> Mapping[str, Rows]:
    name = str(options.problems)
    if is_path(name) and not Path(name).is_dir():
        raise no_such_file(name)
    if options.delimiter is not None:
        raise InputError(f"⟦delimiter⟧ is for text files, and {name} is not one: remove it")
    return data_set_files(name, options.config, options.split)


def _refuse_split(options: ProblemOptions, what: str) -> None:
    if options.split is not None:
        raise InputError(f"the split is {options.split!r}, but {options.problems} is {what}")


def no_problem(source: ProblemSource, without_label: int) -> str:
    """Return a message on a source of which no row has a gold label, if it has any row."""
    if without_label:
        return f"no row of {source.options.problems} has a gold label in column {source.options.label_column!r}"
    return f"{source.options.problems} has no rows"
