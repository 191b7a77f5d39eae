"""Several files, patterns and files on the Hub as one source."""

from __future__ import annotations

import json
from pathlib import Path

import datasets
import pytest

from merge_snli.base.errors import InputError
from merge_snli.problems.inputs import Problems, hub_repository, public_name, split_of_name
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.reading import open_source


def write(path: Path, premise: str) -> Path:
    path.write_text(json.dumps({"premise": premise, "hypothesis": "A dog runs.", "label": "neutral"}) + "\n")
    return path


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    return [write(tmp_path / f"{name}.jsonl", f"Dog {name} runs.") for name in ("a", "b", "c")]


def premises(problems: object) -> list[str]:
    return [problem.premise for _, problem in open_source(ProblemOptions(problems=problems)) if problem is not None]


def test_several_files_and_patterns_are_one_source(tmp_path: Path, files: list[Path]) -> None:
    of_all = [f"Dog {name} runs." for name in ("a", "b", "c")]
    assert premises(files) == premises(str(tmp_path / "*.jsonl")) == of_all
    assert premises([files[2], files[0]]) == [of_all[2], of_all[0]]
    assert premises(f"{files[1]},{tmp_path}/[a]*.jsonl") == [of_all[1], of_all[0]]


def test_a_file_whose_name_has_a_comma_is_one_file(tmp_path: Path, files: list[Path]) -> None:
    odd = write(tmp_path / "x,y*.jsonl", "Odd dog runs.")
    assert premises(str(odd)) == ["Odd dog runs."]
    with pytest.raises(InputError, match=r"x,y.*has a comma"):
        ProblemOptions(problems=[files[0], odd])


def test_what_does_not_exist_or_stands_twice_is_named(tmp_path: Path, files: list[Path]) -> None:
    for problems, message in (
        (str(tmp_path / "*.csv"), r"no file matches '.*\*\.csv'"),
        ([files[0], tmp_path / "none.jsonl"], r"no such file: .*none\.jsonl"),
        ([files[0], tmp_path / "*.jsonl"], r"a\.jsonl more than once"),
        ("hf://datasets/org", "'hf://datasets/org' is not a path on the Hub"),
    ):
        with pytest.raises(InputError, match=message):
            premises(problems)


def test_parquet_files_with_other_label_numbers_are_not_mixed(tmp_path: Path) -> None:
    rows = {"premise": ["A dog runs."], "hypothesis": ["A dog runs fast."], "label": [0]}
    for name, labels in (("a", ["entailment", "neutral"]), ("b", ["neutral", "entailment"])):
        text = datasets.Value("string")
        features = datasets.Features(premise=text, hypothesis=text, label=datasets.ClassLabel(names=labels))
        datasets.Dataset.from_dict(rows, features=features).to_parquet(tmp_path / f"{name}.parquet")
    with pytest.raises(InputError, match=r"labels of .*b\.parquet are \('neutral', 'entailment'\)"):
        premises(str(tmp_path / "*.parquet"))


def test_names_to_record_and_to_publish(tmp_path: Path, files: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    on_hub = "hf://datasets/org/nli@~parquet/default/*.parquet"
    assert Problems.of(f"a.jsonl, x/*.csv,{on_hub}").absolute().names == (str(files[0]), f"{tmp_path}/x/*.csv", on_hub)
    assert Problems.of("org/nli").absolute().names == ("org/nli",)
    assert public_name(f"{files[0]},{tmp_path}/x/*.csv.gz,{on_hub}") == f"a.jsonl, *.csv.gz, {on_hub}"
    assert public_name("Dogs, cats and so on?") == "Dogs, cats and so on?"
    assert Problems.of([files[0], f"{tmp_path}/v1.0.csv.gz"]).stems == "a, v1.0"
    assert hub_repository(on_hub) == "org/nli"
    assert [Problems.of(name).are_files for name in ("org/nli", "nli", str(tmp_path), "x/*.csv", on_hub)] == [
        *[False] * 3,
        *[True] * 2,
    ]


def test_a_data_set_by_its_path_is_its_hub_id() -> None:
    assert Problems.of("hf://datasets/org/nli@refs%2Fpr%2F1").names == ("org/nli@refs/pr/1",)
    assert ProblemOptions(problems="hf://datasets/stanfordnlp/snli").split == "test"


def test_a_text_with_commas_is_several_files_only_if_all_of_them_are(tmp_path: Path, files: list[Path]) -> None:
    assert Problems.of(f"{files[0]}, {files[1]}").names == (str(files[0]), str(files[1]))
    assert Problems.of(f"{files[0]}, {files[1]}") == Problems.of(files[:2])
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
    path = write(tmp_path / "a:b", "Dog a runs.")
    assert split_of_name(str(path)) == (str(path), None)
