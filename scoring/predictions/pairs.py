"""What a score is taken on: the seeds and variants of one config, and the distinct sentence pairs among them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from merge_snli.dataset import label_names, read_split
from merge_snli.errors import InputError
from merge_snli.schema import SEED
from scoring.models.labels import data_labels

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from merge_snli.dataset import MergeDataset
    from scoring.models.predictor import Pair

NEEDED = (
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
"""The columns of a variant that a score is taken from."""


@dataclass(frozen=True)
class ScoredConfig:
    """The seeds and variants of one config, with every sentence pair once.

    Attributes:
        data_set: The data set as the user named it, its revision and its digest.
        config: `all` or a word class.
        label_names: The data set's labels, spelled as in `scoring.models.labels`, in the order of their numbers.
        pairs: Every distinct pair of premise and hypothesis, [n_pairs], seeds before variants.
        seed_ids: [n_seeds], in the order of the data set.
        seed_pairs: Position in `pairs` of each seed, [n_seeds].
        seed_labels: Number of the gold label of each seed, [n_seeds]; its variants have the same.
        variant_pairs: Position in `pairs` of each variant, [n_variants].
        variant_seeds: Position in `seed_ids` of the seed of each variant, [n_variants].
        variant_classes: Word class of the replaced word of each variant, [n_variants].
        drawn: Which subsample drew which variant, [n_subsamples, n_variants].
        validated: For each masked LM by name, in their first order, which variants it validated in premise and
            hypothesis, [n_variants].
    """

    data_set: MergeDataset
    config: str
    label_names: tuple[str, ...]
    pairs: tuple[Pair, ...]
    seed_ids: tuple[str, ...]
    seed_pairs: NDArray[np.int64]
    seed_labels: NDArray[np.int64]
    variant_pairs: NDArray[np.int64]
    variant_seeds: NDArray[np.int64]
    variant_classes: NDArray[np.str_]
    drawn: NDArray[np.bool_]
    validated: dict[str, NDArray[np.bool_]]


def read_config(source: MergeDataset, config: str) -> ScoredConfig:
    """Read what a score on `config` is taken from: its split `test`, whose rows name the subsamples that drew them.

    The seeds are those of the config's own variants, so that sample accuracy on seeds and on variants is taken on
    the same problems.

    Raises:
        InputError: Where the data set has no such config, or its rows do not hold together.
    """
    if config == SEED:
        choices = ", ".join(name for name in source.configs if name != SEED)
        raise InputError(f"config {SEED} of {source.name} has no variants to score: choose one of {choices}")
    table = read_split(source, config)
    missing = [name for name in NEEDED if name not in table.column_names]
    if missing:
        have = ", ".join(table.column_names)
        raise InputError(f"config {config} of {source.name} lacks the column {missing[0]}; its columns: {have}")
    if table.num_rows == 0:
        raise InputError(f"config {config} of {source.name} has no rows: choose another config")
    names = data_labels(label_names(table), source.name)
    columns = {name: table.column(name).to_pylist() for name in NEEDED}
    return _scored(source, config, names, columns)


def _scored(source: MergeDataset, config: str, names: tuple[str, ...], columns: dict[str, list[Any]]) -> ScoredConfig:
    seeds = _seeds(source, columns, len(names))
    seed_pairs = [(premise, hypothesis) for premise, hypothesis, _ in seeds.values()]
    variant_pairs = list(zip(columns["premise"], columns["hypothesis"], strict=True))
    pairs = tuple(dict.fromkeys(seed_pairs + variant_pairs))
    place = {pair: index for index, pair in enumerate(pairs)}
    seed_place = {seed_id: index for index, seed_id in enumerate(seeds)}
    return ScoredConfig(
        data_set=source,
        config=config,
        label_names=names,
        pairs=pairs,
        seed_ids=tuple(seeds),
        seed_pairs=_numbers(place[pair] for pair in seed_pairs),
        seed_labels=_numbers(label for _, _, label in seeds.values()),
        variant_pairs=_numbers(place[pair] for pair in variant_pairs),
        variant_seeds=_numbers(seed_place[seed_id] for seed_id in columns["seed_id"]),
        variant_classes=np.array(columns["word_class"]),
        drawn=_drawn(source, config, columns["subsamples"]),
        validated=_validated(columns["premise_mlms"], columns["hypothesis_mlms"]),
    )


def _seeds(source: MergeDataset, columns: dict[str, list[Any]], n_labels: int) -> dict[str, tuple[str, str, int]]:
    rows = zip(columns["seed_premise"], columns["seed_hypothesis"], columns["label"], strict=True)
    seeds: dict[str, tuple[str, str, int]] = {}
    for seed_id, problem in zip(columns["seed_id"], rows, strict=True):
        if seeds.setdefault(seed_id, problem) != problem:
            raise InputError(
                f"the variants of seed {seed_id} in {source.name} do not agree on its premise, hypothesis and label: "
                "the data set is damaged; fetch or generate it again"
            )
        if problem[2] is None or not 0 <= problem[2] < n_labels:
            raise InputError(f"seed {seed_id} in {source.name} has the label {problem[2]}: a score needs gold labels")
    return seeds


def _drawn(source: MergeDataset, config: str, subsamples: Sequence[Sequence[int]]) -> NDArray[np.bool_]:
    count = 1 + max((index for drawn_by in subsamples for index in drawn_by), default=-1)
    if count == 0:
        raise InputError(f"config {config} of {source.name} names no subsample for any variant: nothing was drawn")
    drawn = np.zeros((count, len(subsamples)), dtype=bool)
    for variant, drawn_by in enumerate(subsamples):
        drawn[list(drawn_by), variant] = True
    return drawn


def _validated(premise: Sequence[Sequence[str]], hypothesis: Sequence[Sequence[str]]) -> dict[str, NDArray[np.bool_]]:
    both = [set(of_premise) & set(of_hypothesis) for of_premise, of_hypothesis in zip(premise, hypothesis, strict=True)]
    names = dict.fromkeys(name for names in premise for name in names)
    return {name: np.array([name in names for names in both]) for name in names}


def _numbers(values: Iterable[int]) -> NDArray[np.int64]:
    return np.fromiter(values, dtype=np.int64)


def pair_digest(pair: Pair) -> str:
    """Return what a pair is kept under: the first 32 hexadecimal digits of a sha256 of premise and hypothesis."""
    premise, hypothesis = (text.encode() for text in pair)
    return hashlib.sha256(b"%d:%s%s" % (len(premise), premise, hypothesis)).hexdigest()[:32]
