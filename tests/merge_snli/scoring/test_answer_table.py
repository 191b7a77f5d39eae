"""Tests of the table of answers: each row against the model, other readers, and the data joined to it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from merge_snli import InputError, MergeDataset, Result, read_answers, read_result, read_results, score
from merge_snli.schema import NLI_LABELS
from merge_snli.scoring.answer_table import from_bytes, from_table, to_bytes, to_table
from merge_snli.scoring.answers import join
from merge_snli.scoring.calibration import as_stored
from merge_snli.scoring.opening import open_config
from merge_snli.scoring.scores import Scores
from merge_snli.scoring.store import answers_name, write_result
from metrics.pattern_accuracy.pattern_accuracy import PatternAccuracy
from tests.merge_snli.comparison.made import made_result
from tests.merge_snli.explorer.conftest import bundled as bundled
from tests.merge_snli.explorer.conftest import folder as folder
from tests.merge_snli.explorer.conftest import results as results
from tests.merge_snli.explorer.conftest import with_annotators as with_annotators
from tests.merge_snli.leaderboard.conftest import SHIPPED, Pair, chance, gold_labels, noisy
from tests.public_interface import FILE

COLUMNS = ["row_id", "group_id", "is_seed", "label", "answer", "unread", "subsamples"]
WORDS = ["word_class", "original", "replacement"]


@pytest.fixture(scope="session")
def gold() -> dict[Pair, int]:
    return gold_labels()


@pytest.fixture(scope="module")
def table(folder: Path, results: list[Result]) -> Path:
    """The file of the answers of the model that gives no answer to some pairs."""
    [path] = [path for path in folder.glob("*.json") if path.name.startswith("unsure")]
    return path.with_name(answers_name(path.name))


def test_the_table_has_what_the_model_answered(table: Path, gold: dict[Pair, int]) -> None:
    data = {row["variant_id"]: row for row in pq.read_table(SHIPPED / "data/all/test.parquet").to_pylist()}
    rows = pq.read_table(table).to_pylist()
    assert list(rows[0]) == [*COLUMNS, *WORDS]
    public = json.loads(FILE.read_text(encoding="utf-8"))["columns"]["answers"]
    assert all(public[each.name] in ("", str(each.type)) for each in pq.read_schema(table))
    variants = [row for row in rows if not row["is_seed"]]
    assert [row["row_id"] for row in variants] == list(data)
    for row in variants:
        own = data[row["row_id"]]
        pair = (own["premise"], own["hypothesis"])
        [label] = noisy("hasty", gold, 0.3)([pair])
        expected = (None, "no answer") if chance(*pair) < 0.1 else (NLI_LABELS[label], None)
        assert (row["answer"], row["unread"]) == expected
        assert [row[name] for name in (*WORDS, "subsamples")] == [own[name] for name in (*WORDS, "subsamples")]
        assert (row["group_id"], row["label"]) == (own["seed_id"], NLI_LABELS[own["label"]])
    assert {row["row_id"] for row in rows if row["is_seed"]} == {row["seed_id"] for row in data.values()}


def test_the_metric_gives_the_same_scores_from_the_columns_alone(folder: Path) -> None:
    for path in folder.glob("*.json"):
        result, rows = read_result(path), pq.read_table(path.with_name(answers_name(path.name))).to_pylist()
        variants = [row for row in rows if not row["is_seed"]]
        columns = {name: [row[name] for row in variants] for name in ("group_id", "subsamples", "label")}
        with warnings.catch_warnings():  # of answers that are not among the labels: unread ones, which are ""
            warnings.simplefilter("ignore")
            found = PatternAccuracy().compute(
                predictions=[row["answer"] or "" for row in variants],
                references=columns["label"],
                groups=columns["group_id"],
                subsamples=columns["subsamples"],
            )
        assert found is not None
        assert found["subsamples"]["sample_accuracy"]["mean"] == pytest.approx(result.sample_accuracy, abs=1e-12)
        assert found["subsamples"]["pattern_accuracy"]["mean"] == pytest.approx(result.pattern_accuracy, abs=1e-12)


def table_scores(variants: pd.DataFrame, reference: str) -> dict[str, Any]:
    """Return SA by subsample and the mean curve from plain columns; `reference` is a column, or `majority`."""
    drawn = variants.explode("subsamples").dropna(subset="subsamples")
    cells = drawn.groupby(["subsamples", "group_id"])
    if reference == "majority":
        given = drawn.dropna(subset="answer").groupby(["subsamples", "group_id", "answer"]).size()
        correct = given.groupby(level=[0, 1]).max().reindex(cells.size().index, fill_value=0)
    else:
        correct = (
            drawn.assign(right=drawn["answer"] == drawn[reference]).groupby(["subsamples", "group_id"])["right"].sum()
        )
    sizes = cells.size()
    passing = {percent: (100 * correct >= percent * sizes).groupby(level=0).mean() for percent in range(101)}
    return {
        "sample_accuracy": (correct.groupby(level=0).sum() / sizes.groupby(level=0).sum()).tolist(),
        "curve": [float(shares.mean()) for shares in passing.values()],
    }


def test_every_score_follows_from_the_plain_columns_of_the_table(folder: Path) -> None:
    for path in folder.glob("*.json"):
        result, rows = read_result(path), pd.read_parquet(path.with_name(answers_name(path.name)))
        seeds, variants = rows[rows["is_seed"]].set_index("group_id"), rows[~rows["is_seed"]]
        variants = variants.assign(seed=variants["group_id"].map(seeds["answer"]))
        consistent = result.consistency or {}
        compared = [(variants, "label", result.scores), (variants, "seed", consistent["seed"])]
        compared += [(variants, "majority", consistent["majority"])]
        in_data_labels = result.compared_labels == NLI_LABELS
        for column in ("word_class", "label") if in_data_labels else ("word_class",):
            parts = result.parts[column].items()
            compared += [(variants[variants[column] == value], "label", scores) for value, scores in parts]
        for part, reference, scores in compared:
            found = table_scores(part, reference)
            assert found["sample_accuracy"] == pytest.approx([*scores.sample_accuracy.each], abs=1e-12)
            assert found["curve"] == pytest.approx([*scores.curve.mean], abs=1e-12)
            if isinstance(scores, Scores):
                own = seeds.loc[part["group_id"].unique()]
                on_seeds = float((own["answer"] == own["label"]).mean())
                gaps = np.abs(np.array(found["curve"]) - on_seeds)
                assert scores.seed_accuracy == pytest.approx(on_seeds, abs=1e-12)
                assert scores.qt == pytest.approx(found["curve"][90] - on_seeds, abs=1e-12)
                assert scores.mt == max(np.flatnonzero(gaps <= gaps.min() + 1e-12)) / 100
        assert len(compared) == 3 + 3 + 3 * in_data_labels


def test_every_reader_finds_the_same_rows(table: Path, tmp_path: Path) -> None:
    import datasets
    import duckdb
    import polars as pl

    expected = pq.read_table(table).to_pylist()
    loaded = datasets.load_dataset("parquet", data_files=str(table), split="train", cache_dir=str(tmp_path))
    assert loaded[100] == expected[100]
    assert pl.read_parquet(table).row(100, named=True) == expected[100]
    assert pd.read_parquet(table)["answer"].isna().sum() == sum(row["answer"] is None for row in expected)
    query = f"select label, count(*) filter (answer = label) from '{table}' group by label"
    counted = Counter(row["label"] for row in expected if row["answer"] == row["label"])
    assert dict(duckdb.connect().execute(query).fetchall()) == counted


def test_answers_are_the_same_after_reading(results: list[Result]) -> None:
    for result in results:
        again = from_table(from_bytes(to_bytes(result.table)), result.compared_labels, result.subsamples)
        assert to_table(again).cast(result.table.schema).equals(result.table)


def test_probabilities_are_columns(results: list[Result]) -> None:
    data, rng = open_config(SHIPPED, "all"), np.random.default_rng(0)
    answers = join(results[0].answers, data)
    assert answers.seeds is not None
    on_rows, on_seeds = (as_stored(rng.dirichlet(np.ones(3), len(each.gold))) for each in (answers, answers.seeds))
    answers = replace(answers, probabilities=on_rows, seeds=replace(answers.seeds, probabilities=on_seeds))
    frame = made_result("probable", data, answers).table.to_pandas()
    own = [f"probability:{label}" for label in NLI_LABELS]
    assert np.array_equal(frame.loc[~frame["is_seed"], own], on_rows)
    assert np.array_equal(frame.loc[frame["is_seed"], own], on_seeds)


def test_answers_are_joined_with_the_data(folder: Path, results: list[Result], bundled: MergeDataset) -> None:
    frame = read_answers(folder, data=bundled, with_text=True)
    assert [*frame.columns][: len(COLUMNS) + 1] == ["model", *COLUMNS]
    assert Counter(frame["model"]) == {result.title: len(result.table) for result in results}
    rows = {row["variant_id"]: row for row in pq.read_table(SHIPPED / "data/all/test.parquet").to_pylist()}
    for name in ("premise", "hypothesis", "log_odds"):
        own = frame[~frame["is_seed"]]
        assert own[name].tolist() == pytest.approx([rows[row][name] for row in own["row_id"]])
    assert frame[frame["is_seed"]]["log_odds"].isna().all()
    assert "premise" not in read_answers(folder, data=bundled)
    assert [*read_answers(folder).columns] == ["model", *COLUMNS, *WORDS]
    with pytest.raises(InputError, match="needs the data"):
        read_answers(folder, with_text=True)
    with pytest.raises(InputError, match="config verb"):
        read_answers(folder, config="verb")


def test_tables_have_the_labels_of_annotators(with_annotators: tuple[MergeDataset, list[Result]]) -> None:
    dataset, models = with_annotators
    frame = models[0].to_pandas(dataset)
    rows = frame[frame["is_seed"]].to_dict("records")
    assert [row["agreement"] for row in rows[:3]] == [1.0, 0.8, 0.6]
    assert np.isnan(rows[3]["agreement"])
    for row in rows[:3]:
        assert row[f"annotators:{row['label']}"] == row["agreement"]
        assert sum(row[f"annotators:{name}"] for name in NLI_LABELS) == pytest.approx(1)


def test_results_on_other_data_are_refused(results: list[Result], tmp_path: Path, bundled: MergeDataset) -> None:
    other = replace(results[0], dataset=replace(results[0].dataset, digest="f" * 64))
    with pytest.raises(InputError, match="ffffffff"):
        other.to_pandas(bundled)


CHANGES: dict[str, tuple[Callable[[pa.Table], pa.Table], str]] = {
    "unknown label": (lambda table: _with(table, "answer", ["maybe"] * len(table)), "'maybe' is not one of"),
    "no ids": (lambda table: table.drop_columns(["row_id"]), "no column row_id"),
    "equal ids": (lambda table: _with(table, "row_id", ["one"] * len(table)), "not unique"),
    "no rows": (lambda table: table.filter(table["is_seed"]), "a seed no row"),
    "a group without its seed": (lambda table: table.slice(1), "a group has no seed"),
    "a seed after rows": (lambda table: pa.concat_tables([table.slice(1), table.slice(0, 1)]), "are not the first"),
    "no label": (lambda table: _with(table, "label", [None] * len(table)), "has an empty value"),
    "unknown subsample": (
        lambda table: table.set_column(6, "subsamples", pa.array([[99]] * len(table), pa.list_(pa.int32()))),
        "not among the 10",
    ),
    "wrong probabilities": (
        lambda table: pa.table(
            {name: table[name] for name in table.column_names}
            | {f"probability:{label}": pa.array([0.5] * len(table), pa.float32()) for label in NLI_LABELS}
        ),
        "do not add up to 1",
    ),
}


def _with(table: pa.Table, name: str, values: list[str | None]) -> pa.Table:
    return table.set_column(table.column_names.index(name), name, pa.array(values, pa.string()))


@pytest.mark.parametrize("change", CHANGES)
def test_wrong_tables_are_refused(change: str, results: list[Result], tmp_path: Path) -> None:
    changed, message = CHANGES[change]
    path = write_result(results[0], tmp_path)
    content = to_bytes(changed(results[0].table))
    path.with_name(answers_name(path.name)).write_bytes(content)
    with pytest.raises(InputError, match="is not the file of the answers"):
        read_result(path)
    with pytest.raises(ValueError, match=message):
        from_table(from_bytes(content), results[0].compared_labels, results[0].subsamples)


def test_a_missing_or_cut_table_is_refused(results: list[Result], tmp_path: Path) -> None:
    path = write_result(results[0], tmp_path)
    beside = path.with_name(answers_name(path.name))
    content = beside.read_bytes()
    beside.write_bytes(content[:-100])
    with pytest.raises(InputError, match=r"is not the file of the answers.*score the model again"):
        read_result(path)
    beside.unlink()
    with pytest.raises(InputError, match="has no answers"):
        read_result(path)
    with pytest.raises(ValueError, match="not a Parquet file"):
        from_bytes(content[:-100])


def test_two_runs_at_once_leave_a_pair_or_are_refused(results: list[Result], tmp_path: Path) -> None:
    """One run has written its answers when the other writes both files, then the first writes its numbers."""
    from merge_snli.scoring.store import to_files

    one = results[0]
    other = score(lambda pairs: [0] * len(pairs), SHIPPED, name="org/careful")
    files, others = to_files(one), to_files(other)
    (answers, first), (numbers, second) = files.items()
    assert list(others) == [answers, numbers]
    for name, content in ((answers, first), *others.items(), (numbers, second)):
        (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match="score the model again"):
        read_result(tmp_path / numbers)


KILLED = """
import os, signal, sys
from pathlib import Path
from merge_snli.scoring import store

write = store.write_bytes

def write_and_die(path, content):
    write(path, content)
    os.kill(os.getpid(), signal.SIGKILL)

store.write_bytes = write_and_die
store.write_result(store.read_result(sys.argv[1]), Path(sys.argv[2]))
"""


@pytest.mark.slow
def test_a_run_killed_between_the_two_files_leaves_no_result_or_one_that_is_refused(
    results: list[Result], tmp_path: Path
) -> None:
    """Beside the numbers of an earlier run of a model with this name, and in a new folder."""
    path = write_result(score(lambda pairs: [0] * len(pairs), SHIPPED, name="org/careful"), tmp_path / "new")
    out = tmp_path / "out"
    earlier = write_result(results[0], out)
    killed = subprocess.run([sys.executable, "-c", KILLED, str(path), str(out)], check=False)
    assert killed.returncode == -signal.SIGKILL
    with pytest.raises(InputError, match="score the model again"):
        read_results(out)
    earlier.unlink()
    assert [file.suffix for file in out.iterdir()] == [".parquet"]
    with pytest.raises(InputError, match="no results in"):
        read_results(out)
    write_result(read_result(path), out)
    assert read_results(out) == [read_result(path)]
