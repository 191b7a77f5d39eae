"""Test the scores on the source of a data set against an independent count, and sources that are refused."""

from __future__ import annotations

import dataclasses
import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from merge_snli import Result, read_result, read_results, score, score_table
from merge_snli.base.errors import InputError
from merge_snli.cli import main
from merge_snli.dataset.record import MaskedLMRecord, ProblemsRecord, SourceRecord, read_record
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.reading import read_problems
from merge_snli.schema import NLI_LABELS
from merge_snli.scoring.store import to_json
from tests.records import SHIPPED, save_record

Row = dict[str, Any]
MakeDataset = Callable[..., Path]


@dataclass(frozen=True)
class Source:
    """A file of problems, a data set whose record names it, and its rows."""

    path: Path
    dataset: Path
    rows: list[Row]


def rows_of(dataset: Path, config: str) -> list[Row]:
    rows: list[Row] = pq.read_table(dataset / f"data/{config}/test.parquet").to_pylist()
    return rows


def problems_of(dataset: Path) -> list[Row]:
    """Return the seeds, a variant, a repeated problem with another label, and problems that are not seeds."""
    texts = [(row["premise"], row["hypothesis"], NLI_LABELS[row["label"]]) for row in rows_of(dataset, "seed")]
    variant = rows_of(dataset, "all")[0]
    texts += [
        (variant["premise"], variant["hypothesis"], NLI_LABELS[variant["label"]]),
        (*texts[0][:2], "contradiction"),
        texts[1],
        *((f"A man has {number} boats.", "A man has boats.", NLI_LABELS[number % 2]) for number in range(7)),
        ("A man has 3 boats.", "A man has boats.", "entailment"),
        ("A man sleeps.", "A man rows.", "-"),
    ]
    return [{"premise": premise, "hypothesis": hypothesis, "label": label} for premise, hypothesis, label in texts]


