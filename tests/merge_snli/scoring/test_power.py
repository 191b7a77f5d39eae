"""Tests of power: the promised 80% against simulated comparisons with the real tests, and limiting cases by hand."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import numpy as np
import pytest

from merge_snli.base.arrays import Floats
from merge_snli.scoring.statistics import (
    POWER,
    Distribution,
    assumed_gaps,
    distribution_of,
    independent_t_test,
    interval_width,
    observed_gaps,
    permutation_test,
    smallest_paired,
    smallest_unpaired,
)

Draw: TypeAlias = Callable[[np.random.Generator, int], list[Floats]]


def two_models(rng: np.random.Generator, n: int, accuracies: tuple[float, float], correlation: float) -> list[Floats]:
    """Draw whether two models pass each of n seeds, from the four cells of their joint distribution."""
    first, second = accuracies
    both = first * second + correlation * np.sqrt(first * (1 - first) * second * (1 - second))
    cells = rng.choice(4, p=[both, first - both, second - both, 1 - first - second + both], size=n)
    return [np.isin(cells, (0, 1)).astype(np.float64), np.isin(cells, (0, 2)).astype(np.float64)]


def shares(rng: np.random.Generator, n: int, subsamples: int, between: float) -> list[Floats]:
    """Draw in how many subsamples each of two models passes a seed that is easy, hard or, with a chance, in between."""
    chance = rng.choice([0.02, 0.5, 0.95, 1.0], p=[0.15, between, 0.25, 0.6 - between], size=n)
    return [rng.binomial(subsamples, chance) / subsamples for _ in range(2)]


def test_few_seeds_by_hand() -> None:
    """Only six seeds or more, all in one direction, give p < 0.05."""
    always = Distribution(np.array([0.0, 1.0]), np.array([0.5, 0.5]))
    assert smallest_paired(always, 5) is None
    of_six = smallest_paired(always, 6)
    assert of_six is not None
    assert of_six == pytest.approx(0.8 ** (1 / 6), abs=0.005)  # all six differ with a chance of 80%


def test_more_seeds_and_more_correlation_find_smaller_differences() -> None:
    by_size = [smallest_paired(assumed_gaps([0.7], 0.5), n) or 1.0 for n in (50, 200, 800)]
    assert by_size[0] > by_size[1] > by_size[2]
    assert by_size[1] / by_size[2] == pytest.approx(2, abs=0.2)  # the square root of the seeds
    by_correlation = [smallest_paired(assumed_gaps([0.7], correlation), 500) or 1.0 for correlation in (0, 0.4, 0.8)]
    assert by_correlation[0] > by_correlation[1] > by_correlation[2]
    alone = smallest_unpaired(Distribution(np.array([0.0, 1.0]), np.array([0.3, 0.7])), 500)
    assert alone is not None
    assert alone == pytest.approx(by_correlation[0], abs=0.006)  # without correlation, pairing gains nothing


def test_the_width_is_that_of_the_normal_distribution() -> None:
    coin = Distribution(np.array([0.0, 1.0]), np.array([0.5, 0.5]))
    assert interval_width(coin, 1_000) == pytest.approx(2 * 1.96 * 0.5 / np.sqrt(1_000), rel=0.03)


def test_gaps_are_pooled_over_pairs() -> None:
    gaps = observed_gaps({"a": [0, 1, 0.5], "b": [0, 0, 1], "c": [0, 1, 1]})
    assert dict(zip(gaps.values.tolist(), gaps.shares.round(6).tolist(), strict=True)) == {
        0.0: round(5 / 9, 6),
        0.5: round(2 / 9, 6),
        1.0: round(2 / 9, 6),
    }


def test_equal_models_need_a_difference_all_the_same() -> None:
    """If models never differed, every difference is one way: few discordant seeds suffice."""
    same = observed_gaps({"a": [1.0] * 50, "b": [1.0] * 50})
    assert (smallest_paired(same, 100) or 1.0) == pytest.approx(0.08, abs=0.015)


def found_share(draw: Draw, n: int, smallest: float, gap: float, comparisons: int = 4_000) -> float:
    """Return how often the permutation test finds that the first model is better by a difference on n seeds.

    It has the larger of the two values on so many seeds that the difference results.
    """
    rng, found = np.random.default_rng(1), 0
    for number in range(comparisons):
        pair = np.sort(draw(rng, n), axis=0)
        first = np.where(rng.random(n) < (1 + smallest / gap) / 2, pair[1], pair[0])
        result = permutation_test(first, pair.sum(axis=0) - first, random_seed=number)
        found += result.p_value < 0.05 and result.difference > 0
    return found / comparisons


@pytest.mark.slow
@pytest.mark.parametrize(("n", "accuracy", "correlation"), [(79, 0.85, 0.4), (500, 0.7, 0.5)])
def test_the_permutation_test_finds_the_promised_difference(n: int, accuracy: float, correlation: float) -> None:
    gaps = assumed_gaps([accuracy], correlation)
    smallest = smallest_paired(gaps, n)
    assert smallest is not None
    draw = partial(two_models, accuracies=(accuracy, accuracy), correlation=correlation)
    assert found_share(draw, n, smallest, gaps.mean) == pytest.approx(POWER, abs=0.02)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "subsamples", "between"), [(79, 10, 0.1), (79, 10, 0.4), (79, 7, 0.1), (300, 10, 0.1)])
def test_stored_results_promise_what_new_seeds_show(n: int, subsamples: int, between: float) -> None:
    """From results on 50,000 seeds: of fewer, the promise has the error of their mean gap (2% of it for 2,000)."""
    draw = partial(shares, subsamples=subsamples, between=between)
    first, second = draw(np.random.default_rng(2), 50_000)
    gaps = observed_gaps({"a": first, "b": second})
    smallest = smallest_paired(gaps, n)
    assert smallest is not None
    assert found_share(draw, n, smallest, gaps.mean) == pytest.approx(POWER, abs=0.02)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "accuracy"), [(79, 0.6)])
def test_models_on_different_seeds_differ_as_promised(n: int, accuracy: float) -> None:
    passes = distribution_of(np.arange(1_000) < 1_000 * accuracy)
    smallest = smallest_unpaired(passes, n)
    assert smallest is not None
    rng, found = np.random.default_rng(3), 0
    for _ in range(2_000):
        first, second = rng.random(n) < accuracy, rng.random(n) < accuracy - smallest
        found += independent_t_test(first.astype(float), second.astype(float)).p_value < 0.05
    assert found / 2_000 == pytest.approx(POWER, abs=0.02)


def test_the_simulated_models_have_the_assumed_gaps() -> None:
    first, second = two_models(np.random.default_rng(4), 100_000, (0.6, 0.7), 0.5)
    assert np.abs(first - second).mean() == pytest.approx(assumed_gaps([0.6, 0.7], 0.5).mean, abs=0.005)
