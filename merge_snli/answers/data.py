"""Define the data that models are scored on: rows in groups, with each distinct sentence pair once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from merge_snli.answers.sentences import SentencePairs
from merge_snli.base.arrays import Bools, Floats, Ints
from merge_snli.base.errors import InputError
from merge_snli.base.table import count
from merge_snli.dataset.label_spellings import Labels
from merge_snli.dataset.stored import MergeDataset
from merge_snli.dataset.texts import NLI_TEXTS, TextNames, is_nli
from merge_snli.dataset.variants import ANNOTATOR_LABELS
from merge_snli.models.labels import Pair
from merge_snli.statistics.values import ratios

# Shares that differ by less are equal.
ROUNDING = 1e-9

# The columns of ids of rows.
ID_COLUMNS = ("variant_id", "pair_id", "row_id")

# The columns of a variant that say what was replaced.
WORDS = ("word_class", "original", "replacement")

# The columns of a table of answers; a column of `--by` with such a name is stored as `by:NAME`.
ANSWER_COLUMNS = ("row_id", "group_id", "is_seed", "label", "answer", "unread", "subsamples", "replies")

# The labels of the scored samples of another task than those of this package; the gold label is the second.
SCORED = ("incorrect", "correct")

# What the columns of `ScoredData.masks` of a MERGE data set are.
WORD_CLASS, LABEL, MASKED_LM, AGREEMENT = "word_class", "label", "masked_lm", "agreement"


# What a group and a row of data are called.
Units: TypeAlias = tuple[str, str]

# By column and value, whether each row has the value, [n_rows].
Masks: TypeAlias = Mapping[str, Mapping[str, Bools]]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
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
        table: The rows as they are stored, with their ids in one of `ID_COLUMNS`, [n_rows]; without the lists of masked
            LMs, which `masks` has.
        sentences: Premise and hypothesis of each seed and then of each row, [n_groups + n_rows]; [n_rows] without
            seeds.
        group_ids: The ids of the groups, [n_groups], in the order of the data set.
        row_groups: Index into `group_ids` of each row, [n_rows].
        row_labels: Number of the gold label of each row, [n_rows].
        subsamples: Whether each subsample has each row, [n_subsamples, n_rows]; None if there are none.
        seed_labels: Number of the gold label of the seed of each group, [n_groups]; None if they have none.
        masks: By column and value, whether each row has the value, [n_rows].
        annotators: Number of annotators who gave each label to the seed of each group, [n_groups, n_labels]; None if
            the data has no labels of annotators.
        limit_seeds: Number of groups of a part of the data; None for all groups.
        subsample: The subsample whose rows a part has; None for all rows.
        drawn_only: Whether the rows that no subsample has are not predicted.
        min_agreement: Smallest share of annotators who gave the gold label to a group of a part; None for all groups.
        chosen_rows: sha256 of the ids of the rows of a part that the user chose; None for any other part.
    """

    dataset: MergeDataset | None
    name: str
    title: str
    revision: str | None
    config: str | None
    digest: str
    group_column: str
    label_names: Labels
    without_label: int = 0
    table: pa.Table
    sentences: SentencePairs
    group_ids: tuple[str, ...]
    row_groups: Ints
    row_labels: Ints
    subsamples: Bools | None
    seed_labels: Ints | None
    masks: Masks
    annotators: Ints | None = None
    limit_seeds: int | None = None
    subsample: int | None = None
    drawn_only: bool = False
    min_agreement: float | None = None
    chosen_rows: str | None = None

    @property
    def pairs(self) -> SentencePairs:
        """The distinct (premise, hypothesis) pairs that are predicted, [n_pairs], of seeds before those of rows."""
        return self.sentences.distinct

    @property
    def has_seeds(self) -> bool:
        """Whether the groups have seeds, from which they were made."""
        return self.seed_labels is not None

    @property
    def seed_pairs(self) -> Ints:
        """Index into `pairs` of the seed of each group, [n_groups], of data with seeds."""
        return self.sentences.numbers[: len(self.group_ids)]

    @property
    def seed_texts(self) -> tuple[Pair, ...]:
        """Premise and hypothesis of the seed of each group, [n_groups], of data with seeds."""
        return self.sentences[: len(self.group_ids)]

    @property
    def row_pairs(self) -> Ints:
        """Index into `pairs` of each row, or `NOT_PREDICTED`, [n_rows]."""
        return self.sentences.numbers[len(self.sentences) - len(self.row_groups) :]

    @property
    def row_ids(self) -> pa.ChunkedArray:
        """The id of each row, [n_rows]: that of the data set, or `row-N` of the Nth row of a file."""
        return self.table[next(name for name in ID_COLUMNS if name in self.table.column_names)]

    def described(self) -> pa.Table:
        """Return the id of each row, and what it is: the replaced word, or of pairs in groups its value by column."""
        columns = {"row_id": self.row_ids}
        for name in WORDS:
            if name in self.table.column_names:
                columns[name] = self.table[name]
        if not self.has_seeds:
            for column, values in self.masks.items():
                numbers = np.argmax([*values.values()], axis=0).astype(np.int32)
                columns[stored_name(column)] = pa.DictionaryArray.from_arrays(numbers, pa.array(values, pa.string()))
        return pa.table(columns)

    def pairs_by_id(self) -> dict[str, Pair]:
        """Return the pair of each seed and row by id."""
        ids = self.row_ids.to_pylist()
        if self.has_seeds:
            ids = [*self.group_ids, *ids]
        rows = zip(ids, self.sentences, self.sentences.numbers >= 0, strict=True)
        return {name: pair for name, pair, is_asked in rows if is_asked}

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
    def full_name(self) -> str:
        """The data set and config, for messages."""
        return self.name if self.config is None else f"config {self.config} of {self.name}"

    @property
    def units(self) -> Units:
        """What a group and a row are called."""
        return units_of(self.label_names, has_seeds=self.has_seeds)

    @property
    def part(self) -> str | None:
        """What part of the data this is, such as `partial: 100 seeds, subsample 3`; None for the whole."""
        what = []
        if self.limit_seeds is not None:
            what.append(count(self.limit_seeds, self.units[0]))
        if self.subsample is not None:
            what.append(f"subsample {self.subsample}")
        if self.min_agreement is not None:
            what.append(f"agreement of at least {self.min_agreement:.3g}")
        if self.chosen_rows is not None:
            what.append(f"chosen rows {self.chosen_rows[:8]}")
        return f"partial: {', '.join(what)}" if what else None

    def agreement(self) -> Floats:
        """Return the share of annotators who gave the gold label, [n_groups]; NaN for a group without their labels.

        Raises:
            InputError: If the data has no labels of annotators.
        """
        if self.annotators is None or self.seed_labels is None:
            raise InputError(
                f"⟦min_agreement⟧ needs the labels of annotators, which {self.full_name} does not have: "
                f"generate it with ⟦keep_column⟧ {ANNOTATOR_LABELS} from files that have this column"
            )
        votes = self.annotators[np.arange(len(self.annotators)), self.seed_labels]
        return ratios(votes, self.annotators.sum(axis=1))

    def take(self, rows: Bools) -> ScoredData:
        """Return some rows, [n_rows], and the seeds of their groups."""
        kept = np.flatnonzero(rows)
        masks = {}
        groups, new_numbers = np.unique(self.row_groups[kept], return_inverse=True)
        asked = kept
        if self.has_seeds:
            asked = np.concatenate([groups, len(self.group_ids) + kept])
        for column, values in self.masks.items():
            masks[column] = {value: mask[kept] for value, mask in values.items()}
        subsamples = self.subsamples
        seed_labels = self.seed_labels
        annotators = self.annotators
        if subsamples is not None:
            subsamples = subsamples[:, kept]
        if seed_labels is not None:
            seed_labels = seed_labels[groups]
        if annotators is not None:
            annotators = annotators[groups]
        return replace(
            self,
            table=self.table.filter(pa.array(rows)),
            sentences=self.sentences.take(asked),
            group_ids=tuple(self.group_ids[group] for group in groups),
            row_groups=new_numbers,
            row_labels=self.row_labels[kept],
            subsamples=subsamples,
            seed_labels=seed_labels,
            annotators=annotators,
            masks=masks,
        )


