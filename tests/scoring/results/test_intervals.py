"""Tests of the confidence intervals: they contain the scores, and resample seeds."""

import numpy as np
import pytest

from scoring.results.intervals import RESAMPLES, seed_intervals
from scoring.statistics import mean_interval

RNG = np.random.default_rng(0)
SIZES = np.full((10, 80), 20)
CHANCES = RNG.beta(3, 0.5, 80)
CORRECT = RNG.binomial(20, CHANCES, SIZES.shape)
ON_SEEDS = RNG.random(80) < CHANCES


def test_intervals_contain_the_scores() -> None:
    intervals = seed_intervals(ON_SEEDS, CORRECT, SIZES)
    assert intervals is not None
    passing = (CORRECT >= 18).mean()
    numbers = (ON_SEEDS.mean(), CORRECT.sum() / SIZES.sum(), passing, passing - ON_SEEDS.mean())
    ends = (intervals.seed_sample_accuracy, intervals.sample_accuracy, intervals.pattern_accuracy, intervals.qt)
    for number, (low, high) in zip(numbers, ends, strict=True):
        assert low < number < high
        assert high - low < 0.3
    assert (intervals.level, intervals.method, intervals.resamples) == (0.95, "BCa bootstrap", RESAMPLES)


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
        intervals.seed_sample_accuracy: mean_interval(ON_SEEDS, n_resamples=RESAMPLES),
        intervals.sample_accuracy: mean_interval(CORRECT.mean(axis=0) / 20, n_resamples=RESAMPLES),
        intervals.pattern_accuracy: mean_interval(passes, n_resamples=RESAMPLES),
        intervals.qt: mean_interval(passes - ON_SEEDS, n_resamples=RESAMPLES),
    }
    for ends, interval in expected.items():
        assert ends == pytest.approx((interval.low, interval.high), abs=2e-5)


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
    assert intervals.qt[0] < at_quality.mean() - ON_SEEDS.mean() < intervals.qt[1]


def test_no_interval_if_a_resample_may_have_no_variant() -> None:
    sizes, correct = SIZES[:, :4].copy(), CORRECT[:, :4].copy()
    sizes[:, 2:] = correct[:, 2:] = 0
    assert seed_intervals(ON_SEEDS[:4], correct, sizes) is None


def test_one_seed_has_no_interval_and_a_perfect_model_a_point_interval() -> None:
    assert seed_intervals(ON_SEEDS[:1], CORRECT[:, :1], SIZES[:, :1]) is None
    perfect = seed_intervals(np.ones(80, dtype=bool), SIZES, SIZES)
    assert perfect is not None
    assert (perfect.pattern_accuracy, perfect.qt) == ((1, 1), (0, 0))
