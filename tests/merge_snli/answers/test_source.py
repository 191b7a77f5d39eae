"""Test the scores on the source of a data set against an independent count, and sources that are refused."""

import re
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from merge_snli import Result, read_result, read_results, score, score_table
from merge_snli.dataset.record import MaskedLMRecord, ProblemsRecord, SourceRecord
from merge_snli.dataset.record_file import read_record
from merge_snli.models.labels import Pair
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.reading import read_problems
from merge_snli.results.scores import SourceScores
from merge_snli.results.store import to_json
from merge_snli.schema import NLI_LABELS
from tests.cases import first_fast
from tests.commands import Command
from tests.merge_snli.conftest import MakeDataset
from tests.oracles import (
    BUNDLED,
    Row,
    always,
    by_length,
    guess,
    known,
    pair_of,
    refused,
    rows_of,
    without_seconds,
    write_rows,
)
from tests.records import SHIPPED, save_record

TINY = (MaskedLMRecord("tiny", None, "0" * 64),)


@dataclass(frozen=True)
class Source:
    """A file of problems, a data set whose record names it, and its rows."""

    path: Path
    dataset: Path
    rows: list[Row]

    @property
    def labeled(self) -> list[Row]:
        return [row for row in self.rows if row["label"] != "-"]


def problem(premise: str, hypothesis: str, label: str) -> Row:
    return {"premise": premise, "hypothesis": hypothesis, "label": label}


def problems_of(dataset: Path) -> list[Row]:
    """Return the seeds, a variant, a repeated problem with another label, and problems that are not seeds."""
    rows = []
    for row in [*rows_of(dataset, "seed"), rows_of(dataset)[0]]:
        rows.append(problem(*pair_of(row), NLI_LABELS[row["label"]]))
    rows += [rows[0] | {"label": "contradiction"}, rows[1]]
    for number in range(7):
        rows.append(problem(f"A man has {number} boats.", "A man has boats.", NLI_LABELS[number % 2]))
    rows.append(problem("A man has 3 boats.", "A man has boats.", "entailment"))
    rows.append(problem("A man sleeps.", "A man rows.", "-"))
    return rows


def record_source(dataset: Path, **options: Any) -> None:  # noqa: ANN401 - options of the run
    """Write `run.json` as if the data set had been generated with these options."""
    of_problems = ProblemOptions(**options)
    read = read_problems(of_problems)
    shipped = read_record(SHIPPED)
    named = of_problems.as_dict()
    save_record(
        dataset,
        title=dataset.name,
        options=shipped.options | named,
        sources=(SourceRecord(named["problems"], read.digest),),
        masked_lms=TINY,
        problems=ProblemsRecord(len(read.problems), read.without_label),
        data=replace(shipped.data, files={}),
    )


@pytest.fixture(scope="module")
def source(make_dataset: MakeDataset, tmp_path_factory: pytest.TempPathFactory) -> Source:
    folder = tmp_path_factory.mktemp("source")
    dataset = make_dataset(folder / "merge_sourced", seeds=6)
    rows = problems_of(dataset)
    path = write_rows(folder / "problems.jsonl", rows)
    record_source(dataset, problems=path)
    return Source(path, dataset, rows)


def with_recorded(predict: Callable[[Sequence[Pair]], Sequence[Any]], source: Source) -> Result:
    """Return the scores on a data set and the source that its record names."""
    return score(predict, source.dataset, source="recorded")


@pytest.fixture(scope="module")
def result(source: Source) -> Result:
    return with_recorded(by_length, source)


def shares(rows: Sequence[Row], answer: Callable[[Row], str]) -> dict[str, tuple[int, float]]:
    """Return the number of rows and the accuracy, in all and by label, from counters."""
    total = Counter(row["label"] for row in rows)
    right = Counter(row["label"] for row in rows if answer(row) == row["label"])
    found = {"all": (total.total(), right.total() / total.total())}
    for label in NLI_LABELS:
        if total[label]:
            found[label] = total[label], right[label] / total[label]
    return found


