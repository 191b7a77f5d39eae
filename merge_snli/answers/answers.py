"""The answers of a model to rows in groups: the one shape that every score and analysis is computed from.

A row is a variant or any other labeled pair; a group is a seed with its variants, or other rows that belong together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Literal, TypeAlias

import numpy as np
import pyarrow as pa

from merge_snli.base.arrays import Bools, Floats, Ints
from merge_snli.dataset.label_spellings import Labels
from merge_snli.models.labels import Missing, positions
from merge_snli.statistics import passes_by_seed
from metrics.pattern_accuracy.core import QUALITY_THRESHOLD
from metrics.pattern_accuracy.counts import count_cells

# The reference that a model's own most frequent label of each group is.
MAJORITY: Literal["majority"] = "majority"
# What is correct: the number of one label for each group, [n_groups], or `MAJORITY` for the model's most frequent label
# of the group among the rows that are counted; None for the gold labels.
Reference: TypeAlias = Ints | Literal["majority"] | None


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
        missing = numbers < 0
        probabilities = self.probabilities
        details = self.details
        if probabilities is not None:
            probabilities = np.where(missing[:, np.newaxis], np.nan, probabilities[numbers])
        if details is not None:
            details = details.take(pa.array(numbers, mask=missing))
        predicted = np.where(missing, Missing.NOT_PREDICTED.value, self.predicted[numbers])
        return Predicted(predicted, probabilities, details)


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
        if self.probabilities is None:
            return np.zeros(len(self.gold), dtype=bool)
        return ~np.isnan(self.probabilities[:, 0])

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
        read = self.answered.sum()
        rows = self.sizes.sum()
        return 0.0 if read == rows else float(1 - read / rows)

    def passes(self, threshold: float = QUALITY_THRESHOLD) -> Floats:
        """Return the share of the subsamples in which each group passes a threshold, [n_groups]."""
        return passes_by_seed(self.correct, self.sizes, threshold)

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
        digest: sha256 of the answers to the rows and seeds, the same for equal answers to the same data.
    """

    group_ids: tuple[str, ...]
    counts: Counts
    seeds: Graded | None
    digest: str


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

    labels: Labels
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
        if self.subsamples is None:
            return np.ones(len(self.predicted), dtype=bool)
        return np.asarray(self.subsamples.any(axis=0))

    def counted(self) -> Counted:
        """Return what is known of the answers without their rows."""
        counts = self.counts()
        digest = sha256(repr((self.group_ids, self.labels)).encode())
        for numbers in (self.groups, self.predicted, counts.correct, counts.sizes):
            digest.update(numbers.tobytes())
        if self.seeds is not None:
            digest.update(self.seeds.predicted.tobytes())
        return Counted(self.group_ids, counts, self.seeds, digest.hexdigest())

    def take(self, rows: Bools) -> Answers:
        """Return the answers to some rows, [n_rows], and to the seeds of their groups."""
        kept = np.flatnonzero(rows)
        groups, new_numbers = np.unique(self.groups[kept], return_inverse=True)
        seeds = self.seeds
        if seeds is not None:
            seeds = Graded(gold=seeds.gold[groups], **vars(seeds.at(groups)))
        return replace(
            self,
            table=self.table.take(kept),
            group_ids=tuple(self.group_ids[group] for group in groups),
            groups=new_numbers,
            gold=self.gold[kept],
            subsamples=None if self.subsamples is None else self.subsamples[:, kept],
            seeds=seeds,
            **vars(self.at(kept)),
        )

    def without_undrawn(self) -> Answers:
        """Return the same answers as if the model had not predicted the rows that no subsample has."""
        predicted = np.where(self.drawn, self.predicted, Missing.NOT_PREDICTED.value)
        return replace(self, predicted=predicted, drawn_only=True)

    def in_labels(self, labels: Sequence[str]) -> Answers:
        """Return the same answers in other labels, such as those that several models have in common."""
        numbers = compared_numbers(self.labels, labels)
        seeds = self.seeds
        if seeds is not None:
            seeds = Graded(numbers[seeds.predicted], gold=numbers[seeds.gold])
        gold = numbers[self.gold]
        predicted = numbers[self.predicted]
        return replace(self, labels=tuple(labels), gold=gold, predicted=predicted, seeds=seeds, probabilities=None)

    def counts(self, reference: Reference = None, *, rows: Bools | None = None) -> Counts:
        """Count the rows that are not `NOT_PREDICTED`, and the correct ones among them.

        No answer is never correct.

        Args:
            reference: What is correct; by default the gold labels.
            rows: The rows to count, [n_rows]; by default all.
        """
        included = self.is_predicted if rows is None else self.is_predicted & rows
        correct = []
        sizes = []
        answered = []
        for subsample in [included] if self.subsamples is None else self.subsamples:
            drawn = subsample & included
            right, read = self._count(drawn, reference)
            correct.append(right)
            answered.append(read)
            sizes.append(np.bincount(self.groups[drawn], minlength=len(self.group_ids)))
        return Counts(np.array(correct), np.array(sizes), np.array(answered))

    def correct_rows(self, reference: Reference = None) -> int:
        """Return how many of all rows are correct, drawn or not; `reference` as for `counts`."""
        right, _ = self._count(self.is_predicted, reference)
        return int(right.sum())

    def _count(self, rows: Bools, reference: Reference) -> tuple[Ints, Ints]:
        """Return how many of some rows are correct in each group, and how many have an answer."""
        read = np.flatnonzero(rows & (self.predicted >= 0))
        groups = self.groups[read]
        answers = self.predicted[read]
        if not isinstance(reference, str):
            expected = self.gold[read] if reference is None else reference[groups]
            return count_cells(groups, len(self.group_ids), answers == expected)
        return count_cells(groups, len(self.group_ids), answers)


def compared_numbers(names: Sequence[str], compared: Sequence[str]) -> Ints:
    """Return the number among the compared labels of each label; as an index, codes of `Missing` give themselves.

    Args:
        names: The labels.
        compared: The compared labels.
    """
    return np.array([*positions(names, compared), Missing.NO_ANSWER, Missing.NOT_PREDICTED])
