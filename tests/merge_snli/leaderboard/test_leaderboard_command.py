"""Tests of `merge-snli leaderboard`."""

import json
import shutil
from pathlib import Path

import pytest

from merge_snli import Result, score
from merge_snli.cli import main
from merge_snli.dataset.record import DataRecord
from merge_snli.scoring.store import write_result
from tests.merge_snli.conftest import MakeDataset
from tests.merge_snli.leaderboard.conftest import SHIPPED
from tests.records import save_record


@pytest.fixture(scope="module")
def folder(results: list[Result], tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("scored") / "results"
    for result in results:
        write_result(result, out)
    return out


def run(*arguments: object) -> int:
    return main(["leaderboard", *map(str, arguments)])


@pytest.mark.parametrize(
    ("file_format", "name"),
    [("md", "leaderboard.md"), ("csv", "leaderboard.csv"), ("json", "leaderboard.json"), ("latex", "leaderboard.tex")],
)
def test_tables(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], file_format: str, name: str) -> None:
    assert run(folder, "--out", tmp_path / "site", "--format", file_format) == 0
    assert capsys.readouterr().out == f"{tmp_path / 'site' / name}\n"
    assert "org/careful-large" in (tmp_path / "site" / name).read_text(encoding="utf-8").replace("\\", "")


def test_tables_are_printed_without_a_folder(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(folder, "--format", "md", "--threshold", "0.8") == 0
    printed = capsys.readouterr().out
    assert "org/careful-large" in printed
    assert "PA(0.8)" in printed
    assert run(folder) == 2
    assert "--out" in capsys.readouterr().err


def test_page_with_and_without_texts(folder: Path, tmp_path: Path) -> None:
    assert run(folder, "--out", tmp_path / "site") == 0
    page = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert run(folder, "--out", tmp_path / "site", "--dataset", SHIPPED) == 0
    with_texts = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert len(with_texts) > len(page)
    assert [path.name for path in (tmp_path / "site").iterdir()] == ["index.html"]


def test_sentences_that_may_not_be_shared_are_on_the_page_on_request(folder: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    shutil.copytree(SHIPPED / "data", data / "data")
    record = json.loads((SHIPPED / "run.json").read_text(encoding="utf-8"))
    record["terms"]["license"] = "other"
    (data / "run.json").write_text(json.dumps(record), encoding="utf-8")
    assert run(folder, "--out", tmp_path / "site", "--dataset", data) == 0
    page = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert run(folder, "--out", tmp_path / "site", "--dataset", data, "--with-text") == 0
    with_texts = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert [
        bool(json.loads(each.partition('id="data">')[2].partition("</script>")[0])["boards"][0]["texts"])
        for each in (page, with_texts)
    ] == [False, True]


@pytest.mark.parametrize(
    "arguments", [[], ["--dataset", SHIPPED, "--format", "md"], ["--dataset", SHIPPED, "--init-space", "org/board"]]
)
def test_sentences_on_request_need_a_page_with_a_data_set(
    folder: Path, tmp_path: Path, arguments: list[object], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(folder, "--out", tmp_path / "site", "--with-text", *arguments) == 2
    assert "--with-text" in capsys.readouterr().err
    assert not (tmp_path / "site").exists()


def test_tables_at_other_thresholds(folder: Path, tmp_path: Path, results: list[Result]) -> None:
    assert run(folder, "--out", tmp_path, "--format", "md", "--threshold", "0.8,0.95") == 0
    text = (tmp_path / "leaderboard.md").read_text(encoding="utf-8")
    header = next(line for line in text.splitlines() if line.startswith("| Model"))
    names = [cell.strip() for cell in header.strip("| ").split("|")]
    assert names[3:7] == ["PA(0.8)", "PA(0.9)", "95% interval", "PA(0.95)"]
    row = next(line for line in text.splitlines() if line.startswith("| org/hasty-base"))
    cells = dict(zip(names, (cell.strip() for cell in row.strip("| ").split("|")), strict=True))
    curve = results[0].scores.curve.at(0.8)
    assert curve is not None
    assert cells["PA(0.8)"] == f"{100 * curve:.1f}"


def test_one_page_of_several_folders_and_data_sets(
    folder: Path, results: list[Result], tmp_path: Path, make_dataset: MakeDataset
) -> None:
    other = make_dataset(tmp_path / "other", seeds=4)
    score(lambda pairs: ["neutral"] * len(pairs), other, name="always neutral", out=tmp_path / "more")
    options = ["--dataset", SHIPPED, "--dataset", other]
    assert run(folder, tmp_path / "more", "--out", tmp_path / "site", *options) == 0
    page = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert "Models on all data sets" in page
    data = json.loads(page.partition('id="data">')[2].partition("</script>")[0])
    assert [(board["dataset"], bool(board["texts"])) for board in data["boards"]] == [
        ("MERGE on its bundled problems", True),
        ("MERGE on its bundled problems", True),
        ("other", True),
    ]


def test_damaged_result_is_skipped_with_a_warning(
    folder: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture, results: list[Result]
) -> None:
    copy = tmp_path / "results"
    write_result(results[0], copy)
    (copy / "torn.json").write_text("{", encoding="utf-8")
    assert run(copy, "--out", tmp_path / "site", "--format", "json") == 0
    assert "torn.json" in caplog.text
    rows = json.loads((tmp_path / "site" / "leaderboard.json").read_text(encoding="utf-8"))["rows"]
    assert {row["model"] for row in rows} == {"org/hasty-base"}


def test_bad_input_is_one_sentence_and_exit_2(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "file"
    file.write_text("", encoding="utf-8")
    other = tmp_path / "other"
    other.mkdir()
    save_record(other, data=DataRecord("0123456789abcdef" * 4, {}))
    cases = {
        ("nowhere", "--out", tmp_path / "site"): "nowhere is not a folder",
        (folder, "--out", file): str(file),
        (folder, "--out", tmp_path / "site", "--dataset", other): "no result was computed on",
        (folder, "--out", tmp_path / "site", "--threshold", "0.8"): "--format html",
    }
    for arguments, message in cases.items():
        assert run(*arguments) == 2
        assert message in capsys.readouterr().err
    assert not (tmp_path / "site").exists()
