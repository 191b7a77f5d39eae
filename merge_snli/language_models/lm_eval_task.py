"""What the task files of `merge-snli harness` call when lm-evaluation-harness runs them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from merge_snli.base.errors import InputError
from merge_snli.dataset.stored import find_dataset
from merge_snli.language_models.answers import read_answer
from merge_snli.language_models.prompts import ZERO_SHOT, answer_form
from merge_snli.language_models.questions import Scope, read_questions
from merge_snli.language_models.scores import Answered, accuracies

if TYPE_CHECKING:
    from collections.abc import Sequence

    import datasets

    from merge_snli.language_models.questions import Seeds

METRICS = ("seed_sample_accuracy", "sample_accuracy", "pattern_accuracy", "no_answer")
"""Each has a function of this name below, which aggregates the answers."""


def load_questions(
    *, dataset: str, name: str, config: str, subsample: int | str, seeds: Seeds, limit_seeds: int | None, **_: object
) -> dict[str, datasets.Dataset]:
    """Read the questions of a task.

    Args:
        dataset: Digest of the data.
        name: Folder or Hub id of the data set.
        config: As in `merge_snli.language_models.questions.Scope`, like the next three.
        subsample: Subsample.
        seeds: Whether to ask seeds.
        limit_seeds: Number of seeds.

    Raises:
        InputError: If the data set cannot be read or has changed since the task file was written.
    """
    import datasets

    asked = read_questions(
        find_dataset(name), Scope(config=config, subsample=subsample, seeds=seeds, limit_seeds=limit_seeds)
    )
    if asked.data.stored.digest != dataset:
        raise InputError(f"{name} has changed since the task file was written: run merge-snli harness again")
    rows = [
        {
            "id": question.id,
            "premise": question.premise,
            "hypothesis": question.hypothesis,
            "label": question.label,
            "labels": list(asked.data.label_names),
            "uses": json.dumps(question.uses),
        }
        for question in asked.questions
    ]
    return {"test": datasets.Dataset.from_list(rows)}


def score_choice(doc: dict[str, Any], results: Sequence[tuple[float, bool]]) -> dict[str, Any]:
    """Return the metrics' inputs for a question whose labels were ranked by their log-likelihoods."""
    return _answer(doc, best_label(doc["labels"], [likelihood for likelihood, _ in results]))


def score_text(doc: dict[str, Any], results: Sequence[str]) -> dict[str, Any]:
    """Return the metrics' inputs for a question that the model answered with a text."""
    return _answer(doc, read_answer(results[0], doc["labels"], answer_form(ZERO_SHOT)))


def best_label(labels: Sequence[str], likelihoods: Sequence[float]) -> str:
    """Return the label with the largest log-likelihood, the first one of a tie."""
    return labels[max(range(len(labels)), key=likelihoods.__getitem__)]


def _answer(doc: dict[str, Any], answer: str | None) -> dict[str, Any]:
    return dict.fromkeys(METRICS, (doc["uses"], answer))


def _answered(items: Sequence[tuple[str, str | None]]) -> list[Answered]:
    return [Answered(use, answer) for uses, answer in items for use in json.loads(uses)]


def _accuracy(items: Sequence[tuple[str, str | None]], name: str) -> float:
    return accuracies(_answered(items)).get(name, float("nan"))


def seed_sample_accuracy(items: Sequence[tuple[str, str | None]]) -> float:
    """Return SA on seeds; NaN if they were not asked."""
    return _accuracy(items, "seed_sample_accuracy")


def sample_accuracy(items: Sequence[tuple[str, str | None]]) -> float:
    """Return SA on variants; NaN if they were not asked."""
    return _accuracy(items, "sample_accuracy")


def pattern_accuracy(items: Sequence[tuple[str, str | None]]) -> float:
    """Return PA at the quality threshold; NaN if no variants were asked."""
    return _accuracy(items, "pattern_accuracy")


def no_answer(items: Sequence[tuple[str, str | None]]) -> float:
    """Return the number of answers that cannot be read."""
    return float(sum(answer is None for _, answer in items))
