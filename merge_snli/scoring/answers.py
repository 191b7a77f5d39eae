"""The answers of a model to rows in groups: the one shape that every score and analysis is computed from.

A row is a variant or any other labeled pair; a group is a seed with its variants, or other rows that belong together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from merge_snli.base.arrays import Bools, Floats, Ints
from merge_snli.models.labels import Missing, positions
from merge_snli.scoring.predictions.scored_data import ScoredData
from metrics.pattern_accuracy.counts import count_cells

# The reference that a model's own most frequent label of each group is.
MAJORITY: Literal["majority"] = "majority"


@dataclass(frozen=True)
class Predicted:
    """What a model predicts for some pairs.

    Attributes:
        labels: Number of the predicted label of each pair, or a code of `Missing`, [n].
        probabilities: Probability of each label, [n, n_labels]; None if they are not known.
    """

    labels: Ints
    probabilities: Floats | None = None

    def at(self, places: Ints) -> Predicted:
        """Return the predictions at some places; -1 stands for a pair that was not asked."""
        shares = self.probabilities
        return Predicted(
            np.append(self.labels, Missing.NOT_ASKED)[places],
            None if shares is None else np.vstack([shares, np.full(shares.shape[1], np.nan)])[places],
        )


@dataclass(frozen=True)
class Anchors:
    """The pairs that the groups were made from: the seeds of a MERGE data set.

    Attributes:
        gold: Number of the gold label of each anchor, [n_groups].
        predicted: Number of the predicted label of each anchor, or a code of `Missing`, [n_groups].
        probabilities: Probability of each label, [n_groups, n_labels]; None if they are not known.
    """

    gold: Ints
    predicted: Ints
    probabilities: Floats | None = None

    @property
    def correct(self) -> Bools:
        """Whether each anchor is predicted correctly, [n_groups]."""
        return np.asarray(self.predicted == self.gold)

    def take(self, groups: Bools) -> Anchors:
        """Return the anchors of some groups, [n_groups]."""
        probabilities = None if self.probabilities is None else self.probabilities[groups]
        return Anchors(self.gold[groups], self.predicted[groups], probabilities)


@dataclass(frozen=True)
class Counts:
    """The rows of each group in each draw.

    Attributes:
        correct: Number of correct rows, [n_draws, n_groups].
        sizes: Number of rows, [n_draws, n_groups].
    """

    correct: Ints
    sizes: Ints

    @property
    def drawn(self) -> Bools:
        """Whether any draw has a row of the group, [n_groups]."""
        return np.asarray(self.sizes.any(axis=0))


@dataclass(frozen=True, kw_only=True)
class Answers:
    """The answers of one model.

    Attributes:
        labels: The labels in which predictions and gold labels are compared.
        rows: Index in the data of each row, [n_rows].
        group_index: Index in the data of each group, [n_groups].
        groups: Index into `group_index` of the group of each row, [n_rows].
        gold: Number of the gold label of each row, [n_rows].
        predicted: Number of the predicted label of each row, or a code of `Missing`, [n_rows].
        draws: Whether each draw has each row, [n_draws, n_rows]; None if there are no draws, and all rows count.
        anchors: The anchors of the groups; None if they have none.
        probabilities: Probability of each label, [n_rows, n_labels]; None if they are not known.
        drawn_only: Whether the model was not asked the rows that no draw has.
    """

    labels: tuple[str, ...]
    rows: Ints
    group_index: Ints
    groups: Ints
    gold: Ints
    predicted: Ints
    draws: Bools | None = None
    anchors: Anchors | None = None
    probabilities: Floats | None = None
    drawn_only: bool = False

    @property
    def asked(self) -> Bools:
        """Whether each row is not `NOT_ASKED`, [n_rows]."""
        return np.asarray(self.predicted != Missing.NOT_ASKED)

    @property
    def correct(self) -> Bools:
        """Whether the predicted label of each row is its gold label, [n_rows]."""
        return np.asarray(self.predicted == self.gold)

    @property
    def drawn(self) -> Bools:
        """Whether any draw has each row, [n_rows]; every row without draws."""
        return np.ones(len(self.rows), dtype=bool) if self.draws is None else np.asarray(self.draws.any(axis=0))

    def take(self, *, rows: Bools | None = None, groups: Bools | None = None) -> Answers:
        """Return the answers to some rows or groups.

        Args:
            rows: The rows to keep, [n_rows]; groups without a row go.
            groups: The groups to keep with all their rows, [n_groups]; by default those of `rows`.
        """
        if groups is None:
            assert rows is not None
            groups = np.zeros(len(self.group_index), dtype=bool)
            groups[self.groups[rows]] = True
        kept = groups[self.groups] if rows is None else rows & groups[self.groups]
        return Answers(
            labels=self.labels,
            rows=self.rows[kept],
            group_index=self.group_index[groups],
            groups=(np.cumsum(groups) - 1)[self.groups[kept]],
            gold=self.gold[kept],
            predicted=self.predicted[kept],
            draws=None if self.draws is None else self.draws[:, kept],
            anchors=None if self.anchors is None else self.anchors.take(groups),
            probabilities=None if self.probabilities is None else self.probabilities[kept],
            drawn_only=self.drawn_only,
        )

    def without_undrawn(self) -> Answers:
        """Return the same answers as if the model had not been asked the rows that no draw has."""
        return replace(self, predicted=np.where(self.drawn, self.predicted, Missing.NOT_ASKED.value), drawn_only=True)

    def renumbered(self) -> Answers:
        """Return the same answers to data that has only these rows and groups."""
        return replace(self, rows=np.arange(len(self.rows)), group_index=np.arange(len(self.group_index)))

    def in_labels(self, labels: Sequence[str]) -> Answers:
        """Return the same answers in other labels, such as those that several models have in common."""
        numbers = compared_numbers(self.labels, labels)
        anchors = self.anchors
        return replace(
            self,
            labels=tuple(labels),
            gold=numbers[self.gold],
            predicted=numbers[self.predicted],
            anchors=None if anchors is None else Anchors(numbers[anchors.gold], numbers[anchors.predicted]),
            probabilities=None,
        )

    def counts(self, reference: Ints | Literal["majority"] | None = None, *, rows: Bools | None = None) -> Counts:
        """Count the rows that are not `NOT_ASKED`, and the correct ones among them.

        No answer is never correct.

        Args:
            reference: What is correct: the number of one label for each group, [n_groups], or `MAJORITY` for the
                model's most frequent label of the group in the draw; by default the gold labels.
            rows: The rows to count, [n_rows]; by default all.
        """
        included = self.asked if rows is None else self.asked & rows
        draws = included[np.newaxis] if self.draws is None else self.draws & included
        cells = [self._count(draw, reference) for draw in draws]
        return Counts(np.array([correct for correct, _ in cells]), np.array([sizes for _, sizes in cells]))

    def correct_rows(self, reference: Ints | Literal["majority"] | None = None) -> int:
        """Return how many of all rows are correct, drawn or not; `reference` as for `counts`."""
        return int(self._count(self.asked, reference)[0].sum())

    def _count(self, rows: Bools, reference: Ints | Literal["majority"] | None) -> tuple[Ints, Ints]:
        """Count the correct and all rows of each group among some rows."""
        groups, predicted, n_groups = self.groups[rows], self.predicted[rows], len(self.group_index)
        sizes = np.bincount(groups, minlength=n_groups)
        answered = predicted >= 0
        if isinstance(reference, str):
            return count_cells(groups[answered], n_groups, predicted[answered])[0], sizes
        expected = self.gold[rows] if reference is None else reference[groups]
        return np.bincount(groups[answered & (predicted == expected)], minlength=n_groups), sizes


def compared_numbers(names: Sequence[str], compared: Sequence[str]) -> Ints:
    """Return the number among the compared labels of each label; as an index, codes of `Missing` give themselves.

    Args:
        names: The labels.
        compared: The compared labels.
    """
    return np.array([*positions(names, compared), Missing.NO_ANSWER, Missing.NOT_ASKED])


def align(data: ScoredData, on_pairs: Predicted, compared: tuple[str, ...]) -> Answers:
    """Assign predictions on pairs to the rows and anchors of data.

    Args:
        data: The rows, anchors and pairs.
        on_pairs: What is predicted for each pair, [n_pairs].
        compared: The labels that the numbers mean.
    """
    on_anchors = None if data.anchors is None else on_pairs.at(data.anchors.pairs)
    return answers_to(data, on_pairs.at(data.row_pairs), on_anchors, compared)


def answers_to(data: ScoredData, rows: Predicted, anchors: Predicted | None, compared: tuple[str, ...]) -> Answers:
    """Return answers to data, with its gold labels.

    Args:
        data: The rows and anchors.
        rows: What is predicted for each row, [n_rows].
        anchors: What is predicted for each anchor, [n_groups]; None without anchors.
        compared: The labels that the numbers mean.
    """
    gold = np.array(positions(data.label_names, compared))
    return Answers(
        labels=compared,
        rows=np.arange(len(data.row_groups)),
        group_index=np.arange(len(data.group_ids)),
        groups=data.row_groups,
        gold=gold[data.row_labels],
        predicted=rows.labels,
        draws=data.draws,
        anchors=None
        if data.anchors is None or anchors is None
        else Anchors(gold[data.anchors.labels], anchors.labels, anchors.probabilities),
        probabilities=rows.probabilities,
        drawn_only=data.drawn_only,
    )


def asked_answers(answers: Answers, *, whole_groups: bool = False) -> Answers:
    """Leave out what the model was not asked.

    Args:
        answers: The answers to all rows.
        whole_groups: Whether a group is left out with all its rows if one of them was not asked.

    Returns:
        The answers without rows that were not asked, without the rows of groups whose anchor was not, and without
        groups that have no other row.
    """
    asked, groups = answers.asked, np.ones(len(answers.group_index), dtype=bool)
    if answers.anchors is not None:
        groups &= answers.anchors.predicted != Missing.NOT_ASKED
    if whole_groups:
        groups[answers.groups[~asked]] = False
    return answers.take(rows=asked & groups[answers.groups])
