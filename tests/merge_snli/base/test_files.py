"""Atomic writes, disk errors and digests."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from merge_snli.base.files import (
    disk_errors_as_input_errors,
    is_running,
    read_json,
    sha256_of_file,
    sha256_of_json,
    write_json,
    write_text,
)
from tests.oracles import missing_from, refused
from tests.processes import wait_until


def test_written_files(tmp_path: Path) -> None:
    write_text(tmp_path / "a" / "b.txt", "café")
    write_json(tmp_path / "a" / "c.json", {"é": [1, None]})
    assert (tmp_path / "a" / "b.txt").read_bytes() == "café".encode()
    assert (tmp_path / "a" / "c.json").read_bytes() == '{\n  "é": [\n    1,\n    null\n  ]\n}\n'.encode()
    assert read_json(tmp_path / "a" / "c.json") == {"é": [1, None]}


@pytest.mark.parametrize("content", [b"", b'{"a": 1', b"\xff", b"[" * 100_000], ids=["empty", "cut", "latin", "deep"])
def test_a_json_file_that_cannot_be_read_has_no_value(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(content)
    for name in ("a.json", "missing.json", "."):
        assert read_json(tmp_path / name) is None


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (errno.ENOSPC, "is full"),
        (errno.EACCES, "cannot be written"),
        (errno.EROFS, "cannot be written"),
    ],
)
def test_disk_error_names_the_folder_and_keeps_the_old_file(
    code: int, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_text(tmp_path / "a.txt", "old")

    def refuse(*_: object) -> None:
        raise OSError(code, "refused")

    monkeypatch.setattr(Path, "write_bytes", refuse)
    assert not missing_from(str(refused("", write_text, tmp_path / "a.txt", "new")), message, str(tmp_path))
    assert (tmp_path / "a.txt").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_other_os_errors_are_not_converted() -> None:
    with pytest.raises(OSError, match="other"), disk_errors_as_input_errors(Path("x")):
        raise OSError(errno.EIO, "other")


def test_digests(tmp_path: Path) -> None:
    (tmp_path / "abc").write_bytes(b"abc")
    assert sha256_of_file(tmp_path / "abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert sha256_of_json({"b": 1, "a": "é"}) == sha256_of_json({"a": "é", "b": 1})
    assert sha256_of_json([1, 2]) != sha256_of_json([2, 1])


def test_a_process_that_has_ended_does_not_run_even_if_its_parent_has_not_waited_for_it() -> None:
    process = subprocess.Popen([sys.executable, "-c", ""])
    wait_until(lambda: not is_running(process.pid))
    assert process.wait() == 0
    assert not is_running(process.pid)
    assert is_running(os.getpid())
