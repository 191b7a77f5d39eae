"""Tests of the seeds answered right and wrong, and of the hard ones."""

from __future__ import annotations

import math

import pytest

from merge_snli.comparison.scored_dataset import NotComputable
from merge_snli.paper.hard_seeds import hard_seeds, mean_accuracy, seed_correctness
from tests.merge_snli.comparison.made import rows_of, scored_dataset


def test_hard_seeds_are_listed_with_votes_and_answers() -> None:
    made = scored_dataset(
        [
            *rows_of("s1", ["nn", "cc"], subsamples=()),  # variants that were not drawn count, too
            *rows_of("s2", ["en"] + ["nn"] * 10),
            *rows_of("s3", ["en"] + ["nn"] * 9),
            *rows_of("s4", ["n-", "e-"]),
            *rows_of("s0", ["nn"]),
        ],
        models=("a", "b"),
        on_seeds={"s1": "nc", "s2": "en", "s4": "e-"},
        annotators=[[1, 2, 0], [0, 0, 0], [3, 0, 0], [0, 0, 0], [0, 0, 0]],
    )
    found = hard_seeds(made)
    assert mean_accuracy(made) == pytest.approx([0, 1 / 22, 1 / 20, 1 / 2, 0])
    assert (found.seeds, [seed.seed_id for seed in found.never_right]) == (5, ["s0", "s1"])
    assert [seed.seed_id for seed in found.rarely_right] == ["s0", "s1", "s2"]
    s1 = found.never_right[1]
    assert (s1.premise, s1.gold, s1.variants, s1.mean_accuracy) == ("The premise of s1.", "entailment", 2, 0)
    assert list((s1.votes or {}).items()) == [("neutral", 2), ("entailment", 1)]
    assert s1.answers == {"a": "neutral", "b": "contradiction"}
    assert [seed.votes for seed in (found.never_right[0], found.rarely_right[2])] == [{}, {}]


def test_a_model_without_predictions_is_left_out() -> None:
    made = scored_dataset(
        [*rows_of("s1", ["n-"]), *rows_of("s2", ["-e"])], models=("a", "b"), on_seeds={"s1": "e-", "s2": "-e"}
    )
    [seed] = hard_seeds(made).never_right
    assert (seed.seed_id, seed.answers, seed.votes) == ("s1", {"a": "entailment", "b": None}, None)


def test_exactly_five_percent_is_not_below() -> None:
    made = scored_dataset(rows_of("s1", ["nne"] * 3 + ["nnn"] * 17), models=("a", "b", "c"))
    assert mean_accuracy(made)[0] < 0.05  # 0.15 / 3 as a float
    assert hard_seeds(made).rarely_right == ()


def test_scores_by_the_answer_on_the_seed() -> None:
    made = scored_dataset(
        [*rows_of("s1", ["ee", "ee"]), *rows_of("s2", ["ne", "nn"]), *rows_of("s3", ["ee"]), *rows_of("s4", ["ne"])],
        models=("a", "b"),
        on_seeds={"s2": "ne", "s3": "ne"},
    )
    found = seed_correctness(made)
    a, b = found.models["a"], found.models["b"]
    assert a == {"seeds_right": 2, "seeds_wrong": 2, "right": 0.5, "wrong": 0.5}
    assert (b["seeds_right"], b["seeds_wrong"], b["right"]) == (4, 0, 0.75)
    assert math.isnan(b["wrong"])
    assert (found.mean_right, found.mean_wrong) == (0.625, 0.5)


def test_models_that_are_always_right_have_nothing_to_compare() -> None:
    with pytest.raises(NotComputable, match=r"no model"):
        seed_correctness(scored_dataset(rows_of("s1", "en")))
