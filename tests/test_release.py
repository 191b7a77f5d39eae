"""The release: which version, what the sdist may hold, on which Pythons, and in which order the workflow publishes."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

from merge_snli import __version__
from tests.systems import unix_only

ROOT = Path(__file__).parent.parent


@pytest.fixture
def release() -> ModuleType:
    """The program `.ci/release.py`."""
    spec = spec_from_file_location("release", ROOT / ".ci" / "release.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def copied(release: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Copies of the files that say the version, for the program."""
    for name in ("CHANGELOG.md", "CITATION.cff", "merge_snli/base/__init__.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    monkeypatch.setattr(release, "ROOT", tmp_path)
    return tmp_path


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_only_a_version_with_a_date_is_released(release: ModuleType, copied: Path) -> None:
    version, date, notes = release.section()
    assert version == __version__
    assert notes
    for wrong in ("unreleased", "soon", "2026-1-31"):
        change(copied / "CHANGELOG.md", f"## {version} ({date})", f"## {version} ({wrong})")
        with pytest.raises(SystemExit, match=f"{version} .{wrong}"):
            release.released_version()
        date = wrong
    change(copied / "CHANGELOG.md", f"({date})", "(2026-01-31)")
    assert release.released_version() == version


@pytest.mark.parametrize(
    ("file", "old", "new", "problem"),
    [
        ("CITATION.cff", f"version: {__version__}", "version: 9.9", "differ.*9.9"),
        ("CITATION.cff", "authors:\n  - name", "writers:\n  - name", "no authors"),
        ("CITATION.cff", "cff-version: 1.2.0", "", "no cff-version"),
        ("CHANGELOG.md", f"## {__version__} ", "## 9.9 ", "differ.*9.9"),
        ("merge_snli/base/__init__.py", __version__, "9.9", "differ.*9.9"),
    ],
)
def test_versions_and_citation(release: ModuleType, copied: Path, file: str, old: str, new: str, problem: str) -> None:
    release.check_version()
    change(copied / file, old, new)
    with pytest.raises(SystemExit, match=problem):
        release.check_version()


def test_the_sdist_has_what_git_tracks(release: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(release, "ROOT", tmp_path)
    (tmp_path / "README.md").touch()
    for command in (["init", "--quiet"], ["add", "README.md"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    release.check_contents({"README.md", "PKG-INFO"})
    with pytest.raises(SystemExit, match=r"does not track: \.cache/1"):
        release.check_contents({"README.md", "PKG-INFO", ".cache/1"})
    with pytest.raises(SystemExit, match=r"lacks README\.md"):
        release.check_contents({"PKG-INFO"})


@unix_only
def test_each_python_is_used_once(
    release: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    programs = {
        "first": f'exec "{sys.executable}" "$@"',
        "second": f'exec "{sys.executable}" "$@"',
        "old": "echo 3.8.10; echo /usr/bin/python3.8",
        "shim": "echo 'pyenv: shim: command not found' >&2; exit 127",
    }
    for name, code in programs.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{code}\n", encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    assert release.usable_pythons([*programs, "missing"]) == [str(Path(sys.executable).resolve())]
    skipped = [line for line in capsys.readouterr().out.splitlines() if line.startswith("== skipped ")]
    reasons = ("second: it is first", "old: it is Python 3.8.10", "shim: pyenv: shim: command", "missing: it was not")
    assert [reason in line for reason, line in zip(reasons, skipped, strict=True)] == [True] * 4
    with pytest.raises(SystemExit, match=r"no Python 3\.11"):
        release.usable_pythons(["old", "shim"])


def test_the_workflow_checks_before_it_publishes() -> None:
    workflow: dict[str, Any] = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8"))
    jobs = workflow["jobs"]
    commands = [step.get("run", "") for step in jobs["build"]["steps"]]
    version = next(number for number, command in enumerate(commands) if "release.py version" in command)
    assert "matching-refs/tags" in commands[version]
    assert version < commands.index("make release-check")
    assert jobs["publish"]["needs"] == "build"
    assert "--prerelease" in jobs["tag"]["steps"][-1]["run"]
