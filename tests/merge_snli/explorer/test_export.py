"""Tests of tidy tables: each row against the result file, and that the programs people use can read them."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from merge_snli import InputError, MergeDataset, Result, score
from merge_snli.cli import main
from merge_snli.explorer.write import results_on, write_answers
from merge_snli.pairs.options import SimplePairOptions
from merge_snli.pairs.simple_pair import make_simple_pair
from merge_snli.schema import NLI_LABELS
from merge_snli.scoring.answers import Answers
from merge_snli.scoring.predictions.opening import open_config
from merge_snli.scoring.results.calibration import as_stored
from merge_snli.scoring.results.recompute import answers_of
from tests.merge_snli.analysis.made import made_result
from tests.merge_snli.leaderboard.conftest import SHIPPED

COLUMNS = [
    *("variant_id", "seed_id", "word_class", "original", "replacement", "log_odds", "subsamples", "label", "model"),
    *("answer", "correct", "seed_answer", "seed_correct"),
]


@pytest.fixture(scope="module")
def long(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tables") / "answers.parquet"
    assert main(["explore", str(folder), "--dataset", "demo:dataset", "--export", str(path)]) == 0
    return path


def answers_in(result: Result, rows: list[dict[str, Any]]) -> list[tuple[str | None, bool | None]]:
    """Read the answer of each row of the data from the texts of a result, one character after another."""
    table, places, found = result.groups, Counter[str](), []
    for row in rows:
        answers = dict(zip(table.id, table.predictions, strict=True)).get(row["seed_id"], "")
        letter = answers[places[row["seed_id"]]] if answers else "-"
        places[row["seed_id"]] += 1
        answer = None if letter in "-?" else result.compared_labels[int(letter)]
        gold = ("entailment", "neutral", "contradiction")[row["label"]]
        expected = gold if gold in result.compared_labels else "not_entailment"
        found.append((answer, None if letter == "-" else answer == expected))
    return found


def test_the_long_table_has_the_answers_of_the_results(long: Path, results: list[Result]) -> None:
    data = pq.read_table(SHIPPED / "data/all/test.parquet").to_pylist()
    rows = pq.read_table(long).to_pylist()
    assert list(rows[0]) == COLUMNS
    assert len(rows) == len(results) * len(data)
    for result in results:
        own = [row for row in rows if row["model"] == result.title]
        assert [row["variant_id"] for row in own] == [row["variant_id"] for row in data]
        assert [(row["answer"], row["correct"]) for row in own] == answers_in(result, data)
        on_seed = dict(zip(result.groups.id, result.groups.anchors or (), strict=True))
        assert [row["seed_answer"] for row in own] == [on_seed.get(row["seed_id"]) for row in own]
    assert {None, True, False} == {row["correct"] for row in rows}
    drawn = [row["correct"] for row in rows if row["subsamples"] and row["model"] == "org/careful"]
    assert sum(drawn) / len(drawn) == pytest.approx(0.95, abs=0.02)


def test_the_wide_table_has_the_same_answers_beside_each_other(long: Path, folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "wide.parquet"
    command = ["explore", str(folder), "--dataset", "demo:dataset", "--export", str(path), "--wide", "--with-text"]
    assert main(command) == 0
    wide, rows = pq.read_table(path), pq.read_table(long).to_pylist()
    assert {"premise", "hypothesis", "seed_premise", "seed_hypothesis"} <= {*wide.column_names}
    for model in ("org/careful", "unsure", "two-way"):
        own = [row for row in rows if row["model"] == model]
        for name in ("answer", "correct", "seed_answer", "seed_correct"):
            assert wide[f"{name}:{model}"].to_pylist() == [row[name] for row in own]


def test_every_reader_finds_the_same_rows(long: Path, tmp_path: Path) -> None:
    import datasets
    import duckdb
    import polars as pl

    expected = pq.read_table(long).to_pylist()
    loaded = datasets.load_dataset("parquet", data_files=str(long), split="train", cache_dir=str(tmp_path))
    assert loaded.column_names == COLUMNS
    assert loaded[5] == expected[5]
    assert pl.read_parquet(long).row(5, named=True) == expected[5]
    frame = pd.read_parquet(long)
    assert [*frame.columns] == COLUMNS
    assert frame["correct"].isna().sum() == sum(row["correct"] is None for row in expected)
    counted = (
        duckdb.connect().execute(f"select model, count(*) filter (correct) from '{long}' group by model").fetchall()
    )
    assert dict(counted) == Counter(row["model"] for row in expected if row["correct"])


def test_csv_has_the_same_values(long: Path, folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    assert main(["explore", str(folder), "--dataset", "demo:dataset", "--export", str(path)]) == 0
    frame, expected = pd.read_csv(path, keep_default_na=False), pq.read_table(long).to_pylist()
    assert [*frame.columns] == COLUMNS
    assert frame["replacement"].tolist() == [row["replacement"] for row in expected]
    assert frame["subsamples"].tolist() == [" ".join(map(str, row["subsamples"])) for row in expected]
    assert frame["answer"].tolist() == [row["answer"] or "" for row in expected]


def test_a_result_gives_its_own_rows(long: Path, results: list[Result], bundled: MergeDataset) -> None:
    frame = results[0].to_pandas(bundled)
    own = [row for row in pq.read_table(long).to_pylist() if row["model"] == "org/careful"]
    assert [*frame.columns] == COLUMNS
    assert frame["answer"].tolist() == [row["answer"] for row in own]
    assert "premise" in results[0].to_pandas(bundled, with_text=True)


def test_tables_have_the_labels_of_annotators(with_people: tuple[MergeDataset, list[Result]], tmp_path: Path) -> None:
    dataset, models = with_people
    rows = {row["seed_id"]: row for row in models[0].to_pandas(dataset).to_dict("records")}
    shares = [row["agreement"] for row in rows.values()]
    assert shares[:3] == [1.0, 0.8, 0.6]
    assert np.isnan(shares[3])
    for row in list(rows.values())[:3]:
        assert row[f"people:{row['label']}"] == row["agreement"]
        assert sum(row[f"people:{name}"] for name in NLI_LABELS) == pytest.approx(1)
    write_answers(tmp_path / "wide.csv", models, dataset, wide=True)
    header = (tmp_path / "wide.csv").read_text(encoding="utf-8").splitlines()[0].replace('"', "").split(",")
    assert header[8:12] == ["agreement", *(f"people:{name}" for name in NLI_LABELS)]


def test_data_without_seeds_is_refused(results: list[Result], tmp_path: Path) -> None:
    pairs = make_simple_pair(tmp_path / "pairs", SimplePairOptions(premises=4))
    with pytest.raises(InputError, match="Simple Pair has no seeds"):
        results_on(results, pairs)


@pytest.fixture(scope="module")
def probable(results: list[Result]) -> tuple[Answers, Result]:
    """Random probabilities of the answers of a model, and its result."""
    data, rng = open_config(SHIPPED, "all"), np.random.default_rng(0)
    answers = answers_of(results[0], data)
    assert answers.anchors is not None
    on_rows, on_seeds = (as_stored(rng.dirichlet(np.ones(3), len(each.gold))) for each in (answers, answers.anchors))
    answers = replace(answers, probabilities=on_rows, anchors=replace(answers.anchors, probabilities=on_seeds))
    return answers, made_result("probable", data, answers)


def test_tables_have_probabilities(
    probable: tuple[Answers, Result], results: list[Result], bundled: MergeDataset, tmp_path: Path
) -> None:
    answers, result = probable
    models = [results[2], result]
    own, on_seeds = ([f"{prefix}probability:{label}" for label in NLI_LABELS] for prefix in ("", "seed_"))
    frame = result.to_pandas(bundled)
    assert [*frame.columns] == [*COLUMNS, *own, *on_seeds]
    assert answers.probabilities is not None
    assert answers.anchors is not None
    assert answers.anchors.probabilities is not None
    assert np.allclose(frame[own], answers.probabilities, rtol=1e-6)
    assert np.allclose(frame[on_seeds], answers.anchors.probabilities[answers.groups], rtol=1e-6)
    write_answers(tmp_path / "long.parquet", models, bundled)
    rows = pq.read_table(tmp_path / "long.parquet").to_pandas()
    pd.testing.assert_frame_equal(rows[rows["model"] == "probable"].reset_index(drop=True), frame, check_dtype=False)
    assert rows.loc[rows["model"] == "two-way", own + on_seeds].isna().all(axis=None)
    write_answers(tmp_path / "wide.parquet", models, bundled, wide=True)
    wide = pq.read_table(tmp_path / "wide.parquet").to_pandas()
    assert not [name for name in wide if "probability" in name and name.endswith(":two-way")]
    assert (wide[[f"{name}:probable" for name in own]].to_numpy() == frame[own].to_numpy()).all()
    write_answers(tmp_path / "long.csv", models, bundled)
    assert np.allclose(pd.read_csv(tmp_path / "long.csv")[own].dropna(), frame[own], rtol=1e-5)


def test_results_on_other_data_are_refused(results: list[Result], bundled: MergeDataset) -> None:
    nouns = score(lambda pairs: ["neutral"] * len(pairs), SHIPPED, config="noun", name="neutral", limit_seeds=10)
    with pytest.raises(InputError, match="partial"):
        nouns.to_pandas(bundled)
    with pytest.raises(InputError, match="config all"):
        results_on([nouns], bundled)
    with pytest.raises(InputError, match=r"config verb.*results on all"):
        results_on(results, bundled, "verb")
    assert [result.title for result in results_on([*results, nouns], bundled)] == ["org/careful", "unsure", "two-way"]


@pytest.mark.parametrize("name", ["answers.xlsx", "answers", "folder.csv", "file/answers.csv"])
def test_other_files_are_refused(folder: Path, tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "file").touch()
    path = tmp_path / name
    assert main(["explore", str(folder), "--dataset", "demo:dataset", "--export", str(path)]) == 2
    message = capsys.readouterr().err
    assert path.parent.name in message and "--export" in message and "--out" not in message
    assert not path.is_file()
