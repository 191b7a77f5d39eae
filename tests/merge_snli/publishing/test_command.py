"""`merge-snli publish` as it is typed: tokens, dry runs, what is not sound."""

from __future__ import annotations

import json
import logging
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from merge_snli.cli import main
from merge_snli.validation import Finding, Report
from tests.hub.faults import Fault
from tests.merge_snli.publishing.conftest import REPO, SPACE

if TYPE_CHECKING:
    from merge_snli.dataset import MergeDataset
    from tests.hub.server import Hub


@pytest.fixture
def sound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take every data set for sound; validation has its own tests."""
    monkeypatch.setattr("merge_snli.validation.validate", lambda source: Report(source.name, (), {}, ()))


@pytest.mark.usefixtures("sound")
def test_it_publishes_and_says_what(
    hub: Hub, token: str, source: MergeDataset, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["publish", str(source.folder), "--repo", REPO, "--metric-space", SPACE]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"data set {REPO}, branch main: 8 files sent (")
    assert lines[1].startswith(f"data set {REPO}, branch script: 2 files sent (")
    assert lines[2].startswith(f"Space {SPACE}, branch main: 9 files sent (")
    assert lines[3].startswith("tag v1.0.")
    assert lines[4] == f"{hub.url}/datasets/{REPO}"


@pytest.mark.usefixtures("sound")
def test_a_dry_run_needs_no_token_and_asks_nothing(
    hub: Hub, source: MergeDataset, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["publish", str(source.folder), "--repo", REPO, "--dry-run"]) == 0
    assert capsys.readouterr().out.startswith(f"data set {REPO}, branch main\n")
    assert hub.asked == []


@pytest.mark.usefixtures("sound")
def test_without_a_token_it_says_where_to_get_one(
    hub: Hub, source: MergeDataset, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["publish", str(source.folder), "--repo", REPO]) == 2
    assert capsys.readouterr().err == (
        "merge-snli: publishing needs a token of the Hub: log in with `hf auth login`, or put one into HF_TOKEN\n"
    )
    assert hub.asked == []


@pytest.mark.usefixtures("sound")
def test_offline_it_says_so(
    hub: Hub, source: MergeDataset, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    assert main(["publish", str(source.folder), "--repo", REPO]) == 2
    assert "HF_HUB_OFFLINE is set" in capsys.readouterr().err


def test_what_is_not_sound_is_not_published(
    hub: Hub, token: str, source: MergeDataset, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    finding = Finding("data/all/test.parquet", 3, "label", "is 2 where the seed has 0")
    monkeypatch.setattr("merge_snli.validation.validate", lambda source: Report("x", (finding, finding), {}, ()))
    assert main(["publish", str(source.folder), "--repo", REPO]) == 2
    told = capsys.readouterr().err
    assert "(data/all/test.parquet, row 3, label: is 2 where the seed has 0 and 1 more findings)" in told
    assert hub.asked == []


@pytest.mark.parametrize("path", ["README.md", "data/all/test.parquet", "data/seed/test.parquet", "run.json"])
def test_a_damaged_data_set_is_told_before_anything_is_made_of_it(
    hub: Hub, source: MergeDataset, capsys: pytest.CaptureFixture[str], path: str
) -> None:
    damaged = source.folder / path
    if path == "run.json":
        damaged.write_text(json.dumps(source.run | {"problems": {}, "masked_lms": 3}), encoding="utf-8")
    else:
        damaged.unlink()
    for more in ([], ["--dry-run"]):
        expected = "not published, since" if more else "needs a token"
        assert main(["publish", str(source.folder), "--repo", REPO, *more]) == 2
        assert expected in capsys.readouterr().err
    assert hub.asked == []


@pytest.mark.parametrize("fault", [{"status": 403}, {"status": 500, "times": 99}, {"cut": True, "times": 99}, None])
@pytest.mark.usefixtures("sound", "waits")
def test_the_token_is_in_no_output_log_or_traceback(
    hub: Hub,
    token: str,
    source: MergeDataset,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
    fault: dict[str, int] | None,
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr("huggingface_hub.constants.HF_DEBUG", True)
    if fault is None:

        def broken(api: object, plan: object, **options: object) -> None:
            raise AssertionError("a fault of ours")

        monkeypatch.setattr("merge_snli.publishing.publish", broken)
    else:
        hub.faults.append(Fault("POST", "/commit/", **fault))  # type: ignore[arg-type]
    with caplog.at_level(logging.DEBUG):
        code = main(["publish", str(source.folder), "--repo", REPO])
    told = capsys.readouterr()
    logs = [path.read_text() for path in tmp_path.glob("merge-snli-*.log")]
    assert (code, len(logs)) == ((1, 1) if fault is None else (2, 0))
    assert all(token not in text for text in (told.out, told.err, caplog.text, *logs))
    assert "a fault of" in told.err or "may not do this" in told.err or "could not be reached" in told.err


@pytest.mark.parametrize("broken", ["hf_not a token", "hf_tök", "hf_\x7f"])
@pytest.mark.usefixtures("sound")
def test_a_token_that_cannot_be_sent_is_not_shown(
    hub: Hub,
    source: MergeDataset,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    broken: str,
) -> None:
    monkeypatch.setenv("HF_TOKEN", broken)
    assert main(["publish", str(source.folder), "--repo", REPO]) == 2
    told = capsys.readouterr().err
    assert "has characters that no token of the Hub has" in told
    assert broken not in told


@pytest.mark.parametrize(
    ("given", "means"),
    [
        ([], "give the folder of a data set, or the results of a model"),
        (["nowhere"], "no data set at nowhere: the folder does not exist"),
        (["--eval-results", "r.json"], "--eval-results and --model go together"),
        (["x", "--eval-results", "r.json", "--model", "org/m"], "give the folder of a data set, or the results"),
    ],
)
def test_arguments_that_do_not_fit_are_told(given: list[str], means: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["publish", *given, "--repo", REPO]) == 2
    assert means in capsys.readouterr().err
