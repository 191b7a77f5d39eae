"""The tables of a run against a plain count over the rows of the shipped data set, and against the paper."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from generation.options import Options, preset_options
from generation.report.overlap import draw_overlap, overlap
from generation.report.tables import average_entries, forms_table, report_tables, table_2, table_4, table_6, table_9
from merge_snli.base.table import TEXT_WIDTH, Table
from merge_snli.dataset.record import FilterRecord, MaskedLMRecord, generation_of
from merge_snli.dataset.stored import MergeDataset, find_dataset, read_split
from merge_snli.dataset.variants import SIDES
from merge_snli.models.paper_models import PAPER_MLMS
from tests.commands import Command
from tests.oracles import BUNDLED, refused
from tests.records import changed


@pytest.fixture(scope="module")
def dataset() -> MergeDataset:
    return find_dataset(str(BUNDLED))


@pytest.fixture(scope="module")
def rows(dataset: MergeDataset) -> list[dict[str, Any]]:
    return list(read_split(dataset, "all").to_pylist())


def dicts(table: Table) -> list[dict[str, Any]]:
    return list(table.as_dict()["rows"])


def as_the_paper(dataset: MergeDataset, **more: object) -> MergeDataset:
    """Return the data set with the number of problems, the options and the masked LMs of the paper in its record."""
    masked_lms = tuple(MaskedLMRecord(name, None, "0" * 64) for name in PAPER_MLMS)
    problems = replace(generation_of(dataset.record).problems, with_label=9_824)
    options = Options(problems="snli", **preset_options("paper")).as_dict() | more
    return replace(dataset, record=changed(dataset.record, masked_lms=masked_lms, problems=problems, options=options))


def test_table_2_matches_a_plain_count(dataset: MergeDataset, rows: list[dict[str, Any]]) -> None:
    main_table = dicts(table_2(dataset))
    assert [row["config"] for row in main_table] == ["all", "noun", "verb", "adj"]
    for row in main_table:
        of = [variant for variant in rows if row["config"] in {"all", variant["word_class"]}]
        label_of = {variant["seed_id"]: variant["label"] for variant in of}
        assert row["seeds"] == len(label_of)
        assert row["average"] == round(len(of) / len(label_of), 1)
        assert row["entailment %"] == round(100 * Counter(label_of.values())[0] / len(label_of), 1)
        assert row["unique"] == round(sum(len(variant["subsamples"]) == 1 for variant in of) / 10, 1)


def test_table_9_matches_a_plain_count(dataset: MergeDataset, rows: list[dict[str, Any]]) -> None:
    single, several = average_entries(dataset)
    expected: Counter[str] = Counter()
    for row in rows:
        validators = {*row["premise_mlms"], *row["hypothesis_mlms"]}
        expected[validators.pop() if len(validators) == 1 else "several"] += len(row["subsamples"])
    assert several == expected["several"] / 10
    for name, average in single.items():
        assert average == expected[name] / 10
    assert expected.total() == 10 * read_split(dataset, "all", "subsample_0").num_rows
    table = dicts(table_9(dataset))
    assert table[0]["other families"] == table[1]["average"]
    assert "average paper" not in table[0]


def test_figure_9_matches_a_plain_count(dataset: MergeDataset, rows: list[dict[str, Any]]) -> None:
    counted = overlap(dataset)
    seeds = len({row["seed_id"] for row in rows})
    validators = [{*row["premise_mlms"], *row["hypothesis_mlms"]} for row in rows]
    for first, of_first in zip(counted.masked_lms, counted.shared, strict=True):
        for second, value in zip(counted.masked_lms, of_first, strict=True):
            if first == second:
                wanted = validators.count({first})
            else:
                wanted = sum(names >= {first, second} for names in validators)
            assert value == pytest.approx(wanted / seeds)


def test_table_4_has_the_counts_of_the_run(dataset: MergeDataset) -> None:
    noun = dicts(table_4(dataset))[0]
    assert (noun["problems"], noun["problems after"], noun["words after"]) == (559, 554, 713)
    assert noun["entailment %"] == round(100 * 180 / 559, 1)


def test_tables_2_and_4_are_compared_with_the_paper(dataset: MergeDataset) -> None:
    as_paper = as_the_paper(dataset)
    noun = dicts(table_2(as_paper))[1]
    assert noun["seeds paper"] == 1_808
    assert noun["seeds diff"] == 55 - 1_808
    assert noun["unique paper"] == 4_121
    assert noun["neutral % paper"] == 29.4
    assert noun["neutral % diff"] == round(noun["neutral %"] - 29.4, 1)
    assert dicts(table_4(as_paper))[2]["problems paper"] == 1_067


@pytest.mark.parametrize(
    "departure", [{"filters": []}, {"sides": "union"}, {"min_mlms": 2}, {"inflation": 10}, {"ignore_case": True}]
)
def test_other_options_are_not_compared_with_the_paper(dataset: MergeDataset, departure: dict[str, object]) -> None:
    other = as_the_paper(dataset, **departure)
    assert "paper" not in str(table_2(other).columns)
    assert "paper" not in str(table_6(other).columns)
    assert ("paper" in str(table_4(other).columns)) == ("ignore_case" not in departure)


def test_table_9_is_compared_with_the_paper(dataset: MergeDataset, monkeypatch: pytest.MonkeyPatch) -> None:
    as_paper = as_the_paper(dataset)
    table = read_split(dataset, "all")
    refused("demo:mlm-", table_9, as_paper)
    for side in SIDES:
        named = [[PAPER_MLMS[0] for _ in names] for names in table[side].to_pylist()]
        table = table.set_column(table.column_names.index(side), side, pa.array(named, pa.list_(pa.string())))
    monkeypatch.setattr("generation.report.tables.read_split", lambda *_: table)
    first, *_, last = dicts(table_9(as_paper))
    assert first["masked LM"] == "google-bert/bert-base-cased"
    assert first["average"] == 800
    assert first["average paper"] == 473.7
    assert first["average diff"] == 326.3
    assert first["other families"] == 0
    assert first["other families diff"] == -9572
    assert last["average paper"] == 41_186.3


def test_table_6_has_the_standalone_counts(dataset: MergeDataset) -> None:
    assert table_6(dataset).rows
    records = []
    for side, dropped in (("premise", 20), ("hypothesis", 30)):
        counts = {"fillers": 400, "fillers with class": 200, "other class": dropped, "not more probable": 8 * dropped}
        records.append(FilterRecord("noun", PAPER_MLMS[0], side, counts))
    paper = as_the_paper(dataset)
    noun = dicts(table_6(replace(paper, record=changed(paper.record, standalone_filters=tuple(records)))))[0]
    assert noun["class P %"] == 10
    assert noun["class H %"] == 15
    assert noun["probability P %"] == 40
    assert noun["probability H %"] == 60
    assert noun["class P % paper"] == 10.6
    assert noun["class P % diff"] == -0.6
    assert noun["probability H % diff"] == -25.8


def test_forms_that_a_masked_lm_cannot_take_are_shares_of_all_its_forms(dataset: MergeDataset) -> None:
    premise = FilterRecord("noun", "demo:mlm-bpe", "premise", {"forms": 30, "too long": 3, "in a window": 12})
    hypothesis = FilterRecord("noun", "demo:mlm-bpe", "hypothesis", {"forms": 20, "split": 10})
    record = changed(dataset.record, filters=(premise, hypothesis))
    other, row = dicts(forms_table(replace(dataset, record=record)))
    assert row == {"masked LM": "demo:mlm-bpe", "in a window %": 24, "too long %": 6, "split %": 20}
    assert other["split %"] == 0, "no forms"


def test_text_latex_and_json(dataset: MergeDataset, command: Command) -> None:
    tables, _ = report_tables(dataset)
    lines = [line for table in tables.values() for line in table.text().splitlines()]
    titles = [line.split(":")[0] for line in lines if line.startswith(("Table", "Figure"))]
    assert titles == ["Table 2", "Table 4", "Table 6", "Table 9", "Figure 9"]
    assert max(map(len, lines)) <= TEXT_WIDTH
    latex = command("tables", str(BUNDLED), "--format", "latex").out
    assert latex.count(r"\begin{tabular}") == latex.count(r"\end{tabular}") == len(tables)
    assert r"entailment \%" in latex
    document = command("tables", str(BUNDLED), "--format", "json").json
    assert list(document) == list(tables)
    assert document["table_2"]["rows"] == dicts(tables["table_2"])


@pytest.mark.parametrize(("ending", "begin"), [("svg", b"<?xml"), ("png", b"\x89PNG")])
def test_the_picture_is_reproducible(dataset: MergeDataset, tmp_path: Path, ending: str, begin: bytes) -> None:
    first, second = tmp_path / f"a.{ending}", tmp_path / f"b.{ending}"
    for path in (first, second):
        draw_overlap(overlap(dataset), path)
    assert first.read_bytes() == second.read_bytes()
    assert first.read_bytes().startswith(begin)


def test_unreadable_data_sets_and_unknown_formats_are_input_errors(
    dataset: MergeDataset, tmp_path: Path, command: Command
) -> None:
    refused(r"out .*figure.txt.*'.txt'.*\.svg, \.png, \.pdf", draw_overlap, overlap(dataset), tmp_path / "figure.txt")
    assert str(tmp_path) in command("tables", str(tmp_path), code=2).err
