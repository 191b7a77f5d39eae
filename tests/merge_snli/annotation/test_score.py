"""Tests of the scores of a study: each number against a plain computation, every kind of sheet, bad input."""

import csv
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import krippendorff
import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.proportion import proportion_confint

from merge_snli.annotation.reading import read_sheets
from merge_snli.annotation.sample import read_sample
from merge_snli.cli import main
from merge_snli.dataset.stored import find_dataset, read_split
from tests.merge_snli.annotation.conftest import SHIPPED, Annotate, Score, assert_refused
from tests.merge_snli.annotation.filled import (
    Scores,
    edit,
    export,
    fill_csv,
    fill_xlsx,
    random_scores,
    write,
    xlsx_rows,
)
from tests.oracles import refused

ANNOTATORS = ("a1", "a2")


@pytest.fixture(scope="module")
def filled(sheets: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with filled-in sheets: a1.csv, a2.xlsx and both in export.json."""
    folder = tmp_path_factory.mktemp("filled") / "sheets"
    shutil.copytree(sheets, folder)
    scores = made_up(folder)
    fill_csv(folder / "a1.csv", scores["a1"])
    fill_xlsx(folder / "a2.xlsx", scores["a2"])
    (folder / "a2.csv").unlink()
    (folder / "a1.xlsx").unlink()
    (folder / "export.json").write_text(json.dumps(export(folder / "tasks.json", scores)), encoding="utf-8")
    return folder


@pytest.fixture
def copy(filled: Path, sheets: Path, tmp_path: Path) -> Path:
    """A copy of the filled-in sheets that a test may damage, with an empty sheet beside it."""
    shutil.copy(sheets / "a1.csv", tmp_path / "empty.csv")
    return Path(shutil.copytree(filled, tmp_path / "sheets"))


def made_up(folder: Path) -> dict[str, Scores]:
    ids = list(read_sample(folder / "sample.json").variant_ids)
    return {name: random_scores(ids, seed) for seed, name in enumerate(ANNOTATORS, 1)}


@pytest.fixture(scope="module")
def numbers(filled: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], Path]:
    """The content of `annotation.json`, and its folder."""
    out = tmp_path_factory.mktemp("scored") / "annotation"
    files = [str(filled / name) for name in ("a1.csv", "a2.xlsx")]
    assert main(["annotate", "score", *files, "--dataset", str(SHIPPED), "--out", str(out)]) == 0
    return json.loads((out / "annotation.json").read_text("utf-8")), out


def assert_share(found: dict[str, Any], good: list[bool]) -> None:
    number = sum(good)
    assert (found["good"], found["variants"]) == (number, len(good))
    assert found["share"] == pytest.approx(number / len(good))
    low, high = proportion_confint(number, len(good), method="wilson")
    assert (found["interval"]["low"], found["interval"]["high"]) == pytest.approx((low, high))


def assert_part(found: dict[str, Any], ids: list[str], scores: dict[str, Scores]) -> None:
    given = np.array([[scores[name][each] for name in ANNOTATORS] for each in ids])  # variants, annotators, F and R
    totals = given.sum(axis=2)
    assert_share(found["good"], (totals.mean(axis=1) >= 9).tolist())
    for name, of_annotator in zip(ANNOTATORS, totals.T, strict=True):
        assert_share(found["by_annotator"][name], (of_annotator >= 9).tolist())
    for nth, column in enumerate(("fluency", "reasoning")):
        counts = np.bincount(given[:, :, nth].ravel(), minlength=6)[1:]
        assert [*found[column].values()] == counts.tolist()


def test_every_share_is_that_of_a_plain_count(filled: Path, numbers: tuple[dict[str, Any], Path]) -> None:
    scores, (found, _) = made_up(filled), numbers
    rows = {row["variant_id"]: row for row in read_split(find_dataset(str(SHIPPED)), "all").to_pylist()}
    ids, (dataset,) = list(scores["a1"]), found["datasets"]
    assert_part(found["pool"], ids, scores)
    assert_part(dataset["overall"], ids, scores)
    assert [*dataset["classes"]] == ["noun", "verb", "adj"]
    assert [*dataset["masked_lms"]] == ["demo:mlm-wordpiece", "demo:mlm-bpe"]
    for name, part in dataset["classes"].items():
        assert_part(part, [each for each in ids if rows[each]["word_class"] == name], scores)
    for name, part in dataset["masked_lms"].items():
        validated = [each for each in ids if name in rows[each]["premise_mlms"] + rows[each]["hypothesis_mlms"]]
        assert_part(part, validated, scores)


def test_the_weighted_share_uses_the_seeds_of_the_classes(numbers: tuple[dict[str, Any], Path]) -> None:
    (dataset,) = numbers[0]["datasets"]
    configs, weighted = find_dataset(str(SHIPPED)).record.configs, dataset["weighted"]
    total = sum(configs[name].groups for name in dataset["classes"])
    expected = 0.0
    for name, part in dataset["classes"].items():
        weight = configs[name].groups / total
        assert weighted["weights"][name] == pytest.approx(weight)
        expected += weight * part["good"]["share"]
    assert weighted["share"] == pytest.approx(expected)
    assert weighted["interval"]["low"] < expected < weighted["interval"]["high"]


def test_agreement_is_that_of_the_libraries(filled: Path, numbers: tuple[dict[str, Any], Path]) -> None:
    scores, (found, _) = made_up(filled), numbers
    for nth, agreement in enumerate(found["agreement"]):
        first = [scores["a1"][each][nth] for each in scores["a1"]]
        second = [scores["a2"][each][nth] for each in scores["a1"]]
        assert agreement["score"] == "FR"[nth]
        assert agreement["alpha"] == pytest.approx(krippendorff.alpha([first, second], level_of_measurement="ordinal"))
        (pair,) = agreement["kappas"]
        assert pair["annotators"] == ["a1", "a2"]
        assert pair["kappa"] == pytest.approx(cohen_kappa_score(first, second, weights="quadratic"))
        assert agreement["equal"] == np.equal(first, second).sum()


def test_differing_rows_are_listed_with_their_texts(filled: Path, numbers: tuple[dict[str, Any], Path]) -> None:
    scores, (found, out) = made_up(filled), numbers
    with (out / "adjudication.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["variant_id"]: row for row in csv.DictReader(file)}
    assert len(rows) == found["to_adjudicate"] > 0
    for each, first in scores["a1"].items():
        second = scores["a2"][each]
        assert (each in rows) == (np.abs(np.subtract(first, second)).max() >= 2)
    for each, row in rows.items():
        for name in ANNOTATORS:
            assert (int(row[f"F_{name}"]), int(row[f"R_{name}"])) == scores[name][each]
        assert f"*{each.rpartition(':')[2]}*".lower() in row["premise"].lower()


def test_the_report_has_figures_and_tables(numbers: tuple[dict[str, Any], Path]) -> None:
    found, out = numbers
    assert len([*out.iterdir()]) == 7
    for figure in ("figure-3-word-classes", "figure-10-masked-lms"):
        assert {path.suffix for path in out.glob(f"*{figure}.*")} == {".png", ".svg"}
    assert f"| all | 24 | {found['pool']['good']['share'] * 100:.1f} |" in (out / "annotation.md").read_text("utf-8")


def test_an_export_of_label_studio_gives_the_same_numbers(
    score: Score, filled: Path, numbers: tuple[dict[str, Any], Path], tmp_path: Path
) -> None:
    (found, _), expected = score(filled / "export.json"), numbers[0]
    assert found["datasets"][0]["masked_lms"] is None
    assert not list((tmp_path / "out").glob("*figure-10*"))
    assert (found["annotators"], found["pool"]["good"]) == (["user a1", "user a2"], expected["pool"]["good"])
    assert [each["alpha"] for each in found["agreement"]] == [each["alpha"] for each in expected["agreement"]]


@pytest.mark.slow
def test_a_folder_stands_for_its_filled_in_sheets(
    score: Score, copy: Path, sheets: Path, numbers: tuple[dict[str, Any], Path]
) -> None:
    shutil.copy(sheets / "a2.csv", copy)
    assert score(copy, "--dataset", SHIPPED)[0] == numbers[0]


def test_one_annotator_has_no_agreement(score: Score, filled: Path) -> None:
    found, printed = score(filled / "a1.csv")
    assert (found["agreement"], found["to_adjudicate"]) == ([], 0)
    assert found["pool"]["good"] == found["pool"]["by_annotator"]["a1"]
    assert "Agreement" not in printed


def test_equal_scores_have_no_alpha(score: Score, copy: Path) -> None:
    scores = dict.fromkeys(made_up(copy)["a1"], (5, 5))
    fill_csv(copy / "a1.csv", scores)
    fill_xlsx(copy / "a2.xlsx", scores)
    found, _ = score(copy / "a1.csv", copy / "a2.xlsx")
    for agreement in found["agreement"]:
        assert agreement["alpha"] is agreement["kappas"][0]["kappa"] is None
    assert found["datasets"][0]["weighted"]["share"] == 1
    assert found["pool"]["good"]["interval"]["high"] == 1


def semicolons(folder: Path) -> None:
    """Write the sheets as spreadsheet programs do: semicolons, a byte order mark, `5.0`, and empty rows at the end."""
    header, *rows = csv.reader((folder / "a1.csv").read_text("utf-8").splitlines())
    with (folder / "a1.csv").open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file, delimiter=";")
        writer.writerow(header)
        for *texts, fluency, reasoning, comment in rows:
            writer.writerow([*texts, f"{fluency}.0", f" {reasoning} ", comment])
        writer.writerow([""] * 9)
    with xlsx_rows(folder / "a2.xlsx") as sheet:
        for row in sheet.iter_rows(min_row=2):
            row[6].value, row[7].value = float(row[6].value), str(row[7].value)
        sheet.cell(30, 9).value = ""


def without_columns(rows: list[dict[str, str]]) -> None:
    rows[0]["premise"] = f" {rows[0]['premise']}\r\n"
    for row in rows:
        del row["seed_premise"], row["label"]


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(semicolons, id="other forms of numbers and CSV"),
        pytest.param(edit("a1.csv", without_columns), id="other spaces and removed columns", marks=pytest.mark.slow),
        pytest.param(
            edit("sample.json", lambda sample: sample.pop("rows")), id="an old sample", marks=pytest.mark.slow
        ),
    ],
)
def test_harmless_changes_are_read(change: Callable[[Path], None], score: Score, filled: Path, copy: Path) -> None:
    change(copy)
    files = ("a1.csv", "a2.xlsx")
    found, printed = score(*(copy / name for name in files))
    assert "24" in printed
    assert found["pool"] == score(*(filled / name for name in files))[0]["pool"]


def in_a1(change: Callable[[list[dict[str, str]]], object]) -> Callable[[Path], None]:
    return edit("a1.csv", change)


@pytest.mark.parametrize(
    ("value", "problem"),
    [("", "empty"), (" ", "empty"), ("0", "'0'"), ("6", "'6'"), ("4.5", r"'4\.5'"), ("good", "'good'")],
)
def test_texts_that_are_not_scores_are_refused(copy: Path, value: str, problem: str) -> None:
    in_a1(lambda rows: rows[0].update(F=value))(copy)
    refused(rf"a1\.csv,? line 2: F is {problem}", read_sheets, [copy / "a1.csv"])


@pytest.mark.parametrize(
    ("cell", "problem"), [(None, "empty"), (-1, "-1"), (2.5, r"2\.5"), (True, "True"), ("=2+3", "empty")]
)
def test_cells_that_are_not_scores_are_refused(copy: Path, cell: object, problem: str) -> None:
    with xlsx_rows(copy / "a2.xlsx") as sheet:
        sheet.cell(5, 8).value = cell
    refused(rf"a2\.xlsx,? row 5: R is {problem}", read_sheets, [copy / "a2.xlsx"])


def in_export(change: Callable[[list[dict[str, Any]]], object]) -> Callable[[Path], None]:
    return edit("export.json", change)


def add_choice(tasks: list[dict[str, Any]]) -> None:
    tasks[3]["annotations"][0]["result"][0]["value"]["choices"] = ["4", "5"]


def annotate_twice(tasks: list[dict[str, Any]]) -> None:
    tasks[0]["annotations"].append(tasks[0]["annotations"][0])


def skip(tasks: list[dict[str, Any]]) -> None:
    tasks[5]["annotations"][0]["was_cancelled"] = True


def rename(old: str, new: str) -> Callable[[Path], object]:
    return lambda folder: (folder / old).rename(folder / new)


def copy_to(name: str, old: str = "a1.csv") -> Callable[[Path], object]:
    return lambda folder: shutil.copy(folder / old, folder / name)


# A change to the folder, the files that are scored, and what the error names.
BAD_SHEETS: list[tuple[Callable[[Path], object], str, list[str]]] = [
    (in_a1(lambda rows: rows.append(rows[0])), "a1.csv", ["line 26", "demo-", "line 2 already"]),
    (in_a1(lambda rows: rows.pop()), "a1.csv", ["a1.csv", "lacks 1 of the sample's 24"]),
    (in_a1(lambda rows: rows[0].update(variant_id="x:n")), "a1.csv", ["line 2", "'x:n'", "not in the sample"]),
    (in_a1(lambda rows: rows[0].update(premise="Not.")), "a1.csv", ["a1.csv", "line 2, column premise", "Not.'"]),
    (write("a1.csv", b"variant_id,fluency,R\nx,1,2\n"), "a1.csv", ["a1.csv", "one column F"]),
    (write("a1.csv", b""), "a1.csv", ["a1.csv", "empty"]),
    (write("a1.csv", b'variant_id,F,R\n"x,1,2\n'), "a1.csv", ["a1.csv", "line 2", "quotation mark"]),
    (write("a2.xlsx", b"variant_id,F,R\n"), "a2.xlsx", ["a2.xlsx", "spreadsheet"]),
    (write("sample.json", b"{}"), "a1.csv", ["sample.json", "per"]),
    (rename("a1.csv", "b.csv"), "b.csv", ["b.csv", "a1, a2"]),
    (rename("a1.csv", "a1.ods"), "a1.ods", [".xlsx, .csv nor .json"]),
    (rename("a1.csv", "b.csv"), "a1.csv", ["a1.csv", "No such file"]),
    (copy_to("a2.csv"), "a2.csv a2.xlsx", ["a2.xlsx", "scores of a2", "a2.csv"]),
    (lambda folder: (folder / "a1").mkdir(), "a1", ["a1/sample.json", "--sample"]),
    (copy_to("a1.csv", "../empty.csv"), ".", ["no filled-in sheet of a1", "a1.xlsx or a1.csv"]),
    (write("export.json", b'[{"F": 5}]'), "export.json", ["export.json", "format JSON"]),
    (write("export.json", b'[{"id": 1'), "export.json", ["export.json", "format JSON"]),
    (in_export(lambda tasks: tasks[2]["annotations"][1]["result"].pop()), "export.json", ["task 3", "R is empty"]),
    (in_export(add_choice), "export.json", ["task 4", r"F is '4\n5'"]),
    (in_export(annotate_twice), "export.json", ["task 1", "user a1"]),
    (in_export(skip), "export.json", ["export.json", "lacks 1", "user a1"]),
    (in_export(lambda tasks: [task.update(annotations=[]) for task in tasks]), "export.json", ["no annotations"]),
]


@pytest.mark.parametrize(("damage", "files", "values"), BAD_SHEETS)
def test_bad_sheets_are_one_sentence(
    damage: Callable[[Path], object], files: str, values: list[str], annotate: Annotate, copy: Path, tmp_path: Path
) -> None:
    damage(copy)
    assert_refused(annotate("score", *(copy / each for each in files.split()), "--out", tmp_path / "out"), values)
    assert not (tmp_path / "out").exists()
