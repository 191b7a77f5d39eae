"""From answers to numbers: SA, PA, QT, MT and consistency, over all, by word class and by gold label.

Groups are the seeds in every config, and everything is decided on counts (`metrics.pattern_accuracy`).
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean, stdev
from typing import TYPE_CHECKING

import numpy as np

from metrics.pattern_accuracy.core import (
    CURVE,
    QUALITY_THRESHOLD,
    matching_threshold,
    pattern_accuracy,
    quality_drop,
    sample_accuracy,
)
from metrics.pattern_accuracy.counts import count_cells
from scoring.results.intervals import seed_intervals
from scoring.results.result import Curve, Scores, SeedTable, Spread, VariantScores

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from scoring.predictions.pairs import ScoredConfig

    Ints = NDArray[np.int64]
    Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Answers:
    """A model's answers on the seeds and variants that it could take, as numbers of the compared labels.

    Attributes:
        gold: Gold label of each seed, [n_seeds].
        seed_answers: The answer on each seed, [n_seeds].
        seeds: Seed of each variant, [n_variants].
        answers: The answer on each variant, [n_variants].
        drawn: Which subsample drew which variant, [n_subsamples, n_variants].
        kept_seeds: Position of each of these seeds in the config's, [n_seeds].
        kept_variants: Position of each of these variants in the config's, [n_variants].
    """

    gold: Ints
    seed_answers: Ints
    seeds: Ints
    answers: Ints
    drawn: Bools
    kept_seeds: Ints
    kept_variants: Ints

    def of_variants(self, chosen: Bools) -> Answers:
        """Return the answers on the chosen variants, [n_variants], and on the seeds that they belong to."""
        keep = np.zeros(len(self.gold), dtype=bool)
        keep[self.seeds[chosen]] = True
        place = np.cumsum(keep) - 1
        return Answers(
            gold=self.gold[keep],
            seed_answers=self.seed_answers[keep],
            seeds=place[self.seeds[chosen]],
            answers=self.answers[chosen],
            drawn=self.drawn[:, chosen],
            kept_seeds=self.kept_seeds[keep],
            kept_variants=self.kept_variants[chosen],
        )


def answers_on(data: ScoredConfig, predicted: Ints, gold: Ints) -> Answers:
    """Put a model's answers to pairs beside the seeds and variants that have them.

    Args:
        data: Seeds, variants and pairs.
        predicted: Answer to each pair, [n_pairs], -1 where the pair is too long for the model.
        gold: Gold label of each seed, [n_seeds], in the same numbers.

    Returns:
        The answers, without the variants that have none, the variants of seeds that have none, and the seeds that
        have none or keep no variant.
    """
    everything = Answers(
        gold=gold,
        seed_answers=predicted[data.seed_pairs],
        seeds=data.variant_seeds,
        answers=predicted[data.variant_pairs],
        drawn=data.drawn,
        kept_seeds=np.arange(len(data.seed_ids)),
        kept_variants=np.arange(len(data.variant_pairs)),
    )
    return everything.of_variants((everything.answers >= 0) & (everything.seed_answers[everything.seeds] >= 0))


def scores(answers: Answers) -> Scores:
    """Return SA on seeds, what is measured on variants, QT and MT (sections 4 and 5.1)."""
    on_seeds = sample_accuracy(answers.seed_answers == answers.gold)
    on_variants = scores_against(answers, answers.gold)
    at_quality = on_variants.pattern_accuracy.mean
    curve = np.array(on_variants.curve.mean, dtype=np.float64)
    counts = _counts(answers, answers.answers == answers.gold[answers.seeds])
    return Scores(
        seeds=len(answers.gold),
        seed_sample_accuracy=on_seeds,
        on_variants=on_variants,
        qt=None if at_quality is None else quality_drop(at_quality, on_seeds),
        mt=None if at_quality is None else matching_threshold(curve, on_seeds),
        intervals=seed_intervals(answers.seed_answers == answers.gold, *counts),
    )


def scores_against(answers: Answers, reference: Ints) -> VariantScores:
    """Measure the answers on variants against one label a seed, [n_seeds]."""
    right = answers.answers == reference[answers.seeds]
    correct, sizes = _counts(answers, right)
    return _variant_scores(correct, sizes, test_sample_accuracy=sample_accuracy(right), variants=len(right))


def scores_against_majority(answers: Answers) -> VariantScores:
    """Measure the answers on variants against the most frequent answer in their group.

    The group is the seed's variants of the subsample, or all of them for SA on the whole split; which of several
    answers that are as frequent is taken changes no number.
    """
    correct, sizes = _counts(answers, answers.answers)
    most, _ = count_cells(answers.seeds, len(answers.gold), answers.answers)
    whole = int(most.sum()) / len(answers.answers)
    return _variant_scores(correct, sizes, test_sample_accuracy=whole, variants=len(answers.answers))


def majority_share(answers: Answers) -> float:
    """Return the share of the seeds that have the most common gold label: what always giving that label scores."""
    return int(np.bincount(answers.gold).max()) / len(answers.gold)


def seed_table(data: ScoredConfig, answers: Answers, names: tuple[str, ...]) -> SeedTable:
    """Return every seed's counts; `names` are the compared labels."""
    correct, sizes = _counts(answers, answers.answers == answers.gold[answers.seeds])
    return SeedTable(
        seed_id=tuple(data.seed_ids[seed] for seed in answers.kept_seeds),
        gold=tuple(data.label_names[data.seed_labels[seed]] for seed in answers.kept_seeds),
        predicted=tuple(names[answer] for answer in answers.seed_answers),
        sizes=tuple(map(tuple, sizes.tolist())),
        correct=tuple(map(tuple, correct.tolist())),
        answers=_answers_by_seed(data, answers),
    )


