"""Problems from a file, a folder or a Hub data set: one pass checks and counts them, and further passes yield them."""

import hashlib
import json
import logging
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from heapq import nsmallest
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np

from merge_snli.base.errors import InputError, Message, listed, param
from merge_snli.base.files import is_path
from merge_snli.base.progress import Stage
from merge_snli.dataset.label_names import NO_LABEL, LabelNames, labels_of_other_task
from merge_snli.dataset.label_spellings import MAX_LABELS, whole_number
from merge_snli.problems.data_sets import data_set_files
from merge_snli.problems.formats import FILE_TYPES, open_file
from merge_snli.problems.guesses import find_columns
from merge_snli.problems.inputs import Problems
from merge_snli.problems.labels import read_labels
from merge_snli.problems.language import LanguageCheck
from merge_snli.problems.markup import MarkupCheck
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.problem import Problem, check_row
from merge_snli.problems.rows import Rows, SourceRow, label_text

logger = logging.getLogger(__name__)

DIGEST_MODULUS = 2**256

# Hexadecimal digits of an id that is made from the content.
CONTENT_ID_DIGITS = 12

# Number of further invalid rows that a message names.
SHOWN_ROWS = 10

# Bytes of the hash by which ids are compared.
HASH_BYTES = 8


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
        return {name: getattr(self.options, name) for name in ("premise_column", "hypothesis_column", "label_column")}

    @property
    def labels_are_numbers(self) -> bool:
        """Whether labels are numbers that neither the source nor the options name."""
        named = self.options.data_labels or any(self.options.label_column in file.label_names for file in self.files)
        return self.labels.are_numbers and not named

    def read(self) -> Iterator[SourceRow]:
        """Yield the rows from the start, as they are."""
        return _read(self.files)

    def __iter__(self) -> Iterator[tuple[str, Problem | None]]:
        """Yield the location and the problem of each row up to `options.limit`, one in memory at a time.

        The problem is None without a gold label, and with `options.skip_invalid` in an invalid row. With
        `options.sample`, only the problems of the sample are yielded.
        """
        rows = islice(self.read(), self.options.limit)
        problems = ((row.location, self._checked(row)) for row in rows)
        if self.options.sample is None:
            return problems
        last = self._last_of_sample
        return ((location, problem) for rank, location, problem in self._ranked() if rank <= last)

    def _checked(self, row: SourceRow) -> Problem | None:
        with suppress(*([InputError] if self.options.skip_invalid else [])):
            return check_row(row, self.options, self.labels)
        return None

    def invalid(self, start: int) -> Iterator[str]:
        """Yield the location of each row from a number on that is not a valid problem."""
        for row in islice(self.read(), start, self.options.limit):
            try:
                check_row(row, self.options, self.labels)
            except InputError:
                yield row.location

    @cached_property
    def _last_of_sample(self) -> tuple[bytes, int]:
        """The highest rank in the sample."""
        ranks = (rank for rank, _, _ in self._ranked())
        return max(nsmallest(self.options.sample or 0, ranks), default=(b"", 0))

    @cached_property
    def _everything(self) -> "ProblemSource":
        """The source without a sample."""
        return replace(self, options=replace(self.options, sample=None))

    @cached_property
    def _copied(self) -> frozenset[int]:
        """The hashes of the contents that several problems have."""
        hashes = array("Q")
        for _, problem in self._everything:
            if problem is not None:
                hashes.append(_first_bits(self._digest(problem)))
        return frozenset(repeated_numbers(hashes)) if hashes else frozenset()

    def _ranked(self) -> Iterator[tuple[tuple[bytes, int], str, Problem]]:
        """Yield each problem with its location and rank: random by the seed and its content, then by its row.

        The rank of a further copy is that of its content and its id, or its number among the copies, so that copies are
        not drawn together.
        """
        copies: Counter[bytes] = Counter()
        for number, (location, problem) in enumerate(self._everything):
            if problem is None:
                continue
            digest = content = self._digest(problem)
            if _first_bits(content) in self._copied:
                copies[content] += 1
                if copies[content] > 1:
                    digest = self._digest(problem, problem.id or str(copies[content]))
            yield (digest, number), location, problem

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
        files = {str(problems): _in_memory(options)}
    elif problems.are_bundled or problems.are_files:
        _refuse_split(options, "a file, which has no splits")
        files = {str(file): open_file(file, options.delimiter) for file in problems.files()}
    else:
        files = _data_set(options)
    rows = tuple(files.values())
    options = find_columns(options, next(_read(rows), None))
    labels = read_labels(files, options)
    other_task = None if options.data_labels else labels_of_other_task(labels.names)
    if other_task is not None:
        logger.warning("%s: %s", problems, other_task)
    return ProblemSource(options, rows, labels)


