"""Tests of power: the promised 80% against simulated comparisons with the real tests, and limiting cases by hand."""

from __future__ import annotations

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


def two_models(rng: np.random.Generator, n: int, accuracies: tuple[float, float], correlation: float) -> list[Floats]:
    """Draw whether two models pass each of n seeds, from the four cells of their joint distribution."""
    first, second = accuracies
    both = first * second + correlation * np.sqrt(first * (1 - first) * second * (1 - second))
    cells = rng.choice(4, p=[both, first - both, second - both, 1 - first - second + both], size=n)
    return [np.isin(cells, (0, 1)).astype(np.float64), np.isin(cells, (0, 2)).astype(np.float64)]


def shares(rng: np.random.Generator, n: int) -> list[Floats]:
    """Draw in how many of ten subsamples each of two models passes a seed that is easy, hard or in between."""
    chance = rng.choice([0.02, 0.5, 0.95, 1.0], p=[0.15, 0.1, 0.25, 0.5], size=n)
    return [rng.binomial(10, chance) / 10 for _ in range(2)]


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


@pytest.mark.slow
@pytest.mark.parametrize(("n", "accuracy", "correlation"), [(79, 0.85, 0.4), (2_000, 0.7, 0.5)])
def test_the_permutation_test_finds_the_promised_difference(n: int, accuracy: float, correlation: float) -> None:
    """From assumed accuracies: the second model is worse by the promised difference, in 80% ± 2 of 2,000 comparisons.

    The share of seeds on which the models differ is that of the assumption.
    """
    gaps = assumed_gaps([accuracy], correlation)
    smallest = smallest_paired(gaps, n)
    assert smallest is not None
    rng, found = np.random.default_rng(1), 0
    only_first = (gaps.mean + smallest) / 2
    assert only_first < accuracy
    for number in range(2_000):
        cells = rng.choice(3, p=[1 - gaps.mean, only_first, gaps.mean - only_first], size=n)
        result = permutation_test((cells == 1).astype(float), (cells == 2).astype(float), random_seed=number)
        found += result.p_value < 0.05 and result.difference > 0
    assert found / 2_000 == pytest.approx(POWER, abs=0.02)


@pytest.mark.slow
def test_stored_results_promise_what_new_seeds_show() -> None:
    """From results on 2,000 seeds in ten subsamples: on 79 new ones, the difference is found in about 80% of 2,000.

    The tolerance is 2 points and two standard errors of the simulation. This case finds 82.8%.
    """
    n = 79
    rng = np.random.default_rng(2)
    first, second = shares(rng, 2_000)
    smallest = smallest_paired(observed_gaps({"a": first, "b": second}), n)
    assert smallest is not None
    gap = float(np.mean([np.abs(np.subtract(*shares(rng, 2_000))).mean() for _ in range(50)]))
    found = 0
    for number in range(2_000):
        ours, theirs = shares(rng, n)
        better = rng.random(n) < (1 + smallest / gap) / 2
        result = permutation_test(
            np.where(better, np.maximum(ours, theirs), np.minimum(ours, theirs)),
            np.where(better, np.minimum(ours, theirs), np.maximum(ours, theirs)),
            random_seed=number,
        )
        found += result.p_value < 0.05 and result.difference > 0
    assert found / 2_000 == pytest.approx(POWER, abs=0.02 + 2 * (POWER * (1 - POWER) / 2_000) ** 0.5)


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
