"""Tests of Table 3, and of the tests of seeds against variants."""

from __future__ import annotations

from dataclasses import replace

import pytest
from scipy import stats

from merge_snli.comparison.scored_dataset import NotComputable
from merge_snli.paper.table_3 import seeds_against_variants, table_3
from merge_snli.scoring.measure import source_accuracy
from merge_snli.scoring.scores import SourceScores
from merge_snli.scoring.statistics import compare_models
from tests.merge_snli.comparison.made import rows_of, scored_dataset


def test_rows_are_the_scores_of_the_results_with_letters() -> None:
    rows = [row for number in range(8) for row in rows_of(f"s{number}", ["en", "en" if number else "ee"])]
    made = scored_dataset(rows, models=("right", "wrong"))
    found = table_3(made)
    right, wrong = found.rows
    named = ("model", "seeds", "on_seeds", "on_variants", "qt", "mt")
    assert [right[name] for name in named] == ["right", 8, 1, 1, 0, 1]
    assert wrong["pattern_accuracy"] == 0
    assert wrong["on_variants"] == 1 / 16
    intervals = made.models[1].result.scores.intervals
    assert intervals is not None
    assert wrong["on_variants_interval"] == intervals.sample_accuracy
    assert wrong["qt_interval"] == intervals.qt
    assert (right["letters"], wrong["letters"]) == ("a", "b")
    assert found.family == compare_models({"right": [1.0] * 8, "wrong": [0.0] * 8})
    assert (found.level, found.method) == (0.95, "Wilson score or BCa bootstrap")


def test_one_model_has_no_letters() -> None:
    found = table_3(scored_dataset(rows_of("s1", "en")))
    [row] = found.rows
    assert (found.family, row["letters"], row["qt_interval"], found.level) == (None, "", None, None)


def test_the_source_is_the_first_column() -> None:
    made = scored_dataset(rows_of("s1", "en"))
    source = SourceScores("snli", "0" * 64, 0, 0, source_accuracy(3, 4), {"entailment": source_accuracy(3, 4)})
    [model] = made.models
    [row] = table_3(replace(made, models=(replace(model, result=replace(model.result, source=source)),))).rows
    assert (row["source"], row["source_problems"]) == (0.75, 4)
    assert row["source_interval"] == source.overall.interval
    assert table_3(made).rows[0]["source"] is None


def test_tests_over_models_and_over_seeds() -> None:
    made = scored_dataset(
        [
            *rows_of("s1", ["een", "enn"], subsamples=(0, 1)),
            *rows_of("s1", ["nee"], subsamples=(1,)),
            *rows_of("s2", ["eee", "nne"]),
        ],
        models=("a", "b", "c"),
        on_seeds={"s2": "een"},
    )
    found = seeds_against_variants(made)
    [test] = found.over_models
    on_variants = [((3 / 4) + (2 / 3)) / 2, (2 / 4 + 2 / 3) / 2, (2 / 4 + 1 / 3) / 2]
    expected = stats.ttest_rel([1, 1, 0.5], on_variants)
    assert (test.first, test.second, test.result.n) == ("seeds", "variants", 3)
    assert test.result.p_value == pytest.approx(float(expected.pvalue))
    # s1: all right; a has 2/2 and 2/3 of its variants right, b 1/2 and 2/3, c 0 and 1/3. s2: c is wrong.
    s1 = 1 - ((1 + 2 / 3) / 2 + (1 / 2 + 2 / 3) / 2 + (0 + 1 / 3) / 2) / 3
    s2 = 2 / 3 - (1 / 2 + 1 / 2 + 1) / 3
    assert (found.over_seeds.n, found.over_seeds.unit) == (2, "seed")
    assert found.over_seeds.difference == pytest.approx((s1 + s2) / 2)


def test_one_model_has_only_the_test_over_seeds() -> None:
    found = seeds_against_variants(scored_dataset([*rows_of("s1", "en"), *rows_of("s2", "ee")]))
    assert found.over_models == ()
    assert found.over_seeds.difference == 0.25


def test_one_seed_is_not_computable() -> None:
    with pytest.raises(NotComputable, match=r"1 seed"):
        seeds_against_variants(scored_dataset(rows_of("s1", "en")))


def test_the_source_is_compared_if_all_models_were_scored_on_it() -> None:
    made = scored_dataset([*rows_of("s1", ["en", "ee"]), *rows_of("s2", ["ee"])], models=("a", "b"))
    accuracies = [source_accuracy(3, 4), source_accuracy(2, 4)]
    models = tuple(
        replace(model, result=replace(model.result, source=SourceScores("x", "0" * 64, 0, 0, each, {"neutral": each})))
        for model, each in zip(made.models, accuracies, strict=True)
    )
    tests = seeds_against_variants(replace(made, models=models)).over_models
    assert [(test.first, test.second) for test in tests] == [
        ("source", "seeds"),
        ("source", "variants"),
        ("seeds", "variants"),
    ]
    assert tests[0].result.difference == (0.75 + 0.5) / 2 - 1
    some = seeds_against_variants(replace(made, models=(models[0], made.models[1]))).over_models
    assert [(test.first, test.second) for test in some] == [("seeds", "variants")]
