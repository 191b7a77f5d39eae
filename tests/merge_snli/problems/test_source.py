"""A source: opened once and iterated several times, of files, patterns, and data sets on the Hub."""

import json
from collections import Counter
from hashlib import sha256
from pathlib import Path
from typing import Any

import datasets
import pytest

from generation.options import Options
from merge_snli.problems.inputs import Problems, hub_repository, public_name, split_of_name
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.problem import Problem
from merge_snli.problems.reading import stream_problems, survey_problems
from merge_snli.problems.source import open_source
from tests.hub.server import Hub
from tests.hub.storage import Repo
from tests.oracles import refused, write_rows

ROWS = [
    {"premise": f"A cat sees {number} dogs.", "hypothesis": "A cat sees dogs.", "label": "entailment"}
    for number in range(5)
]


def write_source(folder: Path, kind: str) -> Path:
    path = folder / f"problems.{kind}"
    if kind == "jsonl":
        return write_rows(path, ROWS)
    file = path / "test.parquet" if kind == "folder" else path
    file.parent.mkdir(exist_ok=True)
    datasets.Dataset.from_list(ROWS).to_parquet(file)
    return path


@pytest.mark.parametrize("kind", ["jsonl", "parquet", "folder"])
def test_each_iteration_starts_at_the_first_row(tmp_path: Path, kind: str) -> None:
    source = open_source(ProblemOptions(problems=write_source(tmp_path, kind), limit=3))
    rows = list(source)
    assert list(source) == rows
    assert [problem.premise for _, problem, _ in rows if problem] == [row["premise"] for row in ROWS[:3]]
    assert rows[0].row.location.endswith(("problems.jsonl line 1", "row 1"))
    first, second = next(zip(source, source, strict=True))
    assert first == second, "passes are independent"


def drawn_from(path: Path, **options: Any) -> list[Problem]:  # noqa: ANN401 - values of any option
    """Return the problems of a sample."""
    source = open_source(Options(problems=path, mlm=("m",), **options))
    survey = survey_problems(source)
    problems = list(stream_problems(source, survey))
    assert len(problems) == survey.with_label
    assert survey.without_label == 0
    return problems


def test_a_sample_depends_on_the_seed_and_not_on_the_order(tmp_path: Path) -> None:
    """A sorted data set, such as ANLI, needs a random sample; equal problems are different ones."""
    rows = [row | {"label": label} for row in (*ROWS, ROWS[0], ROWS[0]) for label in ("entailment", "neutral", "-")]
    path = write_rows(tmp_path / "a.jsonl", rows)
    reverse = write_rows(tmp_path / "b.jsonl", rows[::-1])

    def sampled(path: Path, **options: int) -> list[tuple[str, int]]:
        return sorted((problem.premise, problem.label) for problem in drawn_from(path, **options))

    first = sampled(path, sample=6)
    assert len(first) == 6
    assert sampled(reverse, sample=6) == first
    assert {*sampled(path, sample=9)} > {*first}, "a larger sample holds the smaller one"
    assert len(sampled(path, sample=99)) == 14
    others = [sampled(path, sample=6, random_seed=seed) for seed in range(1, 5)]
    assert first not in others


def numbered_rows() -> list[dict[str, str]]:
    return [ROWS[0] | {"label": "neutral", "premise": f"Premise {number}."} for number in range(30)]


@pytest.mark.parametrize("column", [None, "id"])
def test_copies_are_drawn_one_by_one(tmp_path: Path, column: str | None) -> None:
    """Copies had one rank, so that a sample had all of them or none."""
    rows = numbered_rows()
    rows = [row | {"id": f"p{at}"} for at, row in enumerate(rows[:10] * 5 + rows[10:])]
    problems = drawn_from(write_rows(tmp_path / "p.jsonl", rows), sample=20, id_column=column)
    drawn = Counter(problem.premise for problem in problems)
    assert drawn.total() == 20
    assert {2, 3} & set(drawn.values()), "some copies of a problem are drawn, and others are not"


