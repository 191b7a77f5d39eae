"""Tests of the curves of models, with numbers computed by hand."""

from __future__ import annotations

import pytest

from merge_snli.comparison.curves import model_curves
from tests.merge_snli.comparison.made import rows_of, scored_dataset


def test_models_are_ranked_by_pattern_accuracy_at_the_quality_threshold() -> None:
    rows = [*rows_of("s1", ["ee", "ne"]), *rows_of("s2", ["ne", "en"], subsamples=(0, 1))]
    value = model_curves(scored_dataset(rows, models=("half", "better")))
    assert value.seeds == 2
    assert [curve.models for curve in value.curves] == [("better",), ("half",)]
    better, half = value.curves
    assert (better.at(0.5), better.at(0.9)) == pytest.approx(((1 + 1) / 2, (1 / 2 + 0) / 2))
    assert (half.at(0.5), half.at(0.9)) == (1, 0)
    assert (better.low[90], better.high[90]) == (0, 0.5)


def test_equal_models_are_ranked_by_name() -> None:
    value = model_curves(scored_dataset(rows_of("s1", ["ee", "nn"]), models=("b", "a")))
    assert [curve.models for curve in value.curves] == [("a",), ("b",)]
