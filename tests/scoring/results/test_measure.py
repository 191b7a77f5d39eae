"""Tests of scores on parts of the bundled data set, against a plain recount of its rows."""

from __future__ import annotations

import warnings
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from generation import Options, generate
from merge_snli.dataset import find_dataset
from scoring import Result, score
from scoring.predictions.pairs import read_config
from scoring.results.measure import PredictedLabels, align_predictions, scores, scores_against_majority, seed_table
from scoring.results.scores import NOT_SCORED

SHIPPED = Path(__file__).parents[3] / "merge_snli"
MASKED_LMS = ("demo:mlm-wordpiece", "demo:mlm-bpe")
NAMES = ("entailment", "neutral", "contradiction")
Row = dict[str, Any]


def rows_of(folder: Path) -> list[Row]:
    table: list[Row] = pq.read_table(folder / "data/all/test.parquet").to_pylist()
    return table


def predict(premise: str, hypothesis: str) -> int:
    return (len(premise) + len(hypothesis)) % 3


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return rows_of(SHIPPED)


@pytest.fixture(scope="module")
def result() -> Result:
    return score_by_length(SHIPPED)


def score_by_length(folder: Path) -> Result:
    return score(lambda pairs: [predict(*pair) for pair in pairs], folder, name="by length")


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data set without the bundled one's filter that both masked LMs validate every variant."""
    options = Options(
        problems="demo:problems", id_column="id", limit=150, mlm=MASKED_LMS, classes=("verb", "adj"), inflation=5
    )
    return generate(options, tmp_path_factory.mktemp("plain") / "merge_snli").folder


def is_correct(row: Row) -> bool:
    return bool(predict(row["premise"], row["hypothesis"]) == row["label"])


@pytest.mark.parametrize("masked_lm", MASKED_LMS)
def test_masked_lm_scores_cover_the_variants_it_validated(plain: Path, masked_lm: str) -> None:
    result, rows = score_by_length(plain), rows_of(plain)
    validated = [row for row in rows if masked_lm in row["premise_mlms"] or masked_lm in row["hypothesis_mlms"]]
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
    for part in parts.values():
        assert part.intervals is not None
        low, high = part.intervals.seed_sample_accuracy
        assert low <= part.seed_sample_accuracy <= high
        assert part.qt is not None
        low, high = part.intervals.qt
        assert low <= part.qt + 0.02
        assert part.qt - 0.02 <= high


def test_data_set_version_is_on_the_card(result: Result) -> None:
    assert f"version: {result.dataset.version}\n" in (SHIPPED / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("method", ["gold", "majority"])
def test_subsamples_without_variants_have_no_score(method: str) -> None:
    """The subsamples draw three, no and one variant of two seeds; the prediction on the last variant is wrong."""
    predicted = PredictedLabels(
        gold=np.array([0, 1]),
        seed_predictions=np.array([0, 1]),
        variant_predictions=np.array([0, 0, 1, 0]),
        variant_seeds=np.array([0, 0, 1, 1]),
        drawn=np.array([[True, False, True, True], [False] * 4, [False, True, False, False]]),
        seed_indices=np.arange(2),
        variant_indices=np.arange(4),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = scores(predicted).on_variants if method == "gold" else scores_against_majority(predicted)
    assert found.sample_accuracy.each == (2 / 3, None, 1)
    assert found.sample_accuracy.mean == pytest.approx(5 / 6)
    assert found.sample_accuracy.std == pytest.approx(np.std([2 / 3, 1], ddof=1))
    assert found.pattern_accuracy.each == (0.5, None, 1)
    assert found.curve.seeds == (2, 0, 1)
    assert [passing[90] for passing in found.curve.passing] == [1, 0, 1]
    assert found.curve.mean[90] == found.pattern_accuracy.mean == 0.75
    assert (found.variants, found.test_sample_accuracy) == (4, 0.75)


def test_without_drawn_variants_there_is_no_score() -> None:
    one = np.array([0])
    found = scores(PredictedLabels(one, one, one, one, np.zeros((2, 1), dtype=bool), one, one))
    assert (found.on_variants.sample_accuracy.mean, found.on_variants.sample_accuracy.std) == (None, None)
    assert found.on_variants.pattern_accuracy.each == (None, None)
    assert (found.qt, found.mt, found.seed_sample_accuracy) == (None, None, 1)


def test_a_variant_that_is_too_long_has_no_prediction_in_the_table_of_seeds() -> None:
    data = read_config(find_dataset(str(SHIPPED)), "adj")
    too_long = data.variant_pairs[3]
    predicted = np.full(len(data.pairs), 2)
    predicted[too_long] = -1
    table = seed_table(data, align_predictions(data, predicted, data.seed_labels), data.label_names)
    pairs_of_seeds = [data.variant_pairs[data.variant_seeds == seed] for seed in range(len(data.seed_ids))]
    assert table.variant_predictions == tuple(
        "".join(NOT_SCORED if pair == too_long else "2" for pair in pairs) for pairs in pairs_of_seeds
    )
    assert table.seed_id == data.seed_ids
