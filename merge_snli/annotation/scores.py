"""Compute how many variants are good, and how far annotators agree (the paper's sections 4 and A.2)."""

import math
import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from merge_snli.annotation.reading import Judgment, Judgments
from merge_snli.annotation.sample import SampledDataset
from merge_snli.base.errors import InputError
from merge_snli.base.extras import install_command
from merge_snli.dataset.judgments import SCALE, SCORES
from merge_snli.schema import GOOD
from merge_snli.statistics import Interval, proportion_interval, stratified_interval

UNIT = "variant"
LEVEL = 0.95

# The smallest difference of two annotators' scores that is listed for adjudication.
ADJUDICATED = 2


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


@dataclass(frozen=True)
class DatasetScores:
    """The scores of the variants of one data set.

    Attributes:
        name: The data set's folder or Hub id.
        digest: sha256 of its data.
        overall: All variants.
        classes: Variants by word class.
        weighted: The share of good variants, weighted by word class; None if a class has fewer than two variants.
        masked_lms: Variants by masked LM that validated them; None if the data set was not given.
    """

    name: str
    digest: str
    overall: VariantScores
    classes: dict[str, VariantScores]
    weighted: Weighted | None
    masked_lms: dict[str, VariantScores] | None


def dataset_scores(
    sampled: SampledDataset, judgments: Judgments, masked_lms: Mapping[str, Collection[str]] | None
) -> DatasetScores:
    """Compute the scores of the variants of one data set.

    Args:
        sampled: The variants.
        judgments: The scores.
        masked_lms: Ids of the variants of each masked LM; None if unknown.
    """
    by_class = {
        name: [variant.variant_id for variant in sampled.variants if variant.word_class == name]
        for name in sampled.seeds
    }
    classes = {name: variant_scores(judgments, ids) for name, ids in by_class.items() if ids}
    return DatasetScores(
        name=sampled.name,
        digest=sampled.digest,
        overall=variant_scores(judgments, [variant.variant_id for variant in sampled.variants]),
        classes=classes,
        weighted=_weighted(sampled.seeds, {name: _is_good(judgments, ids) for name, ids in by_class.items()}),
        masked_lms=None
        if masked_lms is None
        else {name: variant_scores(judgments, ids) for name, ids in masked_lms.items() if ids},
    )


def variant_scores(judgments: Judgments, variant_ids: Collection[str]) -> VariantScores:
    """Compute the scores of some variants.

    Args:
        judgments: The scores.
        variant_ids: At least one id of a sampled variant.
    """
    chosen = set(variant_ids)
    rows = {name: [row for row in rows if row.variant_id in chosen] for name, rows in judgments.items()}
    return VariantScores(
        good=share(_is_good(judgments, variant_ids)),
        by_annotator={name: share([is_good([row]) for row in rows[name]]) for name in judgments},
        fluency=_counts([row.scores["F"] for name in rows for row in rows[name]]),
        reasoning=_counts([row.scores["R"] for name in rows for row in rows[name]]),
    )


def is_good(judgments: Sequence[Judgment]) -> bool:
    """Return whether a variant is good: the means of F and R add up to at least 9.

    Args:
        judgments: The judgments of one variant, one per annotator.
    """
    return sum(sum(judgment.scores.values()) for judgment in judgments) >= GOOD * len(judgments)


def share(good: Sequence[bool]) -> Share:
    """Return the share of good variants with Wilson's interval.

    Args:
        good: Whether each variant is good; at least one.
    """
    interval = proportion_interval(sum(good), len(good), level=LEVEL, unit=UNIT)
    return Share(sum(good), len(good), sum(good) / len(good), interval)


def _is_good(judgments: Judgments, variant_ids: Collection[str]) -> list[bool]:
    chosen = set(variant_ids)
    return [is_good(rows) for rows in zip(*judgments.values(), strict=True) if rows[0].variant_id in chosen]


def _weighted(seeds: Mapping[str, int], good: Mapping[str, Sequence[bool]]) -> Weighted | None:
    if any(len(good[name]) < 2 for name in seeds):
        return None
    weights = {name: count / sum(seeds.values()) for name, count in seeds.items()}
    interval = stratified_interval([good[name] for name in weights], list(weights.values()), level=LEVEL, unit=UNIT)
    mean = sum(weight * sum(good[name]) / len(good[name]) for name, weight in weights.items())
    return Weighted(mean, interval, weights)


def _counts(scores: Sequence[int]) -> dict[int, int]:
    return {score: scores.count(score) for score in SCALE}


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
    kappas: tuple[dict[str, Any], ...]
    equal: int
    variants: int


def in_common(judgments: Judgments) -> Judgments:
    """Return the judgments of the variants that every annotator has scored."""
    ids = set[str].intersection(*({row.variant_id for row in rows} for rows in judgments.values()))
    return {name: tuple(row for row in rows if row.variant_id in ids) for name, rows in judgments.items()}


def agreements(judgments: Judgments) -> tuple[Agreement, ...]:
    """Return the agreement on F and on R; empty for one annotator.

    Raises:
        InputError: If krippendorff or scikit-learn is not installed.
    """
    if len(judgments) < 2:
        return ()
    return tuple(
        _agreement(name, {annotator: [row.scores[name] for row in rows] for annotator, rows in judgments.items()})
        for name in SCORES
    )


def disagreements(judgments: Judgments) -> list[tuple[Judgment, ...]]:
    """Return the judgments of variants whose scores F or R differ by at least 2, sorted by variant id."""
    return [
        rows
        for rows in zip(*in_common(judgments).values(), strict=True)
        if any(
            max(scores) - min(scores) >= ADJUDICATED
            for scores in zip(*(row.scores.values() for row in rows), strict=True)
        )
    ]


def _agreement(name: str, scores: dict[str, list[int]]) -> Agreement:
    try:
        import krippendorff
        from sklearn.metrics import cohen_kappa_score
    except ImportError as error:
        raise InputError(f"{error.name} is not installed: run {install_command('annotate')}") from None
    values = list(scores.values())
    is_constant = len({score for of_annotator in values for score in of_annotator}) == 1
    alpha = None if is_constant else float(krippendorff.alpha(values, level_of_measurement="ordinal"))
    with warnings.catch_warnings(action="ignore"):  # of an undefined kappa, which becomes None
        kappas = {
            pair: float(cohen_kappa_score(*(scores[name] for name in pair), labels=list(SCALE), weights="quadratic"))
            for pair in combinations(scores, 2)
        }
    equal = sum(len(set(of_variant)) == 1 for of_variant in zip(*values, strict=True))
    defined = tuple(
        {"annotators": pair, "kappa": None if math.isnan(kappa) else kappa} for pair, kappa in kappas.items()
    )
    return Agreement(name, alpha, defined, equal, len(values[0]))