def _in_memory(options: ProblemOptions) -> Rows:
    problems: Problems = options.problems
    if problems.table is None:
        raise InputError(
            f"the problems of this run were in memory ({problems}): give them again with {param('problems')}"
        )
    _refuse_split(options, "in memory: give one split")
    return problems.table


def _data_set(options: ProblemOptions) -> Mapping[str, Rows]:
    name = str(options.problems)
    if is_path(name) and not Path(name).is_dir():
        raise InputError(f"no such file: {name} (expected a {', '.join(FILE_TYPES)} file or a Hub id)")
    if options.delimiter is not None:
        raise InputError(f"{param('delimiter')} is for text files, and {name} is not one: remove it")
    return data_set_files(name, options.config, options.split)


def _refuse_split(options: ProblemOptions, what: str) -> None:
    if options.split is not None:
        raise InputError(f"the split is {options.split!r}, but {options.problems} is {what}")


def _read(files: Iterable[Rows]) -> Iterator[SourceRow]:
    return chain.from_iterable(file.read() for file in files)


@dataclass(frozen=True)
class Survey:
    """The result of a first pass over a source. It holds nothing per problem but the repeated content ids.

    Attributes:
        label_names: Names of the labels in the order of their numbers.
        with_label: Number of rows with a gold label, which are the problems.
        without_label: Number of rows without a gold label, which are left out.
        digest: Sum of the sha256 of every problem, modulo 2^256, in hexadecimal digits. Independent of their order.
        repeated: Ids made from the content that several problems share, as numbers in ascending order.
        problems: All problems in the order of the source, from `read_problems`.
        invalid: Number of rows that are not valid problems and were left out; None if there is none.
    """

    label_names: tuple[str, ...]
    with_label: int
    without_label: int
    digest: str
    repeated: Sequence[int]
    problems: tuple[Problem, ...] = ()
    invalid: int | None = None


def read_problems(options: ProblemOptions) -> Survey:
    """Read all problems of a source into memory.

    Args:
        options: Names the source, its columns and its labels.
    """
    source = open_source(options)
    survey = survey_problems(source)
    return replace(survey, problems=tuple(stream_problems(source, survey)))


def survey_problems(source: ProblemSource, stage: Stage | None = None, language: LanguageCheck | None = None) -> Survey:
    """Read a source once to check every row, count the problems and compute their digest.

    The only memory that grows with the source is 18 bytes per problem.

    Args:
        source: The source.
        stage: Counts the rows that were read.
        language: Checks the language of the problems; None for any language.
    """
    names = source.labels.names
    rows = total = 0
    ids, pairs, labels = array("Q"), array("q"), array("H")
    markup = MarkupCheck()
    for rows, (location, problem) in enumerate(_all_valid(source), start=1):  # noqa: B007 - also read after the loop
        if stage is not None:
            stage.advance(1)
        if problem is None:
            continue
        if language is not None:
            language.add(location, problem.premise, problem.hypothesis)
        markup.add(location, problem.premise, problem.hypothesis)
        identity = _base_id(problem, names)
        total += content_number(identity, problem.premise, problem.hypothesis, names[problem.label], *problem.extra)
        ids.append(id_hash(identity) if problem.id else int(identity, 16))
        pairs.append(hash((problem.premise, problem.hypothesis)))
        labels.append(problem.label)
    invalid = [*source.invalid(0)] if source.options.skip_invalid else []
    if invalid:
        logger.warning("%s: %s", source.options.problems, _listed(invalid, "invalid row") + " left out")
    without_label = rows - len(labels) - (len(invalid) if source.options.sample is None else 0)
    if not labels:
        raise InputError(no_problem(source, without_label))
    if language is not None:
        language.require(str(source.options.problems))
    repeated = repeated_numbers(ids)
    if source.options.id_column is not None and repeated:
        _require_unique_ids(source, repeated)
    warn_of_several_labels(source, pairs, labels)
    _warn_of_copies(source, pairs, labels)
    for message in markup.messages():
        logger.warning("%s: %s: clean the texts if this is not part of them", source.options.problems, message)
    if without_label:
        _say_without_label(source)
    if source.labels_are_numbers:
        _say_assumed_names(source, labels)
    return Survey(names, len(labels), without_label, digest_of(total), repeated, invalid=len(invalid) or None)


