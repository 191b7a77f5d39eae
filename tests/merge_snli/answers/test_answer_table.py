"""Tests of the table of answers and of calibration: each row against the model, other readers, and plain recounts."""

import math
import signal
import subprocess
import sys
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import fmean

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from merge_snli import MergeDataset, Result, read_answers, read_result, read_results, score, score_table
from merge_snli.answers import answers as answering
from merge_snli.answers.answers import Answers
from merge_snli.answers.joining import join
from merge_snli.answers.opening import open_config
from merge_snli.answers.table import check_table, from_bytes, from_table, to_bytes, to_table, without_dictionaries
from merge_snli.base.files import read_json
from merge_snli.results.calibration import as_stored, calibration_of, label_probabilities
from merge_snli.results.check import check_numbers, require_data
from merge_snli.results.naming import answers_name
from merge_snli.results.store import to_json, write_result
from merge_snli.schema import NLI_LABELS
from metrics.pattern_accuracy.pattern_accuracy import PatternAccuracy
from tests.merge_snli.comparison.made import made_result
from tests.merge_snli.explorer.conftest import bundled, folder, results, with_annotators
from tests.merge_snli.leaderboard.conftest import Pair, chance, noisy
from tests.oracles import BUNDLED, always, both_files, by_premise, known, pair_of, refused, rows_of
from tests.public_interface import FILE

COLUMNS = ["row_id", "group_id", "is_seed", "label", "answer", "unread", "subsamples"]


WORDS = ["word_class", "original", "replacement"]


__all__ = ["bundled", "folder", "results", "with_annotators"]


@pytest.fixture(scope="module")
def table(folder: Path, results: list[Result]) -> Path:
    """The file of the answers of the model that gives no answer to some pairs."""
    [path] = [path for path in folder.glob("*.json") if path.name.startswith("unsure")]
    return path.with_name(answers_name(path.name))


def test_the_table_has_what_the_model_answered(table: Path, gold: dict[Pair, int]) -> None:
    data = {row["variant_id"]: row for row in rows_of(BUNDLED)}
    rows = pq.read_table(table).to_pylist()
    assert list(rows[0]) == [*COLUMNS, *WORDS]
    public = read_json(FILE)["columns"]["answers"]
    assert all(public[each.name] in ("", str(each.type)) for each in pq.read_schema(table))
    variants = [row for row in rows if not row["is_seed"]]
    for row, own in zip(variants, data.values(), strict=True):
        [label] = noisy("hasty", gold, 0.3)([pair_of(own)])
        expected = (None, "no answer") if chance(*pair_of(own)) < 0.1 else (NLI_LABELS[label], None)
        assert (row["answer"], row["unread"]) == expected
        assert row["row_id"] == own["variant_id"]
        assert row["group_id"] == own["seed_id"]
        assert row["label"] == NLI_LABELS[own["label"]]
        for name in (*WORDS, "subsamples"):
            assert row[name] == own[name]
    assert {row["row_id"] for row in rows if row["is_seed"]} == {row["seed_id"] for row in data.values()}


def test_the_metric_gives_the_same_scores_from_the_columns_alone(folder: Path) -> None:
    for path in folder.glob("*.json"):
        result = read_result(path)
        rows = pq.read_table(path.with_name(answers_name(path.name))).to_pylist()
        variants = pd.DataFrame([row for row in rows if not row["is_seed"]])
        with warnings.catch_warnings():  # of answers that are not among the labels: unread ones, which are ""
            warnings.simplefilter("ignore")
            found = PatternAccuracy().compute(
                predictions=variants["answer"].fillna(""),
                references=variants["label"],
                groups=variants["group_id"],
                subsamples=variants["subsamples"],
            )
        assert found is not None
        assert found["subsamples"]["sample_accuracy"]["mean"] == pytest.approx(result.sample_accuracy, abs=1e-12)
        assert found["subsamples"]["pattern_accuracy"]["mean"] == pytest.approx(result.pattern_accuracy, abs=1e-12)


