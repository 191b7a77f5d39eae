"""Test at which thresholds two models differ, with one permutation test over all thresholds."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .paired_tests import N_RESAMPLES
from .values import FloatArray

_BATCH = 500
_TOLERANCE = 1e-4  # sums of float32


@dataclass(frozen=True, kw_only=True)
class PairAtThresholds:
    """The test of one pair of models at every threshold.

    Attributes:
        first: First model.
        second: Second model.
        differences: PA of the first minus PA of the second at each threshold.
        adjusted_p: p-value at each threshold, adjusted over all thresholds and all pairs.
        differs: Whether the pair differs at each threshold.
    """

    first: str
    second: str
    differences: tuple[float, ...]
    adjusted_p: tuple[float, ...]
    differs: tuple[bool, ...]


def compare_at_thresholds(
    passes: Mapping[str, ArrayLike], *, alpha: float = 0.05, random_seed: int = 0
) -> tuple[PairAtThresholds, ...]:
    """Test every pair of models at every threshold, by swapping the models within seeds.

    A permutation swaps the models on a seed at all thresholds at once. The p-value at a threshold is the share of the
    permutations whose largest standardized difference at any threshold is at least as large as the observed one at
    this threshold (Westfall and Young's single-step adjustment). It is multiplied by the number of pairs (Bonferroni).

    Args:
        passes: For each model (n, t) whether it passes each of n seeds at each of t thresholds, or the share of the
            subsamples in which it does. The seeds are in the same order for all models.
        alpha: Significance level over all pairs and thresholds.
        random_seed: Seed of the 9,999 random permutations.

    Returns:
        Every pair once, in the order of the models.

    Raises:
        ValueError: If there are fewer than two models, or the arrays differ in shape.

    Examples:
        >>> passing = {"a": [[1, 1]] * 20, "b": [[1, 0]] * 20}
        >>> [pair] = compare_at_thresholds(passing)
        >>> pair.differs, pair.adjusted_p
        ((False, True), (1.0, 0.0001))
    """
    tables = {model: np.asarray(table, dtype=np.float64) for model, table in passes.items()}
    shapes = {table.shape for table in tables.values()}
    if len(tables) < 2 or len(shapes) != 1:
        raise ValueError(f"passes has {len(tables)} model(s) of the shapes {sorted(shapes)}: pass two of the same")
    pairs = list(combinations(tables, 2))
    found = []
    for first, second in pairs:
        differences = tables[first] - tables[second]
        p_values = np.minimum(1, len(pairs) * _largest_differences(differences, random_seed))
        found.append(
            PairAtThresholds(
                first=first,
                second=second,
                differences=tuple(differences.mean(axis=0).tolist()),
                adjusted_p=tuple(p_values.tolist()),
                differs=tuple((p_values < alpha).tolist()),
            )
        )
    return tuple(found)


def _largest_differences(differences: FloatArray, random_seed: int) -> FloatArray:
    """Return the p-value of each threshold from the distribution of the largest standardized sum, [t]."""
    changing = differences[differences.any(axis=1)]
    norms = np.sqrt(np.square(changing).sum(axis=0))
    standardized = np.divide(changing, norms, out=np.zeros_like(changing), where=norms > 0).astype(np.float32)
    observed = np.abs(standardized.sum(axis=0))
    rng = np.random.default_rng(random_seed)
    extreme: NDArray[np.int64] = np.zeros(len(observed), dtype=np.int64)
    for start in range(0, N_RESAMPLES, _BATCH):
        shape = min(_BATCH, N_RESAMPLES - start), len(changing)
        signs = 2 * rng.integers(2, size=shape, dtype=np.int8).astype(np.float32) - 1
        largest = np.abs(signs @ standardized).max(axis=1)
        extreme += np.count_nonzero(largest[:, np.newaxis] >= observed - _TOLERANCE, axis=0)
    return np.asarray((extreme + 1) / (N_RESAMPLES + 1))
