"""Tests of the confidence intervals and of power: by definition, by hand, and against simulated comparisons."""

import math
from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import numpy as np
import pytest

from merge_snli.answers.answers import Counts
from merge_snli.base.arrays import Bools, Floats, Ints
from merge_snli.results.intervals import (
    LOWEST,
    intervals_of,
    pattern_accuracy_interval,
)
from merge_snli.results.scores import Intervals
from merge_snli.statistics import (
    POWER,
    Distribution,
    assumed_gaps,
    bootstrap_intervals,
    distribution_of,
    independent_t_test,
    interval_width,
    observed_gaps,
    permutation_test,
    proportion_interval,
    smallest_paired,
    smallest_unpaired,
)
from tests.oracles import known

RNG = np.random.default_rng(0)


SIZES = np.full((10, 80), 20)


CHANCES = RNG.beta(3, 0.5, 80)


CORRECT = RNG.binomial(20, CHANCES, SIZES.shape)


ON_SEEDS = RNG.random(80) < CHANCES


def counts_of(correct: Ints, sizes: Ints) -> Counts:
    return Counts(correct, sizes, sizes)


def seed_intervals(seeds_correct: Bools, correct: Ints, sizes: Ints) -> Intervals:
    """Return the intervals of seeds that a model predicts correctly, or not, with the counts of their variants."""
    return known(intervals_of(counts_of(correct, sizes), seeds_correct))


def test_repeated_subsamples_do_not_narrow_the_intervals() -> None:
    first = CORRECT[:1]
    once = seed_intervals(ON_SEEDS, first, SIZES[:1])
    repeated = np.repeat(first, 10, axis=0)
    assert seed_intervals(ON_SEEDS, repeated, SIZES) == once


@pytest.mark.parametrize("seeds", [20, 21, 33])
def test_few_seeds_have_the_interval_of_their_mean_difference(seeds: int) -> None:
    counts = counts_of(CORRECT, SIZES).take(np.arange(seeds))
    on_seeds = ON_SEEDS[:seeds]
    intervals = known(intervals_of(counts, on_seeds))
    differences = (counts.correct >= 18).mean(axis=0) - on_seeds
    (expected,) = bootstrap_intervals([np.mean], differences)
    assert intervals.qt == pytest.approx((expected.low, expected.high), abs=6e-6)


@pytest.mark.parametrize("most", [20, 2])
def test_the_order_of_subsamples_does_not_change_an_end(most: int) -> None:
    sizes = SIZES
    if most == 2:
        sizes = np.random.default_rng(4).integers(0, 3, SIZES.shape)
    correct = np.minimum(CORRECT, sizes)
    intervals = seed_intervals(ON_SEEDS, correct, sizes)
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(10)
        assert seed_intervals(ON_SEEDS, correct[order], sizes[order]) == intervals


@pytest.mark.parametrize("undrawn", [0, 5])
def test_pattern_accuracy_alone_has_the_same_interval(undrawn: int) -> None:
    sizes = np.random.default_rng(4).integers(0, 3, SIZES.shape)
    sizes[:, :undrawn] = 0
    counts = counts_of(np.minimum(CORRECT, sizes), sizes)
    intervals = known(intervals_of(counts, ON_SEEDS))
    alone = pattern_accuracy_interval(counts.take(counts.drawn), 0.9)
    assert intervals.pattern_accuracy == (alone.low, alone.high)


def test_one_subsample_of_groups_has_the_intervals_of_seeds() -> None:
    of_seeds = seed_intervals(ON_SEEDS, CORRECT[:1], SIZES[:1])
    of_groups = known(intervals_of(counts_of(CORRECT[:1], SIZES[:1]), None))
    assert of_groups.seed_accuracy is None
    assert of_groups.qt is None
    assert of_groups.sample_accuracy == of_seeds.sample_accuracy
    assert of_groups.pattern_accuracy == of_seeds.pattern_accuracy


