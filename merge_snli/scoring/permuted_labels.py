"""Find models whose labels seem to be permuted, which would distort every mean over models."""

import logging
from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from merge_snli.scoring.prompts import Scored, results_of
from merge_snli.scoring.records import CHANCE_MARGIN
from merge_snli.scoring.statistics import mcnemar_test

# Another order of the labels is better than the model's if McNemar's test on the seeds gives a smaller p-value.
MAX_P_VALUE = 0.001

AnyScored = TypeVar("AnyScored", bound=Scored)

logger = logging.getLogger(__name__)


def permuted_labels(scored: Scored) -> str | None:
    """Return why the labels of a model seem to be permuted, from its answers to the seeds; None if they do not."""
    labels = scored.compared_labels
    seeds = [result.answers.seeds for result in results_of(scored) if result.answers.seeds is not None]
    if not seeds:
        return None
    gold, predicted = (np.concatenate([getattr(each, name) for each in seeds]) for name in ("gold", "predicted"))
    gold, predicted = gold[predicted >= 0], predicted[predicted >= 0]
    if not len(gold):
        return None
    counts = np.bincount(predicted * len(labels) + gold, minlength=len(labels) ** 2).reshape(len(labels), -1)
    if (counts.argmax(axis=1) == np.arange(len(labels))).all():  # no other order is better
        return None
    from scipy.optimize import linear_sum_assignment

    better, right = linear_sum_assignment(counts, maximize=True)[1][predicted] == gold, predicted == gold
    if better.mean() < np.bincount(gold).max() / len(gold) + CHANCE_MARGIN or better.sum() <= right.sum():
        return None
    if mcnemar_test(better, right).p_value >= MAX_P_VALUE:
        return None
    return f"its labels seem to be permuted: in another order {better.mean():.1%} of the seeds are right"


def not_averaged(result: Scored) -> tuple[str, ...]:
    """Return the note on a model that is left out of means over models; none on others."""
    reason = permuted_labels(result)
    return () if reason is None else (f"left out of means over models, because {reason}",)


def without_permuted(results: Sequence[AnyScored]) -> list[AnyScored]:
    """Return the results for a mean over models, with a warning for each that is left out; all if none remains."""
    reasons = [permuted_labels(result) for result in results]
    if None not in reasons:
        return list(results)
    for result, reason in zip(results, reasons, strict=True):
        if reason is not None:
            logger.warning("%s is left out of means over models: %s", result.title, reason)
    return [result for result, reason in zip(results, reasons, strict=True) if reason is None]
