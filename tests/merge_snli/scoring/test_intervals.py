"""Tests of the confidence intervals: they contain the scores, and resample seeds."""

import math
from typing import Any

import numpy as np
import pytest

from merge_snli.scoring.answers import Counts
from merge_snli.scoring.intervals import (
    LOWEST,
    intervals_of,
    pattern_accuracy_interval,
)
from merge_snli.scoring.scores import Intervals
from merge_snli.scoring.statistics import Interval, bootstrap_intervals, proportion_interval
from merge_snli.scoring.statistics.bootstrap import N_RESAMPLES

Bools = np.ndarray[Any, np.dtype[np.bool_]]
Ints = np.ndarray[Any, np.dtype[np.int64]]
RNG = np.random.default_rng(0)
SIZES = np.full((10, 80), 20)
CHANCES = RNG.beta(3, 0.5, 80)
CORRECT = RNG.binomial(20, CHANCES, SIZES.shape)
ON_SEEDS = RNG.random(80) < CHANCES


def mean_interval(values: Any, **options: Any) -> Interval:  # noqa: ANN401
    (interval,) = bootstrap_intervals([np.mean], values, **options)
    return interval


def seed_intervals(seeds_correct: Bools, correct: Ints, sizes: Ints) -> Intervals | None:
    """Return the intervals of seeds that a model predicts correctly, or not, with the counts of their variants."""
    return intervals_of(Counts(correct, sizes), seeds_correct)


def test_intervals_contain_the_scores() -> None:
    intervals = seed_intervals(ON_SEEDS, CORRECT, SIZES)
    assert intervals is not None
    passing = (CORRECT >= 18).mean()
    numbers = (ON_SEEDS.mean(), CORRECT.sum() / SIZES.sum(), passing, passing - ON_SEEDS.mean())
    ends = (intervals.seed_accuracy, intervals.sample_accuracy, intervals.pattern_accuracy, intervals.qt)
    for number, (low, high) in zip(numbers, filter(None, ends), strict=True):
        assert low < number < high
        assert high - low < 0.3
    assert (intervals.level, intervals.resamples) == (0.95, 9_999)
    assert intervals.methods == dict.fromkeys(LOWEST, "BCa bootstrap")


def test_intervals_are_deterministic() -> None:
    assert seed_intervals(ON_SEEDS, CORRECT, SIZES) == seed_intervals(ON_SEEDS, CORRECT, SIZES)


def test_repeated_subsamples_do_not_narrow_the_intervals() -> None:
    once = seed_intervals(ON_SEEDS, CORRECT[:1], SIZES[:1])
    again = seed_intervals(ON_SEEDS, np.repeat(CORRECT[:1], 10, axis=0), SIZES)
    assert once == again


def test_intervals_equal_those_of_the_statistics_package() -> None:
    """With as many variants of each seed in every subsample, the scores are plain means over seeds."""
    intervals = seed_intervals(ON_SEEDS, CORRECT, SIZES)
    assert intervals is not None
    passes = (CORRECT >= 18).mean(axis=0)
    expected = {
        intervals.seed_accuracy: mean_interval(ON_SEEDS, n_resamples=N_RESAMPLES),
        intervals.sample_accuracy: mean_interval(CORRECT.mean(axis=0) / 20, n_resamples=N_RESAMPLES),
        intervals.pattern_accuracy: mean_interval(passes, n_resamples=N_RESAMPLES),
        intervals.qt: mean_interval(passes - ON_SEEDS, n_resamples=N_RESAMPLES),
    }
    for ends, interval in expected.items():
        assert ends == pytest.approx((interval.low, interval.high), abs=2e-5)


@pytest.mark.parametrize("seeds", range(20, 40))
def test_few_seeds_have_the_interval_of_their_mean_difference(seeds: int) -> None:
    intervals = seed_intervals(ON_SEEDS[:seeds], CORRECT[:, :seeds], SIZES[:, :seeds])
    expected = mean_interval((CORRECT >= 18).mean(axis=0)[:seeds] - ON_SEEDS[:seeds])
    assert intervals is not None
    assert intervals.qt == pytest.approx((expected.low, expected.high), abs=6e-6)


def test_intervals_contain_the_scores_if_subsamples_lack_seeds() -> None:
    """The scores are means of shares, as for a masked LM with few variants."""
    sizes = RNG.integers(0, 3, SIZES.shape)
    correct = RNG.binomial(sizes, CHANCES)
    intervals = seed_intervals(ON_SEEDS, correct, sizes)
    assert intervals is not None
    accuracy = (correct.sum(axis=1) / sizes.sum(axis=1)).mean()
    at_quality = ((correct == sizes) & (sizes > 0)).sum(axis=1) / (sizes > 0).sum(axis=1)
    assert intervals.sample_accuracy[0] < accuracy < intervals.sample_accuracy[1]
    assert intervals.pattern_accuracy[0] < at_quality.mean() < intervals.pattern_accuracy[1]
    assert intervals.qt is not None
    assert intervals.qt[0] < at_quality.mean() - ON_SEEDS.mean() < intervals.qt[1]
    assert intervals.methods == dict.fromkeys(LOWEST, "BCa bootstrap")


