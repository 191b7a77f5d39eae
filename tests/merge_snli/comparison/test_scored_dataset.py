"""Tests of the arrays that the analyses share, against the rows of the bundled data set and the scores of results."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from merge_snli import Result, score
from merge_snli.base.errors import InputError
from merge_snli.comparison.curves import averaged, mean_curve, pass_shares
from merge_snli.comparison.scored_dataset import ScoredDataset, scored_dataset
from merge_snli.scoring.opening import open_config
from tests.oracles import with_answers

SHIPPED = Path(__file__).parents[3] / "merge_snli"


def by_length(pairs: list[tuple[str, str]]) -> list[int]:
    return [(len(premise) + len(hypothesis)) % 3 for premise, hypothesis in pairs]


def always_neutral(pairs: list[tuple[str, str]]) -> list[str]:
    return ["neutral"] * len(pairs)


@pytest.fixture(scope="module")
def results() -> list[Result]:
    return [score(by_length, SHIPPED, name="by length"), score(always_neutral, SHIPPED, name="always neutral")]


@pytest.fixture(scope="module")
def scored(results: list[Result]) -> ScoredDataset:
    return scored_dataset(open_config(SHIPPED, "all"), results)


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    table: list[dict[str, Any]] = pq.read_table(SHIPPED / "data/all/test.parquet").to_pylist()
    return table


def test_arrays_follow_the_rows(scored: ScoredDataset, rows: list[dict[str, Any]]) -> None:
    words, seeds = scored.words, scored.seeds
    assert [scored.ids[seed] for seed in scored.groups] == [row["seed_id"] for row in rows]
    assert words["original"].to_pylist() == [row["original"] for row in rows]
    assert words["replacement"].to_pylist() == [row["replacement"] for row in rows]
    assert scored.variants_by("word_class")["verb"].tolist() == [row["word_class"] == "verb" for row in rows]
    assert not scored.variants_by("word_class")["adv"].any()
    assert scored.data.subsamples is not None
    assert scored.data.subsamples.tolist() == [[draw in row["subsamples"] for row in rows] for draw in range(10)]
    texts = {row["seed_id"]: (row["seed_premise"], row["seed_hypothesis"]) for row in rows}
    assert {name: seed[:2] for name, seed in zip(scored.ids, seeds, strict=True)} == texts
    model = scored.models[0]
    assert model.answers.predicted.tolist() == by_length([(row["premise"], row["hypothesis"]) for row in rows])
    assert model.answers.correct.tolist() == [
        prediction == row["label"] for prediction, row in zip(model.answers.predicted.tolist(), rows, strict=True)
    ]
    assert model.seeds.predicted.tolist() == by_length([seed[:2] for seed in seeds])


@pytest.mark.parametrize("name", ["noun", "verb", "adj"])
def test_curves_of_a_class_are_those_of_the_results(scored: ScoredDataset, results: list[Result], name: str) -> None:
    mask = scored.variants_by("word_class")[name]
    tables = [model.answers.counts(rows=mask) for model in scored.models]
    curve = mean_curve([(model.name, table) for model, table in zip(scored.models, tables, strict=True)], variants=1)
    expected = np.mean(
        np.array([result.parts["word_class"][name].curve.mean for result in results], dtype=float), axis=0
    )
    assert curve.mean == pytest.approx(expected.tolist())
    assert curve.seeds == results[0].parts["word_class"][name].groups
    assert np.nanmean(pass_shares(tables[0])) == pytest.approx(
        results[0].parts["word_class"][name].pattern_accuracy.mean
    )
    values = np.mean([pass_shares(tables[0]), pass_shares(tables[1])], axis=0)
    assert np.array_equal(averaged(scored, mask)[1], values, equal_nan=True)


def test_left_out_variants_are_not_counted(scored: ScoredDataset, results: list[Result]) -> None:
    first = results[0]
    kept = np.ones(len(first.answers.predicted), dtype=bool)
    kept[np.unique(first.answers.groups, return_index=True)[1]] = False
    shorter = with_answers(first, first.answers.take(rows=kept))
    again = scored_dataset(scored.data, [shorter]).models[0].answers
    assert np.count_nonzero(~again.is_predicted) == len(scored.ids)
    assert again.subsamples is not None
    fewer = int(scored.models[0].answers.counts().sizes.sum() - again.counts().sizes.sum())
    assert fewer == int(np.count_nonzero(again.subsamples & ~again.is_predicted)) > 0


def test_a_result_on_other_data_is_refused(scored: ScoredDataset, results: list[Result]) -> None:
    other = replace(results[0], dataset=replace(results[0].dataset, digest="f" * 64))
    with pytest.raises(InputError, match=r"by length.*ffffffff"):
        scored_dataset(scored.data, [results[0], other])


def test_a_result_with_an_unknown_variant_is_refused(scored: ScoredDataset, results: list[Result]) -> None:
    answers = results[0].answers
    ids = pa.array(["nothing", *answers.row_ids.to_pylist()[1:]])
    changed = with_answers(results[0], replace(answers, table=answers.table.set_column(0, "row_id", ids)))
    with pytest.raises(InputError, match=r"by length.*variant 'nothing' is not in"):
        scored_dataset(scored.data, [changed])
