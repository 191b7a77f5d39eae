"""Read the rows, groups and distinct pairs of data: a config of a MERGE data set, or labeled pairs in groups."""

from array import array
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from merge_snli.answers.data import (
    AGREEMENT,
    LABEL,
    MASKED_LM,
    WORD_CLASS,
    Numbering,
    ScoredData,
    part_of_data,
    subsample_masks,
)
from merge_snli.answers.sentences import SentencePairs, codes, numbered
from merge_snli.base.arrays import Bools, Ints
from merge_snli.base.errors import InputError, param
from merge_snli.base.files import sha256_of_json
from merge_snli.base.hub_ids import split_revision
from merge_snli.base.option import require_unique
from merge_snli.base.progress import Progress, step
from merge_snli.dataset.label_spellings import task_labels
from merge_snli.dataset.loaded import LoadedRows
from merge_snli.dataset.record import require
from merge_snli.dataset.stored import MergeDataset, read_split
from merge_snli.dataset.variants import SIDES, annotators_by_seed, validated_by
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.problem import check_row
from merge_snli.problems.reading import content_number, digest_of
from merge_snli.problems.reading_warnings import RepeatedPairs
from merge_snli.problems.rows import JOIN, SourceRow, column_text
from merge_snli.problems.source import no_problem, open_source
from merge_snli.schema import SEED, TEST, WORD_CLASSES, data_file

# The columns by which data sets made from templates are scored by default, if a config has them: Tables 1 to 3 of Luo
# et al. (2022).
TEMPLATE_COLUMNS = (
    "template",
    "hypothesis_template",
    f"template{JOIN}hypothesis_template",
    f"template{JOIN}relevance",
)

# The columns of a variant that scoring reads.
REQUIRED_COLUMNS = (
    "seed_id",
    "premise",
    "hypothesis",
    "label",
    "seed_premise",
    "seed_hypothesis",
    "word_class",
    *SIDES,
    "subsamples",
)
# The columns of a variant with texts that repeat.
REPEATED = ("seed_id", "seed_premise", "seed_hypothesis", "word_class", "original", "replacement")


def read_config(dataset: MergeDataset, config: str, by: Sequence[str] = ()) -> ScoredData:
    """Read the split `test` of a config of a stored data set.

    That of a MERGE data set contains all variants with the subsamples that drew them. Its seeds are those of the
    config's own variants, so that sample accuracy on seeds and on variants covers the same problems.

    Args:
        dataset: The data set.
        config: The config.
        by: Columns of pairs in groups by whose values scores are computed as well; by default `TEMPLATE_COLUMNS`.

    Raises:
        InputError: If the data set has no such config, or lacks a column, or its rows are inconsistent.
    """
    record, name = dataset.record, f"config {config} of {dataset.name}"
    if record.has_seeds:
        require(record, "subsamples")
        choices = [other for other in dataset.configs if other != SEED]
        if (config not in choices and data_file(config, TEST) not in record.files) or config == SEED:
            raise InputError(f"{name} has no variants to score; choose one of {', '.join(choices)}")
    table = read_split(dataset, config, repeated=REPEATED if record.has_seeds else ())
    columns = table.column_names
    missing = [column for column in by if not _has(columns, column)]
    if record.has_seeds:
        missing = [column for column in REQUIRED_COLUMNS if column not in columns]
    if missing:
        raise InputError(f"{name} has no column {missing[0]!r}; its columns are {', '.join(columns)}")
    if table.num_rows == 0:
        raise InputError(f"{name} has no rows; choose another config")
    if record.has_seeds:
        with step(f"reading {name}", table.num_rows, "variants"):
            data = _variants(dataset, config, task_labels(record.label_names), table)
        loaded = dataset.loaded
        return data if loaded is None or loaded.config != config else _loaded_part(data, loaded)
    default = [column for column in TEMPLATE_COLUMNS if _has(columns, column)]
    options = ProblemOptions(problems=table)
    pairs = read_groups(options, table=table, group_column=record.group_column, by=by or default, name=name)
    return replace(
        pairs,
        dataset=dataset,
        name=dataset.public_name,
        title=record.title,
        revision=dataset.revision,
        config=config,
    )


