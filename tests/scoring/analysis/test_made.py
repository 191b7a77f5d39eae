"""Tests of the made-up scored data sets: they are what reading their results would give."""

from __future__ import annotations

import numpy as np
import pytest

from scoring.analysis.curves import counts
from tests.scoring.analysis.made import rows_of, scored_dataset


def test_answers_become_predictions_and_scores() -> None:
    made = scored_dataset(
        [*rows_of("s1", ["ee", "en"]), *rows_of("s2", ["nn", "e-"], word_class="verb", subsamples=(0, 1))],
        models=("a", "b"),
        gold={"s2": "n"},
        on_seeds={"s1": "ec"},
    )
    first, second = made.models
    assert made.seeds.labels == ("entailment", "neutral")
    assert (first.variants.tolist(), second.variants.tolist()) == ([0, 0, 1, 0], [0, 1, 1, -1])
    assert (first.seeds.tolist(), second.seeds.tolist()) == ([0, 1], [2, 1])
    assert first.correct.tolist() == [True, True, True, False]
    assert made.variants.of_class("verb").tolist() == [False, False, True, True]
    table = counts(made, second)
    assert np.array_equal(table.sizes, second.result.seeds.sizes)
    assert np.array_equal(table.correct, second.result.seeds.correct)
    assert table.correct.tolist() == [[1, 1], [0, 1]]
    assert second.result.seeds.variant_predictions == ("01", "1-")
    assert first.result.scores.seed_sample_accuracy == 1
    assert second.result.scores.seed_sample_accuracy == 0.5
    assert first.result.scores.on_variants.sample_accuracy.each == pytest.approx((3 / 4, 1 / 2))
