"""The command `merge-snli publish`: tokens, dry runs, data sets that do not pass validation."""

from __future__ import annotations

import json
import logging
import tempfile
from pathlib import Path

import pytest

import merge_snli
from merge_snli.cli import main
from merge_snli.dataset.record import as_json
from merge_snli.dataset.stored import MergeDataset
from merge_snli.validation import Finding, ValidationReport
from tests.hub.faults import Fault
from tests.hub.server import Hub
from tests.merge_snli.hub.conftest import REPO, SPACE


@pytest.fixture
def without_validation(monkeypatch: pytest.MonkeyPatch) -> None:
    """Skip validation, which has its own tests."""
    monkeypatch.setattr("merge_snli.validation.validate", lambda dataset: ValidationReport(dataset.name, (), {}, ()))


@pytest.mark.usefixtures("without_validation")
def test_output(hub: Hub, token: str, dataset: MergeDataset, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["publish", str(dataset.folder), "--repo", REPO, "--metric-space", SPACE]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"data set {REPO}, branch main: commit ")
    assert lines[1].startswith(f"data set {REPO}, branch script: commit ")
    assert lines[2].startswith(f"Space {SPACE}, branch main: commit ")
    assert lines[3].startswith("tag v1.0.")
    assert lines[4] == f"{hub.url}/datasets/{REPO}"


@pytest.mark.usefixtures("without_validation")
def test_publish_in_python(hub: Hub, token: str, dataset: MergeDataset) -> None:
    published = merge_snli.publish(dataset, REPO, revision="draft")
    assert (published.url, published.tag) == (f"{hub.url}/datasets/{REPO}", None)
    assert "run.json" in hub.storage.files(hub.storage.repos["dataset", REPO], "draft")


@pytest.mark.usefixtures("without_validation")
def test_dry_run_sends_no_request(hub: Hub, dataset: MergeDataset, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["publish", str(dataset.folder), "--repo", REPO, "--dry-run"]) == 0
    assert capsys.readouterr().out.startswith(f"data set {REPO}, branch main\n")
    assert hub.requests == []


@pytest.mark.usefixtures("without_validation")
def test_missing_token(hub: Hub, dataset: MergeDataset, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["publish", str(dataset.folder), "--repo", REPO]) == 2
    assert "log in with `hf auth login` or set HF_TOKEN" in capsys.readouterr().err
    assert hub.requests == []


@pytest.mark.usefixtures("without_validation")
def test_offline(
    hub: Hub, dataset: MergeDataset, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    assert main(["publish", str(dataset.folder), "--repo", REPO]) == 2
    assert "HF_HUB_OFFLINE is set" in capsys.readouterr().err


def test_findings_prevent_publishing(
    hub: Hub, token: str, dataset: MergeDataset, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    finding = Finding("data/all/test.parquet", 3, "label", "is 2 where the seed has 0")
    monkeypatch.setattr(
        "merge_snli.validation.validate", lambda dataset: ValidationReport("x", (finding, finding), {}, ())
    )
    assert main(["publish", str(dataset.folder), "--repo", REPO]) == 2
    assert "(data/all/test.parquet, row 3, label: is 2 where the seed has 0 and 1 more)" in capsys.readouterr().err
    assert hub.requests == []


@pytest.mark.parametrize("path", ["README.md", "data/all/test.parquet", "data/seed/test.parquet", "run.json"])
def test_damaged_data_set(hub: Hub, dataset: MergeDataset, capsys: pytest.CaptureFixture[str], path: str) -> None:
    damaged = dataset.folder / path
    if path == "run.json":
        damaged.write_text(json.dumps(as_json(dataset.record) | {"configs": {}, "generation": 3}), encoding="utf-8")
    else:
        damaged.unlink()
    for more in ([], ["--dry-run"]):
        expected = "run.json" if path == "run.json" else "does not pass validation" if more else "no Hub token"
        assert main(["publish", str(dataset.folder), "--repo", REPO, *more]) == 2
        assert expected in capsys.readouterr().err
    assert hub.requests == []


@pytest.mark.parametrize("fault", [{"status": 403}, {"status": 500, "times": 99}, {"cut": True, "times": 99}, None])
@pytest.mark.usefixtures("without_validation", "waits")
def test_token_is_never_shown(
    hub: Hub,
    token: str,
    dataset: MergeDataset,
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
            raise AssertionError("a bug")

        monkeypatch.setattr("merge_snli.hub.publish.publish", broken)
    else:
        hub.faults.append(Fault("POST", "/commit/", **fault))  # type: ignore[arg-type]
    with caplog.at_level(logging.DEBUG):
        code = main(["publish", str(dataset.folder), "--repo", REPO])
    output = capsys.readouterr()
    logs = [path.read_text() for path in tmp_path.glob("merge-snli-*.log")]
    assert (code, len(logs)) == ((1, 1) if fault is None else (2, 0))
    assert all(token not in text for text in (output.out, output.err, caplog.text, *logs))
    if fault is not None:
        assert "no commit is confirmed" in output.err


@pytest.mark.parametrize("broken", ["hf_not a token", "hf_tök", "hf_\x7f"])
@pytest.mark.usefixtures("without_validation")
def test_malformed_token_is_not_shown(
    hub: Hub,
    dataset: MergeDataset,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    broken: str,
) -> None:
    monkeypatch.setenv("HF_TOKEN", broken)
    assert main(["publish", str(dataset.folder), "--repo", REPO]) == 2
    message = capsys.readouterr().err
    assert "the Hub token has invalid characters" in message
    assert broken not in message


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "give the folder of a data set or --eval-results"),
        (["nowhere"], "nowhere does not exist"),
        (["--eval-results", "r.json"], "--eval-results and --model go together"),
        (["x", "--eval-results", "r.json", "--model", "org/m"], "give the folder of a data set or --eval-results"),
    ],
)
def test_invalid_arguments(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["publish", *arguments, "--repo", REPO]) == 2
    assert message in capsys.readouterr().err
