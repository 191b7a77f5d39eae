"""Missing and unexpected files in a folder and on the Hub."""

import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from huggingface_hub import HfApi

from merge_snli.validation import validate
from merge_snli.validation.findings import Collector
from merge_snli.validation.folder import UNEXPECTED, check_folder, check_repository
from tests.commands import Command
from tests.hub.faults import Fault
from tests.hub.server import Hub
from tests.systems import linux_only, with_pipes

REPO: Any = {"repo_id": "org/merge", "repo_type": "dataset"}
FILES = ("README.md", "run.json", "data/all/test.parquet")


def touch(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    touch(tmp_path / "set", *FILES)
    return tmp_path / "set"


@pytest.fixture
def hub_api(hub: Hub, token: str, valid_set: Path) -> HfApi:
    """A client with write access of a Hub with a valid data set."""
    api = HfApi(token=token)
    api.create_repo(**REPO)
    api.upload_folder(**REPO, folder_path=valid_set)
    return api


def messages(folder: Path) -> list[str]:
    collector = Collector()
    check_folder(folder, frozenset({"data/all/test.parquet"}), collector)
    return [str(finding) for finding in collector.report("").findings]


def test_optional_files(folder: Path) -> None:
    touch(folder, "run.toml", "eval.yaml", ".gitattributes", ".git/config")
    assert messages(folder) == []


def test_unexpected_files(folder: Path, tmp_path: Path) -> None:
    touch(folder, "data/all/model.PKL", "merge_snli.py")
    (folder / "notes").mkdir()
    (folder / "README.md").unlink()
    (folder / "README.md").symlink_to(tmp_path / "secret")
    assert sorted(messages(folder)) == [
        f"README.md: is a link to {tmp_path}/secret: links are not allowed",
        f"data/all/model.PKL: {UNEXPECTED}",
        f"merge_snli.py: {UNEXPECTED}",
        f"notes: {UNEXPECTED}",
    ]


@linux_only
def test_names_that_are_not_text_and_pipes(folder: Path) -> None:
    (folder / os.fsdecode(b"\xff\n")).touch()
    os.mkfifo(folder / "pipe")
    assert sorted(messages(folder)) == [rf"\udcff\n: {UNEXPECTED}", "pipe: is not a regular file"]


def test_what_file_managers_and_editors_leave_is_ignored(folder: Path, tmp_path: Path) -> None:
    left = (".DS_Store", "data/.DS_Store", "data/all/._test.parquet", "Thumbs.db", ".ipynb_checkpoints/a.ipynb")
    touch(folder, *left)
    assert messages(folder) == []
    (folder / ".idea").symlink_to(tmp_path)
    assert messages(folder) == [f".idea: is a link to {tmp_path}: links are not allowed"]


@with_pipes
def test_a_pipe_does_not_block(valid_set: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(valid_set, tmp_path / "copy"))
    for name in ("run.toml", "data/all/test.parquet", "README.md", "run.json"):
        (folder / name).unlink()
        os.mkfifo(folder / name)
        assert f"{name}: is not a regular file" in map(str, validate(folder).findings)


def test_a_data_set_on_the_hub(hub_api: HfApi, command: Command) -> None:
    assert "org/merge: valid" in command("validate", "org/merge").out
    hub_api.upload_file(**REPO, path_or_fileobj=b"x", path_in_repo="data/evil.pkl")
    assert command("validate", "org/merge", code=2).out.startswith(f"data/evil.pkl: {UNEXPECTED}\n")


def test_the_loading_script_is_allowed_on_its_branch_only(hub_api: HfApi, command: Command) -> None:
    hub_api.create_branch(**REPO, branch="script")
    for name in ("merge.py", "schema.py"):
        hub_api.upload_file(**REPO, path_or_fileobj=b"x = 1\n", path_in_repo=name, revision="script")
    assert "valid" in command("validate", "org/merge@script").out
    hub_api.upload_file(**REPO, path_or_fileobj=b"x = 1\n", path_in_repo="merge.py")
    assert command("validate", "org/merge", code=2).out.startswith(f"merge.py: {UNEXPECTED}\n")


def test_an_unreachable_hub_is_reported(hub: Hub, token: str) -> None:
    collector = Collector()
    hub.faults.append(Fault("GET", "/api/datasets/org/gone", 404))
    check_repository("org/gone", "main", frozenset(), collector)
    report = collector.report("org/gone")
    assert not report.findings and report.not_checked[0].startswith("other files of org/gone: ")
