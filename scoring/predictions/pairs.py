"""Read the seeds and variants of one config, and its distinct sentence pairs."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from merge_snli.dataset import label_names, read_split
from merge_snli.errors import InputError
from merge_snli.record import require
from merge_snli.schema import SEED
from merge_snli.validated_by import masked_lm_names, validated_by
from scoring.models.labels import canonical_dataset_labels

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from merge_snli.dataset import MergeDataset
    from scoring.models.predictor import Pair
    from scoring.predictions.partial import PartOfConfig

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


@dataclass(frozen=True)
class ScoredConfig:
    """The seeds and variants of one config, with each distinct sentence pair once.

    Attributes:
        dataset: The data set.
        config: `all` or a word class.
        label_names: The data set's labels, in canonical spelling, in the order of their numbers.
        pairs: The distinct (premise, hypothesis) pairs, [n_pairs], seeds before variants.
        seed_ids: The ids of the seeds, [n_seeds], in the order of the data set.
        seed_pairs: Index into `pairs` of each seed, [n_seeds].
        seed_labels: Number of the gold label of each seed and its variants, [n_seeds].
        variant_pairs: Index into `pairs` of each variant, [n_variants].
        variant_seeds: Index into `seed_ids` of the seed of each variant, [n_variants].
        variant_classes: Word class of the replaced word of each variant, [n_variants].
        in_subsample: Whether each subsample drew each variant, [n_subsamples, n_variants].
        validated_by: For each masked LM, by name, whether it validated each variant in the premise or the hypothesis,
            as in Table 9, [n_variants].
        part: What part of the config this is; None for the whole.
    """

    dataset: MergeDataset
    config: str
    label_names: tuple[str, ...]
    pairs: tuple[Pair, ...]
    seed_ids: tuple[str, ...]
    seed_pairs: NDArray[np.int64]
    seed_labels: NDArray[np.int64]
    variant_pairs: NDArray[np.int64]
    variant_seeds: NDArray[np.int64]
    variant_classes: NDArray[np.str_]
    in_subsample: NDArray[np.bool_]
    validated_by: dict[str, NDArray[np.bool_]]
    part: PartOfConfig | None = None


def read_config(dataset: MergeDataset, config: str) -> ScoredConfig:
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


def _scored_config(dataset: MergeDataset, config: str, names: tuple[str, ...], table: pa.Table) -> ScoredConfig:
    columns = {name: table.column(name).to_pylist() for name in REQUIRED_COLUMNS}
    seeds = _seeds(dataset, columns, len(names))
    seed_pairs = [(premise, hypothesis) for premise, hypothesis, _ in seeds.values()]
    variant_pairs = list(zip(columns["premise"], columns["hypothesis"], strict=True))
    pairs = tuple(dict.fromkeys(seed_pairs + variant_pairs))
    index_of_pair = {pair: index for index, pair in enumerate(pairs)}
    index_of_seed = {seed_id: index for index, seed_id in enumerate(seeds)}
    return ScoredConfig(
        dataset=dataset,
        config=config,
        label_names=names,
        pairs=pairs,
        seed_ids=tuple(seeds),
        seed_pairs=_integers(index_of_pair[pair] for pair in seed_pairs),
        seed_labels=_integers(label for _, _, label in seeds.values()),
        variant_pairs=_integers(index_of_pair[pair] for pair in variant_pairs),
        variant_seeds=_integers(index_of_seed[seed_id] for seed_id in columns["seed_id"]),
        variant_classes=np.array(columns["word_class"]),
        in_subsample=_in_subsample(dataset, config, columns["subsamples"]),
        validated_by=_validated_by(dataset, table),
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


def _in_subsample(dataset: MergeDataset, config: str, subsamples: Sequence[Sequence[int]]) -> NDArray[np.bool_]:
    count = 1 + max((subsample for drawn_by in subsamples for subsample in drawn_by), default=-1)
    if count == 0:
        raise InputError(f"config {config} of {dataset.name} has no subsamples: no variant names one")
    in_subsample = np.zeros((count, len(subsamples)), dtype=bool)
    for variant, drawn_by in enumerate(subsamples):
        in_subsample[list(drawn_by), variant] = True
    return in_subsample


def _validated_by(dataset: MergeDataset, table: pa.Table) -> dict[str, NDArray[np.bool_]]:
    names = masked_lm_names(dataset)
    return dict(zip(names, validated_by(table, names).T, strict=True))


def _integers(values: Iterable[int]) -> NDArray[np.int64]:
    return np.fromiter(values, dtype=np.int64)


def pair_digest(pair: Pair) -> str:
    """Return the cache key of a pair: the first 32 hexadecimal digits of a sha256 of premise and hypothesis."""
    premise, hypothesis = (text.encode() for text in pair)
    return hashlib.sha256(b"%d:%s%s" % (len(premise), premise, hypothesis)).hexdigest()[:32]