def test_every_reader_finds_the_same_rows(table: Path, tmp_path: Path) -> None:
    import datasets
    import duckdb
    import polars as pl

    expected = pq.read_table(table).to_pylist()
    loaded = datasets.load_dataset("parquet", data_files=str(table), split="train", cache_dir=str(tmp_path))
    assert loaded[100] == pl.read_parquet(table).row(100, named=True) == expected[100]
    unread = sum(row["answer"] is None for row in expected)
    assert pd.read_parquet(table)["answer"].isna().sum() == unread
    assert duckdb.connect().execute(f"select count(*) from '{table}' where answer is null").fetchone() == (unread,)


def test_answers_with_and_without_probabilities_are_the_same_after_reading(results: list[Result]) -> None:
    for result in results:
        again = from_table(from_bytes(to_bytes(result.table)), result.compared_labels, result.subsamples)
        assert without_dictionaries(to_table(again)).equals(without_dictionaries(result.table))
    data = open_config(BUNDLED, "all")
    rng = np.random.default_rng(0)
    answers = join(results[0].answers, data)
    seeds = known(answers.seeds)
    on_rows, on_seeds = (as_stored(rng.dirichlet(np.ones(3), len(each.gold))) for each in (answers, seeds))
    answers = replace(answers, probabilities=on_rows, seeds=replace(seeds, probabilities=on_seeds))
    frame = made_result("probable", data, answers).table.to_pandas()
    own = [f"probability:{label}" for label in NLI_LABELS]
    assert np.array_equal(frame.loc[~frame["is_seed"], own], on_rows)
    assert np.array_equal(frame.loc[frame["is_seed"], own], on_seeds)


def test_answers_are_joined_with_their_data_and_no_other(
    folder: Path, results: list[Result], bundled: MergeDataset, tmp_path: Path
) -> None:
    frame = read_answers(folder, data=bundled, with_text=True)
    assert [*frame.columns][: len(COLUMNS) + 1] == ["model", *COLUMNS]
    assert Counter(frame["model"]) == {result.title: len(result.table) for result in results}
    rows = {row["variant_id"]: row for row in pq.read_table(BUNDLED / "data/all/test.parquet").to_pylist()}
    for name in ("premise", "hypothesis", "log_odds"):
        own = frame[~frame["is_seed"]]
        assert own[name].tolist() == pytest.approx([rows[row][name] for row in own["row_id"]])
    assert frame[frame["is_seed"]]["log_odds"].isna().all()
    assert "premise" not in read_answers(folder, data=bundled)
    assert [*read_answers(folder).columns] == ["model", *COLUMNS, *WORDS]
    refused("needs the data", read_answers, folder, with_text=True)
    refused("config verb", read_answers, folder, config="verb")
    refused("ffffffff", replace(results[0], dataset=replace(results[0].dataset, digest="f" * 64)).to_pandas, bundled)


def test_tables_have_the_labels_of_annotators(with_annotators: tuple[MergeDataset, list[Result]]) -> None:
    dataset, models = with_annotators
    frame = models[0].to_pandas(dataset)
    rows = frame[frame["is_seed"]].to_dict("records")
    assert [row["agreement"] for row in rows[:3]] == [1.0, 0.8, 0.6]
    assert np.isnan(rows[3]["agreement"])
    for row in rows[:3]:
        assert row[f"annotators:{row['label']}"] == row["agreement"]
        assert sum(row[f"annotators:{name}"] for name in NLI_LABELS) == pytest.approx(1)


STRING = pa.string()


def in_every_row(name: str, value: object, kind: pa.DataType = STRING) -> Callable[[pa.Table], pa.Table]:
    """Return a change of a table: a column that has one value."""

    def change(table: pa.Table) -> pa.Table:
        column = pa.array([value] * len(table), kind)
        if name not in table.column_names:
            return table.append_column(name, column)
        return table.set_column(table.column_names.index(name), name, column)

    return change


def without_ids(table: pa.Table) -> pa.Table:
    return table.drop_columns(["row_id"])


def without_rows(table: pa.Table) -> pa.Table:
    return table.filter(table["is_seed"])


def without_a_seed(table: pa.Table) -> pa.Table:
    return table.slice(1)


def with_a_seed_after_rows(table: pa.Table) -> pa.Table:
    return pa.concat_tables([table.slice(1), table.slice(0, 1)])


