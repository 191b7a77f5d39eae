"""The files of the repository around the code: what git, the workflows and the pages say agrees with pyproject.toml."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def test_git_keeps_the_bytes_of_every_file() -> None:
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("not a checkout, or git is not installed")
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    command = ["git", "check-attr", "-z", "--stdin", "text"]
    found = subprocess.run(command, cwd=ROOT, input=files, capture_output=True, check=True).stdout.decode().split("\0")
    assert len(found) > 3 * 800
    assert {*found[2::3]} == {"unset"}, "with line ends converted, digests of bundled files differ"
