"""Made-up scored data sets, small enough to compute every number by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from merge_snli.dataset import MergeDataset
from merge_snli.record import DataRecord, MaskedLMRecord, read_record
from merge_snli.schema import NLI_LABELS
from metrics.pattern_accuracy.core import CURVE, QUALITY_THRESHOLD
from scoring.analysis.scored_dataset import NO_PREDICTION, ModelPredictions, ScoredDataset, Seeds, Variants
from scoring.results.fields import SCHEMA_VERSION
from scoring.results.measure import PredictedLabels, scores, scores_against, scores_against_majority
from scoring.results.records import DatasetRecord, LeftOut, ModelRecord, RunRecord
from scoring.results.result import Result
from scoring.results.scores import NOT_SCORED, SeedTable
from tests.records import SHIPPED, changed

DIGEST = "d" * 64


@dataclass(frozen=True, kw_only=True)
class Row:
    """A variant.

    Attributes:
        seed: Id of its seed.
        answers: The predictions of the models, one letter each: the first of the label, or `-` without a prediction.
        replacement: By default numbered, so that no two variants are equal.
    """

    seed: str
    answers: str
    word_class: str = "noun"
    original: str = "dog"
    replacement: str | None = None
    masked_lms: tuple[str, ...] = ("mlm",)
    subsamples: tuple[int, ...] = (0,)
    log_odds: float = 1.0


def rows_of(seed: str, answers: Sequence[str] | str, **columns: Any) -> list[Row]:  # noqa: ANN401 - fields of Row
    """Return one row per answer: `rows_of("s1", "een")` for one model, `rows_of("s1", ["en", "ee"])` for two."""
    return [Row(seed=seed, answers=answer, **columns) for answer in answers]


def scored_dataset(
    rows: Sequence[Row],
    *,
    models: Sequence[str] = ("a",),
    gold: Mapping[str, str] | None = None,
    on_seeds: Mapping[str, str] | None = None,
    texts: Mapping[str, tuple[str, str]] | None = None,
    extra: Mapping[str, Sequence[str | None]] | None = None,
    masked_lms: Sequence[str] = ("mlm",),
    labels: Sequence[str] = NLI_LABELS,
    options: Mapping[str, Any] | None = None,
    title: str = "made up",
    digest: str = DIGEST,
) -> ScoredDataset:
    """Return a scored data set with the seeds in the order of their first row.

    Args:
        rows: The variants.
        models: Names of the models, in the order of the answers.
        gold: Gold labels of seeds, as first letters; by default `e`.
        on_seeds: Predictions of the models on seeds, one letter per model; by default the gold label. `-` for no
            prediction, which needs rows without predictions, too.
        texts: Premise and hypothesis of seeds; by default made of the id.
        extra: Columns copied from the problems, [n_seeds] each.
        masked_lms: Masked LMs of the run.
        labels: Labels of the data set, which are also those in which predictions are compared.
        options: Changed options of the run.
        title: Title of the data set.
        digest: sha256 of the data.
    """
    gold, on_seeds, texts = gold or {}, on_seeds or {}, texts or {}
    ids = tuple(dict.fromkeys(row.seed for row in rows))
    letters = [gold.get(seed, "e") for seed in ids]
    numbers = {label[0]: number for number, label in enumerate(labels)} | {NOT_SCORED: NO_PREDICTION}
    seeds = Seeds(
        ids=ids,
        premises=tuple(texts[seed][0] if seed in texts else f"The premise of {seed}." for seed in ids),
        hypotheses=tuple(texts[seed][1] if seed in texts else f"The hypothesis of {seed}." for seed in ids),
        labels=tuple(labels[numbers[letter]] for letter in letters),
        extra={name: tuple(column) for name, column in (extra or {}).items()},
    )
    variants = _variants(rows, ids, masked_lms)
    gold_numbers = np.array([numbers[letter] for letter in letters])
    record = DatasetRecord(
        name="made", title=title, revision=None, version="1.0.0", digest=digest, config="all", labels=tuple(labels)
    )
    seed_answers = [on_seeds.get(seed, letter * len(models)) for seed, letter in zip(ids, letters, strict=True)]
    predictions = [
        _predictions(
            name,
            record,
            seeds,
            variants,
            gold_numbers,
            np.array([numbers[answers[at]] for answers in seed_answers]),
            np.array([numbers[row.answers[at]] for row in rows], dtype=np.int8),
        )
        for at, name in enumerate(models)
    ]
    run = read_record(SHIPPED)
    dataset = MergeDataset(
        name="made",
        folder=Path("made"),
        revision=None,
        record=changed(
            run,
            title=title,
            options=run.options | {"mlm": list(masked_lms)} | dict(options or {}),
            masked_lms=tuple(MaskedLMRecord(name, None, "a" * 64) for name in masked_lms),
            data=DataRecord(digest, {}),
        ),
    )
    return ScoredDataset(dataset, record, seeds, variants, tuple(predictions))


def _variants(rows: Sequence[Row], ids: Sequence[str], masked_lms: Sequence[str]) -> Variants:
    draws = [(number, subsample) for number, row in enumerate(rows) for subsample in row.subsamples]
    return Variants(
        seed=np.array([ids.index(row.seed) for row in rows]),
        word_class=pa.array([row.word_class for row in rows]).dictionary_encode(),
        original=pa.array([row.original for row in rows]).dictionary_encode(),
        replacement=pa.array([row.replacement or f"word{at}" for at, row in enumerate(rows)]).dictionary_encode(),
        log_odds=np.array([row.log_odds for row in rows], dtype=np.float32),
        masked_lms=tuple(masked_lms),
        validated_by=np.array([[name in row.masked_lms for name in masked_lms] for row in rows]),
        drawn_variant=np.array([variant for variant, _ in draws], dtype=np.int64),
        drawn_by=np.array([subsample for _, subsample in draws], dtype=np.int64),
        n_subsamples=1 + max((subsample for _, subsample in draws), default=-1),
    )


def _predictions(
    name: str,
    dataset: DatasetRecord,
    seeds: Seeds,
    variants: Variants,
    gold: NDArray[np.int64],
    on_seeds: NDArray[np.int64],
    on_variants: NDArray[np.int8],
) -> ModelPredictions:
    assert (on_variants[on_seeds[variants.seed] == NO_PREDICTION] == NO_PREDICTION).all()
    return ModelPredictions(
        name=name,
        result=_result(name, dataset, seeds, variants, gold, on_seeds, on_variants),
        labels=dataset.labels,
        gold=gold,
        seeds=on_seeds,
        variants=on_variants,
        correct=on_variants == gold[variants.seed],
    )


def _result(
    name: str,
    dataset: DatasetRecord,
    seeds: Seeds,
    variants: Variants,
    gold: NDArray[np.int64],
    on_seeds: NDArray[np.int64],
    on_variants: NDArray[np.int8],
) -> Result:
    """Return a result whose scores are computed; it has no parts."""
    drawn = np.zeros((variants.n_subsamples, len(variants.seed)), dtype=bool)
    drawn[variants.drawn_by, variants.drawn_variant] = True
    everything = PredictedLabels(
        gold=gold,
        seed_predictions=on_seeds,
        variant_predictions=on_variants.astype(np.int64),
        variant_seeds=variants.seed,
        drawn=drawn,
        seed_indices=np.arange(len(gold)),
        variant_indices=np.arange(len(variants.seed)),
    )
    predicted = everything.select(on_variants != NO_PREDICTION)
    texts = ["".join(_digits(on_variants[variants.seed == seed])) for seed in range(len(gold))]
    labels = dataset.labels
    cells = [[drawn[k] & (variants.seed == seed) for seed in predicted.seed_indices] for k in range(len(drawn))]
    right = on_variants == gold[variants.seed]
    scored = on_variants != NO_PREDICTION
    return Result(
        schema_version=SCHEMA_VERSION,
        kind="merge",
        model=ModelRecord(
            name=name,
            revision=None,
            digest=None,
            architecture=None,
            parameters=None,
            training_data=None,
            labels=labels,
            label_origin="function",
            config_labels=(),
        ),
        dataset=dataset,
        run=RunRecord(versions={}, dtype=None, device=None, seconds=0.0),
        compared_labels=labels,
        left_out=LeftOut(
            max_length=None,
            seeds=len(gold) - len(predicted.gold),
            variants=int(np.count_nonzero(~scored)),
        ),
        notes=(),
        quality_threshold=QUALITY_THRESHOLD,
        thresholds=CURVE,
        scores=scores(predicted),
        classes={},
        labels={},
        masked_lms={},
        consistency={
            "seed": scores_against(predicted, predicted.seed_predictions),
            "majority": scores_against_majority(predicted),
        },
        source=None,
        seeds=SeedTable(
            seed_id=tuple(seeds.ids[seed] for seed in predicted.seed_indices),
            gold=tuple(seeds.labels[seed] for seed in predicted.seed_indices),
            predicted=tuple(labels[label] for label in predicted.seed_predictions),
            sizes=tuple(tuple(int((cell & scored).sum()) for cell in row) for row in cells),
            correct=tuple(tuple(int((cell & right).sum()) for cell in row) for row in cells),
            variant_predictions=tuple(texts[seed] for seed in predicted.seed_indices),
        ),
    )


def _digits(labels: NDArray[np.int8]) -> list[str]:
    return [NOT_SCORED if label == NO_PREDICTION else str(label) for label in labels.tolist()]