def test_no_interval_of_one_seed_or_if_a_resample_may_have_no_variant() -> None:
    sizes = SIZES[:, :4].copy()
    correct = CORRECT[:, :4].copy()
    sizes[:, 2:] = 0
    correct[:, 2:] = 0
    assert intervals_of(counts_of(correct, sizes), ON_SEEDS[:4]) is None
    one = counts_of(CORRECT, SIZES).take(np.arange(1))
    assert intervals_of(one, ON_SEEDS[:1]) is None


def test_a_perfect_model_has_wilson_intervals() -> None:
    sizes = np.full((10, 99), 20)
    perfect = seed_intervals(np.ones(99, dtype=bool), sizes, sizes)
    wilson = proportion_interval(99, 99)
    assert perfect.pattern_accuracy == pytest.approx((wilson.low, 1), abs=6e-6)
    assert perfect.pattern_accuracy[0] == pytest.approx(0.963, abs=5e-4)
    assert perfect.seed_accuracy == perfect.pattern_accuracy
    assert perfect.sample_accuracy == perfect.pattern_accuracy
    assert perfect.qt == pytest.approx((wilson.low - 1, 1 - wilson.low), abs=1e-5)
    assert perfect.methods == dict.fromkeys(LOWEST, "Wilson score")


def test_methods_tell_which_number_shows_no_variation_and_no_end_is_negative_zero() -> None:
    correct = SIZES.copy()
    correct[:5] = 17  # each seed passes in half of the subsamples
    intervals = seed_intervals(ON_SEEDS, correct, SIZES)
    methods = dict.fromkeys(LOWEST, "Wilson score")
    assert intervals.methods == methods | {"seed_accuracy": "BCa bootstrap", "qt": "BCa bootstrap"}
    low, high = intervals.pattern_accuracy
    assert low < 0.5 < high
    assert high - low == pytest.approx(1 - proportion_interval(80, 80).low, abs=2e-5)
    on_seeds = np.arange(80) > 0
    correct = np.where(on_seeds, SIZES, 0)
    correct[:, 1] = 0
    _, high = known(seed_intervals(on_seeds, correct, SIZES).qt)
    assert high == 0
    assert math.copysign(1, high) == 1


Draw: TypeAlias = Callable[[np.random.Generator, int], list[Floats]]


def two_models(rng: np.random.Generator, n: int, accuracies: tuple[float, float], correlation: float) -> list[Floats]:
    """Draw whether two models pass each of n seeds, from the four cells of their joint distribution."""
    first, second = accuracies
    deviations = math.sqrt(first * (1 - first) * second * (1 - second))
    both = first * second + correlation * deviations
    cells = rng.choice(4, p=[both, first - both, second - both, 1 - first - second + both], size=n)
    return [np.isin(cells, right).astype(np.float64) for right in ((0, 1), (0, 2))]


def shares(rng: np.random.Generator, n: int, subsamples: int, between: float) -> list[Floats]:
    """Draw in how many subsamples each of two models passes a seed that is easy, hard or, with a chance, in between."""
    chance = rng.choice([0.02, 0.5, 0.95, 1.0], p=[0.15, between, 0.25, 0.6 - between], size=n)
    return [rng.binomial(subsamples, chance) / subsamples for _ in range(2)]


def distribution(values: list[float], shares: list[float]) -> Distribution:
    return Distribution(np.array(values), np.array(shares))


COIN = distribution([0.0, 1.0], [0.5, 0.5])


def test_few_and_many_seeds() -> None:
    """Only six seeds or more, all in one direction, give p < 0.05."""
    assert smallest_paired(COIN, 5) is None
    assert smallest_paired(COIN, 6) == pytest.approx(0.8 ** (1 / 6), abs=0.005)  # all six differ with a chance of 80%
    gaps = assumed_gaps([0.7], 0.5)
    few = known(smallest_paired(gaps, 50))
    some = known(smallest_paired(gaps, 200))
    many = known(smallest_paired(gaps, 800))
    assert few > some > many
    assert some / many == pytest.approx(2, abs=0.2)  # the square root of the seeds