def write_rows(path: Path, rows: Sequence[Row]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def record_source(dataset: Path, **options: Any) -> None:  # noqa: ANN401 - options of the run
    """Write `run.json` as if the data set had been generated with these options."""
    read = read_problems(ProblemOptions(**options))
    shipped = read_record(SHIPPED)
    named = ProblemOptions(**options).as_dict()
    save_record(
        dataset,
        title=dataset.name,
        options=shipped.options | named,
        sources=(SourceRecord(named["problems"], read.digest),),
        masked_lms=(MaskedLMRecord("tiny", None, "0" * 64),),
        problems=ProblemsRecord(len(read.problems), read.without_label),
        data=dataclasses.replace(shipped.data, files={}),
    )


@pytest.fixture(scope="module")
def source(make_dataset: MakeDataset, tmp_path_factory: pytest.TempPathFactory) -> Source:
    folder = tmp_path_factory.mktemp("source")
    dataset = make_dataset(folder / "merge_sourced", seeds=6)
    rows = problems_of(dataset)
    path = write_rows(folder / "problems.jsonl", rows)
    record_source(dataset, problems=path)
    return Source(path, dataset, rows)


def by_length(pairs: Sequence[tuple[str, str]]) -> list[int]:
    return [len(premise) % 3 for premise, _ in pairs]


def shares(rows: Sequence[Row], answer: Callable[[Row], str]) -> dict[str, tuple[int, float]]:
    """Return the number of rows and the accuracy, in all and by label, from counters."""
    total = Counter(row["label"] for row in rows)
    right = Counter(row["label"] for row in rows if answer(row) == row["label"])
    by_label = {label: (total[label], right[label] / total[label]) for label in NLI_LABELS if total[label]}
    return {"all": (total.total(), right.total() / total.total()), **by_label}


def found(result: Result) -> dict[str, tuple[int, float]]:
    assert result.source is not None
    parts = {"all": result.source.overall, **result.source.labels}
    return {name: (part.problems, part.sample_accuracy) for name, part in parts.items()}


@pytest.mark.parametrize("named", ["recorded", "path"])
def test_accuracy_matches_an_independent_count(source: Source, named: str) -> None:
    result = score(by_length, source.dataset, source="recorded" if named == "recorded" else source.path)
    labelled = [row for row in source.rows if row["label"] != "-"]
    assert found(result) == shares(labelled, lambda row: NLI_LABELS[len(row["premise"]) % 3])
    assert result.source is not None
    assert (result.source.name, result.source.without_label, result.source.too_long) == ("problems.jsonl", 1, 0)
    assert result.source.digest == read_record(source.dataset / "run.json").sources[0].digest
    low, high = result.source.overall.interval
    assert low < result.source.overall.sample_accuracy < high


def test_the_source_changes_no_other_score(source: Source) -> None:
    plain, with_source = (score(by_length, source.dataset, source=name) for name in (None, "recorded"))
    assert plain.source is None
    run = dataclasses.replace(with_source.run, seconds=plain.run.seconds)
    assert dataclasses.replace(with_source, source=None, run=run) == plain


def test_every_pair_is_predicted_once(source: Source, tmp_path: Path) -> None:
    seen: Counter[tuple[str, str]] = Counter()

    def counting(pairs: Sequence[tuple[str, str]]) -> list[int]:
        seen.update(pairs)
        return by_length(pairs)

    score(counting, source.dataset, source="recorded")
    assert set(seen.values()) == {1}
    assert {(row["premise"], row["hypothesis"]) for row in source.rows if row["label"] != "-"} < set(seen)
    seen.clear()
    for name in (None, "recorded", "recorded", source.path):
        score(counting, source.dataset, source=name, out=tmp_path / "results", name="counting", version="1")
    assert set(seen.values()) == {1}


def test_a_source_of_seeds_alone_needs_no_more_predictions(source: Source, tmp_path: Path) -> None:
    seeds = write_rows(tmp_path / "seeds.jsonl", source.rows[:6])
    result = score(by_length, source.dataset, source=seeds)
    assert result.source is not None
    assert result.source.overall.sample_accuracy == result.scores.seed_accuracy
    assert result.source.overall.problems == result.scores.groups == 6


def test_limit_and_columns_of_the_record_apply(make_dataset: MakeDataset, tmp_path: Path) -> None:
    dataset = make_dataset(tmp_path / "merge_limited", seeds=3)
    rows = [{"s1": row["premise"], "s2": row["hypothesis"], "y": row["label"]} for row in problems_of(dataset)]
    path = write_rows(tmp_path / "problems.jsonl", rows)
    columns: Row = {"premise_column": "s1", "hypothesis_column": "s2", "label_column": "y"}
    record_source(dataset, problems=path, limit=5, **columns)
    result = score(by_length, dataset, source="recorded")
    assert found(result)["all"][0] == 5
    whole = score(by_length, dataset, source=ProblemOptions(problems=path, **columns))
    assert found(whole)["all"][0] == len(rows) - 1
    with pytest.raises(InputError, match=r"'premise'.*premise_column"):
        score(by_length, dataset, source=path)


def test_two_way_models_and_data(make_dataset: MakeDataset, source: Source, tmp_path: Path) -> None:
    """Gold neutral and contradiction are merged if the model or the data set has two labels."""
    merged = {"entailment": "entailment", "neutral": "not_entailment", "contradiction": "not_entailment"}
    expected = [row for row in source.rows if row["label"] != "-"]
    result = score(lambda pairs: ["not_entailment"] * len(pairs), source.dataset, source="recorded")
    wrong = sum(row["label"] == "entailment" for row in expected)
    assert found(result)["all"] == (len(expected), 1 - wrong / len(expected))
    assert {name: share for name, (_, share) in found(result).items()} | {"all": 0} == {
        "all": 0,
        "entailment": 0,
        "neutral": 1,
        "contradiction": 1,
    }
    two = make_dataset(tmp_path / "merge_two", seeds=3, label_names=("entailment", "not_entailment"))
    rows = [
        {"premise": row["premise"], "hypothesis": row["hypothesis"], "label": ("entailment", "neutral")[row["label"]]}
        for row in rows_of(two, "seed")
    ]
    of_two = score(lambda pairs: ["neutral"] * len(pairs), two, source=write_rows(tmp_path / "three.jsonl", rows))
    assert found(of_two) == {"all": (3, 1 / 3), "entailment": (2, 0.0), "not_entailment": (1, 1.0)}
    assert of_two.compared_labels == tuple(dict.fromkeys(merged.values()))


def test_a_function_that_answers_with_two_labels_on_the_source_alone(source: Source) -> None:
    def answers(pairs: Sequence[tuple[str, str]]) -> list[str]:
        return ["not_entailment" if "boats" in premise else "neutral" for premise, _ in pairs]

    result = score(answers, source.dataset, source="recorded")
    assert result.compared_labels == ("entailment", "not_entailment")
    assert result.source is not None
    assert result.source.too_long == 0


def test_no_answer_on_the_source_is_wrong(source: Source) -> None:
    labelled = [row for row in source.rows if row["label"] != "-"]
    answer = {(row["premise"], row["hypothesis"]): row["label"] for row in labelled}
    result = score(
        lambda pairs: [None if "boats" in pair[0] else answer.get(pair, "neutral") for pair in pairs],
        source.dataset,
        source="recorded",
    )
    expected = shares(
        labelled, lambda row: "" if "boats" in row["premise"] else answer[row["premise"], row["hypothesis"]]
    )
    assert found(result) == expected
    assert result.source is not None
    assert (result.source.too_long, result.run.no_answers) == (0, 7)
    assert any(note.startswith("no answer to 7 of ") for note in result.notes)


def test_problems_that_are_too_long_are_counted(make_dataset: MakeDataset, bert: Path, tmp_path: Path) -> None:
    dataset = make_dataset(tmp_path / "merge_long", seeds=2)
    rows = problems_of(dataset)[:2] + [{"premise": "a " * 200, "hypothesis": "b", "label": "neutral"}] * 2
    result = score(bert, dataset, source=write_rows(tmp_path / "long.jsonl", rows))
    assert result.source is not None
    assert (result.source.overall.problems, result.source.too_long, result.source.problems) == (2, 2, 4)
    assert any(note.startswith("2 problems of the source left out") for note in result.notes)


def test_files_tables_and_frames_have_the_source(source: Source, tmp_path: Path) -> None:
    results = [
        score(by_length, source.dataset, source=name, out=tmp_path, name=str(name), version="1")
        for name in ("recorded", None)
    ]
    assert read_results(tmp_path) == sorted(results, key=lambda result: result.model.name != "None")
    lines = score_table(results).text().splitlines()
    assert lines[1].split()[:3] == ["Model", "Source", "Seeds"]
    assert lines[3].split()[1] == f"{100 * found(results[0])['all'][1]:.1f}"
    assert lines[4].split()[1] == "–"
    assert any("Source: sample accuracy on problems.jsonl, 17 problems" in line for line in lines)
    frame = results[0].to_pandas()
    assert frame["source_accuracy"]["all"] == found(results[0])["all"][1]
    assert frame["source_problems"]["label:neutral"] == found(results[0])["neutral"][0]
    assert frame["source_accuracy"].isna()["word_class:noun"]


def test_different_sources_are_named(source: Source, tmp_path: Path) -> None:
    seeds = write_rows(tmp_path / "seeds.jsonl", source.rows[:6])
    results = [score(by_length, source.dataset, source=path, name=path.stem) for path in (source.path, seeds)]
    notes = " ".join(score_table(results).text().split())
    assert "problems: source is problems.jsonl, 17 problems" in notes
    assert "seeds: source is seeds.jsonl, 6 problems" in notes


def test_counts_that_do_not_add_up_are_refused(source: Source, tmp_path: Path) -> None:
    value = to_json(score(by_length, source.dataset, source="recorded"))
    changes: tuple[Row, ...] = ({"labels": {}}, {"digest": "abc"}, {"overall": None})
    for change in changes:
        path = tmp_path / "x.json"
        path.write_text(json.dumps(value | {"source": value["source"] | change}), encoding="utf-8")
        with pytest.raises(InputError, match=r"x\.json.*source"):
            read_result(path)


def test_the_shipped_data_set_has_its_source() -> None:
    dataset = SHIPPED.parent
    result = score(by_length, dataset, source="recorded")
    assert result.source is not None
    assert (result.source.name, result.source.problems) == ("demo:problems", 569)


def test_a_changed_source_is_refused_with_both_digests(make_dataset: MakeDataset, tmp_path: Path) -> None:
    dataset = make_dataset(tmp_path / "merge_changed", seeds=2)
    path = write_rows(tmp_path / "problems.jsonl", problems_of(dataset))
    record_source(dataset, problems=path)
    write_rows(path, problems_of(dataset)[:-3])
    now, then = read_problems(ProblemOptions(problems=path)).digest, read_record(dataset / "run.json").sources[0].digest
    with pytest.raises(InputError, match=f"{now}.*{then}"):
        score(by_length, dataset, source="recorded")
    assert score(by_length, dataset, source=path).source is not None


def broken(source: Source, folder: Path, kind: str) -> tuple[str, str]:
    """Return a source that cannot be used, and what the error must name."""
    path, rows = folder / f"{kind.replace(' ', '-')}.jsonl", source.rows
    if kind == "a seed is missing":
        write_rows(path, rows[1:])
        return str(path), "1 of the 6 seeds of .* s000"
    if kind == "a seed has another label":
        write_rows(path, [rows[0] | {"label": "neutral"}, *rows[1:6]])
        return str(path), "1 of the 6 seeds of .* s000"
    if kind == "two labels":
        write_rows(path, [row | {"label": "not_entailment"} for row in rows])
        return str(path), "entailment, not_entailment, those of .* entailment, neutral, contradiction"
    if kind == "other labels":
        write_rows(path, [row | {"label": "good"} for row in rows])
        return str(path), "only the label 'good'"
    if kind == "no labels":
        write_rows(path, [row | {"label": "-"} for row in rows])
        return str(path), "no row .* gold label"
    if kind == "empty":
        path.write_text("", encoding="utf-8")
        return str(path), "is empty"
    if kind == "empty name":
        return " ", "--source is empty"
    if kind == "in memory":
        return "memory:pandas.DataFrame", "memory:pandas.DataFrame .*in memory"
    return "./nowhere.jsonl", "no such file: ./nowhere.jsonl"


KINDS = (
    "a seed is missing",
    "a seed has another label",
    "two labels",
    "other labels",
    "no labels",
    "empty",
    "empty name",
    "in memory",
    "missing",
)


@pytest.mark.parametrize("kind", KINDS)
def test_bad_sources_are_named_and_exit_with_code_2(
    source: Source, bert: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    name, named = broken(source, tmp_path, kind)
    before = sorted(tmp_path.rglob("*"))
    arguments = ["--dataset", str(source.dataset), "--source", name, "--out", str(tmp_path / "results")]
    assert main(["score", str(bert), *arguments]) == 2
    printed = capsys.readouterr()
    assert printed.err.count("\n") == 1
    assert re.search(named, printed.err)
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--split", "dev"], "--split needs a FILE or ID as --source"),
        (["--label-column", "y", "--source", "recorded"], "--label-column needs another --source than recorded"),
        (["--source", "{path}", "--split", "dev"], "split is 'dev'"),
        (["--source", "{path}", "--premise-column", "first"], "'first'"),
        (["--source", "{path}", "--data-labels", "x"], "--data-labels is 'x'"),
    ],
)
def test_options_of_the_source_that_do_not_fit(
    source: Source, bert: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], named: str
) -> None:
    filled = [argument.format(path=source.path) for argument in arguments]
    assert main(["score", str(bert), "--dataset", str(source.dataset), "--out", str(tmp_path / "out"), *filled]) == 2
    assert named in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_options_of_the_source_on_the_command_line(
    source: Source, bert: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spelled = {"entailment": "E!", "neutral": "N!", "contradiction": "C!", "-": "-"}
    rows = [{"a": row["premise"], "b": row["hypothesis"], "c": spelled[row["label"]]} for row in source.rows]
    path = write_rows(tmp_path / "spelled.jsonl", rows)
    columns = ["--premise-column", "a", "--hypothesis-column", "b", "--label-column", "c"]
    names = ["--data-labels", "E!=entailment,N!=neutral,C!=contradiction"]
    arguments = ["--source", str(path), *columns, *names, "--out", str(tmp_path / "out")]
    assert main(["score", str(bert), "--dataset", str(source.dataset), *arguments]) == 0
    [result] = read_results(tmp_path / "out")
    assert result.source is not None
    assert result.source.problems == 17
    assert "Source" in capsys.readouterr().out.splitlines()[1]


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"problems": "/gone/problems.jsonl"}, "/gone/problems.jsonl"),
        ({"problems": "memory:pandas.DataFrame"}, "in memory"),
        ({"problems": None}, "does not name the problems"),
        ({"problems": "demo:problems"}, "digest"),
        ({"limit": "five"}, "--limit is 'five'"),
    ],
)
def test_recorded_sources_that_cannot_be_read(
    make_dataset: MakeDataset, tmp_path: Path, capsys: pytest.CaptureFixture[str], options: Row, named: str
) -> None:
    dataset = make_dataset(tmp_path / "merge_moved", seeds=2)
    record = read_record(dataset / "run.json")
    save_record(
        dataset,
        options=record.options | options,
        data=record.data,
        sources=(SourceRecord("moved", "0" * 64),),
        masked_lms=(MaskedLMRecord("tiny", None, "0" * 64),),
    )
    arguments = ["--dataset", str(dataset), "--source", "recorded", "--out", str(tmp_path / "out")]
    assert main(["score", "demo:nli-a", *arguments]) == 2
    error = capsys.readouterr().err
    assert named in error
    assert "--source FILE|ID" in error
    assert error.count("\n") == 1


def test_other_objects_are_refused(source: Source) -> None:
    anything: Any = 5
    with pytest.raises(InputError, match=r"^source has the type int"):
        score(by_length, source.dataset, source=anything)
