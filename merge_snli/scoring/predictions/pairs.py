"""Read the seeds and variants of one config, and its distinct sentence pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from merge_snli.base.errors import InputError
from merge_snli.dataset.record import require
from merge_snli.dataset.stored import label_names, read_split
from merge_snli.dataset.variants import masked_lm_names, validated_by
from merge_snli.models.labels import canonical_dataset_labels
from merge_snli.schema import SEED, WORD_CLASSES
from merge_snli.scoring.predictions.scored_data import AnchorPairs, ScoredData

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from merge_snli.dataset.stored import MergeDataset

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
"""The columns of a variant that scoring reads."""


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
    names = canonical_dataset_labels(label_names(table), dataset.name)
    return _scored_config(dataset, config, names, table)


def _scored_config(dataset: MergeDataset, config: str, names: tuple[str, ...], table: pa.Table) -> ScoredData:
    columns = {name: table.column(name).to_pylist() for name in REQUIRED_COLUMNS}
    seeds = _seeds(dataset, columns, len(names))
    seed_pairs = [(premise, hypothesis) for premise, hypothesis, _ in seeds.values()]
    variant_pairs = list(zip(columns["premise"], columns["hypothesis"], strict=True))
    pairs = tuple(dict.fromkeys(seed_pairs + variant_pairs))
    index_of_pair = {pair: index for index, pair in enumerate(pairs)}
    index_of_seed = {seed_id: index for index, seed_id in enumerate(seeds)}
    word_class, label, masked_lms = (
        np.array(columns["word_class"]),
        np.array(columns["label"]),
        masked_lm_names(dataset),
    )
    return ScoredData(
        dataset=dataset,
        name=dataset.public_name,
        title=dataset.record.title,
        revision=dataset.revision,
        config=config,
        digest=dataset.digest,
        group_column="seed_id",
        label_names=names,
        pairs=pairs,
        group_ids=tuple(seeds),
        row_pairs=_integers(index_of_pair[pair] for pair in variant_pairs),
        row_groups=_integers(index_of_seed[seed_id] for seed_id in columns["seed_id"]),
        row_labels=label,
        draws=_draws(dataset, config, columns["subsamples"]),
        anchors=AnchorPairs(
            _integers(index_of_pair[pair] for pair in seed_pairs), _integers(label for _, _, label in seeds.values())
        ),
        parts={
            "word_class": {name: word_class == name for name in WORD_CLASSES},
            "label": {name: label == number for number, name in enumerate(names)},
            "masked_lm": dict(zip(masked_lms, validated_by(table, masked_lms).T, strict=True)),
        },
    )


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


def _draws(dataset: MergeDataset, config: str, subsamples: Sequence[Sequence[int]]) -> NDArray[np.bool_]:
    count = 1 + max((subsample for drawn_by in subsamples for subsample in drawn_by), default=-1)
    if count == 0:
        raise InputError(f"config {config} of {dataset.name} has no subsamples: no variant names one")
    draws = np.zeros((count, len(subsamples)), dtype=bool)
    for variant, drawn_by in enumerate(subsamples):
        draws[list(drawn_by), variant] = True
    return draws


def _integers(values: Iterable[int]) -> NDArray[np.int64]:
    return np.fromiter(values, dtype=np.int64)