def test_unequal_draws_have_the_bca_interval_of_their_definition() -> None:
    """From Efron's formulas, in exact integers for the share of subsamples, seed by seed."""
    sizes = SIZES[:, :30].copy()
    sizes[0, 3] = 19  # one variant is left out
    correct = np.minimum(CORRECT[:, :30], sizes)
    intervals = seed_intervals(ON_SEEDS[:30], correct, sizes)
    assert intervals is not None
    passing = (10 * correct >= 9 * sizes).sum(axis=0)
    units = np.random.default_rng(0).integers(0, 30, (N_RESAMPLES, 30))
    resampled, observed = passing[units].sum(axis=1), passing.sum()
    z = _normal_quantile((np.mean(resampled < observed) + np.mean(resampled <= observed)) / 2)
    left_out = (observed - passing) / 29
    deviations = left_out.mean() - left_out
    acceleration = (deviations**3).sum() / (6 * (deviations**2).sum() ** 1.5)
    for end, tail in zip(intervals.pattern_accuracy, (-1.959963984540054, 1.959963984540054), strict=True):
        share = 0.5 * math.erfc(-(z + (z + tail) / (1 - acceleration * (z + tail))) / math.sqrt(2))
        assert end == pytest.approx(np.quantile(resampled, share) / 300, abs=6e-6)


def _normal_quantile(share: float) -> float:
    low, high = -9.0, 9.0
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (low, middle) if 0.5 * math.erfc(-middle / math.sqrt(2)) > share else (middle, high)
    return low


@pytest.mark.parametrize("most", [20, 2])
def test_the_order_of_subsamples_does_not_change_an_end(most: int) -> None:
    sizes = SIZES if most == 20 else np.random.default_rng(4).integers(0, 3, SIZES.shape)
    correct = np.minimum(CORRECT, sizes)
    intervals = seed_intervals(ON_SEEDS, correct, sizes)
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(10)
        assert seed_intervals(ON_SEEDS, correct[order], sizes[order]) == intervals


@pytest.mark.parametrize("undrawn", [0, 5])
def test_pattern_accuracy_alone_has_the_same_interval(undrawn: int) -> None:
    sizes = np.random.default_rng(4).integers(0, 3, SIZES.shape)
    sizes[:, :undrawn] = 0
    correct, drawn = np.minimum(CORRECT, sizes), sizes.any(axis=0)
    intervals = seed_intervals(ON_SEEDS, correct, sizes)
    alone = pattern_accuracy_interval(Counts(correct[:, drawn], sizes[:, drawn]), 0.9)
    assert intervals is not None
    assert intervals.pattern_accuracy == (alone.low, alone.high)


def test_one_subsample_of_groups_has_the_intervals_of_seeds() -> None:
    of_seeds, of_groups = (
        seed_intervals(ON_SEEDS, CORRECT[:1], SIZES[:1]),
        intervals_of(Counts(CORRECT[:1], SIZES[:1]), None),
    )
    assert of_seeds is not None
    assert of_groups is not None
    assert of_groups.seed_accuracy is of_groups.qt is None
    assert of_groups.sample_accuracy == of_seeds.sample_accuracy
    assert of_groups.pattern_accuracy == of_seeds.pattern_accuracy


def test_no_interval_if_a_resample_may_have_no_variant() -> None:
    sizes, correct = SIZES[:, :4].copy(), CORRECT[:, :4].copy()
    sizes[:, 2:] = correct[:, 2:] = 0
    assert seed_intervals(ON_SEEDS[:4], correct, sizes) is None


def test_one_seed_has_no_interval() -> None:
    assert seed_intervals(ON_SEEDS[:1], CORRECT[:, :1], SIZES[:, :1]) is None


def test_a_perfect_model_has_wilson_intervals() -> None:
    sizes = np.full((10, 99), 20)
    perfect = seed_intervals(np.ones(99, dtype=bool), sizes, sizes)
    wilson = proportion_interval(99, 99)
    assert perfect is not None
    assert perfect.pattern_accuracy == pytest.approx((wilson.low, 1), abs=6e-6)
    assert perfect.pattern_accuracy[0] == pytest.approx(0.963, abs=5e-4)
    assert perfect.seed_accuracy == perfect.sample_accuracy == perfect.pattern_accuracy
    assert perfect.qt == pytest.approx((wilson.low - 1, 1 - wilson.low), abs=1e-5)
    assert perfect.methods == dict.fromkeys(LOWEST, "Wilson score")


def test_methods_tell_which_number_shows_no_variation() -> None:
    correct = SIZES.copy()
    correct[:5] = 17  # each seed passes in half of the subsamples
    intervals = seed_intervals(ON_SEEDS, correct, SIZES)
    assert intervals is not None
    assert intervals.methods == dict.fromkeys(LOWEST, "Wilson score") | dict.fromkeys(
        ("seed_accuracy", "qt"), "BCa bootstrap"
    )
    low, high = intervals.pattern_accuracy
    assert low < 0.5 < high
    assert high - low == pytest.approx(1 - proportion_interval(80, 80).low, abs=2e-5)


def test_no_end_is_negative_zero() -> None:
    on_seeds = np.arange(80) > 0
    correct = np.where(on_seeds, SIZES, 0)
    correct[:, 1] = 0
    intervals = seed_intervals(on_seeds, correct, SIZES)
    assert intervals is not None
    assert intervals.qt is not None
    assert intervals.qt[1] == 0
    assert math.copysign(1, intervals.qt[1]) == 1
