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
from merge_snli.base.files import read_json
from merge_snli.cli import main
from merge_snli.dataset.stored import find_dataset
from tests.cases import slow
from tests.merge_snli.annotation.conftest import SHIPPED, Annotate, Score, assert_refused
from tests.merge_snli.annotation.filled import (
    Scores,
    csv_rows,
    edit,
    export,
    fill_csv,
    fill_xlsx,
    random_scores,
    xlsx_rows,
)
from tests.oracles import refused, rows_of, written

ANNOTATORS = ("a1", "a2")
Study = dict[str, Scores]
"""The scores of each annotator."""
Json = dict[str, Any]


@pytest.fixture(scope="module")
def scores(sheets: Path) -> Study:
    ids = list(read_sample(sheets / "sample.json").shown)
    return {name: random_scores(ids, seed) for seed, name in enumerate(ANNOTATORS, 1)}


@pytest.fixture(scope="module")
def filled(sheets: Path, scores: Study, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with filled-in sheets: a1.csv, a2.xlsx and both in export.json."""
    folder = tmp_path_factory.mktemp("filled") / "sheets"
    shutil.copytree(sheets, folder)
    fill_csv(folder / "a1.csv", scores["a1"])
    fill_xlsx(folder / "a2.xlsx", scores["a2"])
    (folder / "a2.csv").unlink()
    (folder / "a1.xlsx").unlink()
    (folder / "export.json").write_text(json.dumps(export(folder / "tasks.json", scores)), encoding="utf-8")
    return folder


@pytest.fixture
def copy(filled: Path, tmp_path: Path) -> Path:
    """A copy of the filled-in sheets that a test may damage."""
    return Path(shutil.copytree(filled, tmp_path / "sheets"))


@pytest.fixture(scope="module")
def report(filled: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the command writes."""
    out = tmp_path_factory.mktemp("scored") / "annotation"
    sheets = [str(filled / "a1.csv"), str(filled / "a2.xlsx")]
    assert main(["annotate", "score", *sheets, "--dataset", str(SHIPPED), "--out", str(out)]) == 0
    return out


@pytest.fixture(scope="module")
def numbers(report: Path) -> Json:
    """The content of `annotation.json`."""
    return dict(read_json(report / "annotation.json"))


def assert_share(found: Json, good: list[bool]) -> None:
    number = sum(good)
    assert found["good"] == number
    assert found["variants"] == len(good)
    assert found["share"] == pytest.approx(number / len(good))
    low, high = proportion_confint(number, len(good), method="wilson")
    interval = found["interval"]
    assert interval["low"] == pytest.approx(low)
    assert interval["high"] == pytest.approx(high)


def assert_part(found: Json, ids: list[str], scores: Study) -> None:
    given: dict[str, list[int]] = {"fluency": [], "reasoning": []}
    totals = []
    for name in ANNOTATORS:
        own = np.array([scores[name][each] for each in ids])  # of each variant F and R
        total = own.sum(axis=1)
        assert_share(found["by_annotator"][name], (total >= 9).tolist())
        totals.append(total)
        given["fluency"] += own[:, 0].tolist()
        given["reasoning"] += own[:, 1].tolist()
    assert_share(found["good"], (np.mean(totals, axis=0) >= 9).tolist())
    for column, values in given.items():
        counts = [values.count(score) for score in range(1, 6)]
        assert [*found[column].values()] == counts


def test_every_share_is_that_of_a_plain_count(scores: Study, numbers: Json) -> None:
    rows = {row["variant_id"]: row for row in rows_of(SHIPPED)}
    ids = list(scores["a1"])
    (dataset,) = numbers["datasets"]
    assert_part(numbers["pool"], ids, scores)
    assert_part(dataset["overall"], ids, scores)
    assert [*dataset["classes"]] == ["noun", "verb", "adj"]
    assert [*dataset["masked_lms"]] == ["demo:mlm-wordpiece", "demo:mlm-bpe"]
    for name, part in dataset["classes"].items():
        of_class = [each for each in ids if rows[each]["word_class"] == name]
        assert_part(part, of_class, scores)
    for name, part in dataset["masked_lms"].items():
        validated = []
        for each in ids:
            row = rows[each]
            if name in row["premise_mlms"] or name in row["hypothesis_mlms"]:
                validated.append(each)
        assert_part(part, validated, scores)


def test_the_weighted_share_uses_the_seeds_of_the_classes(numbers: Json) -> None:
    (dataset,) = numbers["datasets"]
    configs = find_dataset(str(SHIPPED)).record.configs
    weighted = dataset["weighted"]
    total = sum(configs[name].groups for name in dataset["classes"])
    expected = 0.0
    for name, part in dataset["classes"].items():
        weight = configs[name].groups / total
        assert weighted["weights"][name] == pytest.approx(weight)
        expected += weight * part["good"]["share"]
    assert weighted["share"] == pytest.approx(expected)
    assert weighted["interval"]["low"] < expected < weighted["interval"]["high"]


def test_agreement_is_that_of_the_libraries(scores: Study, numbers: Json) -> None:
    for nth, agreement in enumerate(numbers["agreement"]):
        first = []
        second = []
        for each in scores["a1"]:
            first.append(scores["a1"][each][nth])
            second.append(scores["a2"][each][nth])
        assert agreement["score"] == "FR"[nth]
        alpha = krippendorff.alpha([first, second], level_of_measurement="ordinal")
        assert agreement["alpha"] == pytest.approx(alpha)
        (pair,) = agreement["kappas"]
        assert pair["annotators"] == ["a1", "a2"]
        kappa = cohen_kappa_score(first, second, weights="quadratic")
        assert pair["kappa"] == pytest.approx(kappa)
        assert agreement["equal"] == np.equal(first, second).sum()


def test_differing_rows_are_listed_with_their_texts(scores: Study, numbers: Json, report: Path) -> None:
    lines = (report / "adjudication.csv").read_text("utf-8").splitlines()
    rows = {row["variant_id"]: row for row in csv.DictReader(lines)}
    assert len(rows) == numbers["to_adjudicate"] > 0
    for each, first in scores["a1"].items():
        distance = np.abs(np.subtract(first, scores["a2"][each])).max()
        assert (each in rows) == (distance >= 2)
    for each, row in rows.items():
        for name in ANNOTATORS:
            fluency, reasoning = scores[name][each]
            assert row[f"F_{name}"] == str(fluency)
            assert row[f"R_{name}"] == str(reasoning)
        word = each.rpartition(":")[2]
        assert f"*{word}*".lower() in row["premise"].lower()


def test_the_report_has_figures_and_tables(numbers: Json, report: Path) -> None:
    assert len([*report.iterdir()]) == 7
    for figure in ("figure-3-word-classes", "figure-10-masked-lms"):
        suffixes = {path.suffix for path in report.glob(f"*{figure}.*")}
        assert suffixes == {".png", ".svg"}
    percent = numbers["pool"]["good"]["share"] * 100
    assert f"| all | 24 | {percent:.1f} |" in (report / "annotation.md").read_text("utf-8")


def test_an_export_of_label_studio_gives_the_same_numbers(
    score: Score, filled: Path, numbers: Json, tmp_path: Path
) -> None:
    found, _ = score(filled / "export.json")
    assert found["datasets"][0]["masked_lms"] is None
    assert not list((tmp_path / "out").glob("*figure-10*"))
    assert found["annotators"] == ["user a1", "user a2"]
    assert found["pool"]["good"] == numbers["pool"]["good"]
    for of_export, of_sheets in zip(found["agreement"], numbers["agreement"], strict=True):
        assert of_export["alpha"] == of_sheets["alpha"]


@pytest.mark.slow
def test_a_folder_stands_for_its_filled_in_sheets(score: Score, copy: Path, sheets: Path, numbers: Json) -> None:
    shutil.copy(sheets / "a2.csv", copy)
    found, _ = score(copy, "--dataset", SHIPPED)
    assert found == numbers


def test_one_annotator_has_no_agreement(score: Score, filled: Path) -> None:
    found, printed = score(filled / "a1.csv")
    pool = found["pool"]
    assert found["agreement"] == []
    assert found["to_adjudicate"] == 0
    assert pool["good"] == pool["by_annotator"]["a1"]
    assert "Agreement" not in printed


def test_equal_scores_have_no_alpha(score: Score, scores: Study, copy: Path) -> None:
    best = dict.fromkeys(scores["a1"], (5, 5))
    fill_csv(copy / "a1.csv", best)
    fill_xlsx(copy / "a2.xlsx", best)
    found, _ = score(copy / "a1.csv", copy / "a2.xlsx")
    for agreement in found["agreement"]:
        (pair,) = agreement["kappas"]
        assert agreement["alpha"] is None
        assert pair["kappa"] is None
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
            fluency = row[6]
            reasoning = row[7]
            fluency.value = float(fluency.value)
            reasoning.value = str(reasoning.value)
        sheet.cell(30, 9).value = ""


def without_columns(rows: list[dict[str, str]]) -> None:
    rows[0]["premise"] = f" {rows[0]['premise']}\r\n"
    for row in rows:
        del row["seed_premise"], row["label"]


@pytest.mark.parametrize("change", [semicolons, *slow(edit("a1.csv", without_columns))])
def test_harmless_changes_are_read(change: Callable[[Path], None], score: Score, numbers: Json, copy: Path) -> None:
    change(copy)
    found, printed = score(copy / "a1.csv", copy / "a2.xlsx")
    assert "24" in printed
    assert found["pool"] == numbers["pool"]


def assert_bad(folder: Path, message: str, *names: str) -> None:
    """Check that sheets are refused with an error of one line."""
    error = refused(message, read_sheets, [folder / name for name in names])
    assert "\n" not in str(error)


@pytest.mark.parametrize(("value", "problem"), [(" ", "' '"), ("0", "'0'"), ("6", "'6'"), ("4.5", r"'4\.5'")])
def test_texts_that_are_not_scores_are_refused(copy: Path, value: str, problem: str) -> None:
    with csv_rows(copy / "a1.csv") as rows:
        rows[0]["F"] = value
    assert_bad(copy, rf"a1\.csv,? line 2: F is {problem}", "a1.csv")


@pytest.mark.parametrize(("cell", "problem"), [(None, "None"), (2.5, r"2\.5"), (True, "True"), ("=2+3", "None")])
def test_cells_that_are_not_scores_are_refused(copy: Path, cell: object, problem: str) -> None:
    with xlsx_rows(copy / "a2.xlsx") as sheet:
        sheet.cell(5, 8).value = cell
    assert_bad(copy, rf"a2\.xlsx,? row 5: R is {problem}", "a2.xlsx")


@pytest.mark.parametrize(
    ("column", "text", "message"),
    [
        ("variant_id", "x:n", "line 2.*'x:n'.*not in the sample"),
        ("premise", "Not.", r"a1\.csv,? line 2, column premise.*Not\.'"),
    ],
)
def test_texts_of_another_sample_are_refused(copy: Path, column: str, text: str, message: str) -> None:
    with csv_rows(copy / "a1.csv") as rows:
        rows[0][column] = text
    assert_bad(copy, message, "a1.csv")


def test_rows_that_are_twice_or_not_in_a_sheet_are_refused(copy: Path) -> None:
    with csv_rows(copy / "a1.csv") as rows:
        first = rows[0]
        rows.append(first)
    assert_bad(copy, "line 26: a1 has scored .*demo-.* already", "a1.csv")
    with csv_rows(copy / "a1.csv") as rows:
        del rows[23:]
    assert_bad(copy, r"a1\.csv lacks 1 of the sample's 24", "a1.csv")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a1.csv", "variant_id,fluency,R\nx,1,2\n", r"a1\.csv.*one column F"),
        ("a1.csv", 'variant_id,F,R\n"x,1,2\n', r"a1\.csv.*line 2.*quotation mark"),
        ("a2.xlsx", "variant_id,F,R\n", r"a2\.xlsx.*spreadsheet"),
        ("export.json", '[{"F": 5}]', r"export\.json.*format JSON"),
        ("export.json", '[{"id": 1', r"export\.json.*format JSON"),
    ],
)
def test_files_that_are_not_sheets_are_refused(copy: Path, name: str, content: str, message: str) -> None:
    written(copy / name, content)
    assert_bad(copy, message, name)


