"""Tests of the curves of the models."""

from __future__ import annotations

from scoring.analysis.model_curves import model_curves
from tests.scoring.analysis.made import rows_of, scored_dataset


def test_curves_are_ranked_and_count_drawn_variants() -> None:
    made = scored_dataset(
        [
            *rows_of("s1", ["nee-", "een-"]),
            *rows_of("s1", ["eee-"], subsamples=()),
            *rows_of("s2", ["eeee"], subsamples=()),
        ],
        models=("c", "b", "a", "undrawn"),
        on_seeds={"s1": "eee-"},
    )
    found = model_curves(made)
    assert [(curve.models, curve.variants, curve.seeds) for curve in found.curves] == [
        (("b",), 2, 1),
        (("a",), 2, 1),
        (("c",), 2, 1),
        (("undrawn",), 0, 0),
    ]
    assert [curve.at(0.9) for curve in found.curves[:3]] == [1, 0, 0]
    assert (found.threshold, found.seeds) == (0.9, 2)
