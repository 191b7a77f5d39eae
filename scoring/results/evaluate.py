"""From a model's predictions on a config to its result."""

from __future__ import annotations

from pathlib import Path
from platform import python_version
from typing import TYPE_CHECKING

import numpy as np

import merge_snli
from merge_snli.errors import InputError
from merge_snli.schema import NLI_LABELS, WORD_CLASSES, data_version
from metrics.pattern_accuracy.core import CURVE, QUALITY_THRESHOLD
from scoring.models.labels import NOT_ENTAILMENT, compared_labels, positions
from scoring.results.measure import (
    Answers,
    answers_on,
    majority_share,
    scores,
    scores_against,
    scores_against_majority,
    seed_table,
)
from scoring.results.notes import notes_on
from scoring.results.result import DatasetRecord, LeftOut, ModelRecord, Result, RunRecord, Scores

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from scoring.models.labels import ModelLabels
    from scoring.models.predictor import ModelFacts
    from scoring.models.scored_model import ScoredModel
    from scoring.predictions.pairs import ScoredConfig
    from scoring.predictions.store import Shard


def evaluate(scored: ScoredModel, facts: ModelFacts, predictions: Shard, data: ScoredConfig) -> Result:
    """Turn predictions into a result.

    Args:
        scored: The model.
        facts: What is known of it since it was loaded.
        predictions: Its logits for each of the config's pairs, in their order.
        data: The config's seeds and variants.

    Raises:
        InputError: Where the model takes none of the seeds.
    """
    best = best_outputs(predictions)
    names = _labels_in_use(scored.labels, best)
    compared = compared_labels(names, data.label_names)
    predicted = np.append(positions(names, compared), -1)[best]
    gold = np.array(positions(data.label_names, compared))[data.seed_labels]
    answers = answers_on(data, predicted, gold)
    if not len(answers.gold):
        raise InputError(
            f"model {scored.name} takes at most {facts.limit} tokens, and no seed of config {data.config} fits with a "
            "variant: score a model that takes longer texts"
        )
    left_out = LeftOut(
        limit=facts.limit,
        seeds=len(data.seed_ids) - len(answers.gold),
        variants=len(data.variant_pairs) - len(answers.answers),
    )
    overall = scores(answers)
    return Result(
        model=_model_record(scored, facts, names),
        dataset=_dataset_record(data),
        run=RunRecord(
            versions={"merge_snli": merge_snli.__version__, "python": python_version(), **scored.versions},
            dtype=scored.dtype,
            device=scored.device,
            seconds=round(predictions.seconds, 3),
        ),
        compared=compared,
        left_out=left_out,
        notes=notes_on(scored, data, names, left_out, overall, majority_share(answers)),
        quality_threshold=QUALITY_THRESHOLD,
        thresholds=CURVE,
        scores=overall,
        classes=_by_class(data, answers),
        labels=_by_label(data, answers),
        masked_lms=_by_masked_lm(data, answers),
        consistency={
            "seed": scores_against(answers, answers.seed_answers),
            "majority": scores_against_majority(answers),
        },
        seeds=seed_table(data, answers, compared),
    )


def best_outputs(predictions: Shard) -> NDArray[np.int64]:
    """Return the output with the largest logit for each pair, -1 where the pair was too long."""
    left_out = np.isnan(predictions.logits[:, 0])
    best: NDArray[np.int64] = np.where(left_out, -1, np.nan_to_num(predictions.logits).argmax(axis=1))
    return best


def _labels_in_use(labels: ModelLabels, best: NDArray[np.int64]) -> tuple[str, ...]:
    """Return the names of the outputs; of a function, not_entailment only where it ever says so."""
    if labels.found == "function" and labels.names.index(NOT_ENTAILMENT) not in best:
        return NLI_LABELS
    return labels.names


def _by_class(data: ScoredConfig, answers: Answers) -> dict[str, Scores]:
    classes = data.variant_classes[answers.kept_variants]
    return {name: scores(answers.of_variants(classes == name)) for name in WORD_CLASSES if (classes == name).any()}


def _by_label(data: ScoredConfig, answers: Answers) -> dict[str, Scores]:
    gold = data.seed_labels[answers.kept_seeds][answers.seeds]
    return {
        name: scores(answers.of_variants(gold == number))
        for number, name in enumerate(data.label_names)
        if (gold == number).any()
    }


def _by_masked_lm(data: ScoredConfig, answers: Answers) -> dict[str, Scores]:
    """Scores on the variants of each masked LM, without those that no subsample drew a variant of."""
    validated = {name: by[answers.kept_variants] for name, by in data.validated.items()}
    return {name: scores(answers.of_variants(by)) for name, by in validated.items() if by.any()}


def _model_record(scored: ScoredModel, facts: ModelFacts, names: tuple[str, ...]) -> ModelRecord:
    return ModelRecord(
        name=scored.name,
        revision=scored.revision,
        digest=scored.digest,
        architecture=facts.architecture,
        parameters=facts.parameters,
        training_data=scored.training_data,
        labels=names,
        labels_found=scored.labels.found,
        own_labels=scored.labels.own,
    )


def _dataset_record(data: ScoredConfig) -> DatasetRecord:
    source = data.data_set
    local = source.revision is None and Path(source.name).is_dir()
    return DatasetRecord(
        name=source.folder.resolve().name if local else source.name,
        revision=source.revision,
        version=data_version(source.digest),
        digest=source.digest,
        config=data.config,
        labels=data.label_names,
    )
