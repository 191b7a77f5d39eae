"""Tests of scores on parts of the bundled data set, against a plain recount of its rows."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from merge_snli import Result, score
from merge_snli.dataset.record import MaskedLMRecord, read_record
from merge_snli.dataset.stored import find_dataset
from merge_snli.models.labels import Missing
from merge_snli.scoring.answers import Answers, Graded, Predicted, align, predicted_answers
from merge_snli.scoring.measure import consistency, scores
from merge_snli.scoring.reading import read_config
from tests.oracles import answers_of_groups
from tests.records import save_record

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
def plain(make_dataset: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data set in which each masked LM validates some variants in both sentences, some in one, and some in none."""

    def change(_: Row, rows: list[Row]) -> None:
        for at, row in enumerate(rows):
            one, other = MASKED_LMS[at % 2], MASKED_LMS[(at + 1) % 2]
            row["premise_mlms"], row["hypothesis_mlms"] = [one], [other if at % 3 == 0 else one]

    folder = make_dataset(tmp_path_factory.mktemp("plain") / "merge_snli", change=change)
    made = read_record(folder / "run.json")
    masked_lms = tuple(MaskedLMRecord(name, None, "0" * 64) for name in MASKED_LMS)
    save_record(folder, title=made.title, data=made.data, masked_lms=masked_lms)
    return folder


def is_correct(row: Row) -> bool:
    return bool(predict(row["premise"], row["hypothesis"]) == row["label"])


@pytest.mark.parametrize("masked_lm", MASKED_LMS)
def test_masked_lm_scores_cover_the_variants_it_validated(plain: Path, masked_lm: str) -> None:
    result, rows = score_by_length(plain), rows_of(plain)
    validated = [row for row in rows if masked_lm in row["premise_mlms"] or masked_lm in row["hypothesis_mlms"]]
    scores = result.parts["masked_lm"][masked_lm]
    assert scores.rows == len(validated) < len(rows)
    assert scores.all_rows_accuracy == sum(map(is_correct, validated)) / len(validated)
    assert scores.groups == len({row["seed_id"] for row in validated})
    drawn: dict[str, list[bool]] = defaultdict(list)
    for row in validated:
        if 4 in row["subsamples"]:
            drawn[row["seed_id"]].append(is_correct(row))
    passing = sum(10 * sum(of_seed) >= 9 * len(of_seed) for of_seed in drawn.values())
    assert scores.curve.passing[4][90] == passing
    assert scores.curve.groups[4] == len(drawn)
    assert scores.curve.each[4][90] == scores.pattern_accuracy.each[4] == passing / len(drawn)


def test_variant_predictions_follow_the_row_order(result: Result, rows: list[Row]) -> None:
    expected: dict[str, str] = defaultdict(str)
    for row in rows:
        expected[row["seed_id"]] += str(predict(row["premise"], row["hypothesis"]))
    assert result.compared_labels == NAMES
    assert dict(zip(result.group_ids, answers_of_groups(result).predictions, strict=True)) == expected


def test_every_part_has_intervals_around_its_scores(result: Result) -> None:
    parts = {"all": result.scores} | result.parts["word_class"] | result.parts["label"] | result.parts["masked_lm"]
    for part in parts.values():
        assert part.intervals is not None
        assert part.seed_accuracy is not None
        assert part.intervals.seed_accuracy is not None
        low, high = part.intervals.seed_accuracy
        assert low <= part.seed_accuracy <= high
        assert part.qt is not None
        assert part.intervals.qt is not None
        low, high = part.intervals.qt
        assert low <= part.qt + 0.02
        assert part.qt - 0.02 <= high


def test_data_set_version_is_on_the_card(result: Result) -> None:
    assert f"version: {result.dataset.version}\n" in (SHIPPED / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("method", ["gold", "majority"])
def test_subsamples_without_variants_have_no_score(method: str) -> None:
    """The subsamples draw three, no and one variant of two seeds; the prediction on the last variant is wrong."""
    predicted = Answers(
        labels=NAMES,
        table=pa.table({"row_id": ["v0", "v1", "v2", "v3"]}),
        group_ids=("s0", "s1"),
        groups=np.array([0, 0, 1, 1]),
        gold=np.array([0, 0, 1, 1]),
        predicted=np.array([0, 0, 1, 0]),
        subsamples=np.array([[True, False, True, True], [False] * 4, [False, True, False, False]]),
        seeds=Graded(np.array([0, 1]), gold=np.array([0, 1])),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = scores(predicted) if method == "gold" else (consistency(predicted) or {})["majority"]
    assert found.sample_accuracy.each == (2 / 3, None, 1)
    assert found.sample_accuracy.mean == pytest.approx(5 / 6)
    assert found.sample_accuracy.std == pytest.approx(np.std([2 / 3, 1], ddof=1))
    assert found.pattern_accuracy.each == (0.5, None, 1)
    assert found.curve.groups == (2, 0, 1)
    assert [passing[90] for passing in found.curve.passing] == [1, 0, 1]
    assert found.curve.mean[90] == found.pattern_accuracy.mean == 0.75
    assert (found.rows, found.all_rows_accuracy) == (4, 0.75)


def test_without_drawn_variants_there_is_no_score() -> None:
    one = np.array([0])
    found = scores(
        Answers(
            labels=NAMES,
            table=pa.table({"row_id": ["v0"]}),
            group_ids=("s0",),
            groups=one,
            gold=one,
            predicted=one,
            subsamples=np.zeros((2, 1), dtype=bool),
            seeds=Graded(one, gold=one),
        )
    )
    assert (found.sample_accuracy.mean, found.sample_accuracy.std) == (None, None)
    assert found.pattern_accuracy.each == (None, None)
    assert (found.qt, found.mt, found.seed_accuracy) == (None, None, 1)


def test_a_variant_that_is_too_long_has_no_answer() -> None:
    data = read_config(find_dataset(str(SHIPPED)), "adj")
    predicted = np.full(len(data.pairs), 2)
    predicted[data.row_pairs[3]] = Missing.NOT_PREDICTED
    answers, kept = predicted_answers(align(data, Predicted(predicted), data.label_names), data)
    ids = data.row_ids.to_pylist()
    expected = [name for name, pair in zip(ids, data.row_pairs, strict=True) if pair != data.row_pairs[3]]
    assert answers.row_ids.to_pylist() == kept.row_ids.to_pylist() == expected
    assert answers.group_ids == data.group_ids
    assert (answers.predicted == 2).all()
