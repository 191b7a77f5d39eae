"""Compute how many variants are good, and how far annotators agree (the paper's sections 4 and A.2)."""

import math
import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from merge_snli.annotation.shown import VARIANT_ID
from merge_snli.base.arrays import Bools, Ints
from merge_snli.base.batches import grouped
from merge_snli.base.errors import InputError
from merge_snli.base.extras import install_command
from merge_snli.base.files import JsonObject
from merge_snli.dataset.judgments import SCALE, SCORES, VariantJudgments
from merge_snli.schema import GOOD
from merge_snli.statistics import Interval, proportion_interval, stratified_interval

UNIT = "variant"

# The smallest difference of two annotators' scores that is listed for adjudication.
ADJUDICATED = 2


@dataclass(frozen=True)
class Judged:
    """The variants that every annotator has scored.

    Attributes:
        annotators: The names of the annotators.
        rows: The judgments of each variant, one per annotator, sorted by variant id.
    """

    annotators: tuple[str, ...]
    rows: tuple[tuple[JsonObject, ...], ...]

    @cached_property
    def scores(self) -> Ints:
        """F and R, [n_variants, n_annotators, 2]."""
        scores = [[[judgment[name] for name in SCORES] for judgment in row] for row in self.rows]
        return np.array(scores, dtype=np.int64)

    def scores_of(self, variant_ids: Collection[str]) -> Ints:
        """Return F and R of those of some variants that every annotator has scored."""
        chosen = set(variant_ids)
        return self.scores[[row[0][VARIANT_ID] in chosen for row in self.rows]]

    def differing(self) -> list[tuple[JsonObject, ...]]:
        """Return the judgments of variants whose scores F or R differ by at least `ADJUDICATED`."""
        differs = (np.ptp(self.scores, axis=1) >= ADJUDICATED).any(axis=1)
        return [self.rows[number] for number in differs.nonzero()[0]]


def in_common(judgments: VariantJudgments) -> Judged:
    """Return the variants that every annotator has scored."""
    by_variant = grouped((row[VARIANT_ID], row) for row in judgments.table.to_pylist())
    annotators = judgments.annotators
    rows = [tuple(of_variant) for of_variant in by_variant.values() if len(of_variant) == len(annotators)]
    return Judged(annotators, tuple(rows))


@dataclass(frozen=True)
class Share:
    """A share of variants with its interval.

    Attributes:
        good: Number of good variants.
        variants: Number of variants.
        share: The share of good ones.
        interval: Wilson's interval.
    """

    good: int
    variants: int
    share: float
    interval: Interval


def share(good: Sequence[bool] | Bools) -> Share:
    """Return the share of good variants with Wilson's interval.

    Args:
        good: Whether each variant is good; at least one.
    """
    number = int(sum(good))
    interval = proportion_interval(number, len(good), unit=UNIT)
    return Share(number, len(good), number / len(good), interval)


@dataclass(frozen=True)
class VariantScores:
    """The scores of some variants.

    Attributes:
        good: Variants with mean F + mean R over the annotators of at least 9.
        by_annotator: Variants with F + R of at least 9, for each annotator.
        fluency: How often each F from 1 to 5 was given, over all annotators.
        reasoning: How often each R was given.
    """

    good: Share
    by_annotator: dict[str, Share]
    fluency: dict[int, int]
    reasoning: dict[int, int]


def variant_scores(judged: Judged, variant_ids: Collection[str]) -> VariantScores:
    """Compute the scores of some variants.

    Args:
        judged: The variants that every annotator has scored.
        variant_ids: Ids of variants, of which at least one is among them.
    """
    scores = judged.scores_of(variant_ids)
    by_annotator = {}
    for name, totals in zip(judged.annotators, scores.sum(axis=2).T, strict=True):
        by_annotator[name] = share(totals >= GOOD)
    fluency, reasoning = (_counts(scores[:, :, number]) for number in range(len(SCORES)))
    return VariantScores(share(are_good(scores)), by_annotator, fluency, reasoning)


