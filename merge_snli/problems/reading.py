"""Problems: a first look at a source (labels, counts, digest, contents that come twice), then its problems in turn."""

from __future__ import annotations

import hashlib
import json
from array import array
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from merge_snli.errors import InputError
from merge_snli.problems.ids import Ordinals, content_id, with_ordinal
from merge_snli.problems.labelled_rows import find_labels, labelled_rows
from merge_snli.problems.sorted_lines import sorted_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from merge_snli.problems.label_names import LabelNames
    from merge_snli.problems.labelled_rows import LabelledRow
    from merge_snli.problems.options import ProblemOptions
    from merge_snli.progress import Stage


@dataclass(frozen=True, slots=True)
class Problem:
    """An NLI problem: premise P, hypothesis H, the number of its gold label, and what `--keep-column` carries on."""

    id: str
    premise: str
    hypothesis: str
    label: int
    kept: tuple[str, ...] = ()


@dataclass(frozen=True)
class Survey:
    """What a first look at a source tells; it holds nothing that grows with the source but repeated contents.

    Attributes:
        labels: The labels and how the source spells them.
        with_label: How many rows have a gold label: each is a problem.
        without_label: How many have none and are left out.
        digest: sha256 over the problems, whatever their order.
        repeated: The ids that the contents of several problems share, as numbers, rising.
    """

    labels: LabelNames
    with_label: int
    without_label: int
    digest: str
    repeated: Sequence[int]

    @property
    def label_names(self) -> tuple[str, ...]:
        """Names of the labels in the order of their numbers."""
        return self.labels.names


@dataclass(frozen=True)
class Problems:
    """The problems of a source.

    Attributes:
        problems: Those with a gold label, in the source's order.
        label_names: Names of the labels in the order of their numbers.
        without_label: How many were left out because they have no gold label.
        digest: sha256 over the problems, whatever their order.
    """

    problems: tuple[Problem, ...]
    label_names: tuple[str, ...]
    without_label: int
    digest: str


def read_problems(options: ProblemOptions) -> Problems:
    """Read all the problems that `options` name into memory.

    Args:
        options: `problems`, `split`, `limit`, the column names and `label_names` are read.

    Raises:
        InputError: Where the source or one of its rows cannot be used: says what, where, the value and how to mend it.
    """
    survey = survey_problems(options)
    problems = tuple(stream_problems(options, survey))
    return Problems(problems, survey.label_names, survey.without_label, survey.digest)


def survey_problems(options: ProblemOptions, stage: Stage | None = None) -> Survey:
    """Go through a source once and check every row.

    Args:
        options: `problems`, `split`, `limit`, the column names and `label_names` are read.
        stage: Counts the rows as they are read.

    Raises:
        InputError: Where the source or one of its rows cannot be used, or an id of the source comes twice.
    """
    labels = find_labels(options)
    counts: Counter[bool] = Counter()
    lines = (_line(row, labels) for row in _counted(labelled_rows(options, labels), counts, stage))
    digest, repeated = hashlib.sha256(), array("Q")
    between = b""
    for identity, group in groupby(sorted_lines(lines), key=_id_of_line):
        of_id = list(group)
        if len(of_id) > 1:
            if options.id_column is not None:
                raise _id_twice(options, labels)
            repeated.append(int(identity, 16))
            of_id = sorted(f'["{with_ordinal(identity, nth)}"{_after_id(line)}' for nth, line in enumerate(of_id, 1))
        for line in of_id:
            digest.update(between + line.encode())
            between = b"\n"
    if not counts:
        raise InputError(f"{options.problems} holds no problem")
    if not counts[True]:
        raise InputError(f"no problem of {options.problems} has a gold label (column {options.label_column!r})")
    return Survey(labels, counts[True], counts[False], digest.hexdigest(), repeated)


def stream_problems(options: ProblemOptions, survey: Survey) -> Iterator[Problem]:
    """Yield the problems of a source one by one, in its order.

    Args:
        options: The same as for `survey`.
        survey: What `survey_problems` gave.

    Raises:
        InputError: Where the source is not what it was when it was looked at first.
    """
    ordinals = Ordinals(survey.repeated)
    number = 0
    for row in labelled_rows(options, survey.labels):
        if row.label is not None:
            number += 1
            identity = ordinals.next(_content_id(row, survey.labels)) if row.id is None else row.id
            yield Problem(identity, row.premise, row.hypothesis, row.label, row.kept)
    if number != survey.with_label:
        raise InputError(f"{options.problems} changed while it was read: run again when it is finished")


def _counted(rows: Iterable[LabelledRow], counts: Counter[bool], stage: Stage | None) -> Iterator[LabelledRow]:
    """Let rows with a gold label through, counting these and the others."""
    for row in rows:
        counts[row.label is not None] += 1
        if stage is not None:
            stage.advance(1)
        if row.label is not None:
            yield row


def _content_id(row: LabelledRow, labels: LabelNames) -> str:
    assert row.label is not None
    return content_id(row.premise, row.hypothesis, labels.names[row.label])


def _line(row: LabelledRow, labels: LabelNames) -> str:
    """Return a problem as a line of JSON that begins with its id, as yet without an ordinal."""
    assert row.label is not None
    identity = _content_id(row, labels) if row.id is None else row.id
    return json.dumps([identity, row.premise, row.hypothesis, labels.names[row.label], *row.kept], ensure_ascii=False)


def _id_of_line(line: str) -> str:
    identity: str = _DECODER.raw_decode(line, 1)[0]
    return identity


_DECODER = json.JSONDecoder()


def _after_id(line: str) -> str:
    return line[_DECODER.raw_decode(line, 1)[1] :]


def _id_twice(options: ProblemOptions, labels: LabelNames) -> InputError:
    """Find where the first id that comes twice stands."""
    first: dict[str | None, str] = {}
    for row in labelled_rows(options, labels):
        if row.label is not None:
            if row.id in first:
                break
            first[row.id] = row.where
    return InputError(
        f"{row.where}: the id {row.id!r} stands already at {first[row.id]}; ids must differ "
        "(leave out --id-column to have ids made from the content)"
    )