def source_of(result: Result) -> SourceScores:
    return known(result.source)


def found(result: Result) -> dict[str, tuple[int, float]]:
    of_source = source_of(result)
    parts = {"all": of_source.overall, **of_source.labels}
    return {name: (part.problems, part.sample_accuracy) for name, part in parts.items()}


def test_accuracy_matches_an_independent_count(source: Source, result: Result) -> None:
    assert found(result) == shares(source.labeled, lambda row: guess([pair_of(row)])[0])
    of_source = source_of(result)
    assert of_source.name == "problems.jsonl"
    assert of_source.without_label == 1
    assert of_source.too_long == 0
    assert of_source.digest == read_record(source.dataset / "run.json").sources[0].digest
    overall = of_source.overall
    low, high = overall.interval
    assert low < overall.sample_accuracy < high
    of_path = score(by_length, source.dataset, source=source.path)
    assert without_seconds(of_path) == without_seconds(result)
    alone = score(by_length, source.dataset)
    assert without_seconds(replace(result, source=None)) == without_seconds(alone)
    bundled = source_of(score(by_length, BUNDLED, source="recorded"))
    assert bundled.name == "demo:problems"
    assert bundled.problems == 569


def test_every_pair_is_predicted_once_and_a_source_of_seeds_needs_no_more(source: Source, tmp_path: Path) -> None:
    seen: Counter[Pair] = Counter()

    def counting(pairs: Sequence[Pair]) -> list[int]:
        seen.update(pairs)
        return by_length(pairs)

    with_recorded(counting, source)
    assert set(seen.values()) == {1}
    assert {*map(pair_of, source.labeled)} < set(seen)
    seen.clear()
    for name in (None, "recorded", "recorded", source.path):
        score(counting, source.dataset, source=name, out=tmp_path / "results", name="counting", version="1")
    assert set(seen.values()) == {1}
    of_seeds = score(by_length, source.dataset, source=write_rows(tmp_path / "seeds.jsonl", source.rows[:6]))
    overall = source_of(of_seeds).overall
    assert overall.sample_accuracy == of_seeds.scores.seed_accuracy
    assert overall.problems == 6
    assert of_seeds.scores.groups == 6


def test_limit_and_columns_of_the_record_apply(make_dataset: MakeDataset, tmp_path: Path) -> None:
    dataset = make_dataset(tmp_path / "merge_limited", seeds=3)
    rows = []
    for row in problems_of(dataset):
        rows.append({"p": row["premise"], "h": row["hypothesis"], "y": row["label"]})
    path = write_rows(tmp_path / "problems.jsonl", rows)
    columns: Row = {"premise_column": "p", "hypothesis_column": "h", "label_column": "y"}
    record_source(dataset, problems=path, limit=5, **columns)
    recorded = score(by_length, dataset, source="recorded")
    assert source_of(recorded).overall.problems == 5
    given = score(by_length, dataset, source=ProblemOptions(problems=path, **columns))
    assert source_of(given).overall.problems == len(rows) - 1
    refused(r"'premise'.*premise_column", score, by_length, dataset, source=path)


def test_two_labels_of_a_model_merge_those_of_the_source(source: Source) -> None:
    of_two = found(with_recorded(always("not_entailment"), source))
    labels = [row["label"] for row in source.labeled]
    assert of_two.pop("all") == (len(labels), 1 - labels.count("entailment") / len(labels))
    assert [accuracy for _, accuracy in of_two.values()] == [0, 1, 1]

    def two_labels_on_the_source_alone(pairs: Sequence[Pair]) -> list[str]:
        return ["not_entailment" if "boats" in premise else "neutral" for premise, _ in pairs]

    mixed = with_recorded(two_labels_on_the_source_alone, source)
    assert mixed.compared_labels == ("entailment", "not_entailment")
    assert source_of(mixed).too_long == 0