def _all_valid(source: ProblemSource) -> Iterator[tuple[str, Problem | None]]:
    """Yield what the source yields; at the first invalid row, name those after it as well."""
    read = 0
    try:
        for read, checked in enumerate(source, start=1):  # noqa: B007 - also read in the handler
            yield checked
    except InputError as error:
        if source.options.sample is not None:
            raise
        others = [*source.invalid(read + 1)]
        if not others:
            raise
        more = f"{_listed(others, 'more invalid row')}; {param('skip_invalid', True)} leaves them out"
        raise InputError(f"{error.message.marked} ({more})") from error


def _listed(locations: Sequence[str], what: str) -> str:
    """Return the number of some rows and where the first ones are."""
    return f"{len(locations):,} {what}{'s' * (len(locations) > 1)}: {', '.join(locations[:SHOWN_ROWS])}" + (
        ", …" if len(locations) > SHOWN_ROWS else ""
    )


def warn_of_several_labels(source: ProblemSource, pairs: Sequence[int], labels: Sequence[int]) -> None:
    """Warn if rows with the same premise and hypothesis have different gold labels; each of them counts.

    Args:
        source: The source.
        pairs: A number per row with a gold label, the same for equal pairs; at least one.
        labels: The number of the label of each of these rows.
    """
    of_rows = np.asarray(labels)
    _, first, number = np.unique(np.asarray(pairs), return_index=True, return_inverse=True)
    several = first[np.unique(number[of_rows != of_rows[first][number]])]
    if several.size:
        labeled = (location for location, problem in source if problem is not None)
        logger.warning(
            "%s: %d pair(s) of premise and hypothesis have more than one gold label, and each of their rows counts: "
            "remove those that are wrong (the first pair is at %s)",
            *(source.options.problems, several.size, next(islice(labeled, int(several.min()), None))),
        )


def _warn_of_copies(source: ProblemSource, pairs: Sequence[int], labels: Sequence[int]) -> None:
    """Warn of problems that have the texts and the label of an earlier one; the arguments are as above."""
    _, first = np.unique(np.asarray(pairs) * MAX_LABELS + np.asarray(labels), return_index=True)
    copies = len(labels) - len(first)
    if not copies:
        return
    place = int(np.setdiff1d(np.arange(len(labels)), first).min())
    labeled = (location for location, problem in source if problem is not None)
    logger.warning(
        "%s: %s of %s are exact copies of others and count as well: remove them unless they are meant (the first one "
        "is at %s)",
        *(source.options.problems, f"{copies:,}", f"{len(labels):,} problems", next(islice(labeled, place, None))),
    )


def _say_without_label(source: ProblemSource) -> None:
    """Say which values of the column of labels stand for no label, and how many rows have each."""
    column, numbers = source.options.label_column, Counter[str]()
    classes = next((file.label_names[column] for file in source.files if column in file.label_names), ())
    for row in islice(source.read(), source.options.limit):
        with suppress(InputError):  # an invalid row that is left out
            value = label_text(row, column)
            if source.labels.read(value) == NO_LABEL:
                number = whole_number(value)
                numbers[value if number is None or not 0 <= number < len(classes) else classes[number]] += 1
    values = [f"{value!r} ({number:,})" for value, number in numbers.most_common()]
    logger.warning("%s: rows without a gold label, by column %r: %s", source.options.problems, column, listed(values))