def test_a_file_that_is_not_a_sample_is_refused(copy: Path) -> None:
    written(copy / "sample.json", "{}")
    assert_bad(copy, r"sample\.json.*per", "a1.csv")


def test_files_that_are_not_named_after_an_annotator_are_refused(copy: Path) -> None:
    sheet = (copy / "a1.csv").rename(copy / "b.csv")
    assert_bad(copy, r"b\.csv.*a1, a2", "b.csv")
    sheet.rename(copy / "a1.ods")
    assert_bad(copy, r"\.xlsx, \.csv nor \.json", "a1.ods")


def test_two_sheets_of_an_annotator_are_refused(copy: Path) -> None:
    shutil.copy(copy / "a1.csv", copy / "a2.csv")
    assert_bad(copy, r"a2\.xlsx.*scores of a2.*a2\.csv", "a2.csv", "a2.xlsx")


def test_folders_without_sheets_are_refused(copy: Path, sheets: Path) -> None:
    (copy / "a1").mkdir()
    assert_bad(copy, r"a1/sample\.json.*sample", "a1")
    shutil.copy(sheets / "a1.csv", copy)
    assert_bad(copy, r"no filled-in sheet of a1.*a1\.xlsx or a1\.csv", ".")


def no_second_score(tasks: list[Json]) -> None:
    tasks[2]["annotations"][1]["result"].pop()


