"""Build tidy tables of answers: a row per variant and model (long), or a row per variant (wide).

Values are plain strings, numbers and lists, so that `datasets`, pandas, Polars, DuckDB and the Hub's viewer read them.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from merge_snli.base.errors import InputError
from merge_snli.dataset.annotators import people_by_seed
from merge_snli.dataset.label_spellings import task_labels
from merge_snli.dataset.record import require
from merge_snli.dataset.stored import MergeDataset, read_split
from merge_snli.models.labels import Missing, positions
from merge_snli.scoring.results.measure import placed
from merge_snli.scoring.results.scores import NamedAnswers
from merge_snli.scoring.statistics.values import ratios

# The columns that a table has only on request: the terms of the problems apply to their sentences.
TEXT_COLUMNS = ("premise", "hypothesis", "seed_premise", "seed_hypothesis")

# The columns of a variant in a table, before its label.
COLUMNS = ("variant_id", "seed_id", *TEXT_COLUMNS, "word_class", "original", "replacement", "log_odds", "subsamples")


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
            table = table.append_column(name, _floats(column))
    return Variants(table.replace_schema_metadata(), names, gold)


def long_tables(variants: Variants, models: Sequence[NamedAnswers]) -> Iterator[pa.Table]:
    """Yield the rows of each model: its name in the column `model`, and its answers.

    `answer` is null if the model was not asked, or its answer cannot be read; `correct` only if it was not asked. The
    probability of each label of any model that gives probabilities is in `probability:LABEL`, and on the seed in
    `seed_probability:LABEL`.
    """
    labels = [*dict.fromkeys(label for model in models for label in _probable(model))]
    for model in models:
        table = variants.table.append_column("model", pa.array([model.model] * len(variants.gold)))
        for name, column in _columns(variants, model, labels).items():
            table = table.append_column(name, column)
        yield table


def wide_table(variants: Variants, models: Iterable[NamedAnswers]) -> pa.Table:
    """Return one row per variant, with the answers of each model, as `answer:MODEL`."""
    table = variants.table
    for model in models:
        for name, column in _columns(variants, model, _probable(model)).items():
            table = table.append_column(f"{name}:{model.model}", column)
    return table


def _probable(model: NamedAnswers) -> tuple[str, ...]:
    """Return the labels whose probabilities are known."""
    return () if model.groups.probabilities is None else model.labels


def _columns(variants: Variants, model: NamedAnswers, labels: Sequence[str]) -> dict[str, pa.Array]:
    """Return the columns of a model's answers by name, with the probabilities of these labels."""
    ids = pc.unique(variants.table["seed_id"])
    groups = pc.index_in(variants.table["seed_id"], ids).to_numpy()
    try:
        on_rows, on_seeds = placed(model.groups, model.labels, ids.to_pylist(), groups, "the data set")
    except InputError as error:
        raise InputError(f"the result of {model.model}: {error.message.marked}: score it again") from error
    gold = np.array(positions(variants.names, model.labels))[variants.gold]
    columns: dict[str, pa.Array] = {}
    probabilities: dict[str, pa.Array] = {}
    for prefix, answers in (("", on_rows), ("seed_", on_seeds.at(groups))):
        columns[f"{prefix}answer"] = _label_texts(model.labels, answers.labels)
        columns[f"{prefix}correct"] = _correct(answers.labels, gold)
        for label in labels:
            shares = np.full(len(gold), np.nan)
            if answers.probabilities is not None and label in model.labels:
                shares = answers.probabilities[:, model.labels.index(label)]
            probabilities[f"{prefix}probability:{label}"] = _floats(shares.astype(np.float32))
    return columns | probabilities


def _label_texts(names: Sequence[str], numbers: NDArray[np.int64]) -> pa.Array:
    """Return labels by name; null for a code of `Missing`."""
    return pa.array(names).take(pa.array(numbers, mask=numbers < 0))


def _floats(column: NDArray[np.floating]) -> pa.Array:
    return pa.array(column, mask=np.isnan(column))


def _correct(answers: NDArray[np.int64], gold: NDArray[np.int64]) -> pa.Array:
    return pa.array(answers == gold, mask=answers == Missing.NOT_ASKED)