def _say_assumed_names(source: ProblemSource, labels: Sequence[int]) -> None:
    """Say how numbers without names were read, with the share of each among the rows with a gold label."""
    counts, names = Counter(labels), enumerate(source.labels.names)
    read = (f"{number} = {name} ({counts[number] / len(labels):.0%})" for number, name in names)
    logger.warning(
        Message(f"%s: the labels are numbers, read as %s; {param('data_labels')} sets other names in this order"),
        *(source.options.problems, ", ".join(read)),
    )


def content_number(*content: str) -> int:
    """Return the sha256 of the content of a row as a number, to be summed over the rows."""
    return int.from_bytes(hashlib.sha256(json.dumps(content, ensure_ascii=False).encode()).digest())


def digest_of(total: int) -> str:
    """Return the digest of rows from the sum of their `content_number`, which does not depend on their order."""
    return f"{total % DIGEST_MODULUS:064x}"


def stream_problems(source: ProblemSource, survey: Survey) -> Iterator[Problem]:
    """Yield the problems of a source one by one, in the source's order.

    Args:
        source: The source.
        survey: The survey of the same source.
    """
    ordinals, number = dict.fromkeys(survey.repeated, 0), 0
    for _, problem in source:
        if problem is None:
            continue
        number += 1
        identity = _base_id(problem, survey.label_names)
        if not problem.id and (content := int(identity, 16)) in ordinals:
            ordinals[content] += 1  # the first keeps its id, the second gets -2, and so on
            identity += f"-{ordinals[content]}" if ordinals[content] > 1 else ""
        yield replace(problem, id=identity)
    if number != survey.with_label:
        raise InputError(f"{source.options.problems} changed while it was read; run the command again")


def _base_id(problem: Problem, label_names: Sequence[str]) -> str:
    """Return the source's id of a problem, or the id made from its content, without ordinal."""
    return problem.id or content_id(problem.premise, problem.hypothesis, label_names[problem.label])


def no_problem(source: ProblemSource, without_label: int) -> str:
    """Return a message on a source of which no row has a gold label, if it has any row."""
    if without_label:
        return f"no row of {source.options.problems} has a gold label in column {source.options.label_column!r}"
    return f"{source.options.problems} has no rows"


def _require_unique_ids(source: ProblemSource, repeated_hashes: Sequence[int]) -> None:
    """Read the source again to compare the ids that have the same hash."""
    locations: dict[str, str] = {}
    repeated = {*repeated_hashes}
    for location, problem in source:
        if problem is None or id_hash(problem.id) not in repeated:
            continue
        if problem.id in locations:
            raise InputError(
                f"{location}: duplicate id {problem.id!r} (first seen at {locations[problem.id]}). Ids must be unique; "
                f"without {param('id_column')} they are made from the content"
            )
        locations[problem.id] = location


def content_id(premise: str, hypothesis: str, label: str) -> str:
    """Return the first `CONTENT_ID_DIGITS` hexadecimal digits of the sha256 of a problem's content."""
    return f"{content_number(premise, hypothesis, label):064x}"[:CONTENT_ID_DIGITS]


def id_hash(identity: str) -> int:
    """Return the first 64 bits of the sha256 of an id. Different ids may have the same hash."""
    return _first_bits(hashlib.sha256(identity.encode()).digest())


def _first_bits(digest: bytes) -> int:
    return int.from_bytes(digest[:HASH_BYTES])


def repeated_numbers(numbers: "array[int]") -> "array[int]":
    """Return the numbers that occur more than once.

    Args:
        numbers: At least one unsigned 64-bit number; sorted in place.

    Returns:
        Each repeated number once, in ascending order.
    """
    ordered = np.frombuffer(numbers, dtype=np.uint64)
    ordered.sort()
    return array("Q", np.unique(ordered[1:][ordered[1:] == ordered[:-1]]).tobytes())
