"""The tables of a run against a plain count over the rows of the shipped data set, and against the paper."""

import json
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
from tests.oracles import refused
from tests.records import changed

DATASET = Path(__file__).parents[3] / "merge_snli"


@pytest.fixture(scope="module")
def dataset() -> MergeDataset:
    return find_dataset(str(DATASET))


@pytest.fixture(scope="module")
def rows(dataset: MergeDataset) -> list[dict[str, Any]]:
    variants: list[dict[str, Any]] = read_split(dataset, "all").to_pylist()
    return variants


def dicts(table: Table) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = table.as_dict()["rows"]
    return rows


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
        assert (row["seeds"], row["average"]) == (len(label_of), round(len(of) / len(label_of), 1))
        assert row["entailment %"] == round(100 * Counter(label_of.values())[0] / len(label_of), 1)
        unique = [sum(variant["subsamples"] == [index] for variant in of) for index in range(10)]
        assert row["unique"] == round(sum(unique) / 10, 1)


def test_table_9_matches_a_plain_count(dataset: MergeDataset, rows: list[dict[str, Any]]) -> None:
    single, several = average_entries(dataset)
    expected = Counter(dict.fromkeys(single, 0))
    for row in rows:
        validators = {*row["premise_mlms"], *row["hypothesis_mlms"]}
        expected[validators.pop() if len(validators) == 1 else "several"] += len(row["subsamples"])
    assert {**single, "several": several} == {name: count / 10 for name, count in expected.items()}
    assert sum(single.values()) + several == read_split(dataset, "all", "subsample_0").num_rows
    table = dicts(table_9(dataset))
    assert table[0]["other families"] == table[1]["average"] and "average paper" not in table[0]


def test_figure_9_matches_a_plain_count(dataset: MergeDataset, rows: list[dict[str, Any]]) -> None:
    counted = overlap(dataset)
    seeds = len({row["seed_id"] for row in rows})
    for first, of_first in zip(counted.masked_lms, counted.shared, strict=True):
        for second, value in zip(counted.masked_lms, of_first, strict=True):
            validators = [{*row["premise_mlms"], *row["hypothesis_mlms"]} for row in rows]
            wanted = sum(names == {first} if first == second else {first, second} <= names for names in validators)
            assert value == pytest.approx(wanted / seeds)


def test_table_4_has_the_counts_of_the_run(dataset: MergeDataset) -> None:
    noun = dicts(table_4(dataset))[0]
    assert (noun["problems"], noun["problems after"], noun["words after"]) == (559, 554, 713)
    assert noun["entailment %"] == round(100 * 180 / 559, 1)


def test_tables_2_and_4_are_compared_with_the_paper(dataset: MergeDataset) -> None:
    as_paper = as_the_paper(dataset)
    noun = next(row for row in dicts(table_2(as_paper)) if row["config"] == "noun")
    assert (noun["seeds paper"], noun["seeds diff"]) == (1_808, 55 - 1_808)
    assert (noun["unique paper"], noun["unique diff"]) == (4_121, round(noun["unique"] - 4_121, 1))
    assert (noun["neutral % paper"], noun["neutral % diff"]) == (29.4, round(noun["neutral %"] - 29.4, 1))
    assert dicts(table_4(as_paper))[2]["problems paper"] == 1_067


@pytest.mark.parametrize(
    "departure", [{"filters": []}, {"sides": "union"}, {"min_mlms": 2}, {"inflation": 10}, {"ignore_case": True}]
)
def test_other_options_are_not_compared_with_the_paper(dataset: MergeDataset, departure: dict[str, object]) -> None:
    other = as_the_paper(dataset, **departure)
    tables = [table_2(other), table_6(other), *([table_4(other)] if "ignore_case" in departure else [])]
    assert not [column.header for table in tables for column in table.columns if "paper" in column.header]


