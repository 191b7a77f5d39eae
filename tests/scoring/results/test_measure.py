"""Tests of scores on parts of the bundled data set, against a plain recount of its rows."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from scoring import Result, score

SHIPPED = Path(__file__).parents[3] / "merge_snli"
NAMES = ("entailment", "neutral", "contradiction")
Row = dict[str, Any]


def predict(premise: str, hypothesis: str) -> int:
    return (len(premise) + len(hypothesis)) % 3


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    table: list[Row] = pq.read_table(SHIPPED / "data/all/test.parquet").to_pylist()
    return table


@pytest.fixture(scope="module")
def result() -> Result:
    return score(lambda pairs: [predict(*pair) for pair in pairs], SHIPPED, name="by length")


def is_correct(row: Row) -> bool:
    return bool(predict(row["premise"], row["hypothesis"]) == row["label"])


@pytest.mark.parametrize("masked_lm", ["demo:mlm-wordpiece", "demo:mlm-bpe"])
def test_masked_lm_scores_cover_the_variants_it_validated(result: Result, rows: list[Row], masked_lm: str) -> None:
    validated = [row for row in rows if masked_lm in row["premise_mlms"] and masked_lm in row["hypothesis_mlms"]]
    scores = result.masked_lms[masked_lm]
    assert scores.on_variants.variants == len(validated) < len(rows)
    assert scores.on_variants.test_sample_accuracy == sum(map(is_correct, validated)) / len(validated)
    assert scores.seeds == len({row["seed_id"] for row in validated})
    drawn: dict[str, list[bool]] = defaultdict(list)
    for row in validated:
        if 4 in row["subsamples"]:
            drawn[row["seed_id"]].append(is_correct(row))
    passing = sum(10 * sum(of_seed) >= 9 * len(of_seed) for of_seed in drawn.values())
    assert scores.on_variants.curve.passing[4][90] == passing
    assert scores.on_variants.curve.seeds[4] == len(drawn)
    assert scores.on_variants.curve.each[4][90] == scores.on_variants.pattern_accuracy.each[4] == passing / len(drawn)


def test_variant_predictions_follow_the_row_order(result: Result, rows: list[Row]) -> None:
    expected: dict[str, str] = defaultdict(str)
    for row in rows:
        expected[row["seed_id"]] += str(predict(row["premise"], row["hypothesis"]))
    assert result.compared_labels == NAMES
    assert dict(zip(result.seeds.seed_id, result.seeds.variant_predictions, strict=True)) == expected


def test_every_part_has_intervals_around_its_scores(result: Result) -> None:
    parts = {"all": result.scores} | result.classes | result.labels | result.masked_lms
    for scores in parts.values():
        assert scores.intervals is not None
        low, high = scores.intervals.seed_sample_accuracy
        assert low <= scores.seed_sample_accuracy <= high
        assert scores.qt is not None
        low, high = scores.intervals.qt
        assert low <= scores.qt + 0.02
        assert scores.qt - 0.02 <= high


def test_data_set_version_is_on_the_card(result: Result) -> None:
    assert f"version: {result.dataset.version}\n" in (SHIPPED / "README.md").read_text(encoding="utf-8")