def _answers_by_seed(data: ScoredConfig, answers: Answers) -> tuple[str, ...]:
    """Return the answers on the variants of each kept seed as `SeedTable` has them."""
    every = np.full(len(data.variant_seeds), -1)
    every[answers.kept_variants] = answers.answers
    order = np.argsort(data.variant_seeds, kind="stable")
    starts = np.searchsorted(data.variant_seeds[order], np.arange(1, len(data.seed_ids)))
    by_seed = np.split(every[order], starts)
    return tuple("".join("-" if answer < 0 else str(answer) for answer in by_seed[seed]) for seed in answers.kept_seeds)


def _counts(answers: Answers, values: Bools | Ints) -> tuple[Ints, Ints]:
    """Count the variants of each seed in each subsample that are right, and all, [n_subsamples, n_seeds] each.

    Right is what `values`, [n_variants], says, or the most frequent of its numbers.
    """
    shape = len(answers.drawn), len(answers.gold)
    subsample, variant = np.nonzero(answers.drawn)
    cells = subsample * shape[1] + answers.seeds[variant]
    correct, sizes = count_cells(cells, shape[0] * shape[1], values[variant])
    return correct.reshape(shape), sizes.reshape(shape)


def _variant_scores(correct: Ints, sizes: Ints, *, test_sample_accuracy: float, variants: int) -> VariantScores:
    drawn = sizes.sum(axis=1)
    accuracy = np.divide(correct.sum(axis=1), drawn, out=np.full(len(drawn), np.nan), where=drawn > 0)
    curves = pattern_accuracy(correct, sizes, CURVE)
    some = curves[drawn > 0]
    mean = tuple(fmean(at) if len(some) else None for at in some.T)
    return VariantScores(
        variants=variants,
        sample_accuracy=_spread(accuracy),
        test_sample_accuracy=test_sample_accuracy,
        pattern_accuracy=_spread(curves[:, CURVE.index(QUALITY_THRESHOLD)]),
        curve=_curve(mean, curves, np.count_nonzero(sizes, axis=1)),
    )


def _curve(mean: tuple[float | None, ...], shares: NDArray[np.float64], seeds: Ints) -> Curve:
    """Put a curve into counts: a share is a whole number of seeds, and a count takes less room in a file."""
    passing = np.rint(np.nan_to_num(shares) * seeds[:, np.newaxis]).astype(np.int64)
    return Curve(mean=mean, passing=tuple(map(tuple, passing.tolist())), seeds=tuple(seeds.tolist()))


def _spread(values: NDArray[np.float64]) -> Spread:
    some = values[~np.isnan(values)].tolist()
    return Spread(
        mean=fmean(some) if some else None,
        std=stdev(some) if len(some) > 1 else None,
        each=_optional(values),
    )


def _optional(values: NDArray[np.float64]) -> tuple[float | None, ...]:
    return tuple(None if np.isnan(value) else float(value) for value in values)