def _has(columns: Sequence[str], column: str) -> bool:
    """Return whether there is a column, or both columns of `A+B`."""
    return column in columns or {*column.split(JOIN)} <= {*columns}


def _loaded_part(data: ScoredData, loaded: LoadedRows) -> ScoredData:
    """Return the rows of a config that `datasets` loaded."""
    if loaded.subsample is not None:
        data = part_of_data(data, subsample=loaded.subsample)
    rows = np.isin(data.row_ids.to_numpy(), [*loaded.row_ids])
    if rows.all():
        return data
    groups = np.isin(np.arange(len(data.group_ids)), data.row_groups[rows])
    part = data.take(groups=groups, rows=rows)
    chosen = sha256_of_json(sorted(loaded.row_ids))
    return replace(part, limit_seeds=len(part.group_ids), chosen_rows=chosen)


def _variants(dataset: MergeDataset, config: str, names: tuple[str, ...], table: pa.Table) -> ScoredData:
    record = dataset.record
    groups, first = numbered(codes(table["seed_id"]))
    ids = table["seed_id"].take(pa.array(first)).cast(pa.string())
    _check_seeds(dataset, table, groups, first, len(names))
    label, word_class = table["label"].to_numpy(), table["word_class"]
    gold = label[first]
    sentences = SentencePairs(_before(table, first, "premise"), _before(table, first, "hypothesis"))
    masks = {
        WORD_CLASS: {name: np.asarray(pc.equal(word_class, name)) for name in WORD_CLASSES},
        LABEL: {name: label == number for number, name in enumerate(names)},
        MASKED_LM: validated_by(table, None if record.generation is None else record),
    }
    annotators = annotators_by_seed(table, names)
    if annotators is not None:
        masks[AGREEMENT] = _by_agreement(annotators, gold, groups)
    return ScoredData(
        dataset=dataset,
        name=dataset.public_name,
        title=record.title,
        revision=dataset.revision,
        config=config,
        digest=dataset.digest,
        group_column="seed_id",
        label_names=names,
        table=table.drop_columns([*SIDES]),
        sentences=sentences,
        group_ids=tuple(ids.to_pylist()),
        row_groups=groups,
        row_labels=label,
        subsamples=_subsamples(dataset, config, table),
        seed_labels=gold,
        masks=masks,
        annotators=annotators,
    )


def _before(table: pa.Table, first: Ints, side: str) -> pa.ChunkedArray:
    """Return the sentences of the seeds, by their first rows, before those of the rows."""
    of_seeds = table[f"seed_{side}"].take(pa.array(first)).cast(pa.string())
    return pa.chunked_array([*of_seeds.chunks, *table[side].chunks], pa.string())


def _by_agreement(annotators: Ints, gold: Ints, groups: Ints) -> dict[str, Bools]:
    """Return whether the seed of each row has each agreement, such as `4/5`, the largest share first."""
    votes, totals = annotators[np.arange(len(gold)), gold], annotators.sum(axis=1)
    masks = {}
    pairs = {*zip(votes.tolist(), totals.tolist(), strict=True)}
    for own, total in sorted(pairs, key=lambda pair: -pair[0] / max(1, pair[1])):
        if total:
            masks[f"{own}/{total}"] = ((votes == own) & (totals == total))[groups]
    return masks


