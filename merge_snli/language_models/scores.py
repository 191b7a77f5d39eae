"""Score a language model's answers while a harness runs, with the arithmetic of `scoring`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from metrics.pattern_accuracy.core import CURVE, QUALITY_THRESHOLD
from metrics.pattern_accuracy.counts import count_cells
from scoring.results.measure import PredictedLabels, scores_against
from scoring.statistics import clustered_error, passes_by_seed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    Ints: TypeAlias = NDArray[np.int64]

CURVE_STEP = 5
"""With 20 variants per seed, PA changes only every 5%."""


@dataclass(frozen=True)
class Answered:
    """The answer to one use of a question.

    Attributes:
        use: The use, as in `merge_snli.language_models.questions.Question`.
        answer: A label, or None if the answer cannot be read.
    """

    use: dict[str, Any]
    answer: str | None

    @property
    def correct(self) -> bool:
        """Whether the answer is the gold label."""
        return bool(self.answer == self.use["label"])

    @property
    def is_seed(self) -> bool:
        """Whether the question is a seed, not a variant."""
        return "variant_id" not in self.use


def accuracies(answered: Sequence[Answered]) -> dict[str, float]:
    """Return SA on seeds, SA on variants, PA at the quality threshold, and standard errors clustered by seed.

    What was not asked, such as variants, is absent.
    """
    seeds = np.array([each.correct for each in answered if each.is_seed], dtype=bool)
    values: dict[str, float] = {}
    if len(seeds):
        ones = np.ones(len(seeds))
        values |= _with_error("seed_sample_accuracy", float(seeds.mean()), seeds, ones)
    variants = [each for each in answered if not each.is_seed]
    if variants:
        counts = _Counts(variants)
        values |= _with_error("sample_accuracy", counts.sample_accuracy, counts.correct.sum(0), counts.sizes.sum(0))
        drawn = counts.sizes.any(axis=0)
        if drawn.any():
            passes = passes_by_seed(counts.correct[:, drawn], counts.sizes[:, drawn])
            values |= _with_error(
                "pattern_accuracy", counts.curve[CURVE.index(QUALITY_THRESHOLD)], passes, np.ones(passes.shape)
            )
    return values


def curve(answered: Sequence[Answered]) -> dict[str, float]:
    """Return PA at the thresholds 0.00, 0.05, … 1.00; empty without variants."""
    variants = [each for each in answered if not each.is_seed]
    points = _Counts(variants).curve if variants else ()
    return {f"{CURVE[at]:.2f}": points[at] for at in range(0, len(points), CURVE_STEP)}


def by_part(answered: Sequence[Answered]) -> dict[str, float]:
    """Return SA and PA on the variants of each gold label and word class that has any."""
    values: dict[str, float] = {}
    for column in ("label", "word_class"):
        parts: dict[str, list[Answered]] = {}
        for each in answered:
            if not each.is_seed:
                parts.setdefault(each.use[column], []).append(each)
        for name, part in sorted(parts.items()):
            counts = _Counts(part)
            values[f"{name}_sample_accuracy"] = counts.sample_accuracy
            values[f"{name}_pattern_accuracy"] = counts.curve[CURVE.index(QUALITY_THRESHOLD)]
    return values


class _Counts:
    """Counts of the variants of each seed, and the scores from them."""

    def __init__(self, variants: Sequence[Answered]) -> None:
        predicted = predicted_labels(variants)
        shape = len(predicted.drawn), len(predicted.gold)
        subsample, variant = np.nonzero(predicted.drawn)
        cells = subsample * shape[1] + predicted.variant_seeds[variant]
        correct, sizes = count_cells(cells, shape[0] * shape[1], predicted.correct[variant])
        self.correct, self.sizes = correct.reshape(shape), sizes.reshape(shape)
        scores = scores_against(predicted, predicted.gold)
        mean = scores.sample_accuracy.mean
        self.sample_accuracy = scores.test_sample_accuracy if mean is None else mean
        self.curve = tuple(float("nan") if point is None else point for point in scores.curve.mean)


def predicted_labels(variants: Sequence[Answered]) -> PredictedLabels:
    """Return the answers to variants as arrays; the seeds' own predictions are unknown (-1)."""
    labels = _numbers([each.use["label"] for each in variants])
    seeds = _numbers([each.use["seed_id"] for each in variants])
    subsamples = _numbers(number for each in variants for number in each.use["subsamples"])
    drawn = np.zeros((max(1, len(subsamples)), len(variants)), dtype=bool)
    for at, each in enumerate(variants):
        drawn[[subsamples[number] for number in each.use["subsamples"]], at] = True
    variant_seeds = np.array([seeds[each.use["seed_id"]] for each in variants])
    gold = np.zeros(len(seeds), dtype=np.int64)
    gold[variant_seeds] = [labels[each.use["label"]] for each in variants]
    return PredictedLabels(
        gold=gold,
        seed_predictions=np.full(len(seeds), -1),
        # An answer that is no gold label of any seed, or no answer, is wrong everywhere.
        variant_predictions=np.array([labels.get(each.answer or "", len(labels)) for each in variants]),
        variant_seeds=variant_seeds,
        drawn=drawn,
        seed_indices=np.arange(len(seeds)),
        variant_indices=np.arange(len(variants)),
    )


def _numbers(names: Iterable[Any]) -> dict[Any, int]:
    return {name: number for number, name in enumerate(dict.fromkeys(names))}


def _with_error(name: str, value: float, correct: Any, sizes: Any) -> dict[str, float]:  # noqa: ANN401 - arrays
    return {name: value, f"{name}_stderr": clustered_error(correct, sizes)}
