"""Define the data that models are scored on: rows in groups, with each distinct sentence pair once."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from merge_snli.base.arrays import Bools, Floats, Ints
from merge_snli.base.errors import InputError, param
from merge_snli.base.table import count
from merge_snli.dataset.annotators import COLUMN
from merge_snli.dataset.stored import MergeDataset
from merge_snli.dataset.texts import NLI_TEXTS, TextNames, is_nli
from merge_snli.models.labels import Missing, Pair
from merge_snli.scoring.statistics.values import ratios

T = TypeVar("T")
Value = TypeVar("Value", bound=np.generic)

# Shares that differ by less are equal.
ROUNDING = 1e-9


class Numbering(Generic[T]):
    """Numbers distinct values from 0, in the order in which they first occur.

    Attributes:
        index: The number of each distinct value.
        numbers: The number of each value that was added.
    """

    def __init__(self, values: Iterable[T] = ()) -> None:
        """Number some values."""
        self.index: dict[T, int] = {}
        self.numbers = array("q")
        for value in values:
            self.add(value)

    def add(self, value: T) -> None:
        """Number one more value; an equal one is not held twice."""
        self.numbers.append(self.index.setdefault(value, len(self.index)))


@dataclass(frozen=True)
class AnchorPairs:
    """The pairs that the groups were made from: the seeds of a MERGE data set.

    Attributes:
        pairs: Index into `ScoredData.pairs` of each anchor, [n_groups].
        labels: Number of the gold label of each anchor, [n_groups].
    """

    pairs: Ints
    labels: Ints


@dataclass(frozen=True, kw_only=True)
class ScoredData:
    """The rows and groups of one config, with each distinct sentence pair once.

    Attributes:
        dataset: The stored data set; None for a file or problems in memory.
        name: Hub id, or name of the file or folder.
        title: Title of the data set.
        revision: The revision on the Hub, or None.
        config: The config; None if there is only one.
        digest: Digest of the whole data set.
        group_column: The column of the groups.
        label_names: The data set's labels, in canonical spelling, in the order of their numbers.
        without_label: Number of rows without a gold label, which are left out.
        pairs: The distinct (premise, hypothesis) pairs, [n_pairs], anchors before rows.
        group_ids: The ids of the groups, [n_groups], in the order of the data set.
        row_pairs: Index into `pairs` of each row, or `NOT_ASKED`, [n_rows].
        row_groups: Index into `group_ids` of each row, [n_rows].
        row_labels: Number of the gold label of each row, [n_rows].
        draws: Whether each draw (subsample) has each row, [n_draws, n_rows]; None if there are no draws.
        anchors: The anchors of the groups (seeds); None if they have none.
        parts: By column and value, whether each row has the value, [n_rows].
        people: Number of annotators who gave each label to the anchor of each group, [n_groups, n_labels]; None if the
            data has no labels of annotators.
        limit_seeds: Number of groups of a part of the data; None for all groups.
        subsample: The draw whose rows a part has; None for all rows.
        drawn_only: Whether the rows that no draw has are not asked; `pairs` is without theirs.
        min_agreement: Smallest share of annotators who gave the gold label to a group of a part; None for all groups.
    """

    dataset: MergeDataset | None
    name: str
    title: str
    revision: str | None
    config: str | None
    digest: str
    group_column: str
    label_names: tuple[str, ...]
    without_label: int = 0
    pairs: tuple[Pair, ...] = field(repr=False)
    group_ids: tuple[str, ...] = field(repr=False)
    row_pairs: Ints = field(repr=False)
    row_groups: Ints = field(repr=False)
    row_labels: Ints = field(repr=False)
    draws: Bools | None = field(repr=False)
    anchors: AnchorPairs | None = field(repr=False)
    parts: Mapping[str, Mapping[str, Bools]] = field(repr=False)
    people: Ints | None = field(default=None, repr=False)
    limit_seeds: int | None = None
    subsample: int | None = None
    drawn_only: bool = False
    min_agreement: float | None = None

    @property
    def stored(self) -> MergeDataset:
        """The stored data set.

        Raises:
            InputError: If the data is a file, or problems in memory.
        """
        if self.dataset is None:
            raise InputError(f"{self.name} is not a stored data set, which this needs")
        return self.dataset

    @property
    def texts(self) -> TextNames:
        """What the two texts of a pair are called."""
        return NLI_TEXTS if self.dataset is None else self.dataset.record.texts

    @property
    def is_nli(self) -> bool:
        """Whether the pairs are NLI problems."""
        return is_nli(self.label_names, self.texts)

    @property
    def place(self) -> str:
        """The data set and config, for messages."""
        return self.name if self.config is None else f"config {self.config} of {self.name}"

    @property
    def units(self) -> tuple[str, str]:
        """What a group and a row are called."""
        return ("group", "pair") if self.anchors is None else ("seed", "variant")

    @property
    def part(self) -> str | None:
        """What part of the data this is, such as `partial: 100 seeds, subsample 3`; None for the whole."""
        groups = [] if self.limit_seeds is None else [count(self.limit_seeds, self.units[0])]
        draw = [] if self.subsample is None else [f"subsample {self.subsample}"]
        agreed = [] if self.min_agreement is None else [f"agreement of at least {self.min_agreement:.3g}"]
        return f"partial: {', '.join(groups + draw + agreed)}" if groups or draw or agreed else None

    def agreement(self) -> Floats:
        """Return the share of annotators who gave the gold label, [n_groups]; NaN for a group without their labels.

        Raises:
            InputError: If the data has no labels of annotators.
        """
        if self.people is None or self.anchors is None:
            raise InputError(
                f"{param('min_agreement')} needs the labels of annotators, which {self.place} does not have: generate "
                f"it with {param('keep_column')} {COLUMN} from files that have this column"
            )
        votes = self.people[np.arange(len(self.people)), self.anchors.labels]
        return ratios(votes, self.people.sum(axis=1))

    def by_group(self, values: NDArray[Value]) -> list[NDArray[Value]]:
        """Return values of the rows, [n_rows] or [n_rows, n], by group in the order of the data."""
        order = np.argsort(self.row_groups, kind="stable")
        starts = np.searchsorted(self.row_groups[order], np.arange(1, len(self.group_ids)))
        return np.split(values[order], starts)

    def take(self, *, groups: Bools, rows: Bools) -> ScoredData:
        """Return some groups, and some of their rows.

        Args:
            groups: The groups to keep, [n_groups].
            rows: The rows to keep, [n_rows], each of a group that is kept.
        """
        anchors = self.anchors
        n_anchors = 0 if anchors is None else int(np.count_nonzero(groups))
        own = [*([] if anchors is None else [anchors.pairs[groups]]), self.row_pairs[rows]]
        pairs, places = np.unique(np.concatenate(own), return_inverse=True)
        places -= np.count_nonzero(pairs < 0)  # a row that is not asked stays one
        return replace(
            self,
            pairs=tuple(self.pairs[pair] for pair in pairs if pair >= 0),
            group_ids=tuple(self.group_ids[group] for group in np.flatnonzero(groups)),
            row_pairs=places[n_anchors:],
            row_groups=(np.cumsum(groups) - 1)[self.row_groups[rows]],
            row_labels=self.row_labels[rows],
            draws=None if self.draws is None else self.draws[:, rows],
            anchors=None if anchors is None else AnchorPairs(places[:n_anchors], anchors.labels[groups]),
            parts={
                column: {value: mask[rows] for value, mask in values.items()} for column, values in self.parts.items()
            },
            people=None if self.people is None else self.people[groups],
        )


def part_of_data(
    data: ScoredData,
    *,
    limit_seeds: int | None = None,
    subsample: int | None = None,
    drawn: bool = False,
    min_agreement: float | None = None,
) -> ScoredData:
    """Return some groups with their rows, or the rows of one draw, for a quick trial.

    The groups are those with the smallest sha256 of their ids: a reproducible sample, in the order of the data set.

    Args:
        data: The data.
        limit_seeds: Number of groups; all if the data has no more.
        subsample: Number of the draw.
        drawn: Whether to ask only the rows that a draw has.
        min_agreement: Smallest share of annotators who gave the gold label.

    Raises:
        InputError: If the number of groups is below 1, the data has no such draw, or, with `drawn`, it has no draws or
            a group of which no draw has a row.
    """
    if limit_seeds is not None and limit_seeds < 1:
        raise InputError(f"{param('limit_seeds')} is {limit_seeds}: it must be at least 1")
    if subsample is not None:
        if data.draws is None:
            raise InputError(f"{param('subsample')} is {subsample}, and {data.place} has no subsamples: remove it")
        if not 0 <= subsample < len(data.draws):
            raise InputError(f"{param('subsample')} is {subsample}: choose 0 to {len(data.draws) - 1}")
    if min_agreement is not None:
        groups = agreeing(data, min_agreement)
        data = replace(data.take(groups=groups, rows=groups[data.row_groups]), min_agreement=min_agreement)
    if limit_seeds is not None and limit_seeds >= len(data.group_ids):
        limit_seeds = None
    if limit_seeds is not None or subsample is not None:
        data = _part(data, limit_seeds, subsample)
    return _only_drawn(data) if drawn else data


def disagreeing(data: ScoredData, min_agreement: float) -> set[str]:
    """Return the ids of the groups to which a smaller share of the annotators gave the gold label; as `agreeing`."""
    keep = agreeing(data, min_agreement).tolist()
    return {name for name, kept in zip(data.group_ids, keep, strict=True) if not kept}


def agreeing(data: ScoredData, min_agreement: float) -> Bools:
    """Return to which groups at least a share of the annotators gave the gold label, [n_groups].

    Raises:
        InputError: If the data has no labels of annotators, or no group has such an agreement.
    """
    groups: Bools = data.agreement() >= min_agreement - ROUNDING
    if not groups.any():
        raise InputError(f"{param('min_agreement')} is {min_agreement:.3g}: no {data.units[0]} of {data.place} has it")
    return groups


def _part(data: ScoredData, limit_seeds: int | None, subsample: int | None) -> ScoredData:
    groups = np.zeros(len(data.group_ids), dtype=bool)
    groups[by_digest(data.group_ids)[:limit_seeds]] = True
    kept, draws = groups[data.row_groups], data.draws
    if draws is not None and subsample is not None:
        kept &= draws[subsample]
        groups = np.isin(np.arange(len(groups)), data.row_groups[kept])
        draws = draws[[subsample]]
    part = replace(data, draws=draws, limit_seeds=limit_seeds, subsample=subsample)
    return part.take(groups=groups, rows=kept)


def _only_drawn(data: ScoredData) -> ScoredData:
    """Return the same data without the pairs of rows that no draw has."""
    if data.draws is None:
        raise InputError(f"{param('drawn', True)} needs subsamples, and {data.place} has none: remove it")
    drawn = np.asarray(data.draws.any(axis=0))
    if drawn.all():
        return data
    missing = np.setdiff1d(data.row_groups, data.row_groups[drawn])
    if len(missing):
        name, (group, row) = data.group_ids[missing[0]], data.units
        raise InputError(f"{group} {name} of {data.place} has no {row} in a subsample: remove {param('drawn', True)}")
    row_pairs = np.where(drawn, data.row_pairs, Missing.NOT_ASKED.value)
    part = replace(data, row_pairs=row_pairs, drawn_only=True)
    return part.take(groups=np.ones(len(data.group_ids), dtype=bool), rows=np.ones(len(drawn), dtype=bool))


def by_digest(group_ids: tuple[str, ...]) -> list[int]:
    """Return the indices of groups in the order of the sha256 of their ids, a random order that anyone can repeat."""
    return sorted(range(len(group_ids)), key=lambda group: hashlib.sha256(group_ids[group].encode()).digest())


def pair_digest(pair: Pair) -> str:
    """Return the cache key of a pair: the first 32 hexadecimal digits of a sha256 of premise and hypothesis."""
    premise, hypothesis = (text.encode() for text in pair)
    return hashlib.sha256(b"%d:%s%s" % (len(premise), premise, hypothesis)).hexdigest()[:32]