def _check_seeds(dataset: MergeDataset, table: pa.Table, groups: Ints, first: Ints, n_labels: int) -> None:
    """Check that the variants of each seed have the same seed and label, a gold label.

    Args:
        dataset: The data set.
        table: Its variants.
        groups: Number of the seed of each variant, [n].
        first: The first variant of each seed, [n_seeds].
        n_labels: Number of labels.
    """
    ids, labels = table["seed_id"], table["label"].fill_null(-1).to_numpy()
    unknown = (labels < 0) | (labels >= n_labels)
    if unknown.any():
        row = int(unknown.argmax())
        raise InputError(
            f"seed {ids[row]} in {dataset.name} has the label {table['label'][row]}; scoring needs gold labels"
        )
    for values in (codes(table["seed_premise"]), codes(table["seed_hypothesis"]), labels):
        different = values != values[first][groups]
        if different.any():
            seed = ids[int(different.argmax())]
            raise InputError(
                f"the variants of seed {seed} in {dataset.name} have different seed premises, seed hypotheses or "
                "labels; the data set is damaged: download or generate it again"
            )


def _subsamples(dataset: MergeDataset, config: str, table: pa.Table) -> Bools:
    """Return whether each subsample has each row."""
    last = pc.max(pc.list_flatten(table["subsamples"])).as_py()
    if last is None:
        raise InputError(f"config {config} of {dataset.name} has no subsamples: no variant names one")
    return subsample_masks(table["subsamples"], last + 1)


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
    pairs = []
    groups = Numbering[str]()
    values = {column: Numbering[str]() for column in by}
    labels, positions, total = array("q"), array("q"), 0
    repeated = RepeatedPairs()
    with Progress().stage(f"reading {name or default}", unit="rows") as stage:
        for row in islice(source.read(), source.options.limit):
            stage.advance(1)
            checked = check_row(row, source.options, source.labels)
            if checked is None:
                continue
            group = column_text(row, group_column, "group_column")
            if not group.strip():
                raise InputError(
                    f"{row.location}: the group in column {group_column!r} is empty; every pair needs a group"
                )
            total += content_number(checked.premise, checked.hypothesis, source.labels.names[checked.label], group)
            pairs.append((checked.premise, checked.hypothesis))
            groups.add(group)
            labels.append(checked.label)
            repeated.add(row.location, pairs[-1], checked.label)
            positions.append(stage.done - 1)
            for column, of_rows in values.items():
                _add_value(of_rows, row, column)
    without_label = stage.done - len(labels)
    if not labels:
        raise InputError(no_problem(source, without_label))
    _check_groups(len(groups.index), len(labels), group_column, name or given)
    sentences = SentencePairs.of(pairs)
    repeated.warn_of_several_labels(source)
    if table is None:
        table = pa.table({"row_id": [f"row-{number}" for number in range(1, len(labels) + 1)]})
    else:
        table = table.take(pa.array(positions))
    masks = {}
    for column, of_rows in values.items():
        numbers = np.array(of_rows.numbers)
        masks[column] = {value: numbers == number for value, number in of_rows.index.items()}
    public_name, revision = split_revision(default)
    title = Path(default).stem if options.split is None else f"{default} ({options.split})"
    return ScoredData(
        dataset=None,
        name=public_name,
        title=title,
        revision=revision if default == given else None,
        config=options.config,
        digest=digest_of(total),
        group_column=group_column,
        label_names=task_labels(source.labels.names),
        without_label=without_label,
        table=table,
        sentences=sentences,
        group_ids=tuple(groups.index),
        row_labels=np.array(labels),
        row_groups=np.array(groups.numbers),
        subsamples=None,
        seed_labels=None,
        masks=masks,
    )


def _add_value(of_rows: Numbering[str], row: SourceRow, column: str) -> None:
    texts = [column_text(row, name, "by") or "(empty)" for name in row.columns_of(column)]
    of_rows.add(f" {JOIN} ".join(texts))
    if len(of_rows.index) > MAX_VALUES:
        raise InputError(
            f"{row.location}: column {column!r} has more than {MAX_VALUES} values; {param('by')} needs a column with "
            "few values, such as a template"
        )


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
