"""Compute the standard error of a share whose rows come in clusters."""

import numpy as np
from numpy.typing import ArrayLike


def clustered_error(correct: ArrayLike, sizes: ArrayLike) -> float:
    """Compute the standard error of the share of correct rows, clustered by seed.

    The variants of a seed are not independent, so the seeds are the units: the share is a ratio of two sums over
    seeds, and its variance that of the linearized ratio (Cochran 1977, Sampling Techniques, section 6.4).

    Args:
        correct: (n,) number of correct rows of each seed.
        sizes: (n,) number of rows of each seed.

    Returns:
        The standard error; NaN for fewer than two seeds with rows.

    Examples:
        >>> clustered_error([1, 0, 1, 1], [1, 1, 1, 1])
        0.25
        >>> clustered_error([2, 0, 2, 2], [2, 2, 2, 2])  # rows of a seed that agree add no information
        0.25
    """
    right, n = np.asarray(correct, dtype=np.float64), np.asarray(sizes, dtype=np.float64)
    right, n = right[n > 0], n[n > 0]
    if len(n) < 2:
        return float("nan")
    residuals = right - n * (right.sum() / n.sum())
    return float(np.sqrt(len(n) / (len(n) - 1) * np.square(residuals).sum()) / n.sum())