def test_a_sample_without_copies_is_ranked_by_content(tmp_path: Path) -> None:
    def rank(row: dict[str, str]) -> bytes:
        return sha256(json.dumps([0, row["premise"], row["hypothesis"], 1]).encode()).digest()

    rows = numbered_rows()
    drawn = {problem.premise for problem in drawn_from(write_rows(tmp_path / "a.jsonl", rows), sample=7)}
    assert drawn == {row["premise"] for row in sorted(rows, key=rank)[:7]}


def test_a_data_set_is_loaded_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loads = []
    load = datasets.load_dataset_builder

    def counting(*positional: Any, **named: Any) -> Any:  # noqa: ANN401 - as load_dataset_builder
        loads.append(positional)
        assert datasets.are_progress_bars_disabled()
        return load(*positional, **named)

    is_bar_hidden = datasets.are_progress_bars_disabled()
    monkeypatch.setattr(datasets, "load_dataset_builder", counting)
    assert len(drawn_from(write_source(tmp_path, "folder"))) == len(ROWS)
    assert len(loads) == 1
    assert datasets.are_progress_bars_disabled() == is_bar_hidden


def test_a_file_that_changes_after_the_survey_is_an_error(tmp_path: Path) -> None:
    path = write_source(tmp_path, "jsonl")
    source = open_source(ProblemOptions(problems=path))
    survey = survey_problems(source)
    write_rows(path, ROWS[:1])
    refused(r"problems\.jsonl changed", list, stream_problems(source, survey))


def row_of(premise: str) -> dict[str, str]:
    return {"premise": premise, "hypothesis": "A dog runs.", "label": "neutral"}


def lines(*premises_of: str) -> bytes:
    return "".join(json.dumps(row_of(premise)) + "\n" for premise in premises_of).encode()


@pytest.fixture
def problems(hub: Hub, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Repo:
    """A data set of problems with two revisions, which `datasets` loads from the local server."""
    monkeypatch.setattr(datasets.config, "HF_ENDPOINT", hub.url)
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "datasets")
    monkeypatch.setattr(datasets.config, "HF_MODULES_CACHE", str(tmp_path / "modules"))
    repo = hub.storage.create("dataset", "org/problems")
    hub.storage.put(repo, {"test.jsonl": lines("A dog runs fast.")})
    repo.tags["v1"] = repo.branches["main"]
    hub.storage.put(repo, {"test.jsonl": lines("A dog runs fast.", "A dog is running.")})
    return repo


def premises_of(problems: object) -> list[str]:
    return [problem.premise for _, problem, _ in open_source(ProblemOptions(problems=problems)) if problem is not None]


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("org/problems", 2),
        ("org/problems@v1", 1),
        ("org/problems@{commit}", 1),
        ("hf://datasets/org/problems/test.jsonl", 2),
        ("hf://datasets/org/problems@v1/*.jsonl", 1),
    ],
)
def test_problems_are_read_by_id_or_path_and_at_a_revision(problems: Repo, name: str, count: int) -> None:
    assert premises_of(name.format(commit=problems.tags["v1"])) == ["A dog runs fast.", "A dog is running."][:count]


@pytest.mark.parametrize(
    ("name", "means"),
    [
        ("org/none", "org/none, split test: .*doesn't exist on the Hub or cannot be accessed"),
        ("org/problems@none", "org/problems@none, split test: .*none"),
        ("hf://datasets/org/problems/none.jsonl", r"org/problems has no file none\.jsonl"),
        ("hf://datasets/org/none/test.jsonl", r"org/none.*does not exist"),
    ],
)
def test_a_missing_data_set_revision_or_file_is_named(problems: Repo, name: str, means: str) -> None:
    assert "\n" not in str(refused(means, premises_of, name))


def test_gated_problems_are_reported(problems: Repo) -> None:
    problems.gated = True
    refused(r"org/problems.*gated", premises_of, "org/problems")


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    return [write_rows(tmp_path / f"{name}.jsonl", [row_of(f"Dog {name} runs.")]) for name in ("a", "b", "c")]


def test_several_files_and_patterns_are_one_source(tmp_path: Path, files: list[Path]) -> None:
    of_all = ["Dog a runs.", "Dog b runs.", "Dog c runs."]
    assert premises_of(files) == of_all
    assert premises_of(str(tmp_path / "*.jsonl")) == of_all
    assert premises_of([files[2], files[0]]) == ["Dog c runs.", "Dog a runs."]
    assert premises_of(f"{files[1]},{tmp_path}/[a]*.jsonl") == ["Dog b runs.", "Dog a runs."]


