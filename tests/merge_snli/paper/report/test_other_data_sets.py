"""Tests of the report on data sets unlike the paper's: two labels as in ANLI's two-way form, and no common class."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from merge_snli import Result, score
from merge_snli.models.labels import Pair
from merge_snli.paper.report.analyze import analyze
from merge_snli.paper.report.report import Report
from tests.merge_snli.conftest import MakeDataset

TWO_LABELS = ("entailment", "not_entailment")


def entails(pairs: list[Pair]) -> list[str]:
    return ["entailment" if "not" not in hypothesis else "not_entailment" for _, hypothesis in pairs]


def three_way(pairs: list[Pair]) -> list[str]:
    return [("entailment", "neutral", "contradiction")[len(premise) % 3] for premise, _ in pairs]


def numbers_of(report: Report) -> dict[str, Any]:
    [part] = report.as_dict()["data_sets"]
    return {name: value for name, value in part["analyses"].items() if "not_computed" not in value}


@pytest.fixture(scope="module")
def two_labels(make_dataset: MakeDataset, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Result]]:
    folder = make_dataset(tmp_path_factory.mktemp("two") / "two", seeds=30, label_names=TWO_LABELS)
    return folder, [score(entails, folder, name="negation"), score(three_way, folder, name="length")]


def test_two_labels(two_labels: tuple[Path, list[Result]], tmp_path: Path) -> None:
    folder, results = two_labels
    numbers = numbers_of(analyze(results, [folder], out=tmp_path / "report"))
    assert {"table_3", "model_curves", "classes", "class_pairs", "majority", "hard_seeds"} <= numbers.keys()
    assert numbers["majority"]["labels"] == [*TWO_LABELS]
    labels = [each["name"] for each in numbers["error_drivers"]["predictors"] if each["name"].startswith("label")]
    assert labels == ["label: not_entailment"]
    page = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    assert "predictions of neutral and contradiction count as not_entailment" in page


def test_a_config_of_one_word_class(make_dataset: MakeDataset, tmp_path: Path) -> None:
    folder = make_dataset(tmp_path / "data", seeds=12)
    result = score(three_way, folder, config="verb", name="length")
    report = analyze([result], [folder])
    [part] = report.as_dict()["data_sets"]
    assert part["config"] == "verb"
    assert {"classes", "class_pairs", "fine_tuned"} <= part["analyses"].keys() - numbers_of(report).keys()
    assert "two word classes" in part["analyses"]["classes"]["not_computed"]
    assert len(part["analyses"]["table_3"]["rows"]) == 1


def test_data_sets_on_the_same_seeds_are_compared(make_dataset: MakeDataset, tmp_path: Path) -> None:
    def upper_case(seed: dict[str, Any], variants: list[dict[str, Any]]) -> None:
        for variant in variants:
            variant["premise"] = variant["premise"].upper()

    first, second = make_dataset(tmp_path / "first"), make_dataset(tmp_path / "second", change=upper_case)
    results = [score(three_way, folder, name="length") for folder in (first, second)]
    report = analyze(results, [first, second], out=tmp_path / "report")
    across = report.as_dict()["across_data_sets"]["filter_sets"]
    assert len(across["sets"]) == 2
    assert across["family"]["pairs"][0]["result"]["unit"] == "seed"
    figures = {path.name for path in (tmp_path / "report" / "figures").iterdir()}
    assert "across-data-sets-figure-8-filters.svg" in figures
    assert len({chapter.key for chapter in report.chapters}) == 3
