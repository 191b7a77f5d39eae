"""Tests of the sample: strata, marked words, reproducibility, sheets, bad input."""

import csv
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from openpyxl import load_workbook

from merge_snli.annotation.sample import draw_sample
from merge_snli.annotation.sheet_rows import sheet_rows
from merge_snli.annotation.sheets import label_config, write_sheets
from merge_snli.annotation.shown import TEXT_COLUMNS, mark
from merge_snli.base.files import read_json, sha256_of_file
from merge_snli.base.table import printable
from merge_snli.dataset.record import DataRecord
from merge_snli.dataset.stored import find_dataset, read_split
from merge_snli.dataset.texts import TextNames
from merge_snli.schema import NLI_LABELS
from tests.merge_snli.annotation.conftest import SHIPPED, Annotate, assert_refused
from tests.oracles import missing_from, refused, rows_of, written
from tests.records import files_in, save_record

COLUMNS = ["variant_id", "seed_premise", "seed_hypothesis", "premise", "hypothesis", "label", "F", "R", "comment"]


def read_csv(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def read_xlsx(path: Path) -> list[dict[str, Any]]:
    header, *rows = load_workbook(path).active.iter_rows(values_only=True)
    return [dict(zip(header, row, strict=True)) for row in rows]


@pytest.fixture(scope="module")
def variants() -> dict[str, dict[str, Any]]:
    return {row["variant_id"]: row for row in rows_of(SHIPPED)}


def test_each_class_has_as_many_variants(sheets: Path, variants: dict[str, dict[str, Any]]) -> None:
    sampled = [row["variant_id"] for row in read_csv(sheets / "a1.csv")]
    assert len(set(sampled)) == 24
    assert Counter(variants[each]["word_class"] for each in sampled) == {"noun": 8, "verb": 8, "adj": 8}


@pytest.mark.parametrize("annotator", ["a1", "a2"])
def test_csv_and_spreadsheet_have_the_same_rows(sheets: Path, annotator: str) -> None:
    rows = read_csv(sheets / f"{annotator}.csv")
    cells = read_xlsx(sheets / f"{annotator}.xlsx")
    assert list(rows[0]) == COLUMNS
    for row, of_sheet in zip(rows, cells, strict=True):
        assert {name: text or None for name, text in row.items()} == of_sheet
        assert row["F"] == row["R"] == row["comment"] == ""


def test_rows_show_the_variant_without_masked_lms(sheets: Path, variants: dict[str, dict[str, Any]]) -> None:
    for row in read_csv(sheets / "a1.csv"):
        variant = variants[row["variant_id"]]
        for prefix, word in (("", variant["replacement"]), ("seed_", variant["original"])):
            for name in (f"{prefix}premise", f"{prefix}hypothesis"):
                assert row[name].replace("*", "") == variant[name]
                assert f"*{word}*".lower() in row[name].lower()
        assert row["label"] == NLI_LABELS[variant["label"]]
    for name in ("a1.csv", "tasks.json"):
        assert "mlm-" not in (sheets / name).read_text("utf-8")


def test_annotators_have_the_same_rows_in_different_orders(sheets: Path) -> None:
    first, second = (read_csv(sheets / f"{name}.csv") for name in ("a1", "a2"))
    assert first != second
    assert sorted(map(str, first)) == sorted(map(str, second))


def test_scores_have_drop_downs(sheets: Path) -> None:
    (validation,) = load_workbook(sheets / "a1.xlsx").active.data_validations.dataValidation
    assert (validation.formula1, str(validation.sqref)) == ('"1,2,3,4,5"', "G2:G25 H2:H25")


def test_tasks_and_label_config_fit_together(sheets: Path) -> None:
    tasks = read_json(sheets / "tasks.json")
    config = ElementTree.fromstring((sheets / "label_config.xml").read_text("utf-8"))
    shown = {text.get("name"): str(text.get("value")) for text in config.iter("Text")}
    assert {*shown} == {*COLUMNS[1:6]}
    for name, text in shown.items():
        assert f"${name}" in text
    for choices, name in zip(config.iter("Choices"), "FR", strict=True):
        assert choices.get("name") == name
        assert [choice.get("value") for choice in choices] == [*"12345"]
    by_id = {task["data"]["variant_id"]: task["data"] for task in tasks}
    rows = read_csv(sheets / "a1.csv")
    assert len(tasks) == len(rows)
    for row in rows:
        assert by_id[row["variant_id"]].items() <= row.items()


def test_the_interface_keeps_the_case_of_what_texts_are_called() -> None:
    assert not missing_from(
        label_config(TextNames("sentence_A", "sentence_B")),
        'value="Seed sentence A: $seed_premise"',
        'value="Sentence B: $hypothesis"',
    )


def test_the_guidelines_are_also_a_page(sheets: Path) -> None:
    page = (sheets / "guidelines.html").read_text(encoding="utf-8")
    assert not missing_from(page, "<h1>How to score the variants</h1>", "<td>5</td>\n<td>good</td>")
    assert "<script" not in page
    assert "http://" not in page


def test_the_same_seed_gives_the_same_sheets(annotate: Annotate, sheets: Path, tmp_path: Path) -> None:
    common = ("sample", SHIPPED, "--size", 8, "--annotators", "a1,a2", "--out")
    assert annotate(*common, tmp_path / "same")[0] == 0
    assert annotate(*common, tmp_path / "other", "--random-seed", 1)[0] == 0
    for path in sheets.iterdir():
        if path.suffix != ".xlsx":
            assert path.read_bytes() == (tmp_path / "same" / path.name).read_bytes()
    assert (sheets / "a1.csv").read_bytes() != (tmp_path / "other" / "a1.csv").read_bytes()


def test_a_larger_sample_contains_a_smaller_one() -> None:
    dataset = find_dataset(str(SHIPPED))
    small, large = (draw_sample([dataset], sizes=[size], annotators=["a"], per="all") for size in (20, 50))
    assert set(small.shown) < set(large.shown)
    assert (len(small.shown), len(large.shown)) == (20, 50)


def test_strata_of_masked_lms_have_their_variants(variants: dict[str, dict[str, Any]]) -> None:
    sample = draw_sample([find_dataset(str(SHIPPED))], sizes=[30], annotators=["a"], per="mlm")
    (sampled,) = sample.datasets
    assert set(sampled.population) == {"demo:mlm-wordpiece", "demo:mlm-bpe"}
    for name, population in sampled.population.items():
        validated = {each for each, row in variants.items() if name in row["premise_mlms"] + row["hypothesis_mlms"]}
        drawn = {variant.variant_id for variant in sampled.variants if name in variant.strata}
        assert len(validated) == population
        assert len(drawn) == 30 and drawn <= validated
    assert [row["variant_id"] for row in sample.rows] == [variant.variant_id for variant in sampled.variants]


def other_version(folder: Path, *changed: str) -> Path:
    """Write config `all` without its last variant, with the texts of some columns changed."""
    path = folder / "data/all/test.parquet"
    path.parent.mkdir(parents=True)
    table = read_split(find_dataset(str(SHIPPED)), "all")
    columns = table.slice(0, table.num_rows - 1).to_pydict()
    for name in changed:
        columns[name] = [f"{text}!" for text in columns[name]]
    pq.write_table(pa.table(columns, schema=table.schema), path)
    digest = sha256_of_file(path)
    save_record(folder, data=DataRecord(digest, {"data/all/test.parquet": digest}))
    return folder


def test_two_data_sets_give_one_pool(annotate: Annotate, tmp_path: Path) -> None:
    out = tmp_path / "sheets"
    shorter = other_version(tmp_path / "shorter")
    common = ("--per", "all", "--annotators", "x", "--out", out)
    code, printed = annotate("sample", SHIPPED, shorter, "--size", "40,10", *common)
    assert code == 0
    sample = read_json(out / "sample.json")
    first, second = ({row["variant_id"] for row in each["variants"]} for each in sample["datasets"])
    assert (len(first), len(second)) == (40, 10)
    assert {row["variant_id"] for row in read_csv(out / "x.csv")} == first | second
    assert f"{len(first | second)} variants per annotator" in printed


def test_different_variants_with_one_id_are_refused(tmp_path: Path) -> None:
    datasets = [
        find_dataset(str(each)) for each in (SHIPPED, other_version(tmp_path / "other", "premise", "seed_premise"))
    ]
    refused(r"other.*different variants.*'demo-", draw_sample, datasets, sizes=[50, 50], annotators=["a"])


@pytest.mark.parametrize("name", ["file", "folder"])
def test_existing_files_are_kept(annotate: Annotate, name: str, tmp_path: Path) -> None:
    written(tmp_path / "folder" / "a1.csv", "filled in")
    (tmp_path / "file").write_text("text")
    before = files_in(tmp_path)
    out = tmp_path / name
    assert_refused(annotate("sample", SHIPPED, "--annotators", "a1", "--out", out), [str(out)])
    assert files_in(tmp_path) == before


def test_a_text_that_starts_with_an_equals_sign_is_no_formula(tmp_path: Path) -> None:
    sample = draw_sample([find_dataset(str(SHIPPED))], sizes=[1], annotators=["a"], per="all")
    shown = ["=1+1", "a b", "=cat", "@x"]
    texts = (sample.rows[0]["variant_id"], "=1+1", "a\x0bb", "=cat", "@x", "neutral")
    write_sheets(replace(sample, rows=(dict(zip(TEXT_COLUMNS, texts, strict=True)),)), tmp_path / "out")
    cells = load_workbook(tmp_path / "out" / "a.xlsx").active[2]
    assert [cell.value for cell in cells[1:5]] == shown
    assert {cell.data_type for cell in cells[:6]} == {"s"}
    (in_csv,) = read_csv(tmp_path / "out" / "a.csv")
    assert [in_csv[name] for name in TEXT_COLUMNS[1:5]] == ["'=1+1", "a\x0bb", "'=cat", "'@x"]
    for file in ("a.csv", "a.xlsx"):
        ((_, row),) = sheet_rows(tmp_path / "out" / file, sample.texts)
        assert [printable(row[name]) for name in TEXT_COLUMNS[1:5]] == shown


@pytest.mark.parametrize(
    ("seed", "variant", "starts", "words", "expected"),
    [
        ("A cat, a catboat.", "A dog, a catboat.", [2], ("cat", "dog"), ("A *cat*, a catboat.", "A *dog*, a catboat.")),
        ("Cats, cats.", "Dogs, dogs.", [0, 6], ("cats", "dogs"), ("*Cats*, *cats*.", "*Dogs*, *dogs*.")),
        ("RUN (now)?", "WALK (now)?", [0], ("run", "walk"), ("*RUN* (now)?", "*WALK* (now)?")),
        ("An art cart.", "An artist cart.", [3], ("art", "artist"), ("An *art* cart.", "An *artist* cart.")),
        ("red, red", "blue-red, blue-red", [0, 10], ("red", "blue-red"), ("*red*, *red*", "*blue-red*, *blue-red*")),
    ],
)
def test_exactly_the_replaced_words_are_marked(
    seed: str, variant: str, starts: list[int], words: tuple[str, str], expected: tuple[str, str]
) -> None:
    assert mark(seed, variant, starts, *words) == expected


def test_the_offsets_say_which_of_two_equal_words_was_replaced() -> None:
    assert mark("an art art", "an artist art", [3], "art", "artist")[1] == "an *artist* art"
    assert mark("an art art", "an art artist", [7], "art", "artist")[0] == "an art *art*"


@pytest.mark.parametrize("variant", ["A cat naps.", "A dog sleeps.", "A bird naps.", ""])
def test_other_changes_are_refused(variant: str) -> None:
    refused("validate", mark, "A cat naps.", variant, [2], "cat", "dog")