def two_choices(tasks: list[Json]) -> None:
    fluency, _ = tasks[3]["annotations"][0]["result"]
    fluency["value"]["choices"] = ["4", "5"]


def annotated_twice(tasks: list[Json]) -> None:
    annotations = tasks[0]["annotations"]
    annotations.append(annotations[0])


def skipped(tasks: list[Json]) -> None:
    tasks[5]["annotations"][0]["was_cancelled"] = True


def not_annotated(tasks: list[Json]) -> None:
    for task in tasks:
        task["annotations"] = []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (no_second_score, "task 3.*R is None"),
        (two_choices, r"task 4.*F is '4\\n5'"),
        (annotated_twice, "task 1.*user a1"),
        (skipped, r"export\.json lacks 1 .*user a1"),
        (not_annotated, "no annotations"),
    ],
)
def test_bad_exports_are_refused(copy: Path, change: Callable[[Any], None], message: str) -> None:
    edit("export.json", change)(copy)
    assert_bad(copy, message, "export.json")


def test_the_command_refuses_bad_sheets_in_one_line(annotate: Annotate, copy: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    sheet = written(copy / "a1.csv", "")
    assert_refused(annotate("score", sheet, "--out", out), ["a1.csv", "empty"])
    sheet.unlink()
    assert_refused(annotate("score", sheet, "--out", out), ["a1.csv", "No such file"])
    out.mkdir()
    assert_refused(annotate("score", out, "--out", out), ["out/sample.json", "--sample"])
    assert not [*out.iterdir()]
