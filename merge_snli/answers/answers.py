"""The answers of a model to rows in groups: the one shape that every score and analysis is computed from.

A row is a variant or any other labeled pair; a group is a seed with its variants, or other rows that belong together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pyarrow as pa

from merge_snli.answers.data import ScoredData, positions_among
from merge_snli.base.arrays import Bools, Floats, Ints
from merge_snli.base.errors import InputError
from merge_snli.models.labels import Missing, positions
from metrics.pattern_accuracy.counts import count_cells

# The reference that a model's own most frequent label of each group is.
MAJORITY: Literal["majority"] = "majority"


@dataclass(frozen=True)
class Predicted:
    """What a model predicts for some pairs.

    Attributes:
        predicted: Number of the predicted label of each pair, or a code of `Missing`, [n].
        probabilities: Probability of each label, [n, n_labels]; None if they are not known.
        details: What a language model replied to each pair, in the columns of a table of answers, [n]; None for other
            models.
    """

    predicted: Ints
    probabilities: Floats | None = None
    details: pa.Table | None = None

    def at(self, numbers: Ints) -> Predicted:
        """Return the predictions for the pairs with some numbers; a negative one is a pair that was not predicted."""
        shares = self.probabilities
        return Predicted(
            np.where(numbers < 0, Missing.NOT_PREDICTED.value, self.predicted[numbers]),
            None if shares is None else np.where(numbers[:, np.newaxis] < 0, np.nan, shares[numbers]),
            None if self.details is None else self.details.take(pa.array(numbers, mask=numbers < 0)),
        )


@dataclass(frozen=True, kw_only=True)
class Graded(Predicted):
    """What a model predicts for some pairs with gold labels, such as seeds.

    Attributes:
        gold: Number of the gold label of each pair, [n].
    """

    gold: Ints

    @property
    def is_probable(self) -> Bools:
        """Whether the probabilities of the labels of each pair are known, [n]."""
        return (
            np.zeros(len(self.gold), dtype=bool) if self.probabilities is None else ~np.isnan(self.probabilities[:, 0])
        )

    @property
    def is_predicted(self) -> Bools:
        """Whether each pair is not `NOT_PREDICTED`, [n]."""
        return np.asarray(self.predicted != Missing.NOT_PREDICTED)

    @property
    def correct(self) -> Bools:
        """Whether the predicted label of each pair is its gold label, [n]."""
        return np.asarray(self.predicted == self.gold)


@dataclass(frozen=True)
class Counts:
    """The rows of each group in each subsample.

    Attributes:
        correct: Number of correct rows, [n_subsamples, n_groups].
        sizes: Number of rows, [n_subsamples, n_groups].
        answered: Number of rows with an answer that can be read, [n_subsamples, n_groups].
    """

    correct: Ints
    sizes: Ints
    answered: Ints

    @property
    def drawn(self) -> Bools:
        """Whether any subsample has a row of the group, [n_groups]."""
        return np.asarray(self.sizes.any(axis=0))

    @property
    def unread(self) -> float:
        """The share of the rows of all subsamples on which no answer can be read."""
        read, rows = self.answered.sum(), self.sizes.sum()
        return 0.0 if read == rows else float(1 - read / rows)

    def take(self, groups: Ints | Bools) -> Counts:
        """Return the counts of some groups."""
        return Counts(self.correct[:, groups], self.sizes[:, groups], self.answered[:, groups])


@dataclass(frozen=True)
class Counted:
    """What is known of answers without their rows.

    Attributes:
        group_ids: The ids of the groups, [n_groups].
        counts: The rows of each group in each subsample.
        seeds: The answers to the seeds of the groups; None if they have none.
    """

    group_ids: tuple[str, ...]
    counts: Counts
    seeds: Graded | None

    @property
    def key(self) -> tuple[object, ...]:
        """What is the same in answers that are the same."""
        seeds = None if self.seeds is None else self.seeds.predicted.tobytes()
        return self.group_ids, self.counts.correct.tobytes(), self.counts.sizes.tobytes(), seeds


@dataclass(frozen=True, kw_only=True)
class Answers(Graded):
    """The answers of one model to rows in groups.

    Attributes:
        labels: The labels in which predictions and gold labels are compared.
        table: The id of each row, `row_id`, and what it is, as `ScoredData.described` returns it, [n_rows].
        group_ids: The ids of the groups, [n_groups].
        groups: Index into `group_ids` of the group of each row, [n_rows].
        subsamples: Whether each subsample has each row, [n_subsamples, n_rows]; None if there are none, and all rows
            count.
        seeds: The answers to the seeds of the groups; None if they have none.
        drawn_only: Whether the rows that no subsample has were not predicted.
        subsample: The number of the only subsample, of answers to the rows of one; None if they are numbered from 0.
    """

    labels: tuple[str, ...]
    table: pa.Table
    group_ids: tuple[str, ...]
    groups: Ints
    subsamples: Bools | None = None
    seeds: Graded | None = None
    drawn_only: bool = False
    subsample: int | None = None

    @property
    def row_ids(self) -> pa.ChunkedArray:
        """The id of each row, [n_rows]."""
        return self.table["row_id"]

    @property
    def drawn(self) -> Bools:
        """Whether any subsample has each row, [n_rows]; every row without subsamples."""
        whole = np.ones(len(self.predicted), dtype=bool)
        return whole if self.subsamples is None else np.asarray(self.subsamples.any(axis=0))

    def read(self) -> Answers:
        """Return these answers; those in a file are read."""
        return self

    def counted(self) -> Counted:
        """Return what is known of the answers without their rows."""
        return Counted(self.group_ids, self.counts(), self.seeds)

    def same_as(self, other: Answers) -> bool:
        """Return whether another model gave exactly these answers, to the same rows and seeds."""
        return (
            np.array_equal(self.predicted, other.predicted)
            and self.labels == other.labels
            and self.group_ids == other.group_ids
            and self.row_ids.equals(other.row_ids)
            and np.array_equal(self._seed_predictions, other._seed_predictions)
        )

    @property
    def _seed_predictions(self) -> Ints:
        """The label of each seed, [n_groups]; empty without seeds."""
        return np.array([], dtype=np.int64) if self.seeds is None else self.seeds.predicted

    def take(self, *, rows: Bools | None = None, groups: Bools | None = None) -> Answers:
        """Return the answers to some rows or groups.

        Args:
            rows: The rows to keep, [n_rows]; groups without a row go.
            groups: The groups to keep with all their rows, [n_groups]; by default those of `rows`.
        """
        if groups is None:
            assert rows is not None
            groups = np.isin(np.arange(len(self.group_ids)), self.groups[rows])
        kept = np.flatnonzero(groups[self.groups] if rows is None else rows & groups[self.groups])
        kept_groups = np.flatnonzero(groups)
        new_numbers = np.cumsum(groups) - 1
        taken = replace(
            self,
            table=self.table.take(kept),
            group_ids=tuple(self.group_ids[group] for group in kept_groups),
            groups=new_numbers[self.groups[kept]],
            gold=self.gold[kept],
            **vars(self.at(kept)),
        )
        if self.subsamples is not None:
            taken = replace(taken, subsamples=self.subsamples[:, kept])
        if self.seeds is not None:
            on_seeds = self.seeds.at(kept_groups)
            taken = replace(taken, seeds=Graded(gold=self.seeds.gold[kept_groups], **vars(on_seeds)))
        return taken

    def without_undrawn(self) -> Answers:
        """Return the same answers as if the model had not predicted the rows that no subsample has."""
        return replace(
            self, predicted=np.where(self.drawn, self.predicted, Missing.NOT_PREDICTED.value), drawn_only=True
        )

    def in_labels(self, labels: Sequence[str]) -> Answers:
        """Return the same answers in other labels, such as those that several models have in common."""
        numbers, seeds = compared_numbers(self.labels, labels), self.seeds
        return replace(
            self,
            labels=tuple(labels),
            gold=numbers[self.gold],
            predicted=numbers[self.predicted],
            seeds=None if seeds is None else Graded(numbers[seeds.predicted], gold=numbers[seeds.gold]),
            probabilities=None,
        )

    def counts(self, reference: Ints | Literal["majority"] | None = None, *, rows: Bools | None = None) -> Counts:
        """Count the rows that are not `NOT_PREDICTED`, and the correct ones among them.

        No answer is never correct.

        Args:
            reference: What is correct: the number of one label for each group, [n_groups], or `MAJORITY` for the
                model's most frequent label of the group in the subsample; by default the gold labels.
            rows: The rows to count, [n_rows]; by default all.
        """
        included = self.is_predicted if rows is None else self.is_predicted & rows
        is_correct = self._is_correct(reference)
        n_groups = len(self.group_ids)
        correct, sizes, answered = [], [], []
        for subsample in [included] if self.subsamples is None else self.subsamples:
            drawn = np.flatnonzero(subsample & included)
            correct.append(self._count(drawn, is_correct))
            sizes.append(np.bincount(self.groups[drawn], minlength=n_groups))
            with_answer = drawn[self.predicted[drawn] >= 0]
            answered.append(np.bincount(self.groups[with_answer], minlength=n_groups))
        return Counts(np.array(correct), np.array(sizes), np.array(answered))

    def correct_rows(self, reference: Ints | Literal["majority"] | None = None) -> int:
        """Return how many of all rows are correct, drawn or not; `reference` as for `counts`."""
        return int(self._count(np.arange(len(self.predicted)), self._is_correct(reference)).sum())

    def _is_correct(self, reference: Ints | Literal["majority"] | None) -> Bools | None:
        """Return whether each row is correct, [n_rows]; None if that depends on the other rows of its group."""
        if isinstance(reference, str):
            return None
        expected = self.gold if reference is None else reference[self.groups]
        return np.asarray((self.predicted == expected) & (self.predicted >= 0))

    def _count(self, rows: Ints, is_correct: Bools | None) -> Ints:
        """Count the correct rows of each group among some rows, by number."""
        n_groups = len(self.group_ids)
        if is_correct is not None:
            return np.bincount(self.groups[rows[is_correct[rows]]], minlength=n_groups)
        answered = rows[self.predicted[rows] >= 0]
        return count_cells(self.groups[answered], n_groups, self.predicted[answered])[0]


def compared_numbers(names: Sequence[str], compared: Sequence[str]) -> Ints:
    """Return the number among the compared labels of each label; as an index, codes of `Missing` give themselves.

    Args:
        names: The labels.
        compared: The compared labels.
    """
    return np.array([*positions(names, compared), Missing.NO_ANSWER, Missing.NOT_PREDICTED])


def align(data: ScoredData, on_pairs: Predicted, compared: tuple[str, ...]) -> Answers:
    """Assign predictions on pairs to the rows and seeds of data.

    Args:
        data: The rows, seeds and pairs.
        on_pairs: What is predicted for each pair, [n_pairs].
        compared: The labels that the numbers mean.
    """
    on_seeds = None if data.seeds is None else on_pairs.at(data.seeds.pairs)
    return answers_to(data, on_pairs.at(data.row_pairs), on_seeds, compared)


def answers_to(data: ScoredData, rows: Predicted, seeds: Predicted | None, compared: tuple[str, ...]) -> Answers:
    """Return answers to data, with its gold labels.

    Args:
        data: The rows and seeds.
        rows: What is predicted for each row, [n_rows].
        seeds: What is predicted for each seed, [n_groups]; None without seeds.
        compared: The labels that the numbers mean.
    """
    gold = np.array(positions(data.label_names, compared))
    return Answers(
        labels=compared,
        table=data.described(),
        group_ids=data.group_ids,
        groups=data.row_groups,
        gold=gold[data.row_labels],
        **vars(rows),
        subsamples=data.subsamples,
        seeds=None if data.seeds is None or seeds is None else Graded(gold=gold[data.seeds.labels], **vars(seeds)),
        drawn_only=data.drawn_only,
        subsample=data.subsample,
    )


def join(answers: Answers, data: ScoredData, *, part: bool = False) -> Answers:
    """Return answers with every row and seed of some data in its order, and with its gold labels.

    A row or seed without an answer is `NOT_PREDICTED`.

    Args:
        answers: The answers.
        data: The data that they are on.
        part: Whether the data is a part of what they are on, so that other rows and groups are left out.

    Raises:
        InputError: If a row or group is not in the data, or has another group there.
    """
    if (answers.seeds is None) != (data.seeds is None):
        raise InputError(f"{'the result' if data.seeds is None else data.full_name} has seeds, and the other has none")
    rows = positions_among(data.row_ids, answers.row_ids)
    groups = positions_among(pa.array(data.group_ids, pa.string()), pa.array(answers.group_ids, pa.string()))
    if not part:
        _require_all(answers.row_ids, rows, data.units[1], data)
        _require_all(pa.array(answers.group_ids, pa.string()), groups, data.units[0], data)
    answered = rows >= 0
    moved = np.flatnonzero(groups[data.row_groups[answered]] != answers.groups[rows[answered]])
    if len(moved):
        name = data.row_ids[int(np.flatnonzero(answered)[moved[0]])].as_py()
        raise InputError(f"{data.units[1]} {name!r} has another {data.units[0]} in {data.full_name}")
    of_seeds = None if answers.seeds is None else answers.seeds.at(groups)
    return replace(
        answers_to(data, answers.at(rows), of_seeds, answers.labels), drawn_only=answers.drawn_only or data.drawn_only
    )


def _require_all(ids: pa.Array | pa.ChunkedArray, positions: Ints, unit: str, data: ScoredData) -> None:
    """Check that the data has all ids; `positions` are those of its own ids among them."""
    known = np.isin(np.arange(len(ids)), positions)
    if not known.all():
        raise InputError(f"{unit} {ids[int(known.argmin())].as_py()!r} is not in {data.full_name}")


def predicted_answers(answers: Answers, data: ScoredData, *, whole_groups: bool = False) -> tuple[Answers, ScoredData]:
    """Leave out what the model did not predict.

    Args:
        answers: The answers to all rows of the data, in their order.
        data: The data.
        whole_groups: Whether a group is left out with all its rows if one of them was not predicted.

    Returns:
        The answers and the data without rows that were not predicted, without the rows of groups whose seed was not,
        and without groups that have no other row.
    """
    predicted, groups = answers.is_predicted, np.ones(len(answers.group_ids), dtype=bool)
    if answers.seeds is not None:
        groups &= answers.seeds.is_predicted
    if whole_groups:
        groups[answers.groups[~predicted]] = False
    rows = predicted & groups[answers.groups]
    if rows.all() and groups.all():
        return answers, data
    return answers.take(rows=rows), data.take(groups=np.isin(np.arange(len(groups)), answers.groups[rows]), rows=rows)