def positions_among(texts: pa.Array | pa.ChunkedArray, among: pa.Array | pa.ChunkedArray) -> Ints:
    """Return the position of each text among distinct others, -1 for none."""
    if pa.types.is_dictionary(texts.type):
        texts = texts.cast(pa.string())
    return np.asarray(pc.index_in(texts, value_set=among).fill_null(-1).to_numpy(), dtype=np.int64)


def subsample_masks(numbers: pa.ChunkedArray, n_subsamples: int, only: int | None = None) -> Bools:
    """Return whether each subsample has each row, from the numbers of the subsamples that have it, [n_subsamples, n].

    Args:
        numbers: A list of numbers for each row.
        n_subsamples: Number of subsamples.
        only: The number of the only subsample, if it is not numbered from 0.

    Raises:
        ValueError: If a row has no list of numbers, or a number is not below `n_subsamples`.
    """
    lists = numbers.combine_chunks()
    lengths = pc.list_value_length(lists).to_numpy(zero_copy_only=False)
    values = lists.flatten().to_numpy()
    if only is not None:
        values = np.where(values == only, 0, values)
    if lists.null_count or ((values < 0) | (values >= n_subsamples)).any():
        raise ValueError(f"a row has no subsamples, or one that is not among the {n_subsamples}")
    masks = np.zeros((n_subsamples, len(lists)), dtype=bool)
    masks[values, np.repeat(np.arange(len(lists)), lengths.astype(np.int64))] = True
    return masks


def units_of(labels: Labels, *, has_seeds: bool) -> Units:
    """Return what a group and a row of data are called."""
    if has_seeds:
        return "seed", "variant"
    return "group", "sample" if labels == SCORED else "pair"


def asked_unit(row: str) -> str:
    """Return what a model is asked about is called, from what a row of the data is called."""
    return "sample" if row == "sample" else "distinct pair"


def stored_name(column: str) -> str:
    """Return the name of a column of `--by` in a table of answers."""
    return f"by:{column}" if column in (*ANSWER_COLUMNS, *WORDS) or ":" in column else column
