"""Tests of the made-up scored data sets: they are what reading their results would give."""

import numpy as np
import pytest

from tests.merge_snli.comparison.made import rows_of, scored_dataset
from tests.oracles import answers_of_groups


def test_answers_become_predictions_and_scores() -> None:
    made = scored_dataset(
        [*rows_of("s1", ["ee", "en"]), *rows_of("s2", ["nn", "e-"], word_class="verb", subsamples=(0, 1))],
        models=("a", "b"),
        gold={"s2": "n"},
        on_seeds={"s1": "ec"},
    )
    first, second = made.models
    assert [label for *_, label in made.seeds] == ["entailment", "neutral"]
    assert (first.answers.predicted.tolist(), second.answers.predicted.tolist()) == ([0, 0, 1, 0], [0, 1, 1, -1])
    assert (first.seeds.predicted.tolist(), second.seeds.predicted.tolist()) == ([0, 1], [2, 1])
    assert first.answers.correct.tolist() == [True, True, True, False]
    assert made.variants_by("word_class")["verb"].tolist() == [False, False, True, True]
    counts = second.answers.counts()
    assert np.array_equal(counts.sizes, second.result.counts().sizes)
    assert np.array_equal(counts.correct, second.result.counts().correct)
    assert counts.correct.tolist() == [[1, 1], [0, 1]]
    assert answers_of_groups(second.result).predictions == ("01", "1")
    assert first.result.scores.seed_accuracy == 1
    assert second.result.scores.seed_accuracy == 0.5
    assert first.result.scores.sample_accuracy.each == pytest.approx((3 / 4, 1 / 2))
