"""Describe the model, the run and the labels of a result, whatever kind of data the model was scored on."""

from __future__ import annotations

from platform import python_version
from typing import TYPE_CHECKING

import numpy as np

from merge_snli.base import __version__
from merge_snli.dataset.label_spellings import NOT_ENTAILMENT
from merge_snli.models.labels import ANSWERS, FUNCTION, INFERRED, TABLE, Missing, positions
from merge_snli.schema import NLI_LABELS
from merge_snli.scoring.results.records import ModelRecord, RunRecord

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from merge_snli.models.labels import ModelFacts, ModelLabels
    from merge_snli.models.scored_model import ScoredModel
    from merge_snli.scoring.predictions.predict import Predictions
    from merge_snli.scoring.results.records import PromptRecord


def compared_numbers(outputs: NDArray[np.int64], names: Sequence[str], compared: Sequence[str]) -> NDArray[np.int64]:
    """Return the number among the compared labels of each output; codes of `Missing` stay what they are.

    Args:
        outputs: The outputs, [n].
        names: The label of each output.
        compared: The compared labels.
    """
    numbers: NDArray[np.int64] = np.array([*positions(names, compared), Missing.NO_ANSWER, Missing.NOT_ASKED])[outputs]
    return numbers


def labels_in_use(labels: ModelLabels, outputs: NDArray[np.int64]) -> tuple[str, ...]:
    """Return the label of each output, without not_entailment if a function or imported answers never have it."""
    if labels.origin in (FUNCTION, ANSWERS) and labels.names.index(NOT_ENTAILMENT) not in outputs:
        return NLI_LABELS
    return labels.names


def label_notes(scored: ScoredModel, names: Sequence[str], data_labels: Sequence[str]) -> Iterator[str]:
    """Yield what a reader must know about the labels of a model, one sentence per note.

    Args:
        scored: The model.
        names: The labels of its outputs, from `labels_in_use`.
        data_labels: The labels of the data set.
    """
    labels, outputs = scored.labels, ",".join(scored.labels.names)
    if NOT_ENTAILMENT in names and NOT_ENTAILMENT not in data_labels:
        yield (
            "two-way model: gold neutral and contradiction count as not_entailment, so compare its scores only with "
            "those of other two-way models"
        )
    if NOT_ENTAILMENT in data_labels and NOT_ENTAILMENT not in names:
        yield "predictions of neutral and contradiction count as not_entailment, because the data has only two labels"
    if labels.origin == "given":
        yield f"labels given as {outputs}"
    if labels.origin == INFERRED:
        yield f"labels inferred from the seeds as {outputs}"
    if labels.origin == TABLE:
        yield f"the model's config names no labels; known labels used: {outputs}"
    if labels.overrides_config:
        yield f"the given labels contradict the model's config, {','.join(labels.config_names)}"


def run_record(
    scored: ScoredModel, predictions: Predictions, outputs: NDArray[np.int64], prompt: PromptRecord | None = None
) -> RunRecord:
    """Return how the predictions were computed.

    Args:
        scored: The model.
        predictions: Its predictions.
        outputs: Its outputs.
        prompt: How a language model was asked; None for other models.
    """
    return RunRecord(
        versions={"merge_snli": __version__, "python": python_version(), **scored.versions},
        dtype=scored.dtype,
        device=scored.device,
        seconds=round(predictions.seconds, 3),
        no_answers=int(np.count_nonzero(outputs == Missing.NO_ANSWER)),
        prompt=prompt,
    )


def model_record(scored: ScoredModel, facts: ModelFacts, names: tuple[str, ...]) -> ModelRecord:
    """Return the model that was scored, with the labels of its outputs."""
    return ModelRecord(
        name=scored.name,
        revision=scored.revision,
        digest=scored.digest,
        architecture=facts.architecture,
        parameters=facts.parameters,
        training_data=scored.training_data,
        labels=names,
        label_origin=scored.labels.origin,
        config_labels=scored.labels.config_names,
    )
