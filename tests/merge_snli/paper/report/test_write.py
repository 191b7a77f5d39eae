"""Tests of the folder of a report: whole or not at all, replaced, and never mixed with other files."""

from __future__ import annotations

import csv
import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from merge_snli.base.errors import InputError
from merge_snli.base.progress import Progress
from merge_snli.comparison.scored_dataset import NotComputable, ScoredDataset
from merge_snli.paper.report import write
from merge_snli.paper.report.report import Report, json_value, make_report
from merge_snli.paper.report.sections import SECTIONS, Settings
from merge_snli.paper.report.write import check_report_folder, write_report
from tests.merge_snli.paper.report.conftest import MARKUP
from tests.systems import unprivileged


@pytest.fixture(scope="module")
def report(scored: ScoredDataset) -> Report:
    """Return a report with two of the analyses, one of them without figures."""
    whole = make_report([scored], Settings(fine_tuned_from={}), Progress(quiet=True))
    [part] = whole.data_sets
    chosen = tuple(each for each in part.analyses if each[0].name in ("majority", "classes"))
    return dataclasses.replace(whole, data_sets=(dataclasses.replace(part, analyses=chosen),))


@pytest.fixture
def written(report: Report, tmp_path: Path) -> Path:
    return write_report(report, tmp_path / "new" / "report", Progress(quiet=True)).parent


def test_the_numbers_are_those_of_the_analyses(report_folder: Path, scored: ScoredDataset) -> None:
    numbers = json.loads((report_folder / "report.json").read_text(encoding="utf-8"))
    [part] = numbers["data_sets"]
    assert {name: part[name] for name in ("digest", "config", "models")} == {
        "digest": scored.data.stored.digest,
        "config": "all",
        "models": ["by 3", MARKUP],
    }
    assert [*part["analyses"]] == [section.name for section in SECTIONS]
    assert "--fine-tuned-from" in part["analyses"]["fine_tuned"]["not_computed"]
    assert "not_computed" in numbers["across_data_sets"]["filter_sets"]
    curves = part["analyses"]["model_curves"]["curves"]
    expected = {model.name: model.result.scores.curve.mean[90] for model in scored.models}
    assert {curve["models"][0]: curve["mean"][90] for curve in curves} == pytest.approx(expected)


def test_the_numbers_are_written(written: Path, report: Report) -> None:
    assert json.loads((written / "report.json").read_text(encoding="utf-8")) == report.as_dict()


def test_tables_have_three_forms(report_folder: Path) -> None:
    tables = report_folder / "tables"
    stems = {path.name.rpartition(".")[0] for path in tables.iterdir()}
    assert {path.name for path in tables.iterdir()} == {
        f"{stem}.{extension}" for stem in stems for extension in ("csv", "md", "tex")
    }
    [curves] = tables.glob("*-figure-11-curves.csv")
    rows = list(csv.DictReader(curves.read_text(encoding="utf-8").splitlines()))
    assert {row[""] for row in rows} == {"by 3", MARKUP}
    assert all(float(row["PA(0.9)"]) >= float(row["PA(1)"]) for row in rows)


def test_equal_reports_have_equal_bytes(written: Path, report: Report, tmp_path: Path) -> None:
    again = write_report(report, tmp_path / "again", Progress(quiet=True)).parent
    assert contents(written) == contents(again)


def contents(folder: Path) -> dict[Path, bytes]:
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_report_is_replaced(written: Path, report: Report) -> None:
    (written / "figures" / "old.svg").write_text("old")
    write_report(report, written, Progress(quiet=True))
    assert not (written / "figures" / "old.svg").exists()
    assert [path.name for path in written.parent.iterdir()] == [written.name]


def test_an_empty_folder_is_used(report: Report, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert write_report(report, tmp_path / "empty", Progress(quiet=True)) == tmp_path / "empty" / "index.html"


def test_a_failure_leaves_the_old_report(written: Path, report: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    before = contents(written)

    def fail(*_: Any) -> str:  # noqa: ANN401
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(write, "render_page", fail)
    with pytest.raises(InputError, match="full"):
        write_report(report, written, Progress(quiet=True))
    assert contents(written) == before
    assert [path.name for path in written.parent.iterdir()] == [written.name]


def test_other_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(InputError, match=r"thesis\.tex"):
        check_report_folder(tmp_path)


def test_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file", tmp_path / "file" / "report"):
        with pytest.raises(InputError, match="is a file"):
            check_report_folder(path)


@unprivileged
def test_an_unwritable_folder_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(InputError, match="not writable"):
        check_report_folder(tmp_path / "report")


def test_reasons_and_infinite_numbers_as_json() -> None:
    assert json_value(NotComputable("why")) == {"not_computed": "why"}
    assert json_value([float("inf"), float("nan"), 1.5, None, True]) == [None, None, 1.5, None, True]
