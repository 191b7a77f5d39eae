"""Tests of leaving seeds out: everything is as if they had never been there."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from merge_snli.base.errors import InputError
from merge_snli.comparison.scored_dataset import ScoredDataset, without_seeds
from merge_snli.comparison.word_classes import classes
from merge_snli.paper.table_3 import table_3
from merge_snli.scoring.measure import source_accuracy
from merge_snli.scoring.scores import SourceScores
from tests.merge_snli.comparison.made import Row, rows_of, scored_dataset

ROWS: list[Row] = [
    *rows_of("s1", ["en", "ee"], original="cat", subsamples=(0, 1)),
    *rows_of("s2", ["nn", "en"], masked_lms=("other",)),
    *rows_of("s3", ["n-", "cn"], word_class="verb", subsamples=(1,)),
    *rows_of("s1", ["nn"], word_class="verb", log_odds=2.0),
    *rows_of("s4", ["e-", "n-"]),
    *rows_of("s3", ["ne"]),
]


def made(rows: list[Row]) -> ScoredDataset:
    named = [replace(row, replacement=f"word{ROWS.index(row)}") for row in rows]
    ids = dict.fromkeys(row.seed for row in rows)
    return scored_dataset(
        named,
        models=("a", "b"),
        gold={"s3": "n"},
        on_seeds={"s1": "en", "s4": "e-"},
        annotators=[[number, 2, 3] for number in range(len(ids))],
        masked_lms=("mlm", "other"),
    )


@pytest.mark.parametrize("out", [{"s1"}, {"s2", "s4"}, {"s3"}, {"s2", "unknown"}])
def test_the_rest_is_as_if_the_seeds_had_never_been_there(out: set[str]) -> None:
    smaller, expected = without_seeds(made(ROWS), out), made([row for row in ROWS if row.seed not in out])
    assert smaller.seeds == expected.seeds
    assert np.array_equal(smaller.groups, expected.groups)
    assert np.array_equal(smaller.log_odds, expected.log_odds)
    for name, mask in smaller.variants_by("masked_lm").items():
        assert np.array_equal(mask, expected.variants_by("masked_lm")[name]), name
    for name in ("word_class", "original", "replacement"):
        assert smaller.words[name].to_pylist() == expected.words[name].to_pylist()
    for own, other in zip(smaller.models, expected.models, strict=True):
        assert own.result == replace(other.result, notes=own.result.notes)
        for name in ("groups", "gold", "predicted", "subsamples"):
            assert np.array_equal(getattr(own.answers, name), getattr(other.answers, name)), name
        assert np.array_equal(own.seeds.predicted, other.seeds.predicted)
    assert table_3(smaller) == table_3(expected)
    if "s3" not in out:
        assert classes(smaller).curves == classes(expected).curves


def test_nothing_to_leave_out_changes_nothing() -> None:
    whole = made(ROWS)
    assert without_seeds(whole, {"elsewhere"}) is whole


def test_leaving_out_all_seeds_of_a_model_is_refused() -> None:
    with pytest.raises(InputError, match=r"no seed of b remains"):
        without_seeds(made(ROWS), {"s1", "s2", "s3"})


def test_seeds_are_left_out_of_the_source() -> None:
    whole = made(ROWS)  # model a is right on s1 and s2, both entailment, s3, neutral, and s4; b is wrong on s1
    labels = {"entailment": source_accuracy(6, 8), "neutral": source_accuracy(1, 1)}
    source = SourceScores("snli", "0" * 64, 0, 0, source_accuracy(7, 9), labels)
    models = tuple(replace(model, result=replace(model.result, source=source)) for model in whole.models)
    first, second = without_seeds(replace(whole, models=models), {"s1", "s3"}).models
    assert first.result.source is not None
    assert second.result.source is not None
    assert first.result.source.overall == source_accuracy(5, 7)
    assert first.result.source.labels == {"entailment": source_accuracy(5, 7)}
    assert second.result.source.labels == {"entailment": source_accuracy(6, 7)}
    first, second = without_seeds(replace(whole, models=models), {"s4"}).models  # too long for b
    assert first.result.source is not None
    assert second.result.source is None
