"""Windows, imitated: no Unix-only module, no signal, no change of open files. Nothing here ran on Windows."""

import os
import re
import signal
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from generation.work import HOLDER_FILE, LOCK_FILE, work_folder
from merge_snli import cli
from merge_snli.base.errors import InputError
from merge_snli.base.files import is_path, is_running
from merge_snli.base.workers import MOST_ON_WINDOWS, started, usable_cores
from merge_snli.dataset.out_folder import new_content
from tests import ROOT
from tests.processes import SECONDS
from tests.systems import linux_only
from tests.windows import UNIX_ONLY, refuse_as_windows, refused_names

pytestmark = linux_only  # which says what files are open


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> None:
    refuse_as_windows(monkeypatch)


def test_no_module_needs_a_unix_only_module() -> None:
    files = [file for package in ("merge_snli", "generation", "metrics") for file in (ROOT / package).rglob("*.py")]
    imports = re.compile(rf"^\s*(?:import|from) ({'|'.join(UNIX_ONLY)})\b", re.MULTILINE)
    assert len(files) > 250
    assert imports.search("import os\n    import fcntl\n")
    assert [str(file) for file in files if imports.search(file.read_text(encoding="utf-8"))] == []


@pytest.mark.usefixtures("windows")
def test_the_imitation_refuses_what_windows_refuses(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "file").touch()
    with (tmp_path / "folder" / "file").open() as file:
        for refused in (Path(file.name).unlink, lambda: (tmp_path / "folder").rename(tmp_path / "other")):
            with pytest.raises(PermissionError):
                refused()
    (tmp_path / "folder" / "file").unlink()
    with pytest.raises(PermissionError):
        (tmp_path / "folder").replace(tmp_path)
    (tmp_path / "a:b").touch()
    assert refused_names(tmp_path) == ["a:b"]


@pytest.mark.usefixtures("windows")
def test_a_work_folder_is_locked_and_removed(tmp_path: Path) -> None:
    with work_folder(tmp_path / "out", tmp_path / "work"):
        assert (tmp_path / "work" / HOLDER_FILE).read_text() == f"process {os.getpid()}"
        with pytest.raises(InputError, match=f"process {os.getpid()}"), work_folder(tmp_path / "out"):
            pass
    # On Windows, filelock deletes the file when it releases the lock; then the empty folder is removed.
    assert [path.name for path in (tmp_path / "out.work").iterdir()] == [LOCK_FILE]
    assert {path.name for path in (tmp_path / "work").iterdir()} == {LOCK_FILE, HOLDER_FILE}


@pytest.mark.usefixtures("windows")
def test_an_empty_folder_gets_new_content(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    with new_content(tmp_path / "out") as staged:
        (staged / "file").touch()
    assert [path.name for path in tmp_path.rglob("*")] == ["out", "file"]


@pytest.mark.usefixtures("windows")
def test_no_process_gets_a_signal() -> None:
    assert is_running(os.getpid())


@pytest.mark.usefixtures("windows")
def test_there_are_as_many_workers_as_windows_waits_for() -> None:
    assert usable_cores() == os.cpu_count()
    with started(100) as workers:
        assert workers.number == MOST_ON_WINDOWS


def test_ctrl_c_in_a_callback_does_not_end_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    refuse_as_windows(monkeypatch)
    raised = threading.Event()
    monkeypatch.setattr(signal, "raise_signal", lambda number: raised.set() if number == signal.SIGINT else None)
    cli._keep_interrupt(SimpleNamespace(exc_type=KeyboardInterrupt))
    assert raised.wait(SECONDS)


@pytest.mark.parametrize("name", ["C:/data/merge", "C:data", r"data\merge", "//server/data"])
def test_paths_with_drives_are_paths(name: str) -> None:
    assert [is_path(each) for each in (name, "ORG/NAME", "demo:dataset")] == [True, False, False]
