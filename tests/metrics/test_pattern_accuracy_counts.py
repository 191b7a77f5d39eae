"""The arithmetic: decimal thresholds, counts, MT and QT."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import ceil

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.pattern_accuracy.core import (
    CURVE,
    count_groups,
    matching_threshold,
    parse_thresholds,
    pattern_accuracy,
    required_correct,
    sample_accuracy,
)
from tests.oracles import refused


@pytest.mark.parametrize(("threshold", "size", "expected"), [(0.95, 20, 19), (0.07, 100, 7), (0.1 + 0.2, 10, 3)])
def test_required_correct_avoids_float_errors(threshold: float, size: int, expected: int) -> None:
    assert int(required_correct(threshold, size)) == expected


@given(st.integers(0, 10**9), st.integers(0, 10**9))
@settings(max_examples=200)
def test_required_correct_is_exact_for_nine_decimals_and_large_groups(units: int, size: int) -> None:
    assert int(required_correct(units / 10**9, size)) == ceil(Fraction(units, 10**9) * size)


def test_thresholds_are_rounded_to_nine_decimals() -> None:
    assert parse_thresholds([29 * 0.01, np.float32(0.5), np.int64(1), 1e-10]) == (0.29, 0.5, 1.0, 0.0)
    assert parse_thresholds("curve") == CURVE == tuple(round(i * 0.01, 9) for i in range(101))


def test_pattern_accuracy_of_several_subsamples() -> None:
    curve = pattern_accuracy([[[18, 17], [1, 0]]], [[[20, 20], [1, 0]]], [0.85, 0.9])
    assert curve.tolist() == [[[1.0, 0.5], [1.0, 1.0]]]
    assert np.isnan(pattern_accuracy([0, 0], [0, 0], 0.5)).all()


FALLING = [0.8] * 61 + [0.2] * 40


@pytest.mark.parametrize(
    ("curve", "target", "threshold"),
    [
        (FALLING, 0.79, 0.6),
        (FALLING, 0.5, 1.0),
        ([0.7 + 0.1] * 50 + [0.6] * 51, 0.7, 1.0),  # equal distances that differ in floats
    ],
    ids=["nearest", "a tie", "a tie in decimals"],
)
def test_matching_threshold_is_the_higher_of_a_tie(curve: Sequence[float], target: float, threshold: float) -> None:
    assert matching_threshold(curve, target) == threshold


def test_matching_threshold_is_the_end_of_a_step() -> None:
    """With 20 variants per seed, the thresholds 0.56 to 0.60 all need 12 correct ones."""
    assert matching_threshold(pattern_accuracy([20, 20, 12, 0], [20] * 4), 0.75) == 0.6


def test_counts_that_do_not_match_are_rejected() -> None:
    def rejected(message: str, function: Callable[..., object], *arguments: object) -> None:
        refused(message, function, *arguments, error=ValueError)

    rejected(r"groups .*1 rows.* correct .*2.* row 1", count_groups, [True, False], ["a"])
    rejected(r"correct\[1\] is 3 but sizes\[1\] is 2", pattern_accuracy, [1, 3], [2, 2], 0.5)
    rejected(r"correct .*\(1,\).* sizes .*\(2,\)", pattern_accuracy, [1], [2, 2], 0.5)
    rejected(r"curve .*\(3,\).* 101 points", matching_threshold, [1, 0.5, 0], 0.5)
    rejected("correct is empty", sample_accuracy, [])
    rejected(r"correct .*\(2,\).*int64", sample_accuracy, [0, 1])
    rejected(r"correct .*\(1, 1\).*bool", sample_accuracy, [[True]])