def with_wrong_probabilities(table: pa.Table) -> pa.Table:
    for label in NLI_LABELS:
        table = in_every_row(f"probability:{label}", 0.5, pa.float32())(table)
    return table


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (in_every_row("answer", "maybe"), "'maybe' is not one of"),
        (in_every_row("row_id", "one"), "not unique"),
        (in_every_row("label", None), "has an empty value"),
        (in_every_row("subsamples", [99], pa.list_(pa.int32())), "not among the 10"),
        (without_ids, "no column row_id"),
        (without_rows, "a seed no row"),
        (without_a_seed, "a group has no seed"),
        (with_a_seed_after_rows, "are not the first"),
        (with_wrong_probabilities, "do not add up to 1"),
    ],
)
def test_wrong_tables_are_refused(
    changed: Callable[[pa.Table], pa.Table], message: str, results: list[Result], tmp_path: Path
) -> None:
    path = write_result(results[0], tmp_path)
    content = to_bytes(changed(results[0].table))
    path.with_name(answers_name(path.name)).write_bytes(content)
    refused("is not the file of the answers", read_result, path)

    def read() -> None:
        found = from_bytes(content)
        check_table(found, results[0].subsamples)
        from_table(found, results[0].compared_labels, results[0].subsamples)

    refused(message, read, error=ValueError)


def test_a_missing_or_cut_table_is_refused(results: list[Result], tmp_path: Path) -> None:
    path, beside = both_files(write_result(results[0], tmp_path))
    content = beside.read_bytes()
    beside.unlink()
    refused("has no answers", read_result, path)
    refused("not a Parquet file", from_bytes, content[:-100], error=ValueError)


