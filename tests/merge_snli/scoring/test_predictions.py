"""Tables of predictions: what their labels mean, and predictions that contradict each other."""

from collections.abc import Iterable, Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import datasets
import pandas as pd
import pytest

from merge_snli.answers.data import ScoredData
from merge_snli.answers.groups import read_groups
from merge_snli.problems.options import ProblemOptions
from merge_snli.schema import NLI_LABELS
from merge_snli.scoring.imports import read_predictions
from tests.oracles import refused, write_rows

PAIRS = [(f"A dog runs {number}.", "It runs.") for number in range(4)]


def grouped(names: Sequence[str] = NLI_LABELS) -> ScoredData:
    """Return four pairs in two groups, with labels that have these names."""
    rows = rows_with([0, 1, 2, 0])
    for number, row in enumerate(rows):
        row["group"] = number // 2
    named = tuple(f"{number}={name}" for number, name in enumerate(names))
    return read_groups(ProblemOptions(problems=rows, data_labels=named), group_column="group")


def rows_with(labels: Iterable[object]) -> list[dict[str, object]]:
    return [{"premise": p, "hypothesis": h, "label": label} for (p, h), label in zip(PAIRS, labels, strict=False)]


def write(path: Path, rows: Sequence[dict[str, Any]]) -> Path:
    if path.suffix == ".jsonl":
        return write_rows(path, rows)
    table = pd.DataFrame(rows)
    if path.suffix == ".csv":
        table.to_csv(path, index=False)
    else:
        table.to_parquet(path)
    return path


def labels_of(path: Path, data: ScoredData) -> list[str | None]:
    read = read_predictions([path], data, model="m")
    return [read.labels.get(pair) for pair in PAIRS]


@pytest.mark.parametrize("name", ["p.jsonl", "p.csv", "p.parquet"])
def test_predictions_are_names_or_positions(tmp_path: Path, name: str) -> None:
    data = grouped()
    expected = ["contradiction", "entailment", "neutral", "neutral"]
    assert labels_of(write(tmp_path / name, rows_with([2, 0, 1, 1])), data) == expected
    assert labels_of(write(tmp_path / name, rows_with(["c", "Entailment", "n", "neutral"])), data) == expected


@pytest.mark.parametrize("name", ["p.jsonl", "p.parquet"])
def test_a_text_of_digits_is_a_name(tmp_path: Path, name: str) -> None:
    texts = write(tmp_path / name, rows_with(["1", "-1", "0", "1"]))
    refused("label '1' is not one of entailment", labels_of, texts, grouped())
    assert labels_of(texts, grouped(("-1", "0", "1"))) == ["1", "-1", "0", "1"]
    numbers = write(tmp_path / name, rows_with([1, 0, 2, 1]))
    assert labels_of(numbers, grouped(("-1", "0", "1"))) == ["0", "-1", "1", "0"]


def test_a_table_without_types_has_positions_only_if_all_are_numbers(tmp_path: Path) -> None:
    mixed = write(tmp_path / "p.csv", rows_with(["neutral", 1, 1, 1]))
    refused("line 3: label '1' is not one of", labels_of, mixed, grouped())
    numbers = write(tmp_path / "q.csv", rows_with([0, 1, 2, 0]))
    refused("named -1, 0, 1", labels_of, numbers, grouped(("-1", "0", "1")))


@pytest.mark.parametrize("names", list(permutations(NLI_LABELS)))
def test_classes_of_predictions_have_their_own_order(tmp_path: Path, names: tuple[str, ...]) -> None:
    rows = datasets.Dataset.from_list(rows_with([0, 1, 2, None]))
    rows.cast_column("label", datasets.ClassLabel(names=list(names))).to_parquet(tmp_path / "p.parquet")
    assert labels_of(tmp_path / "p.parquet", grouped()) == [*names, None]


@pytest.mark.parametrize("names", [("1", "2", "3"), ("LABEL_0", "LABEL_1", "LABEL_2"), ("a", "neutral", "c")])
def test_classes_of_predictions_with_other_names_are_refused(tmp_path: Path, names: tuple[str, ...]) -> None:
    rows = datasets.Dataset.from_list(rows_with([0, 1, 2, 1]))
    rows.cast_column("label", datasets.ClassLabel(names=list(names))).to_parquet(tmp_path / "p.parquet")
    refused(f"class 0 of column label is named '{names[0]}'", labels_of, tmp_path / "p.parquet", grouped())


def scored_rows(**more: float) -> list[dict[str, object]]:
    scores: dict[str, object] = dict(zip(NLI_LABELS, (0.2, 0.7, 0.1), strict=True))
    return [{"premise": p, "hypothesis": h, **scores, **more} for p, h in PAIRS]


def test_a_column_of_scores_is_not_replaced_by_one_with_a_similar_name(tmp_path: Path) -> None:
    path = write(tmp_path / "p.jsonl", scored_rows(n=0.0, c=9.0))
    assert labels_of(path, grouped()) == ["neutral"] * 4
    rows = [{"e": row.pop("entailment"), "entail": 0.9} | row for row in scored_rows()]
    refused("e and entail for entailment", labels_of, write(tmp_path / "q.jsonl", rows), grouped())


@pytest.mark.parametrize("labels", [("neutral", "entailment"), ("neutral", ""), ("", "neutral")])
def test_contradicting_predictions_are_refused_by_pair(tmp_path: Path, labels: tuple[str, str]) -> None:
    first, second = (rows_with([label] * 4) for label in labels)
    path = write(tmp_path / "p.jsonl", [*first, second[2]])
    refused(r"p\.jsonl line 5: A dog runs 2\. / It runs\. has another label", labels_of, path, grouped())
    assert labels_of(write(tmp_path / "q.jsonl", [*first, first[2]]), grouped()) == [labels[0] or None] * 4


def test_contradicting_predictions_in_several_files_are_refused(tmp_path: Path) -> None:
    paths = [write(tmp_path / f"{label}.jsonl", rows_with([label] * 4)) for label in NLI_LABELS[:2]]
    for order in (paths, paths[::-1]):
        refused(f"{order[1].name} line 1: .* earlier row", read_predictions, order, grouped(), model="m")


def test_two_ids_of_the_same_sentences_may_not_contradict_each_other(tmp_path: Path) -> None:
    rows = [{"premise": "A.", "hypothesis": "B.", "label": "neutral", "group": group} for group in (1, 1, 2)]
    data = read_groups(ProblemOptions(problems=rows), group_column="group")
    predicted = [{"id": f"row-{number}", "label": label} for number, label in ((1, "neutral"), (3, "entailment"))]
    refused("'row-3' has another label", read_predictions, [write(tmp_path / "p.jsonl", predicted)], data, model="m")
