"""Compute the smallest difference of pattern accuracy that a comparison finds, by number of seeds.

Seeds are resampled, because they are the units of the tests. What a seed contributes is the share of the subsamples in
which it passes; for models on the same seeds, how far these shares of two models are apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from merge_snli.base.arrays import Floats, Ints
from merge_snli.statistics.exact import SMALLEST_P
from merge_snli.statistics.values import TAILS, ratios

# Share of the comparisons that find the smallest difference.
POWER = 0.8
N_RESAMPLES = 5_000
_DIGITS = 12
_BISECTIONS = 14  # to 1 / 2**14, less than 0.01 points
_LATTICE = 2_520  # the least common multiple of 1 to 10: shares of up to ten subsamples are multiples of 1 / 2520


@dataclass(frozen=True)
class Distribution:
    """A distribution over seeds.

    Attributes:
        values: The different values, from 0 to 1, [k].
        shares: Share of the seeds with each value, [k].
    """

    values: Floats
    shares: Floats

    @property
    def mean(self) -> float:
        """The mean over seeds."""
        return float(self.values @ self.shares)

    def with_more(self, value: float, share: float) -> Distribution:
        """Return the distribution if a share of the seeds, drawn at random, had this value."""
        return Distribution(np.append(self.values, value), np.append(self.shares * (1 - share), share))


def distribution_of(values: ArrayLike) -> Distribution:
    """Return the distribution of observed values."""
    distinct, counts = np.unique(np.asarray(values, dtype=np.float64).round(_DIGITS), return_counts=True)
    return Distribution(distinct, np.asarray(counts / counts.sum()))


def observed_gaps(passes: Mapping[str, ArrayLike]) -> Distribution:
    """Return how far two models are apart on a seed, over all seeds and pairs of models.

    Args:
        passes: Share of the subsamples in which each model passes each seed, at least two models, [n_seeds] each.
    """
    columns = np.array(list(passes.values()), dtype=np.float64)
    counts = Counter[float]()
    for number in range(len(columns) - 1):
        gaps = np.abs(columns[number] - columns[number + 1 :]).round(_DIGITS)
        distinct, how_many = np.unique(gaps, return_counts=True)
        counts.update(dict(zip(distinct.tolist(), how_many.tolist(), strict=True)))
    values, totals = zip(*sorted(counts.items()), strict=True)
    return Distribution(np.array(values), np.array(totals) / counts.total())


def assumed_gaps(accuracies: Sequence[float], correlation: float) -> Distribution:
    """Return how far two models are apart on a seed, if each passes it in all subsamples or in none.

    Args:
        accuracies: Assumed PA of each model; one value for two models that are equally good.
        correlation: Assumed correlation over seeds of whether two models pass. It is lowered to the largest possible
            one for two models.
    """
    pairs = list(combinations(accuracies, 2)) or [(accuracies[0], accuracies[0])]
    gaps = []
    for first, second in pairs:
        spread = np.sqrt(first * (1 - first) * second * (1 - second))
        both_pass = min(first * second + correlation * spread, first, second)
        gaps.append(first + second - 2 * both_pass)
    gap = np.mean(gaps)
    return Distribution(np.array([0.0, 1.0]), np.array([1 - gap, gap]))


def smallest_paired(gaps: Distribution, n: int, *, alpha: float = 0.05) -> float | None:
    """Return the smallest difference of PA that the permutation test finds between two models on the same seeds.

    On the seeds on which the models differ, each of them may have the larger share, and the mean difference is d. If d
    is larger than the mean gap, models differ on more seeds, all in one direction.

    Args:
        gaps: How far two models are apart on a seed.
        n: Number of seeds.
        alpha: Two-sided significance level of the test.

    Returns:
        A share from 0 to 1 that is found with a power of 80%; None if no difference is.

    Examples:
        >>> smallest = smallest_paired(assumed_gaps([0.7], 0.5), 500)
        >>> round(100 * smallest)
        6
    """
    return _smallest(lambda difference: _paired_power(gaps, n, difference, alpha))


def smallest_unpaired(passes: Distribution, n: int, *, alpha: float = 0.05) -> float | None:
    """Return the smallest difference of PA that Welch's test finds between two models on different seeds.

    Args:
        passes: Share of the subsamples in which one model passes a seed. The other model passes more seeds in none of
            them, or in all of them if the first has a PA below 50%.
        n: Number of seeds of each model.
        alpha: Two-sided significance level of the test.

    Returns:
        A share from 0 to 1 that is found with a power of 80%; None if no difference is.
    """
    return _smallest(lambda difference: _unpaired_power(passes, n, difference, alpha))


def interval_width(passes: Distribution, n: int) -> float:
    """Return the width of the 95% interval of PA of a model on n seeds, by resampling seeds."""
    means = _counts(np.random.default_rng(0), passes, n) @ passes.values / n
    low, high = np.quantile(means, TAILS)
    return float(high - low)


def _smallest(power: Callable[[float], float]) -> float | None:
    """Return the smallest difference with enough power; random numbers are the same for every difference."""
    low = 0.0
    high = 1.0
    if power(high) < POWER:
        return None
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        low, high = (low, middle) if power(middle) >= POWER else (middle, high)
    return high


def _paired_power(gaps: Distribution, n: int, difference: float, alpha: float) -> float:
    """Return the share of samples in which the permutation test finds the better model.

    The distribution of the sums of gaps with random signs is approximated by the normal one, with corrections for
    continuity (sums are two steps of the lattice of the gaps apart; half of that is one step) and for its kurtosis
    (Cornish and Fisher).
    """
    from scipy.special import ndtri

    if alpha <= SMALLEST_P:
        return 0.0
    rng = np.random.default_rng(0)
    mean = gaps.mean
    upward = 1.0
    if difference > mean:
        gaps = gaps.with_more(1.0, (difference - mean) / (1 - mean))
    else:
        upward = (1 + difference / mean) / 2
    in_steps = np.round(gaps.values * _LATTICE).astype(np.int64)
    step = np.gcd.reduce(in_steps) / _LATTICE
    counts = _counts(rng, gaps, n)
    sums = (2 * rng.binomial(counts, upward) - counts) @ gaps.values
    squares = counts @ gaps.values**2
    kurtosis = ratios(-2 * (counts @ gaps.values**4), squares**2)
    normal = float(ndtri(1 - alpha / 2))
    quantiles = normal + kurtosis * (normal**3 - 3 * normal) / 24
    return float(np.mean(ratios(sums - step, np.sqrt(squares)) > quantiles))


def _unpaired_power(passes: Distribution, n: int, difference: float, alpha: float) -> float:
    from scipy.special import stdtrit

    rng = np.random.default_rng(0)
    first = passes.mean
    other, room = (0.0, first) if first >= 1 / 2 else (1.0, 1 - first)
    if difference > room:
        return 1.0
    changed = passes.with_more(other, difference / room)
    mean, variance = _moments(_counts(rng, passes, n), passes)
    changed_mean, changed_variance = _moments(_counts(rng, changed, n), changed)
    errors = np.sqrt((variance + changed_variance) / (n - 1))
    quantile = stdtrit(2 * n - 2, 1 - alpha / 2)
    return float(np.mean(np.abs(mean - changed_mean) > quantile * errors))


def _moments(counts: Ints, distribution: Distribution) -> tuple[Floats, Floats]:
    """Return mean and variance of samples, [n_samples] each."""
    totals = counts.sum(axis=1)
    means = counts @ distribution.values / totals
    return means, counts @ distribution.values**2 / totals - means**2


def _counts(rng: np.random.Generator, distribution: Distribution, n: int) -> Ints:
    """Draw samples of n seeds: how many have each value, [n_samples, k]."""
    return rng.multinomial(n, distribution.shares / distribution.shares.sum(), size=N_RESAMPLES)
