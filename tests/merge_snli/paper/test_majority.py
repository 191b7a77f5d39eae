"""Tests of the scores against majority labels."""

from __future__ import annotations

from dataclasses import replace

import pytest

from merge_snli.dataset.label_spellings import TWO_WAY
from merge_snli.paper.majority import majority
from tests.merge_snli.comparison.made import rows_of, scored_dataset


def test_three_majority_labels() -> None:
    made = scored_dataset(
        [
            *rows_of("s1", ["een", "een"]),
            *rows_of("s2", ["nec", "nec"]),
            *rows_of("s3", ["cne", "nne"]),
        ],
        models=("a", "b", "c"),
        gold={"s2": "n"},
        on_seeds={"s1": "eec", "s2": "nec", "s3": "nne"},
    )
    found = majority(made)
    assert (found.constant_label, found.constant_share) == ("entailment", 2 / 3)
    assert (found.tied_votes, found.labels) == (1, ("entailment", "neutral", "contradiction"))  # s2: e, as it is first
    assert found.vote_accuracy == 1 / 3  # e, e, n against e, n, e
    a, b, c = (found.models[name] for name in "abc")
    assert tuple(a.values()) == pytest.approx((2 / 3, 2 / 3, 1 / 3, 1 / 3))
    assert tuple(b.values()) == pytest.approx((1 / 3, 1, 1, 2 / 3))
    assert tuple(c.values()) == pytest.approx((1 / 3, 1, 0, 1 / 3))
    assert found.mean["vote"] == pytest.approx((1 / 3 + 1 + 0) / 3)
    for model in made.models:
        scores = found.models[model.name]
        assert scores["gold"] == pytest.approx(model.result.scores.pattern_accuracy.mean)
        assert scores["own"] == pytest.approx((model.result.consistency or {})["majority"].pattern_accuracy.mean)


def test_own_majority_is_per_subsample() -> None:
    rows = [
        *rows_of("s1", "e", subsamples=(0, 1)),
        *rows_of("s1", "n", subsamples=(0,)),
        *rows_of("s1", "n", subsamples=()),
    ]
    assert majority(scored_dataset(rows)).models["a"]["own"] == 0.5


def test_two_labels() -> None:
    made = scored_dataset(
        [*rows_of("s1", "nn"), *rows_of("s2", "en")],
        gold={"s1": "n", "s2": "n"},
        labels=("entailment", "not_entailment"),
    )
    found = majority(made)
    assert (found.constant_label, found.constant_share, found.mean["constant"]) == ("not_entailment", 1, 0.5)


def test_a_model_of_two_labels_makes_all_vote_in_two() -> None:
    made = scored_dataset(
        [*rows_of("s1", ["nc", "c-"]), *rows_of("s2", ["ee"])],
        models=("a", "b"),
        gold={"s1": "n"},
        on_seeds={"s1": "cc"},
    )
    [a, b] = made.models
    b = replace(b, answers=b.answers.in_labels(TWO_WAY))
    found = majority(replace(made, models=(a, b)))
    assert (found.labels, found.tied_votes, found.vote_accuracy) == (TWO_WAY, 0, 1)
    assert (found.models["a"]["gold"], found.models["a"]["vote"]) == (0.5, 1)
    assert (found.models["b"]["gold"], found.models["b"]["vote"]) == (1, 1)
    assert found.constant_label == "entailment"
