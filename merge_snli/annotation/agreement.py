"""Measure how far annotators agree, and find the variants on which they do not."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from merge_snli.annotation.scale import SCALE, SCORES
from merge_snli.base.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from merge_snli.annotation.reading import Judgment, Judgments

ADJUDICATED = 2
"""The smallest difference of two annotators' scores that is listed for adjudication."""


@dataclass(frozen=True)
class PairKappa:
    """Cohen's kappa of two annotators with quadratic weights; None if both gave one and the same score throughout."""

    annotators: tuple[str, str]
    kappa: float | None


@dataclass(frozen=True)
class Agreement:
    """The agreement on F or R.

    Attributes:
        score: `F` or `R`.
        alpha: Krippendorff's alpha for ordinal data; None if all scores are equal.
        kappas: Quadratic-weighted kappa of each pair of annotators.
        equal: Number of variants with the same score from all annotators.
        variants: Number of variants.
    """

    score: str
    alpha: float | None
    kappas: tuple[PairKappa, ...]
    equal: int
    variants: int


def agreements(judgments: Judgments) -> tuple[Agreement, ...]:
    """Return the agreement on F and on R; empty for one annotator.

    Raises:
        InputError: If krippendorff or scikit-learn is not installed.
    """
    if len(judgments.annotators) < 2:
        return ()
    return tuple(_agreement(name, scores_of(judgments, name)) for name in SCORES)


def scores_of(judgments: Judgments, name: str) -> dict[str, list[int]]:
    """Return the scores `F` or `R` by annotator, in the order of the variants."""
    return {annotator: [score_of(row, name) for row in rows] for annotator, rows in judgments.rows.items()}


def score_of(judgment: Judgment, name: str) -> int:
    """Return the score `F` or `R`."""
    return judgment.fluency if name == "F" else judgment.reasoning


def disagreements(judgments: Judgments) -> list[tuple[Judgment, ...]]:
    """Return the judgments of variants whose scores F or R differ by at least 2, sorted by variant id."""
    return [rows for rows in zip(*judgments.rows.values(), strict=True) if _largest_difference(rows) >= ADJUDICATED]


def _largest_difference(rows: Sequence[Judgment]) -> int:
    scores = [[score_of(row, name) for row in rows] for name in SCORES]
    return max(max(each) - min(each) for each in scores)


def _agreement(name: str, scores: dict[str, list[int]]) -> Agreement:
    try:
        import krippendorff
        from sklearn.metrics import cohen_kappa_score
    except ImportError as error:
        raise InputError(f"{error.name} is not installed: run pip install 'merge-snli[annotate]'") from None
    values = list(scores.values())
    is_constant = len({score for row in values for score in row}) == 1
    alpha = None if is_constant else krippendorff.alpha(values, level_of_measurement="ordinal")
    kappas = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of an undefined kappa, which becomes None
        for pair in combinations(scores, 2):
            kappa = cohen_kappa_score(*(scores[each] for each in pair), labels=list(SCALE), weights="quadratic")
            kappas.append(PairKappa(pair, None if math.isnan(kappa) else float(kappa)))
    equal = sum(len(set(column)) == 1 for column in zip(*values, strict=True))
    return Agreement(name, None if alpha is None else float(alpha), tuple(kappas), equal, len(values[0]))