def scores_by_group(judged: Judged, groups: Mapping[str, Collection[str]]) -> dict[str, VariantScores]:
    """Return the scores of groups of variants, without groups of which no variant is judged."""
    found = {}
    for name, variant_ids in groups.items():
        if len(judged.scores_of(variant_ids)):
            found[name] = variant_scores(judged, variant_ids)
    return found


def are_good(scores: Ints) -> Bools:
    """Return which variants are good: the means of F and R over the annotators add up to at least 9.

    Args:
        scores: F and R, [n_variants, n_annotators, 2].
    """
    return np.asarray(scores.sum(axis=(1, 2)) >= GOOD * scores.shape[1])


def _counts(scores: Ints) -> dict[int, int]:
    return {score: int(np.count_nonzero(scores == score)) for score in SCALE}


@dataclass(frozen=True)
class Weighted:
    """The share of good variants, weighted by word class.

    Attributes:
        share: The weighted mean of the classes' shares.
        interval: Interval of a bootstrap that resamples the variants of each class.
        weights: The share of each class in the seeds; a seed of two classes counts for both.
    """

    share: float
    interval: Interval
    weights: dict[str, float]


def weighted_share(judged: Judged, classes: Mapping[str, Collection[str]], seeds: Mapping[str, int]) -> Weighted | None:
    """Return the share of good variants, weighted by word class; None if a class has fewer than two judged variants.

    Args:
        judged: The variants that every annotator has scored.
        classes: Ids of the variants of each class.
        seeds: Number of seeds of each class.
    """
    good = [are_good(judged.scores_of(classes[name])) for name in seeds]
    if any(len(of_class) < 2 for of_class in good):
        return None
    weights = {name: number / sum(seeds.values()) for name, number in seeds.items()}
    interval = stratified_interval(good, list(weights.values()), unit=UNIT)
    mean = 0.0
    for weight, of_class in zip(weights.values(), good, strict=True):
        mean += weight * int(of_class.sum()) / len(of_class)
    return Weighted(mean, interval, weights)


@dataclass(frozen=True)
class Agreement:
    """The agreement on F or R.

    Attributes:
        score: `F` or `R`.
        alpha: Krippendorff's alpha for ordinal data; None if all scores are equal.
        kappas: The `kappa` of each pair of `annotators`: Cohen's with quadratic weights; None if both gave one and the
            same score throughout.
        equal: Number of variants with the same score from all annotators.
        variants: Number of variants.
    """

    score: str
    alpha: float | None
    kappas: tuple[JsonObject, ...]
    equal: int
    variants: int


def agreements(judged: Judged) -> tuple[Agreement, ...]:
    """Return the agreement on F and on R; empty for one annotator.

    Raises:
        InputError: If krippendorff or scikit-learn is not installed.
    """
    if len(judged.annotators) < 2:
        return ()
    by_score = zip(SCORES, np.moveaxis(judged.scores, 2, 0), strict=True)
    return tuple(_agreement(name, scores, judged.annotators) for name, scores in by_score)


def _agreement(name: str, scores: Ints, annotators: Sequence[str]) -> Agreement:
    """Return the agreement on a score, [n_variants, n_annotators]."""
    try:
        import krippendorff
        from sklearn.metrics import cohen_kappa_score
    except ImportError as error:
        raise InputError(f"{error.name} is not installed: run {install_command('annotate')}") from None
    alpha = None
    if np.ptp(scores) > 0:
        alpha = float(krippendorff.alpha(scores.T, level_of_measurement="ordinal"))
    kappas = []
    for pair in combinations(range(len(annotators)), 2):
        with warnings.catch_warnings(action="ignore"):  # of an undefined kappa, which becomes None
            kappa = cohen_kappa_score(*scores[:, pair].T, labels=list(SCALE), weights="quadratic")
        named = tuple(annotators[number] for number in pair)
        kappas.append({"annotators": named, "kappa": None if math.isnan(kappa) else float(kappa)})
    equal = int(np.count_nonzero(np.ptp(scores, axis=1) == 0))
    return Agreement(name, alpha, tuple(kappas), equal, len(scores))