KILLED = """
import os, signal, sys
from pathlib import Path
from merge_snli.results import store

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
    path = write_result(score(always(0), BUNDLED, name="org/careful"), tmp_path / "new")
    out = tmp_path / "out"
    earlier = write_result(results[0], out)
    killed = subprocess.run([sys.executable, "-c", KILLED, str(path), str(out)], check=False)
    assert killed.returncode == -signal.SIGKILL
    refused("score the model again", read_results, out)
    earlier.unlink()
    assert [file.suffix for file in out.iterdir()] == [".parquet"]
    refused("no results in", read_results, out)
    write_result(read_result(path), out)
    assert read_results(out) == [read_result(path)]


# The probability of each label, and the number of the gold label.
Probable = tuple[list[float], int]


def brier(rows: list[Probable]) -> float:
    return fmean(sum((p - (label == gold)) ** 2 for label, p in enumerate(each)) for each, gold in rows)


def error(rows: list[Probable]) -> float:
    gaps: dict[int, float] = defaultdict(float)
    for each, label in rows:
        confidence = max(each)
        gaps[math.ceil(confidence * 15)] += (each.index(confidence) == label) - confidence
    return sum(map(abs, gaps.values())) / len(rows)


def random_rows(count: int, seed: int) -> list[Probable]:
    drawn = np.random.default_rng(seed)
    return [(drawn.dirichlet([0.5] * 3).tolist(), int(drawn.integers(3))) for _ in range(count)]


def answers_to(seeds: list[Probable], rows: list[Probable], subsamples: list[list[int]]) -> Answers:
    """Return answers with as many rows of each group."""
    groups = np.arange(len(rows)) % len(seeds)
    on_seeds, on_rows = (np.array([each for each, _ in part]) for part in (seeds, rows))
    row_gold, seed_gold = (np.array([gold for _, gold in part]) for part in (rows, seeds))
    drawn = np.zeros((len(subsamples), len(rows)), dtype=bool)
    for number, draw in enumerate(subsamples):
        drawn[number, draw] = True
    return Answers(
        labels=NLI_LABELS,
        table=pa.table({"row_id": [f"v{at}" for at in range(len(rows))]}),
        group_ids=tuple(f"s{at}" for at in range(len(seeds))),
        groups=groups,
        gold=row_gold,
        predicted=on_rows.argmax(axis=1),
        subsamples=drawn,
        seeds=answering.Graded(on_seeds.argmax(axis=1), on_seeds, gold=seed_gold),
        probabilities=on_rows,
    )


def test_calibration_is_that_of_a_plain_recount() -> None:
    seeds = random_rows(20, 1)
    rows = random_rows(200, 2)
    subsamples = [list(range(0, 120)), list(range(60, 200)), []]
    found = known(calibration_of(answers_to(seeds, rows, subsamples)))
    drawn = [[rows[at] for at in draw] for draw in subsamples if draw]
    assert found.brier == pytest.approx(fmean(map(brier, drawn)))
    assert found.calibration_error == pytest.approx(fmean(map(error, drawn)))
    assert (found.seed_brier, found.seed_calibration_error) == pytest.approx((brier(seeds), error(seeds)))

    def weakened(at: int) -> bool:
        before, _ = seeds[at % len(seeds)]
        after, gold = rows[at]
        return before.index(max(before)) == after.index(max(after)) and after[gold] < before[gold]

    assert found.weakened == pytest.approx(fmean(fmean(map(weakened, draw)) for draw in subsamples if draw))
    assert 0.05 < (found.weakened or 0) < 0.5


def test_labels_that_count_as_one_and_stored_probabilities() -> None:
    logits = np.log(np.array([[0.5, 0.2, 0.3], [0.1, 0.1, 0.8]], dtype=np.float32))
    two_way = label_probabilities(logits, ("contradiction", "entailment", "neutral"), ("entailment", "not_entailment"))
    assert two_way == pytest.approx(np.array([[0.2, 0.8], [0.1, 0.9]]))
    logits = np.random.default_rng(0).normal(0, 8, (20_000, 3)).astype(np.float32)
    probabilities = label_probabilities(logits, NLI_LABELS, NLI_LABELS)
    stored = as_stored(probabilities)
    assert np.abs(stored - probabilities).max() < 1e-7
    assert (as_stored(stored) == stored).all()


@pytest.fixture(scope="module")
def with_probabilities(bert: Path, dataset: Path) -> Result:
    return score(bert, dataset)


def test_results_keep_the_probabilities(with_probabilities: Result, dataset: Path, tmp_path: Path) -> None:
    result = read_result(write_result(with_probabilities, tmp_path))
    data = open_config(dataset, "all")
    answers = join(result.answers, data)
    assert answers.probabilities is not None
    of_predicted = answers.probabilities[np.arange(len(answers.predicted)), answers.predicted]
    assert (of_predicted == answers.probabilities.max(axis=1)).all()
    assert calibration_of(answers) == result.calibration
    require_data(result, data)
    assert (answers.probabilities == np.array(with_probabilities.answers.probabilities)).all()
    columns = [result.table[f"probability:{label}"].to_numpy() for label in NLI_LABELS]
    assert np.stack(columns, axis=1)[~result.table["is_seed"].to_numpy()] == pytest.approx(answers.probabilities)


def test_a_calibration_that_the_probabilities_do_not_give_is_found(with_probabilities: Result) -> None:
    better = replace(known(with_probabilities.calibration), brier=0.0)
    answers = with_probabilities.answers
    none = replace(answers, probabilities=None, seeds=replace(known(answers.seeds), probabilities=None))
    forged = {"calibration.brier": replace(with_probabilities, calibration=better)}
    forged["calibration"] = replace(with_probabilities, stored=none)
    for place, result in forged.items():
        refused(f"^{place} is", check_numbers, result, to_json(result), result.answers, error=ValueError)


def test_only_models_with_probabilities_have_a_calibration(bert: Path, dataset: Path) -> None:
    classified = score(bert, dataset, config="verb")
    by_length = score(by_premise(), dataset, config="verb")
    assert by_length.calibration is None
    assert "ECE" not in score_table([by_length]).text()
    shown = f"{100 * (known(classified.calibration).calibration_error or 0):.1f}"
    first, second = score_table([classified, by_length]).rows
    assert f"{first[-1]:.1f}" == shown
    assert second[-1] is None
    rows = classified.as_rows()
    assert rows[0]["weakened"] == known(classified.calibration).weakened
    assert "weakened" not in rows[1]
