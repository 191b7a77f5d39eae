"""Build tidy tables of answers: a row per variant and model (long), or a row per variant (wide).

Values are plain strings, numbers and lists, so that `datasets`, pandas, Polars, DuckDB and the Hub's viewer read them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from merge_snli.base.errors import InputError
from merge_snli.dataset.annotators import people_by_seed
from merge_snli.dataset.label_spellings import task_labels
from merge_snli.dataset.record import require
from merge_snli.dataset.stored import MergeDataset, read_split
from merge_snli.models.labels import Missing, positions
from merge_snli.scoring.results.measure import digits_of
from merge_snli.scoring.results.scores import GroupTable
from merge_snli.scoring.statistics.values import ratios

if TYPE_CHECKING:
    import pyarrow as pa

TEXT_COLUMNS = ("premise", "hypothesis", "seed_premise", "seed_hypothesis")
"""The columns that a table has only on request: the terms of the problems apply to their sentences."""

COLUMNS = ("variant_id", "seed_id", *TEXT_COLUMNS, "word_class", "original", "replacement", "log_odds", "subsamples")
"""The columns of a variant in a table, before its label."""

PER_MODEL = ("answer", "correct", "seed_answer", "seed_correct")
"""The columns of a model's answers."""


@dataclass(frozen=True)
class NamedAnswers:
    """The answers of one model, as its result has them.

    Attributes:
        model: Name of the model, unique in a table.
        groups: The answers.
        labels: The labels in which they are compared with gold labels.
    """

    model: str
    groups: GroupTable
    labels: tuple[str, ...]


@dataclass(frozen=True)
class Variants:
    """The variants of a config.

    Attributes:
        table: Their columns, with the name of the gold label in `label`. If the data has labels of annotators, also the
            share who gave the gold label to the seed in `agreement`, and those of each label, as `people:LABEL`.
        names: The labels of the data set.
        gold: Number among `names` of the gold label of each variant, [n_variants].
    """

    table: pa.Table
    names: tuple[str, ...]
    gold: NDArray[np.int64]


def read_variants(dataset: MergeDataset, config: str, *, with_text: bool = False) -> Variants:
    """Read the variants of a config in the order of split `test`.

    Args:
        dataset: The data set.
        config: The config.
        with_text: Whether to read their sentences and those of their seeds.

    Raises:
        InputError: If the data set has no variants of seeds, it has no such config, or a file is damaged.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    require(dataset.record, "anchors")
    split = read_split(dataset, config)
    names = task_labels(dataset.record.label_names)
    gold = split["label"].to_numpy().astype(np.int64)
    columns = [name for name in COLUMNS if with_text or name not in TEXT_COLUMNS]
    table = split.select(columns).append_column("label", _label_texts(names, gold))
    people = people_by_seed(split, names)
    if people is not None:
        votes = people[pc.index_in(split["seed_id"], pc.unique(split["seed_id"])).to_numpy()]
        shares = ratios(votes, np.repeat(votes.sum(axis=1, keepdims=True), len(names), axis=1))
        columns_of_people = {"agreement": shares[np.arange(len(gold)), gold]}
        columns_of_people |= {f"people:{name}": column for name, column in zip(names, shares.T, strict=True)}
        for name, column in columns_of_people.items():
            table = table.append_column(name, pa.array(column, mask=np.isnan(column)))
    return Variants(table.replace_schema_metadata(), names, gold)


def long_tables(variants: Variants, models: Iterable[NamedAnswers]) -> Iterator[pa.Table]:
    """Yield the rows of each model: its name in the column `model`, and the columns `PER_MODEL`.

    `answer` is null if the model was not asked, or its answer cannot be read; `correct` only if it was not asked.
    """
    import pyarrow as pa

    for model in models:
        table = variants.table.append_column("model", pa.array([model.model] * len(variants.gold)))
        for name, column in zip(PER_MODEL, _columns(variants, model), strict=True):
            table = table.append_column(name, column)
        yield table


def wide_table(variants: Variants, models: Iterable[NamedAnswers]) -> pa.Table:
    """Return one row per variant, with the columns `PER_MODEL` of each model, as `answer:MODEL`."""
    table = variants.table
    for model in models:
        for name, column in zip(PER_MODEL, _columns(variants, model), strict=True):
            table = table.append_column(f"{name}:{model.model}", column)
    return table


def _columns(variants: Variants, model: NamedAnswers) -> tuple[pa.Array, ...]:
    """Return the columns `PER_MODEL`."""
    compared = np.array(positions(variants.names, model.labels))[variants.gold]
    columns: list[pa.Array] = []
    for answers in _aligned(variants, model):
        columns += [_label_texts(model.labels, answers), _correct(answers, compared)]
    return tuple(columns)


def _aligned(variants: Variants, model: NamedAnswers) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the answers to the variants and to their seeds, as numbers of labels or codes of `Missing`."""
    import pyarrow as pa
    import pyarrow.compute as pc

    table = model.groups
    found = pc.index_in(variants.table["seed_id"], pa.array(table.id, pa.string())).fill_null(-1)
    of_seed = found.to_numpy().astype(np.int64)
    rows = np.argsort(of_seed, kind="stable")[np.count_nonzero(of_seed < 0) :]
    sizes = np.bincount(of_seed[rows], minlength=len(table.id))
    if sizes.tolist() != [len(answers) for answers in table.predictions]:
        raise InputError(f"the result of {model.model} has answers to other variants than the data set: score it again")
    answers = np.full(len(of_seed), Missing.NOT_ASKED.value)
    answers[rows] = digits_of(table.predictions)
    on_seeds = [Missing.NO_ANSWER if each is None else model.labels.index(each) for each in table.anchors or ()]
    return answers, np.append(on_seeds, Missing.NOT_ASKED).astype(np.int64)[of_seed]


def _label_texts(names: Sequence[str], numbers: NDArray[np.int64]) -> pa.Array:
    """Return labels by name; null for a code of `Missing`."""
    import pyarrow as pa

    return pa.array(names).take(pa.array(numbers, mask=numbers < 0))


def _correct(answers: NDArray[np.int64], gold: NDArray[np.int64]) -> pa.Array:

    import pyarrow as pa

    return pa.array(answers == gold, mask=answers == Missing.NOT_ASKED)
