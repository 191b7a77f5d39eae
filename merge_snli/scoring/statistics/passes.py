"""Convert counts by seed and subsample to the values that the tests take."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metrics.pattern_accuracy.core import QUALITY_THRESHOLD, pattern_accuracy, required_correct

from .values import FloatArray


def passes_by_seed(correct: ArrayLike, sizes: ArrayLike, threshold: float = QUALITY_THRESHOLD) -> FloatArray:
    """Return the share of the subsamples in which each seed passes a threshold.

    Its mean is PA if every subsample has every seed.

    Args:
        correct: (s, g) int: number of correct variants of each seed in each subsample.
        sizes: (s, g) int: number of variants of each seed in each subsample; a subsample without variants of a seed is
            ignored for this seed.
        threshold: Threshold from 0 to 1.

    Returns:
        (g,) float64, from 0 to 1.

    Raises:
        ValueError: If the shapes differ, or a seed has no variant in any subsample.

    Examples:
        >>> passes_by_seed([[18, 17], [20, 18]], [[20, 20], [20, 20]])
        array([1. , 0.5])
    """
    n_correct, n = np.asarray(correct, dtype=np.int64), np.asarray(sizes, dtype=np.int64)
    if n_correct.shape != n.shape or n_correct.ndim != 2:
        raise ValueError(f"correct has the shape {n_correct.shape}, sizes {n.shape}: pass counts by subsample and seed")
    drawn = np.count_nonzero(n, axis=0)
    if not drawn.all():
        raise ValueError(f"seed {int(np.argmin(drawn))} has no variant in any subsample: leave it out")
    passing: NDArray[np.bool_] = (n > 0) & (n_correct >= required_correct(threshold, n))
    return np.asarray(np.count_nonzero(passing, axis=0) / drawn)


def values_for(
    test: str, correct: ArrayLike, sizes: ArrayLike, threshold: float = QUALITY_THRESHOLD
) -> FloatArray | NDArray[np.bool_]:
    """Convert one model's counts to the values that `compare_models` takes for a test.

    Args:
        test: `"permutation"`: the share of the subsamples in which each seed passes; `"mcnemar"`: whether it passes in
            more than half of them; `"t-test"`: PA of each subsample.
        correct: (s, g) int, as for `passes_by_seed`.
        sizes: (s, g) int, as for `passes_by_seed`.
        threshold: Threshold from 0 to 1.

    Returns:
        (g,) float64, (g,) bool or (s,) float64.

    Raises:
        ValueError: If the shapes differ, or a seed has no variant in any subsample.

    Examples:
        >>> counts = [[18, 17], [20, 18], [20, 0]], [[20, 20]] * 3
        >>> values_for("mcnemar", *counts), values_for("t-test", *counts)
        (array([ True, False]), array([0.5, 1. , 0.5]))
    """
    if test == "t-test":
        return pattern_accuracy(correct, sizes, threshold)[:, 0]
    passes = passes_by_seed(correct, sizes, threshold)
    return passes > 1 / 2 if test == "mcnemar" else passes