def test_correlated_models_and_less_variance_need_smaller_differences() -> None:
    apart = known(smallest_paired(assumed_gaps([0.7], 0), 500))
    some = known(smallest_paired(assumed_gaps([0.7], 0.4), 500))
    close = known(smallest_paired(assumed_gaps([0.7], 0.8), 500))
    assert apart > some > close
    alone = smallest_unpaired(distribution([0.0, 1.0], [0.3, 0.7]), 500)
    assert alone == pytest.approx(apart, abs=0.006)  # without correlation, pairing gains nothing
    two_coins = distribution([0.0, 0.5, 1.0], [0.25, 0.5, 0.25])  # half the variance of one
    of_two = known(smallest_unpaired(two_coins, 500))
    of_one = known(smallest_unpaired(COIN, 500))
    assert of_two / of_one == pytest.approx(math.sqrt(1 / 2), abs=0.04)
    width = 2 * 1.96 * 0.5 / math.sqrt(1_000)
    assert interval_width(COIN, 1_000) == pytest.approx(width, rel=0.03)


def test_gaps_are_pooled_over_pairs() -> None:
    gaps = observed_gaps({"a": [0, 1, 0.5], "b": [0, 0, 1], "c": [0, 1, 1]})
    assert gaps.values.tolist() == [0, 0.5, 1]
    assert gaps.shares == pytest.approx([5 / 9, 2 / 9, 2 / 9])
    same = observed_gaps({"a": [1.0] * 50, "b": [1.0] * 50})
    # If models never differed, every difference is one way: few discordant seeds suffice.
    assert (smallest_paired(same, 100) or 1.0) == pytest.approx(0.08, abs=0.015)
    first, second = two_models(np.random.default_rng(4), 100_000, (0.6, 0.7), 0.5)
    assert np.abs(first - second).mean() == pytest.approx(assumed_gaps([0.6, 0.7], 0.5).mean, abs=0.005)


def found_share(draw: Draw, n: int, smallest: float, gap: float, comparisons: int = 4_000) -> float:
    """Return how often the permutation test finds that the first model is better by a difference on n seeds.

    It has the larger of the two values on so many seeds that the difference results.
    """
    rng = np.random.default_rng(1)
    found = 0
    for _ in range(comparisons):
        pair = np.sort(draw(rng, n), axis=0)
        first = np.where(rng.random(n) < (1 + smallest / gap) / 2, pair[1], pair[0])
        result = permutation_test(first, pair.sum(axis=0) - first)
        found += result.p_value < 0.05 and result.difference > 0
    return found / comparisons


@pytest.mark.slow
@pytest.mark.parametrize(("n", "accuracy", "correlation"), [(79, 0.85, 0.4), (500, 0.7, 0.5)])
def test_the_permutation_test_finds_the_promised_difference(n: int, accuracy: float, correlation: float) -> None:
    gaps = assumed_gaps([accuracy], correlation)
    smallest = known(smallest_paired(gaps, n))
    draw = partial(two_models, accuracies=(accuracy, accuracy), correlation=correlation)
    assert found_share(draw, n, smallest, gaps.mean) == pytest.approx(POWER, abs=0.02)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "subsamples", "between"), [(79, 10, 0.1), (79, 10, 0.4), (79, 7, 0.1), (300, 10, 0.1)])
def test_stored_results_promise_what_new_seeds_show(n: int, subsamples: int, between: float) -> None:
    """From results on 50,000 seeds: of fewer, the promise has the error of their mean gap (2% of it for 2,000)."""
    draw = partial(shares, subsamples=subsamples, between=between)
    first, second = draw(np.random.default_rng(2), 50_000)
    gaps = observed_gaps({"a": first, "b": second})
    assert found_share(draw, n, known(smallest_paired(gaps, n)), gaps.mean) == pytest.approx(POWER, abs=0.02)


@pytest.mark.slow
def test_models_on_different_seeds_differ_as_promised() -> None:
    n = 79
    accuracy = 0.6
    smallest = known(smallest_unpaired(distribution_of(np.arange(1_000) < 1_000 * accuracy), n))
    rng = np.random.default_rng(3)
    found = 0
    for _ in range(2_000):
        first = rng.random(n) < accuracy
        second = rng.random(n) < accuracy - smallest
        found += independent_t_test(first.astype(float), second.astype(float)).p_value < 0.05
    assert found / 2_000 == pytest.approx(POWER, abs=0.02)
