"""Tests of the scores of a study: each number against a plain computation, every kind of sheet, bad input."""

import csv
import json
import re
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.proportion import proportion_confint

from merge_snli.annotation.reading import read_sheets
from merge_snli.annotation.sample import read_sample
from merge_snli.cli import main
from merge_snli.dataset.stored import find_dataset, read_split
from tests.cases import slow
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
from tests.records import copy_bundled

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
    configs = find_dataset(str(SHIPPED)).record.configs
    seeds = {name: configs[name].groups for name in ("noun", "verb", "adj")}
    weights = {name: count / sum(seeds.values()) for name, count in seeds.items()}
    shares = {name: dataset["classes"][name]["good"]["share"] for name in seeds}
    weighted = dataset["weighted"]
    assert weighted["weights"] == pytest.approx(weights)
    assert weighted["share"] == pytest.approx(sum(weights[name] * shares[name] for name in seeds))
    assert weighted["interval"]["low"] < weighted["share"] < weighted["interval"]["high"]


def ordinal_alpha(columns: Sequence[Sequence[int]]) -> float:
    """Krippendorff's alpha of two annotators: coincidences of pairs, and distances by cumulated counts."""
    coincidences = np.zeros((5, 5))
    for first, second in columns:
        coincidences[first - 1, second - 1] += 1
        coincidences[second - 1, first - 1] += 1
    totals = coincidences.sum(axis=0)
    middles = np.cumsum(totals) - totals / 2
    distances = (middles[:, np.newaxis] - middles) ** 2
    expected = np.outer(totals, totals) / (totals.sum() - 1)
    return float(1 - (coincidences * distances).sum() / (expected * distances).sum())


def test_agreement_is_that_of_the_definitions(filled: Path, numbers: tuple[dict[str, Any], Path]) -> None:
    scores, (found, _) = made_up(filled), numbers
    for nth, agreement in enumerate(found["agreement"]):
        columns = [(scores["a1"][each][nth], scores["a2"][each][nth]) for each in scores["a1"]]
        assert agreement["score"] == "FR"[nth]
        assert agreement["alpha"] == pytest.approx(ordinal_alpha(columns))
        (pair,) = agreement["kappas"]
        kappa = cohen_kappa_score(*zip(*columns, strict=True), weights="quadratic")
        assert pair == {"annotators": ["a1", "a2"], "kappa": pytest.approx(kappa)}
        assert agreement["equal"] == sum(a == b for a, b in columns)