def test_a_file_whose_name_has_a_comma_is_one_file(tmp_path: Path, files: list[Path]) -> None:
    odd = write_rows(tmp_path / "x,y*.jsonl", [row_of("Odd dog runs.")])
    assert premises_of(str(odd)) == ["Odd dog runs."]
    refused(r"x,y.*has a comma", ProblemOptions, problems=[files[0], odd])


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["*.csv"], r"no file matches '.*\*\.csv'"),
        (["a.jsonl", "none.jsonl"], r"no such file: .*none\.jsonl"),
        (["a.jsonl", "*.jsonl"], r"a\.jsonl more than once"),
    ],
)
def test_what_does_not_exist_or_stands_twice_is_named(
    tmp_path: Path, files: list[Path], names: list[str], message: str
) -> None:
    assert files[0].name == "a.jsonl"
    refused(message, premises_of, [tmp_path / name for name in names])


def test_a_part_of_a_path_on_the_hub_is_refused() -> None:
    refused("'hf://datasets/org' is not a path on the Hub", premises_of, "hf://datasets/org")


ON_HUB = "hf://datasets/org/nli@~parquet/default/*.parquet"


def test_names_to_record(tmp_path: Path, files: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    recorded = Problems.of(f"a.jsonl, x/*.csv,{ON_HUB}").absolute().names
    assert recorded == (str(files[0]), f"{tmp_path}/x/*.csv", ON_HUB)
    assert Problems.of("org/nli").absolute().names == ("org/nli",)
    assert Problems.of([files[0], f"{tmp_path}/v1.0.csv.gz"]).stems == "a, v1.0"
    assert hub_repository(ON_HUB) == "org/nli"


def test_names_to_publish_have_no_folders(tmp_path: Path, files: list[Path]) -> None:
    assert public_name(f"{files[0]},{tmp_path}/x/*.csv.gz,{ON_HUB}") == f"a.jsonl, *.csv.gz, {ON_HUB}"
    assert public_name("Dogs, cats and so on?") == "Dogs, cats and so on?"


@pytest.mark.parametrize(
    ("name", "are_files"), [("org/nli", False), ("nli", False), (".", False), ("x/*.csv", True), (ON_HUB, True)]
)
def test_files_have_no_splits(name: str, are_files: bool) -> None:
    assert Problems.of(name).are_files == are_files


def test_a_data_set_by_its_path_is_its_hub_id() -> None:
    assert Problems.of("hf://datasets/org/nli@refs%2Fpr%2F1").names == ("org/nli@refs/pr/1",)
    assert ProblemOptions(problems="hf://datasets/stanfordnlp/snli").split == "test"


def test_a_text_with_commas_is_several_files_only_if_all_of_them_are(files: list[Path]) -> None:
    both = Problems.of(f"{files[0]}, {files[1]}")
    assert both.names == (str(files[0]), str(files[1]))
    assert both == Problems.of(files[:2])
    assert Problems.of("a dog, a cat").names == ("a dog, a cat",)
    assert ProblemOptions(problems=files[:2]).as_dict()["problems"] == f"{files[0]},{files[1]}"


@pytest.mark.parametrize(
    ("source", "name", "split"),
    [
        ("nyu-mll/multi_nli:validation_mismatched", "nyu-mll/multi_nli", "validation_mismatched"),
        ("ORG/NAME@main:test", "ORG/NAME@main", "test"),
        ("hf://datasets/ORG/NAME:train", "hf://datasets/ORG/NAME", "train"),
        ("hf://datasets/ORG/NAME/test.jsonl", "hf://datasets/ORG/NAME/test.jsonl", None),
        ("demo:problems", "demo:problems", None),
        ("snli.jsonl", "snli.jsonl", None),
    ],
)
def test_split_of_name(source: str, name: str, split: str | None) -> None:
    assert split_of_name(source) == (name, split)


def test_an_existing_path_with_a_colon_has_no_split(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "a:b", ROWS)
    assert split_of_name(str(path)) == (str(path), None)
