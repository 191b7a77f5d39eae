"""Tests of the variants of seeds answered right and wrong."""

from __future__ import annotations

import math

import pytest

from merge_snli.analysis.not_computable import NotComputable
from merge_snli.analysis.seed_correctness import seed_correctness
from tests.merge_snli.analysis.made import rows_of, scored_dataset


def test_scores_by_the_answer_on_the_seed() -> None:
    made = scored_dataset(
        [*rows_of("s1", ["ee", "ee"]), *rows_of("s2", ["ne", "nn"]), *rows_of("s3", ["ee"]), *rows_of("s4", ["ne"])],
        models=("a", "b"),
        on_seeds={"s2": "ne", "s3": "ne"},
    )
    found = seed_correctness(made)
    a, b = found.models["a"], found.models["b"]
    assert (a.seeds_right, a.seeds_wrong, a.right, a.wrong) == (2, 2, 0.5, 0.5)
    assert (b.seeds_right, b.seeds_wrong, b.right) == (4, 0, 0.75)
    assert math.isnan(b.wrong)
    assert (found.mean_right, found.mean_wrong) == (0.625, 0.5)


def test_models_that_are_always_right_have_nothing_to_compare() -> None:
    with pytest.raises(NotComputable, match=r"no model"):
        seed_correctness(scored_dataset(rows_of("s1", "en")))
