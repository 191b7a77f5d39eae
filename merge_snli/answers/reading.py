"""Read a config of a stored data set: the variants of a MERGE data set, or pairs made from templates."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from merge_snli.answers.data import AGREEMENT, LABEL, MASKED_LM, WORD_CLASS, ScoredData, subsample_masks
from merge_snli.answers.groups import read_groups
from merge_snli.answers.part import part_of_data
from merge_snli.answers.sentences import SentencePairs, codes, numbered
from merge_snli.base.arrays import Bools, Ints
from merge_snli.base.errors import InputError
from merge_snli.base.files import sha256_of_json
from merge_snli.base.progress import step
from merge_snli.dataset.label_spellings import Labels, task_labels
from merge_snli.dataset.loaded import LoadedRows
from merge_snli.dataset.record import require
from merge_snli.dataset.stored import MergeDataset, read_split
from merge_snli.dataset.variants import SIDES, annotators_by_seed, validated_by
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.rows import JOIN
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
    record = dataset.record
    name = f"config {config} of {dataset.name}"
    needed = by
    if record.has_seeds:
        needed = REQUIRED_COLUMNS
        require(record, "subsamples")
        choices = [other for other in dataset.configs if other != SEED]
        if (config not in choices and data_file(config, TEST) not in record.files) or config == SEED:
            raise InputError(f"{name} has no variants to score; choose one of {', '.join(choices)}")
    table = read_split(dataset, config, repeated=REPEATED if record.has_seeds else ())
    columns = table.column_names
    missing = [column for column in needed if not _has(columns, column)]
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
    return column in columns or all(part in columns for part in column.split(JOIN))


def _loaded_part(data: ScoredData, loaded: LoadedRows) -> ScoredData:
    """Return the rows of a config that `datasets` loaded."""
    if loaded.subsample is not None:
        data = part_of_data(data, subsample=loaded.subsample)
    rows = np.isin(data.row_ids.to_numpy(), [*loaded.row_ids])
    if rows.all():
        return data
    part = data.take(rows)
    chosen = sha256_of_json(sorted(loaded.row_ids))
    return replace(part, limit_seeds=len(part.group_ids), chosen_rows=chosen)


def _variants(dataset: MergeDataset, config: str, names: Labels, table: pa.Table) -> ScoredData:
    record = dataset.record
    groups, first = numbered(codes(table["seed_id"]))
    ids = table["seed_id"].take(pa.array(first)).cast(pa.string())
    _check_seeds(dataset, table, groups, first, len(names))
    label = table["label"].to_numpy()
    word_class = table["word_class"]
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
    votes = annotators[np.arange(len(gold)), gold]
    totals = annotators.sum(axis=1)
    masks = {}
    pairs = {*zip(votes.tolist(), totals.tolist(), strict=True)}
    for own, total in sorted(pairs, key=lambda pair: -pair[0] / max(1, pair[1])):
        if total:
            masks[f"{own}/{total}"] = ((votes == own) & (totals == total))[groups]
    return masks


def _check_seeds(dataset: MergeDataset, table: pa.Table, groups: Ints, first: Ints, n_labels: int) -> None:
    """Check that the variants of each seed have the same label, a gold label.

    Args:
        dataset: The data set.
        table: Its variants.
        groups: Number of the seed of each variant, [n].
        first: The first variant of each seed, [n_seeds].
        n_labels: Number of labels.
    """
    ids = table["seed_id"]
    labels = table["label"].fill_null(-1).to_numpy()
    unknown = (labels < 0) | (labels >= n_labels)
    if unknown.any():
        row = int(unknown.argmax())
        raise InputError(
            f"seed {ids[row]} in {dataset.name} has the label {table['label'][row]}; scoring needs gold labels"
        )
    different = labels != labels[first][groups]
    if different.any():
        seed = ids[int(different.argmax())]
        raise InputError(
            f"the variants of seed {seed} in {dataset.name} have different labels; the data set is damaged: download "
            "or generate it again"
        )


def _subsamples(dataset: MergeDataset, config: str, table: pa.Table) -> Bools:
    """Return whether each subsample has each row."""
    last = pc.max(pc.list_flatten(table["subsamples"])).as_py()
    if last is None:
        raise InputError(f"config {config} of {dataset.name} has no subsamples: no variant names one")
    return subsample_masks(table["subsamples"], last + 1)
