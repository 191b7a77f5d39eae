"""Compute the exact p-value of a paired permutation test from the distribution of a sum with random signs.

If two models do not differ, each nonzero difference of a seed has a random sign. So the characteristic function of the
sum of n differences is the product of cos(k t) over their absolute values k, and one inverse Fourier transform gives
the probabilities of all sums (Gil-Pelaez 1951; for permutation tests Pagano and Tritchler 1983).
"""

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from merge_snli.base.arrays import Floats, Ints

# Smaller p-values are below the rounding of the Fourier transform: this upper bound stands for them.
SMALLEST_P = 1e-12

# Values with larger denominators have no common unit.
_MAX_DENOMINATOR = 10_000
_DIGITS = 12
# Digits after the decimal point of a p-value, which the Fourier transform on any machine gives.
_ROUNDED_TO = 15
# Largest sum in units: up to 0.2 s for one p-value. Finer values are rounded.
_MAX_SUM = 2**17
# Probability that rounding moves a sum by more than its bound.
_ROUNDING_P = 1e-13
# Logarithm of characteristic functions that count as 0.
_NEGLIGIBLE = -45.0


class SignP(NamedTuple):
    """The p-value of a sum with random signs.

    Attributes:
        value: Two-sided p-value, at least `SMALLEST_P`.
        is_exact: Whether it is exact up to the rounding of floating-point numbers; else it is an upper bound.
    """

    value: float
    is_exact: bool


def random_signs_p(differences: Floats) -> SignP:
    """Return the probability of a sum at least as far from 0 as the observed one, if all signs are random.

    Args:
        differences: (n,) differences of seeds.

    Returns:
        The p-value. It is exact if the differences are multiples of a common unit that is not too fine, such as shares
        of ten subsamples; else they are rounded to a grid, and it is an upper bound.

    Examples:
        >>> random_signs_p(np.array([0.1, 0.2, 0.3])).value
        0.25
    """
    values, counts = np.unique(np.abs(differences).round(_DIGITS), return_counts=True)
    values, counts = values[values > 0], counts[values > 0]
    if not len(values):
        return SignP(1.0, is_exact=True)
    observed = abs(float(differences.sum()))
    largest = float(counts @ values)
    fractions = [Fraction(value).limit_denominator(_MAX_DENOMINATOR) for value in values.tolist()]
    unit = math.lcm(*(fraction.denominator for fraction in fractions))
    differing = np.abs(values - np.array(fractions, dtype=np.float64)).max()
    is_exact = unit <= _MAX_SUM / largest and differing < 10**-_DIGITS
    if not is_exact:
        unit = int(_MAX_SUM / largest)
    steps = np.rint(values * unit).astype(np.int64)
    if is_exact:
        return SignP(max(SMALLEST_P, _tail(steps, counts, round(observed * unit))), is_exact=True)
    errors = values * unit - steps
    # By Hoeffding's inequality, errors with random signs rarely add up to their largest possible sum.
    likely = math.sqrt(2 * math.log(2 / _ROUNDING_P) * float(counts @ errors**2))
    moved = min(likely, float(counts @ np.abs(errors)))
    bound = _tail(steps, counts, math.ceil(observed * unit - moved)) + _ROUNDING_P
    return SignP(min(1.0, max(SMALLEST_P, bound)), is_exact=False)


def _tail(steps: Ints, counts: Ints, observed: int) -> float:
    """Return the probability of a sum of at least `observed`, or at most its negative.

    Args:
        steps: (k,) absolute differences as whole numbers of units.
        counts: (k,) number of seeds with each.
        observed: Absolute observed sum.
    """
    from scipy import fft

    if observed <= 0:
        return 1.0
    largest = int(steps @ counts)
    size = fft.next_fast_len(2 * largest + 1, real=True)
    angles = 2 * np.pi / size * np.arange(size)
    cosines = np.cos(angles)
    with np.errstate(divide="ignore"):
        logarithms = np.log1p(-(np.sin(angles) ** 2)) / 2  # of |cos|, to the last digit also near 0
    frequencies = np.arange(size // 2 + 1)
    transformed = np.zeros(len(frequencies))
    logarithm = np.zeros(len(frequencies))
    sign = np.ones(len(frequencies))
    for step, count in zip(steps.tolist(), counts.tolist(), strict=True):
        at = step * frequencies % size
        logarithm += count * logarithms[at]
        if count % 2:
            sign *= np.sign(cosines[at])
        alive = logarithm > _NEGLIGIBLE
        if np.count_nonzero(alive) < len(alive) / 2:
            frequencies = frequencies[alive]
            logarithm = logarithm[alive]
            sign = sign[alive]
    transformed[frequencies] = sign * np.exp(logarithm)
    probabilities = fft.irfft(transformed, size)
    return min(1.0, round(2 * float(probabilities[observed : largest + 1].sum()), _ROUNDED_TO))
