"""Read the rows, groups and distinct pairs of data: a config of a MERGE data set, or labeled pairs in groups."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from merge_snli.base.arrays import Bools
from merge_snli.base.errors import InputError, param
from merge_snli.base.hub_ids import split_revision
from merge_snli.base.progress import Progress, Stage
from merge_snli.dataset.label_spellings import task_labels
from merge_snli.dataset.record import require
from merge_snli.dataset.stored import MergeDataset, read_split
from merge_snli.dataset.variants import annotators_by_seed, validated_by
from merge_snli.models.labels import Pair
from merge_snli.problems.options import ProblemOptions, require_unique
from merge_snli.problems.problem import check_row
from merge_snli.problems.reading import (
    ProblemSource,
    content_number,
    digest_of,
    no_problem,
    open_source,
    warn_of_several_labels,
)
from merge_snli.problems.rows import JOIN, SourceRow, column_text
from merge_snli.schema import SEED, WORD_CLASSES
from merge_snli.scoring.data import AGREEMENT, LABEL, MASKED_LM, WORD_CLASS, Numbering, ScoredData, SeedPairs

# The columns of a variant that scoring reads.
REQUIRED_COLUMNS = (
    "seed_id",
    "premise",
    "hypothesis",
    "label",
    "seed_premise",
    "seed_hypothesis",
    "word_class",
    "premise_mlms",
    "hypothesis_mlms",
    "subsamples",
)


def read_config(dataset: MergeDataset, config: str) -> ScoredData:
    """Read the `test` split of a config, which contains all variants with the subsamples that drew them.

    The seeds are those of the config's own variants, so that sample accuracy on seeds and on variants covers the same
    problems.

    Raises:
        InputError: If the data set has no seeds or subsamples, has no such config, or its rows are inconsistent.
    """
    require(dataset.record, "anchors", "draws")
    if config == SEED:
        choices = ", ".join(name for name in dataset.configs if name != SEED)
        raise InputError(f"config {SEED} of {dataset.name} has no variants to score; choose one of {choices}")
    table = read_split(dataset, config)
    missing = [name for name in REQUIRED_COLUMNS if name not in table.column_names]
    if missing:
        columns = ", ".join(table.column_names)
        raise InputError(f"config {config} of {dataset.name} has no column {missing[0]}; its columns are {columns}")
    if table.num_rows == 0:
        raise InputError(f"config {config} of {dataset.name} has no rows; choose another config")
    names = task_labels(dataset.record.label_names)
    return _scored_config(dataset, config, names, table)


def _scored_config(dataset: MergeDataset, config: str, names: tuple[str, ...], table: pa.Table) -> ScoredData:
    columns = {name: table.column(name).to_pylist() for name in REQUIRED_COLUMNS}
    seeds = _seeds(dataset, columns, len(names))
    seed_pairs = [(premise, hypothesis) for premise, hypothesis, _ in seeds.values()]
    pairs = Numbering([*seed_pairs, *zip(columns["premise"], columns["hypothesis"], strict=True)])
    numbers = np.array(pairs.numbers)
    word_class, label = np.array(columns["word_class"]), np.array(columns["label"])
    annotators, gold = annotators_by_seed(table, names), np.array([label for _, _, label in seeds.values()])
    groups = np.array(Numbering(columns["seed_id"]).numbers)
    return ScoredData(
        dataset=dataset,
        name=dataset.public_name,
        title=dataset.record.title,
        revision=dataset.revision,
        config=config,
        digest=dataset.digest,
        group_column="seed_id",
        label_names=names,
        table=table,
        pairs=tuple(pairs.index),
        group_ids=tuple(seeds),
        row_pairs=numbers[len(seeds) :],
        row_groups=groups,
        row_labels=label,
        subsamples=_subsamples(dataset, config, columns["subsamples"]),
        seeds=SeedPairs(numbers[: len(seeds)], gold),
        parts={
            WORD_CLASS: {name: word_class == name for name in WORD_CLASSES},
            LABEL: {name: label == number for number, name in enumerate(names)},
            MASKED_LM: validated_by(table, dataset.record),
            **({} if annotators is None else {AGREEMENT: _by_agreement(annotators, gold, groups)}),
        },
        annotators=annotators,
    )


def _by_agreement(
    annotators: NDArray[np.int64], gold: NDArray[np.int64], groups: NDArray[np.int64]
) -> dict[str, Bools]:
    """Return whether the seed of each row has each agreement, such as `4/5`, the largest share first."""
    votes, totals = annotators[np.arange(len(gold)), gold], annotators.sum(axis=1)
    found = sorted({*zip(votes.tolist(), totals.tolist(), strict=True)}, key=lambda each: -each[0] / max(1, each[1]))
    return {f"{own}/{all_}": ((votes == own) & (totals == all_))[groups] for own, all_ in found if all_}


def _seeds(dataset: MergeDataset, columns: dict[str, list[Any]], n_labels: int) -> dict[str, tuple[str, str, int]]:
    rows = zip(columns["seed_premise"], columns["seed_hypothesis"], columns["label"], strict=True)
    seeds: dict[str, tuple[str, str, int]] = {}
    for seed_id, problem in zip(columns["seed_id"], rows, strict=True):
        if seeds.setdefault(seed_id, problem) != problem:
            raise InputError(
                f"the variants of seed {seed_id} in {dataset.name} have different seed premises, seed hypotheses or "
                "labels; the data set is damaged: download or generate it again"
            )
        if problem[2] is None or not 0 <= problem[2] < n_labels:
            raise InputError(f"seed {seed_id} in {dataset.name} has the label {problem[2]}; scoring needs gold labels")
    return seeds


def _subsamples(dataset: MergeDataset, config: str, numbers: Sequence[Sequence[int]]) -> NDArray[np.bool_]:
    """Return whether each subsample has each row, from the numbers of the subsamples that have it."""
    count = 1 + max((number for of_row in numbers for number in of_row), default=-1)
    if count == 0:
        raise InputError(f"config {config} of {dataset.name} has no subsamples: no variant names one")
    subsamples = np.zeros((count, len(numbers)), dtype=bool)
    for variant, of_row in enumerate(numbers):
        subsamples[list(of_row), variant] = True
    return subsamples


# Largest number of values of a column of `--by`.
MAX_VALUES = 500


def read_groups(
    options: ProblemOptions,
    *,
    group_column: str,
    by: Sequence[str] = (),
    name: str | None = None,
    table: pa.Table | None = None,
) -> ScoredData:
    """Read labeled pairs in groups.

    Args:
        options: Names the pairs, their columns and labels.
        group_column: The column of the groups.
        by: Columns by whose values scores are computed as well; `A+B` for the pairs of values of two columns.
        name: Name of the pairs in messages; by default that of the file, folder or Hub id.
        table: The rows of a stored data set, which `options` names; None for those of a file.

    Raises:
        InputError: If the pairs cannot be read, a column is missing, a group is empty, the groups have one pair each or
            are one, the labels are not those of NLI, or a column of `by` has too many values.
    """
    require_unique("by", by)
    given, default = str(options.problems), options.problems.public_name
    source = open_source(options)
    pairs: Numbering[Pair] = Numbering()
    groups: Numbering[str] = Numbering()
    values: dict[str, Numbering[str]] = {column: Numbering() for column in by}
    labels, places, total = array("q"), array("q"), 0
    with Progress().stage(f"reading {name or default}", unit="rows") as stage:
        for row, pair, label in _labeled_rows(source, stage):
            group = column_text(row, group_column, "group_column")
            if not group.strip():
                raise InputError(
                    f"{row.location}: the group in column {group_column!r} is empty; every pair needs a group"
                )
            total += content_number(*pair, source.labels.names[label], group)
            pairs.add(pair)
            groups.add(group)
            labels.append(label)
            places.append(stage.done - 1)
            for column, found in values.items():
                _add_value(found, row, column)
    without_label = stage.done - len(labels)
    if not labels:
        raise InputError(no_problem(source, without_label))
    _check_groups(len(groups.index), len(labels), group_column, name or given)
    warn_of_several_labels(source, pairs.numbers, labels)
    return ScoredData(
        dataset=None,
        name=split_revision(default)[0],
        title=Path(default).stem if options.split is None else f"{default} ({options.split})",
        revision=split_revision(given)[1] if default == given else None,
        config=options.config,
        digest=digest_of(total),
        group_column=group_column,
        label_names=task_labels(source.labels.names),
        without_label=without_label,
        table=_numbered(len(labels)) if table is None else table.take(pa.array(places)),
        pairs=tuple(pairs.index),
        group_ids=tuple(groups.index),
        row_pairs=np.array(pairs.numbers),
        row_labels=np.array(labels),
        row_groups=np.array(groups.numbers),
        subsamples=None,
        seeds=None,
        parts={column: _masks(found) for column, found in values.items()},
    )


def _numbered(rows: int) -> pa.Table:
    """Return the ids of the rows of a file."""
    return pa.table({"row_id": [f"row-{number}" for number in range(1, rows + 1)]})


def _labeled_rows(source: ProblemSource, stage: Stage) -> Iterator[tuple[SourceRow, Pair, int]]:
    """Yield the rows that have a gold label, with their pair and the number of the label; count all rows."""
    for row in islice(source.read(), source.options.limit):
        stage.advance(1)
        checked = check_row(row, source.options, source.labels)
        if checked is not None:
            yield row, (checked.premise, checked.hypothesis), checked.label


def _add_value(found: Numbering[str], row: SourceRow, column: str) -> None:
    found.add(f" {JOIN} ".join(column_text(row, each, "by") or "(empty)" for each in row.columns_of(column)))
    if len(found.index) > MAX_VALUES:
        raise InputError(
            f"{row.location}: column {column!r} has more than {MAX_VALUES} values; {param('by')} needs a column with "
            "few values, such as a template"
        )


def _masks(found: Numbering[str]) -> dict[str, Bools]:
    """Return whether each row has each value, in the order of their first rows."""
    numbers = np.array(found.numbers)
    return {value: numbers == number for value, number in found.index.items()}


def _check_groups(n_groups: int, n_rows: int, column: str, problems: str) -> None:
    """Check that there are at least two groups, and that not every group is a single pair."""
    if n_groups == 1:
        raise InputError(
            f"{problems}: all {n_rows:,} pairs have the same value in the group column {column!r}; choose a "
            f"column with at least two groups with {param('group_column')}"
        )
    if n_groups == n_rows:
        raise InputError(
            f"{problems}: each of the {n_groups:,} pairs has a different value in the group column {column!r}; choose "
            f"a column that several pairs share with {param('group_column')}"
        )
