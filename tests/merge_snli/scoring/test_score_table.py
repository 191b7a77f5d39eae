"""Tests of the table of results on screen and in a notebook."""

import dataclasses
from pathlib import Path

import pytest

from merge_snli import Result, score, score_table
from merge_snli.scoring.rows import ends_text
from tests.text_tables import rows_of


@pytest.fixture(scope="module")
def result(dataset: Path) -> Result:
    result = score(lambda pairs: [len(premise) % 3 for premise, _ in pairs], dataset, name="by length")
    found, intervals = result.scores, result.scores.intervals
    assert intervals is not None
    mean = list(found.curve.mean)
    mean[90] = 0.8477
    scores = dataclasses.replace(
        found,
        seed_accuracy=0.8964,
        qt=-0.0487,
        mt=0.59,
        sample_accuracy=dataclasses.replace(found.sample_accuracy, mean=0.8885),
        pattern_accuracy=dataclasses.replace(found.pattern_accuracy, mean=0.8477),
        curve=dataclasses.replace(found.curve, mean=tuple(mean)),
        intervals=dataclasses.replace(intervals, pattern_accuracy=(0.8102, 0.9)),
    )
    return dataclasses.replace(result, scores=scores, notes=("a note",))


def test_table_3(result: Result) -> None:
    text = score_table([result]).text()
    title, *_, last = text.splitlines()
    assert title == "merge_small, config all: 12 seeds, 446 variants"
    assert "mean over 10 subsamples" in text
    assert last == "by length: a note"
    (row,) = rows_of(text)
    assert row["Model"] == "by length"
    assert (row["Seeds"], row["Variants"]) == ("89.6", "88.8")
    assert (row["PA(0.9)"], row["95% interval"]) == ("84.8", "81.0 to 90.0")
    assert (row["QT"], row["MT"]) == ("-4.9", "59")


def test_an_end_that_rounds_to_zero_has_no_minus() -> None:
    assert ends_text(-0.0004, 0.1) == "0.0 to 10.0"
    assert ends_text(-0.0004, 0.1, sign="+") == "+0.0 to +10.0"


def test_one_subsample_is_singular(dataset: Path) -> None:
    result = score(lambda pairs: [0] * len(pairs), dataset, name="constant", subsample=0)
    assert "mean over 1 subsample." in score_table([result]).text()


def test_pattern_accuracy_without_interval(result: Result) -> None:
    scores = dataclasses.replace(result.scores, intervals=None)
    (row,) = rows_of(score_table([dataclasses.replace(result, scores=scores)]).text())
    assert (row["PA(0.9)"], row["95% interval"]) == ("84.8", "–")


def test_tiny_drop_is_shown_without_minus(result: Result) -> None:
    accuracy = result.scores.pattern_accuracy.mean or 0.0
    scores = dataclasses.replace(result.scores, seed_accuracy=accuracy + 0.0001, qt=-0.0001)
    (row,) = rows_of(score_table([dataclasses.replace(result, scores=scores)]).text())
    assert row["QT"] == "+0.0"


def test_failed_models_are_listed_with_their_reason(result: Result) -> None:
    text = score_table([result], {"org/gone": "not found"}).text()
    gone = rows_of(text)[-1]
    assert gone.pop("Model") == "org/gone"
    assert {*gone.values()} == {"–"}
    assert text.endswith("org/gone: not scored: not found\n")
    assert score_table([], {"org/gone": "not found"}).text().endswith("\n\norg/gone: not scored: not found\n")


def test_control_characters_in_names_are_replaced(result: Result) -> None:
    model = dataclasses.replace(result.model, name="a\nb\x1b[2J")
    text = score_table([dataclasses.replace(result, model=model)], {"c\rd": "it is\u2028gone"}).text()
    assert [row["Model"] for row in rows_of(text)] == ["a b [2J", "c d"]
    assert text.endswith("c d: not scored: it is gone\n")


def test_html_is_escaped(result: Result) -> None:
    evil = dataclasses.replace(result.model, name="<script>alert(1)</script>")
    html = score_table([dataclasses.replace(result, model=evil)]).html()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    for shown in ("84.8", "81.0 to 90.0", "-4.9"):
        assert f">{shown}</td>" in html
