"""Tests of Table 3."""

from __future__ import annotations

from dataclasses import replace

from merge_snli.analysis.table_3 import table_3
from merge_snli.scoring.results.measure import source_accuracy
from merge_snli.scoring.results.scores import SourceScores
from merge_snli.scoring.statistics import compare_models
from tests.merge_snli.analysis.made import rows_of, scored_dataset


def test_rows_are_the_scores_of_the_results_with_letters() -> None:
    rows = [row for number in range(8) for row in rows_of(f"s{number}", ["en", "en" if number else "ee"])]
    made = scored_dataset(rows, models=("right", "wrong"))
    found = table_3(made)
    right, wrong = found.rows
    assert (right.model, right.seeds, right.on_seeds, right.on_variants, right.qt, right.mt) == ("right", 8, 1, 1, 0, 1)
    assert wrong.pattern_accuracy == 0
    assert wrong.on_variants == 1 / 16
    intervals = made.models[1].result.scores.intervals
    assert intervals is not None
    assert wrong.on_variants_interval == intervals.sample_accuracy
    assert wrong.qt_interval == intervals.qt
    assert (right.letters, wrong.letters) == ("a", "b")
    assert found.family == compare_models({"right": [1.0] * 8, "wrong": [0.0] * 8})
    assert (found.level, found.method) == (0.95, "Wilson score or BCa bootstrap")


def test_one_model_has_no_letters() -> None:
    found = table_3(scored_dataset(rows_of("s1", "en")))
    assert (found.family, found.rows[0].letters, found.rows[0].qt_interval, found.level) == (None, "", None, None)


def test_the_source_is_the_first_column() -> None:
    made = scored_dataset(rows_of("s1", "en"))
    source = SourceScores("snli", "0" * 64, 0, 0, source_accuracy(3, 4), {"entailment": source_accuracy(3, 4)})
    [model] = made.models
    [row] = table_3(replace(made, models=(replace(model, result=replace(model.result, source=source)),))).rows
    assert (row.source, row.source_problems) == (0.75, 4)
    assert row.source_interval == source.overall.interval
    assert table_3(made).rows[0].source is None