def test_two_labels_of_the_data_merge_those_of_the_source(make_dataset: MakeDataset, tmp_path: Path) -> None:
    two = make_dataset(tmp_path / "merge_two", seeds=3, label_names=("entailment", "not_entailment"))
    rows = rows_of(two, "seed")
    for row in rows:
        row["label"] = NLI_LABELS[row["label"]]
    path = write_rows(tmp_path / "three.jsonl", rows)
    of_two = score(always("neutral"), two, source=path)
    assert found(of_two) == {"all": (3, 1 / 3), "entailment": (2, 0), "not_entailment": (1, 1)}
    assert of_two.compared_labels == ("entailment", "not_entailment")


def test_no_answer_on_the_source_is_wrong(source: Source) -> None:
    gold = {pair_of(row): row["label"] for row in source.labeled}

    def silent_on_boats(pairs: Sequence[Pair]) -> list[str | None]:
        return [None if "boats" in pair[0] else gold.get(pair, "neutral") for pair in pairs]

    silent = with_recorded(silent_on_boats, source)
    assert found(silent) == shares(source.labeled, lambda row: str(silent_on_boats([pair_of(row)])[0]))
    assert source_of(silent).too_long == 0
    assert silent.run.no_answers == 7
    assert any(note.startswith("no answer to 7 of ") for note in silent.notes)


def test_problems_that_are_too_long_are_left_out(source: Source, tmp_path: Path, bert: Path) -> None:
    rows = source.rows[:6] + [problem("a " * 200, "b", "neutral")] * 2
    result = score(bert, source.dataset, source=write_rows(tmp_path / "long.jsonl", rows))
    of_source = source_of(result)
    assert of_source.overall.problems == 6
    assert of_source.too_long == 2
    assert of_source.problems == 8
    assert any(note.startswith("2 problems of the source left out") for note in result.notes)


def test_files_tables_and_frames_have_the_source(source: Source, tmp_path: Path) -> None:
    results = [score(by_length, source.dataset, source=name, name=str(name)) for name in ("recorded", None)]
    of_source = found(results[0])
    accuracy = of_source["all"][1]
    text = score_table(results).text()
    lines = text.splitlines()
    assert lines[1].split()[:3] == ["Model", "Source", "Seeds"]
    assert lines[3].split()[1] == f"{100 * accuracy:.1f}"
    assert lines[4].split()[1] == "–"
    assert "Source: sample accuracy on problems.jsonl, 17 problems" in text
    frame = results[0].to_pandas()
    assert frame["source_accuracy"]["all"] == accuracy
    assert frame["source_problems"]["label:neutral"] == of_source["neutral"][0]
    assert frame["source_accuracy"].isna()["word_class:noun"]
    seeds = write_rows(tmp_path / "seeds.jsonl", source.rows[:6])
    named = [score(by_length, source.dataset, source=path, name=path.stem) for path in (source.path, seeds)]
    text = " ".join(score_table(named).text().split())
    assert "Source: sample accuracy on problems.jsonl, 17 problems" in text
    assert "or seeds.jsonl, 6 problems" in text


@pytest.mark.parametrize(("name", "changed"), [("labels", {}), ("digest", "abc"), ("overall", None)])
def test_counts_that_do_not_add_up_are_refused(result: Result, tmp_path: Path, name: str, changed: object) -> None:
    value = to_json(result)
    value["source"][name] = changed
    path = write_rows(tmp_path / "x.json", [value])
    refused(r"x\.json.*source", read_result, path)


def test_a_changed_source_is_refused_with_both_digests(make_dataset: MakeDataset, tmp_path: Path) -> None:
    dataset = make_dataset(tmp_path / "merge_changed", seeds=2)
    path = tmp_path / "problems.jsonl"
    record_source(dataset, problems=write_rows(path, problems_of(dataset)))
    write_rows(path, problems_of(dataset)[:-3])
    now = read_problems(ProblemOptions(problems=path)).digest
    then = read_record(dataset / "run.json").sources[0].digest
    refused(f"{now}.*{then}", score, by_length, dataset, source="recorded")
    assert score(by_length, dataset, source=path).source is not None
    anything: Any = 5
    refused(r"^source has the type int", score, by_length, dataset, source=anything)


