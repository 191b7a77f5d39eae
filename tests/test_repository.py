"""The files of the repository around the code: what git, the workflows and the pages say agrees with pyproject.toml."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
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


def test_the_page_lists_every_dependency() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    page = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    required = [re.split(r"[\[<>=]", each)[0] for each in project["dependencies"]]
    for rows in re.findall(r"(?:^\|.*\n)+", page, re.MULTILINE):
        assert re.findall(r"^\| `([\w-]+)` \|", rows, re.MULTILINE) == required


def test_the_page_has_the_lower_bounds() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    page = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8").partition("## Lower bounds")[2]
    bounds = dict(re.findall(r"^([\w-]+)(?:>=|==)([\d.]+)", "\n".join(project["dependencies"]), re.MULTILINE))
    assert dict(re.findall(r"^\| `([\w-]+)` \| ([\d.]+) \|", page, re.MULTILINE)) == bounds
