"""Every number of a report equals one that plain pandas computes from the predictions alone."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable

import pytest

from merge_snli.paper.report.analyze import analyze
from tests.merge_snli.scoring.independent.compare import differences
from tests.merge_snli.scoring.independent.conftest import FINE_TUNED_FROM, HARD, Scored
from tests.merge_snli.scoring.independent.data import Json
from tests.merge_snli.scoring.independent.numbers import Near
from tests.merge_snli.scoring.independent.regression import word_counts
from tests.merge_snli.scoring.independent.report import OF_ONE, recompute

LEFT_OUT = (HARD[0], "s001")


def test_every_number_is_equal(scored: Scored) -> None:
    """One test, as its fixtures are expensive. The report repeats all analyses without some seeds."""
    report = analyze(
        [scored.results],
        scored.folders,
        fine_tuned_from=FINE_TUNED_FROM,
        corpus=str(scored.corpus),
        without_seeds=LEFT_OUT,
    ).as_dict()
    reported: Json = json.loads(json.dumps(report))
    check_completeness(reported)
    words = word_counts(scored.corpus.read_text(encoding="utf-8"))
    results = sorted(scored.results.glob("*.json"))
    computed = recompute(reported, scored.folders, results, words=words, without=LEFT_OUT)
    assert list(differences(reported, computed)) == []


def check_completeness(reported: Json) -> None:
    """Check that little is missing in the report: what needs two word classes or more seeds."""
    parts = {part["title"]: part["analyses"] for part in reported["data_sets"]}
    assert [*parts][:3] == ["plain, config all", "plain, config all, two-way models", "plain, config noun"]
    first, two_way, second = [*parts.values()][:3]
    assert [row["model"] for row in two_way["table_3"]["rows"]] == ["half"]
    assert 0 < first["table_3"]["rows"][0]["seeds"] < two_way["table_3"]["rows"][0]["seeds"]
    assert set(first) == {*OF_ONE, "word_frequency", "error_drivers"}
    assert missing(first) == set()
    assert missing(second) == {"classes", "class_pairs"}
    assert missing(reported["across_data_sets"]) == set()
    assert sum(model["not_computed"] is None for model in first["error_drivers"]["models"]) >= 3
    assert first["error_drivers"]["pooled"]["coefficients"]
    assert {row["group"] for row in first["fine_tuned"]["groups"] if row["seeds"]} == {"equiv", "size", "arch", "multi"}
    assert parts["pos, config all"]["hard_seeds"]["never_right"]
    tests = [pair["result"]["test"] for pair in first["table_3"]["family"]["pairs"]]
    assert any("resamples" in test for test in tests)


def missing(analyses: Json) -> set[str]:
    return {name for name, value in analyses.items() if "not_computed" in value}


REPORTED: Json = {"rows": [{"model": "a", "qt": -0.05, "mt": None, "n": 3}, {"model": "b"}], "p": 0.2, "test": "Welch"}
COMPUTED: Json = {
    "rows": [{"model": "a", "qt": -0.05, "mt": float("nan"), "n": 3}, {"model": "b"}],
    "p": Near(0.19, 0.02),
}


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda value: value["rows"][0].update(qt=-0.05 + 1e-6), "rows[0].qt"),
        (lambda value: value["rows"][0].update(n=4), "rows[0].n"),
        (lambda value: value["rows"][0].update(model="c"), "rows[0].model"),
        (lambda value: value["rows"][0].update(extra=1), "extra = 1 was not computed"),
        (lambda value: value["rows"][0].update(extra=None), "extra = None was not computed"),
        (lambda value: value["rows"][0].pop("qt"), "qt is missing"),
        (lambda value: value["rows"].pop(), "1 values, computed 2"),
        (lambda value: value.update(p=0.22), "p = 0.22"),
        (lambda value: value.update(test=3), "test = 3 was not computed"),
    ],
)
def test_a_changed_or_new_number_is_found(change: Callable[[Json], object], named: str) -> None:
    assert list(differences(REPORTED, COMPUTED)) == []
    changed = copy.deepcopy(REPORTED)
    change(changed)
    [found] = differences(changed, COMPUTED)
    assert named in found