def test_sources_that_are_not_those_of_the_data_are_refused(source: Source, tmp_path: Path) -> None:
    first, *others = source.rows

    def refuses(rows: Sequence[Row], message: str) -> None:
        path = write_rows(tmp_path / "problems.jsonl", rows)
        refused(message, score, by_length, source.dataset, source=path, out=tmp_path / "results")
        assert [*tmp_path.iterdir()] == [path]

    refuses(others, "1 of the 6 seeds of .* s000")
    refuses([first | {"label": "neutral"}, *others[:5]], "1 of the 6 seeds of .* s000")
    labels = "entailment, not_entailment, those of .* entailment, neutral, contradiction"
    refuses([row | {"label": "not_entailment"} for row in source.rows], labels)
    refuses([first | {"label": "good"}], "only the label 'good'")
    refuses([first | {"label": "-"}], "no row .* gold label")


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ("--source=", "--source is empty"),
        ("--source memory:pandas.DataFrame", "memory:pandas.DataFrame .*in memory"),
        ("--source ./nowhere.jsonl", r"no such file: \./nowhere\.jsonl"),
        ("--source FILE --split dev", "split is 'dev'"),
        ("--source FILE --data-labels x", "--data-labels is 'x'"),
        ("--source recorded --label-column y", "--label-column needs another --source than recorded"),
        ("--split dev", "--split needs a FILE or ID as --source"),
    ],
)
def test_bad_options_of_the_source_are_named_and_exit_with_code_2(
    source: Source, bert: Path, tmp_path: Path, command: Command, options: str, named: str
) -> None:
    given = options.replace("FILE", str(source.path)).split()
    error = command("score", bert, "--dataset", source.dataset, "--out", tmp_path / "results", *given, code=2).err
    assert error.count("\n") == 1
    assert re.search(named, error)
    assert [*tmp_path.iterdir()] == []


def test_options_of_the_source_on_the_command_line(
    source: Source, bert: Path, tmp_path: Path, command: Command
) -> None:
    rows = []
    for row in source.rows:
        rows.append({"a": row["premise"], "b": row["hypothesis"], "c": row["label"][0]})
    path = write_rows(tmp_path / "spelled.jsonl", rows)
    columns = ["--premise-column", "a", "--hypothesis-column", "b", "--label-column", "c"]
    names = ["--data-labels", "e=entailment,n=neutral,c=contradiction", "--out", tmp_path / "out"]
    printed = command("score", bert, "--dataset", source.dataset, "--source", path, *columns, *names)
    [read] = read_results(tmp_path / "out")
    assert source_of(read).problems == 17
    assert "Source" in printed.out.splitlines()[1]


@pytest.mark.parametrize(
    ("name", "value", "message"),
    first_fast(
        [
            ("problems", "/gone/problems.jsonl", "/gone/problems.jsonl"),
            ("problems", None, "does not name the problems"),
            ("problems", "demo:problems", "digest"),
            ("limit", "five", "--limit is 'five'"),
        ]
    ),
)
def test_recorded_sources_that_cannot_be_read(
    source: Source, tmp_path: Path, command: Command, name: str, value: str | None, message: str
) -> None:
    dataset = Path(shutil.copytree(source.dataset, tmp_path / "merge_moved"))
    record = read_record(dataset / "run.json")
    sources = (SourceRecord("moved", "0" * 64),)
    save_record(dataset, options=record.options | {name: value}, data=record.data, sources=sources, masked_lms=TINY)
    arguments = ["--dataset", dataset, "--source", "recorded", "--out", tmp_path / "out"]
    error = command("score", "demo:nli-a", *arguments, code=2).err
    assert message in error
    assert "--source FILE|ID" in error
    assert error.count("\n") == 1