def test_differing_rows_are_listed_with_their_texts(filled: Path, numbers: tuple[dict[str, Any], Path]) -> None:
    scores, (found, out) = made_up(filled), numbers
    gaps = {each: np.abs(np.subtract(scores["a1"][each], scores["a2"][each])) for each in scores["a1"]}
    differing = {each for each, of_variant in gaps.items() if of_variant.max() >= 2}
    with (out / "adjudication.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["variant_id"]: row for row in csv.DictReader(file)}
    assert set(rows) == differing
    assert len(differing) == found["to_adjudicate"] > 0
    for each, row in rows.items():
        for name in ANNOTATORS:
            assert (int(row[f"F_{name}"]), int(row[f"R_{name}"])) == scores[name][each]
        assert f"*{each.rpartition(':')[2]}*".lower() in row["premise"].lower()


def test_the_report_has_figures_and_tables(numbers: tuple[dict[str, Any], Path]) -> None:
    found, out = numbers
    names = {path.name for path in out.iterdir()}
    assert {"annotation.json", "annotation.md", "adjudication.csv"} < names
    for figure in ("figure-3-word-classes", "figure-10-masked-lms"):
        assert {path.suffix for path in out.glob(f"*{figure}.*")} == {".png", ".svg"}
    assert len(names) == 7
    assert "<svg" in next(out.glob("*figure-3*.svg")).read_text("utf-8")
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
        writer.writerows([header, *([*row[:6], f"{row[6]}.0", f" {row[7]} ", row[8]] for row in rows), [""] * 9])
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


def set_score(name: str, value: str) -> Callable[[Path], None]:
    return in_a1(lambda rows: rows[0].update({name: value}))


def set_cell(row: int, column: int, value: Any) -> Callable[[Path], None]:  # noqa: ANN401 - a cell holds any type
    return edit("a2.xlsx", lambda sheet: setattr(sheet.cell(row, column), "value", value))


def test_values_that_are_not_scores_are_refused(copy: Path) -> None:
    for value in ("", " ", "0", "6", "4.5", "good", "4/5"):
        set_score("F", value)(copy)
        problem = re.escape(repr(value)) if value.strip() else "empty"
        refused(rf"a1\.csv,? line 2: F is {problem}", read_sheets, [copy / "a1.csv"])
    for cell, problem in ((None, "empty"), (-1, "-1"), (2.5, r"2\.5"), (True, "True"), ("=2+3", "empty")):
        set_cell(5, 8, cell)(copy)
        refused(rf"a2\.xlsx,? row 5: R is {problem}", read_sheets, [copy / "a2.xlsx"])


def in_export(change: Callable[[list[dict[str, Any]]], object]) -> Callable[[Path], None]:
    return edit("export.json", change)


def replace(name: str, old: str, new: str) -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_text((folder / name).read_text("utf-8").replace(old, new), "utf-8")


def add_choice(tasks: list[dict[str, Any]]) -> None:
    tasks[3]["annotations"][0]["result"][0]["value"]["choices"] = ["4", "5"]


SHEETS = ["a1.csv", "a2.xlsx"]
BAD_SHEETS: dict[str, tuple[Callable[[Path], object], list[str], list[str]]] = {
    "a double row": (
        in_a1(lambda rows: rows.append(rows[0])),
        SHEETS,
        ["a1.csv", "line 26", "demo-", "line 2 already"],
    ),
    "a missing row": (in_a1(lambda rows: rows.pop()), SHEETS, ["a1.csv", "lacks 1 of the sample's 24"]),
    "an unknown variant": (
        in_a1(lambda rows: rows[0].update(variant_id="x:noun:a:b")),
        SHEETS,
        ["a1.csv", "line 2", "'x:noun:a:b'", "not in the sample"],
    ),
    "another header": (replace("a1.csv", ",F,", ",fluency,"), SHEETS, ["a1.csv", "one column F"]),
    "two columns F": (replace("a1.csv", ",R,", ",F,"), SHEETS, ["a1.csv", "one column F"]),
    "a sheet given twice": (lambda _: None, ["a1.csv", "a1.csv"], ["a1.csv", "as has", "pass one of the two"]),
    "an empty file": (write("a1.csv", b""), SHEETS, ["a1.csv", "empty"]),
    "another encoding": (write("a1.csv", b"variant_id,F,R\ncaf\xe9,1,2\n"), SHEETS, ["a1.csv", "UTF-8"]),
    "an open quotation mark": (
        write("a1.csv", b'variant_id,F,R\n"x,1,2\n'),
        SHEETS,
        ["a1.csv", "line 2", "quotation mark"],
    ),
    "a text as a spreadsheet": (write("a2.xlsx", b"variant_id,F,R\n"), SHEETS, ["a2.xlsx", "spreadsheet"]),
    "another annotator": (
        lambda folder: (folder / "a1.csv").rename(folder / "b.csv"),
        ["b.csv", "a2.xlsx"],
        ["b.csv", "a1, a2"],
    ),
    "an annotator twice": (
        lambda folder: shutil.copy(folder / "a1.csv", folder / "a2.csv"),
        ["a2.csv", "a2.xlsx"],
        ["a2.xlsx", "scores of a2", "a2.csv"],
    ),
    "another extension": (
        lambda folder: (folder / "a1.csv").rename(folder / "a1.ods"),
        ["a1.ods"],
        ["a1.ods", ".xlsx, .csv nor .json"],
    ),
    "no such sheet": (lambda folder: (folder / "a1.csv").unlink(), SHEETS, ["a1.csv", "No such file"]),
    "a folder without a sample": (lambda folder: (folder / "a1").mkdir(), ["a1"], ["a1/sample.json", "--sample"]),
    "a folder with an empty sheet": (
        lambda folder: shutil.copy(folder.with_name("empty.csv"), folder / "a1.csv"),
        ["."],
        ["no filled-in sheet of a1", "a1.xlsx or a1.csv"],
    ),
    "a folder with two sheets of an annotator": (
        lambda folder: (folder / "a2.csv").write_bytes((folder / "a1.csv").read_bytes()),
        ["."],
        ["scores of a2", "a2.csv", "a2.xlsx"],
    ),
    "a damaged sample.json": (write("sample.json", b"{}"), SHEETS, ["sample.json", "per"]),
    "an unfinished project": (
        in_export(lambda tasks: tasks[4]["annotations"].pop()),
        ["export.json"],
        ["export.json", "lacks 1", "user a2"],
    ),
    "a score without a choice": (
        in_export(lambda tasks: tasks[2]["annotations"][1]["result"].pop()),
        ["export.json"],
        ["export.json", "task 3", "R is empty"],
    ),
    "two choices": (in_export(add_choice), ["export.json"], ["export.json", "task 4", r"F is '4\n5'"]),
    "a task annotated twice": (
        in_export(lambda tasks: tasks[0]["annotations"].append(tasks[0]["annotations"][0])),
        ["export.json"],
        ["export.json", "task 1", "user a1"],
    ),
    "an edited premise": (
        in_a1(lambda rows: rows[0].update(premise=f"{rows[0]['premise']} Not.")),
        SHEETS,
        ["a1.csv", "line 2, column premise", "Not.'"],
    ),
    "an edited label": (set_cell(5, 6, None), SHEETS, ["a2.xlsx", "row 5, column label", "''"]),
    "a skipped task": (
        in_export(lambda tasks: tasks[5]["annotations"][0].update(was_cancelled=True)),
        ["export.json"],
        ["export.json", "lacks 1", "user a1"],
    ),
    "no annotations": (
        in_export(lambda tasks: [task.update(annotations=[]) for task in tasks]),
        ["export.json"],
        ["export.json", "no annotations"],
    ),
    "another export": (write("export.json", b'[{"F": 5}]'), ["export.json"], ["export.json", "format JSON"]),
    "an export as an object": (write("export.json", b'{"a": 1}'), ["export.json"], ["export.json", "format JSON"]),
    "a truncated export": (write("export.json", b'[{"id": 1'), ["export.json"], ["export.json", "format JSON"]),
}
FAST = [*BAD_SHEETS][::5]
OTHERS = [name for name in BAD_SHEETS if name not in FAST]


@pytest.mark.parametrize("name", [*FAST, *slow(*OTHERS)])
def test_bad_sheets_are_one_sentence(name: str, annotate: Annotate, copy: Path, tmp_path: Path) -> None:
    damage, files, values = BAD_SHEETS[name]
    damage(copy)
    assert_refused(annotate("score", *(copy / each for each in files), "--out", tmp_path / "out"), values)
    assert not (tmp_path / "out").exists()


def test_a_data_set_that_was_not_sampled_is_refused(annotate: Annotate, filled: Path, tmp_path: Path) -> None:
    edit("run.json", lambda record: record["data"].update(digest="0" * 64))(copy_bundled(tmp_path / "other"))
    answer = annotate("score", filled / "a1.csv", "--dataset", tmp_path / "other", "--out", tmp_path / "out")
    assert_refused(answer, ["no variants", "other", "000000000000", str(SHIPPED)])
    assert not (tmp_path / "out").exists()


def test_an_output_file_is_kept(annotate: Annotate, filled: Path, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("text")
    code, printed = annotate("score", filled / "a1.csv", "--out", tmp_path / "out")
    assert (code, "is a file" in printed, (tmp_path / "out").read_text()) == (2, True, "text")
