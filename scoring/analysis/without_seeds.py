"""Leave seeds out of a scored data set, such as those that a reader judged mislabeled (section 5.5 of the paper)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from merge_snli.errors import InputError
from scoring.analysis.scored_dataset import NO_PREDICTION, ModelPredictions, ScoredDataset, Seeds, Variants
from scoring.results.measure import PredictedLabels, scores, scores_against, scores_against_majority
from scoring.results.source_scores import source_accuracy

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    from scoring.results.result import Result
    from scoring.results.scores import SeedTable, SourceAccuracy, SourceScores

    Ints = NDArray[np.int64]
    Bools = NDArray[np.bool_]


def without_seeds(scored: ScoredDataset, ids: Collection[str], *, keep_source: bool = False) -> ScoredDataset:
    """Return a data set without some seeds and their variants, with the scores of each result computed again.

    The results then have no scores of parts (word classes, labels and masked LMs), which no analysis uses.

    Args:
        scored: The data set.
        ids: Ids of the seeds to leave out; ids of other data sets are ignored.
        keep_source: Whether the seeds stay among the problems of the source.

    Raises:
        InputError: If a model has no other seed.
    """
    out = set(ids)
    kept = np.array([seed not in out for seed in scored.seeds.ids])
    if kept.all():
        return scored
    kept_variants = kept[scored.variants.seed]
    seeds, variants = _seeds(scored.seeds, kept), _variants(scored.variants, kept, kept_variants)
    models = []
    for model in scored.models:
        if not (kept & (model.seeds != NO_PREDICTION)).any():
            raise InputError(f"{scored.record.title}: no seed of {model.name} remains: leave out fewer seeds")
        smaller = replace(
            model,
            gold=model.gold[kept],
            seeds=model.seeds[kept],
            variants=model.variants[kept_variants],
            correct=model.correct[kept_variants],
        )
        source = model.result.source if keep_source else _source(scored, model, ~kept)
        result = replace(_result(smaller, variants, out), source=source)
        models.append(replace(smaller, result=result))
    return replace(scored, seeds=seeds, variants=variants, models=tuple(models))


def _seeds(seeds: Seeds, kept: Bools) -> Seeds:
    at = np.flatnonzero(kept).tolist()
    return Seeds(
        ids=tuple(seeds.ids[seed] for seed in at),
        premises=tuple(seeds.premises[seed] for seed in at),
        hypotheses=tuple(seeds.hypotheses[seed] for seed in at),
        labels=tuple(seeds.labels[seed] for seed in at),
        extra={name: tuple(column[seed] for seed in at) for name, column in seeds.extra.items()},
    )


def _variants(variants: Variants, kept: Bools, kept_variants: Bools) -> Variants:
    rows = np.flatnonzero(kept_variants)
    draws = kept_variants[variants.drawn_variant]
    return replace(
        variants,
        seed=(np.cumsum(kept) - 1)[variants.seed[rows]],
        word_class=variants.word_class.take(rows),
        original=variants.original.take(rows),
        replacement=variants.replacement.take(rows),
        log_odds=variants.log_odds[rows],
        validated_by=variants.validated_by[rows],
        drawn_variant=(np.cumsum(kept_variants) - 1)[variants.drawn_variant[draws]],
        drawn_by=variants.drawn_by[draws],
    )


def _result(model: ModelPredictions, variants: Variants, out: Collection[str]) -> Result:
    """Return the result of a model with the scores on the remaining seeds."""
    result = model.result
    predicted = _predicted_labels(model, variants)
    return replace(
        result,
        scores=scores(predicted),
        classes={},
        labels={},
        masked_lms={},
        consistency={
            "seed": scores_against(predicted, predicted.seed_predictions),
            "majority": scores_against_majority(predicted),
        },
        left_out=replace(
            result.left_out,
            seeds=int(np.count_nonzero(model.seeds == NO_PREDICTION)),
            variants=int(np.count_nonzero(~model.scored)),
        ),
        seeds=_seed_table(result.seeds, out),
    )


def _source(scored: ScoredDataset, model: ModelPredictions, out: Bools) -> SourceScores | None:
    """Return the scores on the source without some seeds, [n_seeds]; None if the model's answer on one is unknown."""
    source = model.result.source
    if source is None or (model.seeds[out] == NO_PREDICTION).any():
        return None
    right = model.seeds == model.gold

    def rest(whole: SourceAccuracy, left_out: Bools) -> SourceAccuracy | None:
        problems = whole.problems - int(np.count_nonzero(left_out))
        correct = round(whole.sample_accuracy * whole.problems) - int(np.count_nonzero(left_out & right))
        return source_accuracy(correct, problems) if problems else None

    labels = np.array(scored.seeds.labels)
    by_label = {name: rest(whole, out & (labels == name)) for name, whole in source.labels.items()}
    overall = rest(source.overall, out)
    if overall is None:
        return None
    return replace(
        source, overall=overall, labels={name: scores for name, scores in by_label.items() if scores is not None}
    )


def _predicted_labels(model: ModelPredictions, variants: Variants) -> PredictedLabels:
    drawn = np.zeros((variants.n_subsamples, len(variants.seed)), dtype=np.bool_)
    drawn[variants.drawn_by, variants.drawn_variant] = True
    everything = PredictedLabels(
        gold=model.gold,
        seed_predictions=model.seeds,
        variant_predictions=model.variants.astype(np.int64),
        variant_seeds=variants.seed,
        drawn=drawn,
        seed_indices=np.arange(len(model.gold)),
        variant_indices=np.arange(len(variants.seed)),
    )
    return everything.select(model.scored)


def _seed_table(table: SeedTable, out: Collection[str]) -> SeedTable:
    at = [index for index, seed in enumerate(table.seed_id) if seed not in out]
    return replace(
        table,
        seed_id=tuple(table.seed_id[index] for index in at),
        gold=tuple(table.gold[index] for index in at),
        predicted=tuple(table.predicted[index] for index in at),
        sizes=tuple(tuple(row[index] for index in at) for row in table.sizes),
        correct=tuple(tuple(row[index] for index in at) for row in table.correct),
        variant_predictions=tuple(table.variant_predictions[index] for index in at),
    )