def test_table_9_is_compared_with_the_paper(dataset: MergeDataset, monkeypatch: pytest.MonkeyPatch) -> None:
    as_paper, table = as_the_paper(dataset), read_split(dataset, "all")
    refused("demo:mlm-", table_9, as_paper)
    for side in SIDES:
        named = [[PAPER_MLMS[0] for _ in names] for names in table[side].to_pylist()]
        table = table.set_column(table.column_names.index(side), side, pa.array(named, pa.list_(pa.string())))
    monkeypatch.setattr("generation.report.tables.read_split", lambda *_: table)
    rows = dicts(table_9(as_paper))
    assert rows[0] == {
        "masked LM": "google-bert/bert-base-cased",
        "average": 800.0,
        "other families": 0.0,
        "average paper": 473.7,
        "average diff": 326.3,
        "other families paper": 9572.0,
        "other families diff": -9572.0,
    }
    assert rows[-1]["average paper"] == 41_186.3


def test_table_6_has_the_standalone_counts(dataset: MergeDataset) -> None:
    assert table_6(dataset).rows
    counts = tuple(
        FilterRecord(
            word_class="noun",
            masked_lm=PAPER_MLMS[0],
            side=side,
            counts={
                "fillers": 400,
                "fillers with class": 200,
                "other class": dropped // 2,
                "not more probable": 4 * dropped,
            },
        )
        for side, dropped in (("premise", 40), ("hypothesis", 60))
    )
    paper = as_the_paper(dataset)
    noun = dicts(table_6(replace(paper, record=changed(paper.record, standalone_filters=counts))))[0]
    assert [noun[name] for name in ("class P %", "class H %", "probability P %", "probability H %")] == [10, 15, 40, 60]
    assert (noun["class P % paper"], noun["class P % diff"]) == (10.6, -0.6)
    assert (noun["probability H % paper"], noun["probability H % diff"]) == (85.8, -25.8)


def test_forms_that_a_masked_lm_cannot_take_are_shares_of_all_its_forms(dataset: MergeDataset) -> None:
    counts = ({"forms": 30, "too long": 3, "in a window": 12}, {"forms": 20, "split": 10})
    filters = tuple(
        FilterRecord("noun", "demo:mlm-bpe", side, count)
        for side, count in zip(("premise", "hypothesis"), counts, strict=True)
    )
    (other, row) = dicts(forms_table(replace(dataset, record=changed(dataset.record, filters=filters))))
    assert row == {"masked LM": "demo:mlm-bpe", "in a window %": 24, "too long %": 6, "split %": 20}
    assert other["split %"] == 0, "no forms"


def test_text_latex_and_json(dataset: MergeDataset, command: Command) -> None:
    tables, _ = report_tables(dataset)
    lines = [line for table in tables.values() for line in table.text().splitlines()]
    assert [line.split(":")[0] for line in lines if line.startswith(("Table", "Figure"))] == [
        *("Table 2", "Table 4", "Table 6", "Table 9", "Figure 9")
    ]
    assert max(map(len, lines)) <= TEXT_WIDTH
    latex = command("tables", str(DATASET), "--format", "latex").out
    assert latex.count(r"\begin{tabular}") == latex.count(r"\end{tabular}") == len(tables)
    assert r"entailment \%" in latex
    document = json.loads(command("tables", str(DATASET), "--format", "json").out)
    assert list(document) == ["table_2", "table_4", "table_6", "forms", "table_9", "figure_9"]
    assert document["table_2"]["rows"] == dicts(tables["table_2"])


@pytest.mark.parametrize("ending", ["svg", "png"])
def test_the_picture_is_reproducible(dataset: MergeDataset, tmp_path: Path, ending: str) -> None:
    counted = overlap(dataset)
    for name in ("a", "b"):
        draw_overlap(counted, tmp_path / f"{name}.{ending}")
    first, second = ((tmp_path / f"{name}.{ending}").read_bytes() for name in ("a", "b"))
    assert first == second
    assert first.startswith(b"\x89PNG") or b"<svg" in first


def test_unreadable_data_sets_and_unknown_formats_are_input_errors(
    dataset: MergeDataset, tmp_path: Path, command: Command
) -> None:
    refused(r"out .*figure.txt.*'.txt'.*\.svg, \.png, \.pdf", draw_overlap, overlap(dataset), tmp_path / "figure.txt")
    assert str(tmp_path) in command("tables", str(tmp_path), code=2).err
