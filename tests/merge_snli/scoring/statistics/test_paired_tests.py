"""Tests of the test over all thresholds: against plain loops, its order of pairs, and its error rate."""

import math
import random
from itertools import product

import numpy as np
import pytest

from merge_snli.scoring.statistics import compare_at_thresholds
from merge_snli.scoring.statistics.values import FloatArray


def passing(seed: int, *, seeds: int, levels: int, accuracy: float) -> FloatArray:
    """Return whether a model passes each seed: up to a threshold that is random for each seed."""
    rng = random.Random(seed)
    reached = [int(levels * rng.random() ** (1 - accuracy)) for _ in range(seeds)]
    return np.array([[float(level <= most) for level in range(levels)] for most in reached])


def plain_p_values(first: FloatArray, second: FloatArray) -> list[float]:
    """Enumerate all swaps of some seeds, and compare the largest standardized difference with each observed one."""
    rows = [row for row in (first - second).tolist() if any(row)]
    columns = list(zip(*rows, strict=True))
    norms = [math.sqrt(sum(value**2 for value in column)) for column in columns]

    def standardized(signs: tuple[int, ...]) -> list[float]:
        sums = [abs(sum(s * value for s, value in zip(signs, column, strict=True))) for column in columns]
        return [total / norm if norm else 0.0 for total, norm in zip(sums, norms, strict=True)]

    observed = standardized((1,) * len(rows))
    largest = [max(standardized(signs)) for signs in product((1, -1), repeat=len(rows))]
    return [sum(value >= one - 1e-9 for value in largest) / len(largest) for one in observed]


@pytest.mark.parametrize("seed", range(3))
def test_p_values_are_those_of_all_swaps(seed: int) -> None:
    first = passing(seed, seeds=9, levels=7, accuracy=0.95)
    second = passing(seed + 50, seeds=9, levels=7, accuracy=0.3)
    [pair] = compare_at_thresholds({"a": first, "b": second})
    assert pair.adjusted_p == pytest.approx(plain_p_values(first, second), abs=0.02)
    assert pair.differences == pytest.approx((first.mean(axis=0) - second.mean(axis=0)).tolist())
    assert pair.differs == tuple(p < 0.05 for p in pair.adjusted_p)


def test_p_values_are_multiplied_by_the_number_of_pairs() -> None:
    tables = {
        name: passing(7, seeds=40, levels=5, accuracy=accuracy) for name, accuracy in {"a": 0.9, "b": 0.8}.items()
    }
    [alone] = compare_at_thresholds(tables)
    among, *others = compare_at_thresholds({**tables, "c": tables["b"]})
    assert among.adjusted_p == pytest.approx([min(1, 3 * p) for p in alone.adjusted_p])
    assert [(pair.first, pair.second) for pair in (among, *others)] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert others[1].adjusted_p == (1.0,) * 5


def test_models_of_other_shapes_are_refused() -> None:
    with pytest.raises(ValueError, match="1 model"):
        compare_at_thresholds({"a": [[1.0]]})
    with pytest.raises(ValueError, match=r"\(1, 1\), \(2, 1\)"):
        compare_at_thresholds({"a": [[1.0]], "b": [[1.0], [0.0]]})


@pytest.mark.slow
def test_equal_models_rarely_differ_at_any_threshold() -> None:
    found = 0
    for run in range(200):
        tables = {name: passing(1_000 * run + name, seeds=60, levels=21, accuracy=0.8) for name in range(3)}
        pairs = compare_at_thresholds({str(name): table for name, table in tables.items()}, random_seed=run)
        found += any(any(pair.differs) for pair in pairs)
    assert found <= 18  # 5% of 200 is 10; a binomial count above 18 has probability 0.006
