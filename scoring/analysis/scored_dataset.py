"""Read the variants of a config and the predictions that the result files of models hold, as arrays.

Every analysis takes these values. Models are in the order of their results, variants in the order of split `test`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from merge_snli.dataset import label_names, read_split
from merge_snli.errors import InputError
from merge_snli.record import require
from merge_snli.schema import VARIANT_COLUMNS
from merge_snli.validated_by import masked_lm_names, validated_by
from scoring.models.labels import canonical_dataset_labels, positions
from scoring.results.grouping import distinct_names_of
from scoring.results.measure import LEFT_OUT, NO_ANSWER_NUMBER
from scoring.results.scores import NO_ANSWER, NOT_SCORED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from merge_snli.dataset import MergeDataset
    from scoring.results.records import DatasetRecord
    from scoring.results.result import Result

    Ints = NDArray[np.int64]
    Bools = NDArray[np.bool_]

NO_PREDICTION = LEFT_OUT


@dataclass(frozen=True)
class Seeds:
    """The seeds of a config, in the order of their first variant.

    Attributes:
        ids: [n_seeds].
        premises: [n_seeds].
        hypotheses: [n_seeds].
        labels: Name of the gold label of each seed, [n_seeds].
        extra: The columns that were copied from the problems (`--keep-column`), by name, [n_seeds] each.
    """

    ids: tuple[str, ...]
    premises: tuple[str, ...]
    hypotheses: tuple[str, ...]
    labels: tuple[str, ...]
    extra: Mapping[str, tuple[str | None, ...]] = field(repr=False)


@dataclass(frozen=True)
class Variants:
    """The variants of a config, in the order of split `test`.

    Attributes:
        seed: Index of the seed of each variant, [n_variants].
        word_class: Word class of the replaced word, a dictionary array of Arrow, [n_variants].
        original: The replaced word, a dictionary array, [n_variants].
        replacement: The word that replaces it, a dictionary array, [n_variants].
        log_odds: Log-odds of the replacement against the original, float32, [n_variants].
        masked_lms: Names of the masked LMs of the run.
        validated_by: Whether each masked LM validated the variant in the premise or the hypothesis,
            [n_variants, n_masked_lms].
        drawn_variant: Index of each drawn variant, for each subsample one after another, [n_draws].
        drawn_by: Number of the subsample of each draw, [n_draws].
        n_subsamples: Number of subsamples.
    """

    seed: Ints
    word_class: pa.DictionaryArray
    original: pa.DictionaryArray
    replacement: pa.DictionaryArray
    log_odds: NDArray[np.float32]
    masked_lms: tuple[str, ...]
    validated_by: Bools
    drawn_variant: Ints
    drawn_by: Ints
    n_subsamples: int

    def of_class(self, name: str) -> Bools:
        """Return whether the replaced word has a word class, [n_variants]."""
        names = self.word_class.dictionary.to_pylist()
        codes = self.word_class.indices.to_numpy()
        return np.asarray(codes == (names.index(name) if name in names else -1))


@dataclass(frozen=True)
class ModelPredictions:
    """The predicted labels of one model.

    Each is an index into `labels`, `NO_PREDICTION` if it was left out, or `NO_ANSWER_NUMBER` if no answer can be read.

    Attributes:
        name: Name of the model, unique among the models of the data set.
        result: The result that holds the predictions.
        labels: The labels in which predictions and gold labels are compared.
        gold: Gold label of each seed, [n_seeds].
        seeds: Predicted label of each seed, [n_seeds].
        variants: Predicted label of each variant, int8, [n_variants].
        correct: Whether the prediction on each variant is the gold label of its seed, [n_variants].
    """

    name: str
    result: Result = field(repr=False)
    labels: tuple[str, ...]
    gold: Ints
    seeds: Ints
    variants: NDArray[np.int8]
    correct: Bools

    @property
    def scored(self) -> Bools:
        """Whether each variant has a prediction, [n_variants]."""
        return np.asarray(self.variants != NO_PREDICTION)


@dataclass(frozen=True)
class ScoredDataset:
    """One config of one data set, and the predictions of the models that were scored on it.

    Attributes:
        dataset: The data set.
        record: What the results record about it.
        seeds: The seeds.
        variants: Their variants.
        models: The models with their predictions.
        coverage: If only the seeds that all models have are kept, the models that have fewer, with number and reason.
    """

    dataset: MergeDataset
    record: DatasetRecord
    seeds: Seeds
    variants: Variants
    models: tuple[ModelPredictions, ...]
    coverage: tuple[str, ...] = ()

    @cached_property
    def drawn_cells(self) -> Ints:
        """Cell of each draw in a flattened array of shape [n_subsamples, n_seeds], [n_draws]."""
        variants = self.variants
        return variants.drawn_by * len(self.seeds.ids) + variants.seed[variants.drawn_variant]

    @cached_property
    def drawn(self) -> Bools:
        """Whether a subsample drew each variant, [n_variants]."""
        drawn = np.zeros(len(self.variants.seed), dtype=np.bool_)
        drawn[self.variants.drawn_variant] = True
        return drawn


def read_scored_dataset(dataset: MergeDataset, results: Sequence[Result]) -> ScoredDataset:
    """Read a config of a data set and the predictions on it.

    Args:
        dataset: The data set.
        results: At least one result; all on the same config of this data set.

    Raises:
        InputError: If a result was computed on other data or does not fit the data set, two results are of the same
            model, or the data set is damaged.
    """
    require(dataset.record, "anchors", "draws")
    record = results[0].dataset
    for result in results:
        if (result.dataset.digest, result.dataset.config) != (dataset.digest, record.config):
            raise InputError(
                f"the result of {result.model.name} is on data {result.dataset.digest[:8]}, config "
                f"{result.dataset.config}, not on {dataset.name} ({dataset.digest[:8]}), config {record.config}"
            )
    table = read_split(dataset, record.config)
    names = canonical_dataset_labels(label_names(table), dataset.name)
    seeds, seed_of_variant = _seeds(table, names)
    variants = _variants(dataset, table, seed_of_variant)
    distinct = distinct_names_of(results)
    models = tuple(
        _predictions(result, name, seeds, seed_of_variant) for name, result in zip(distinct, results, strict=True)
    )
    return ScoredDataset(dataset, record, seeds, variants, models)


def _seeds(table: pa.Table, names: Sequence[str]) -> tuple[Seeds, Ints]:
    encoded = table["seed_id"].combine_chunks().dictionary_encode()
    codes = encoded.indices.to_numpy().astype(np.int64)
    _, first = np.unique(codes, return_index=True)
    rows = table.take(first)
    known = {column.name for column in VARIANT_COLUMNS}
    return (
        Seeds(
            ids=tuple(encoded.dictionary.to_pylist()),
            premises=tuple(rows["seed_premise"].to_pylist()),
            hypotheses=tuple(rows["seed_hypothesis"].to_pylist()),
            labels=tuple(names[label] for label in rows["label"].to_pylist()),
            extra={name: tuple(rows[name].to_pylist()) for name in table.column_names if name not in known},
        ),
        codes,
    )


def _variants(dataset: MergeDataset, table: pa.Table, seed_of_variant: Ints) -> Variants:
    import pyarrow.compute as pc

    subsamples = table["subsamples"].combine_chunks()
    drawn_by = subsamples.flatten().to_numpy().astype(np.int64)
    masked_lms = masked_lm_names(dataset)
    return Variants(
        seed=seed_of_variant,
        word_class=table["word_class"].combine_chunks().dictionary_encode(),
        original=table["original"].combine_chunks().dictionary_encode(),
        replacement=table["replacement"].combine_chunks().dictionary_encode(),
        log_odds=table["log_odds"].to_numpy(),
        masked_lms=masked_lms,
        validated_by=validated_by(table, masked_lms),
        drawn_variant=pc.list_parent_indices(subsamples).to_numpy().astype(np.int64),
        drawn_by=drawn_by,
        n_subsamples=int(drawn_by.max(initial=-1)) + 1,
    )


def _predictions(result: Result, name: str, seeds: Seeds, seed_of_variant: Ints) -> ModelPredictions:
    """Assign the predictions in a result file to the variants of the data set."""
    index_of_seed = {seed: index for index, seed in enumerate(seeds.ids)}
    unknown = [seed for seed in result.seeds.seed_id if seed not in index_of_seed]
    if unknown:
        raise InputError(f"the result of {name} has the seed {unknown[0]}, which is not in the data: score it again")
    scored = np.array([index_of_seed[seed] for seed in result.seeds.seed_id])
    sizes = np.bincount(seed_of_variant, minlength=len(seeds.ids))
    lengths = np.array([len(labels) for labels in result.seeds.variant_predictions])
    if (lengths != sizes[scored]).any():
        seed = result.seeds.seed_id[int(np.argmax(lengths != sizes[scored]))]
        raise InputError(
            f"the result of {name} does not have one prediction per variant of seed {seed}: score it again"
        )
    unscored = [NOT_SCORED * int(size) for size in sizes]
    return _model_predictions(result, name, seeds, seed_of_variant, scored, unscored)


def _model_predictions(
    result: Result, name: str, seeds: Seeds, seed_of_variant: Ints, scored: Ints, by_seed: list[str]
) -> ModelPredictions:
    labels = result.compared_labels
    predicted_seeds = np.full(len(seeds.ids), NO_PREDICTION)
    predicted_seeds[scored] = [
        NO_ANSWER_NUMBER if label is None else labels.index(label) for label in result.seeds.predicted
    ]
    for seed, predictions in zip(scored.tolist(), result.seeds.variant_predictions, strict=True):
        by_seed[seed] = predictions
    characters = np.frombuffer("".join(by_seed).encode(), dtype=np.uint8)
    predicted = np.empty(len(seed_of_variant), dtype=np.int8)
    order = np.argsort(seed_of_variant, kind="stable")
    predicted[order] = characters.astype(np.int8) - ord("0")
    predicted[order[characters == ord(NOT_SCORED)]] = NO_PREDICTION
    predicted[order[characters == ord(NO_ANSWER)]] = NO_ANSWER_NUMBER
    gold = np.array(positions(seeds.labels, labels), dtype=np.int64)
    return ModelPredictions(
        name=name,
        result=result,
        labels=labels,
        gold=gold,
        seeds=predicted_seeds,
        variants=predicted,
        correct=predicted == gold[seed_of_variant],
    )
