"""The repository: names, README, release files and the contents of the sdist."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from collections import defaultdict
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest
import transformers.pipelines  # imported later, it would replace a patched `transformers.pipeline`
import yaml

from merge_snli import __version__
from tests import ROOT
from tests.oracles import missing_from
from tests.systems import unix_only


def test_git_keeps_the_bytes_of_every_file() -> None:
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("not a checkout, or git is not installed")
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    command = ["git", "check-attr", "-z", "--stdin", "text"]
    found = subprocess.run(command, cwd=ROOT, input=files, capture_output=True, check=True).stdout.decode().split("\0")
    assert len(found) > 3 * 700
    assert {*found[2::3]} == {"unset"}, "with line ends converted, digests of bundled files differ"


PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
DEPENDENCIES = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")


def test_the_page_lists_every_dependency() -> None:
    required = [re.split(r"[\[<>=]", each)[0] for each in PROJECT["dependencies"]]
    for rows in re.findall(r"(?:^\|.*\n)+", DEPENDENCIES, re.MULTILINE):
        assert re.findall(r"^\| `([\w-]+)` \|", rows, re.MULTILINE) == required


def test_the_page_has_the_lower_bounds() -> None:
    page = DEPENDENCIES.partition("## Lower bounds")[2]
    bounds = dict(re.findall(r"^([\w-]+)(?:>=|==)([\d.]+)", "\n".join(PROJECT["dependencies"]), re.MULTILINE))
    assert dict(re.findall(r"^\| `([\w-]+)` \| ([\d.]+) \|", page, re.MULTILINE)) == bounds


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
    printed = capsys.readouterr().out
    reasons = ("second: it is first", "old: it is Python 3.8.10", "shim: pyenv: shim: command", "missing: it was not")
    assert not missing_from(printed, *reasons)
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


if TYPE_CHECKING:
    from tests.conftest import DemoRun

README = (ROOT / "README.md").read_text(encoding="utf-8")
OURS, PLAIN = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], dict[str, Any]]:
    """A function that runs an example in the root of the project, and returns its names."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path)

    def example(code: str) -> dict[str, Any]:
        names: dict[str, Any] = {}
        exec(compile(code, "README.md", "exec"), names)
        return names

    return example


@pytest.mark.parametrize(
    "capitals", [True, pytest.param(False, marks=pytest.mark.slow)], ids=["labels in capitals", "the model"]
)
def test_the_example_with_datasets_and_evaluate(
    run: Callable[[str], dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    capitals: bool,
) -> None:
    """Its model, or one that says NEUTRAL; each seed and word class has 10 variants in a subsample."""
    if capitals:
        neutral = {"label": "NEUTRAL"}
        monkeypatch.setattr(transformers, "pipeline", lambda *_, **__: lambda rows, **_: [neutral] * len(rows))
    names = run(PLAIN)
    scores = names["scores"]
    variants = names["variants"]
    labels = names["seeds"]["label"]
    assert scores["n_samples"] == 10 * len(set(zip(variants["seed_id"], variants["word_class"], strict=True)))
    assert scores["qt"] == pytest.approx(scores["pattern_accuracy"] - scores["seed_sample_accuracy"])
    assert len(capsys.readouterr().out.split()) == 4
    if capitals:
        assert scores["seed_sample_accuracy"] == labels.count(names["names"].index("neutral")) / len(labels)


@pytest.mark.slow
def test_the_example_of_the_python_api(
    demo_run: DemoRun,
    run: Callable[[str], dict[str, Any]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Reuses the answers and predictions of the demo, which has the same problems and models."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(demo_run.out / "merge_snli.work", tmp_path / "my_data" / "merge_demo.work")
    shutil.copytree(demo_run.out / "results.work", tmp_path / "my_data" / "results.work")
    result = run(OURS)["result"]
    assert capsys.readouterr().out == f"{result.pattern_accuracy} {result.interval} {result.qt}\n"


@pytest.mark.slow
def test_the_demo_prints_the_blocks_shown(demo_run: DemoRun) -> None:
    blocks = re.findall(r"```text\n(.*?)```", README, re.DOTALL)
    assert blocks
    assert not missing_from(demo_run.printed, *blocks)


def test_the_make_targets_exist() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for command in ("demo", "test", "lint", "docs", "smoke", "data", "train"):
        assert re.search(rf"^{command}:", makefile, re.MULTILINE)
    assert not missing_from(README, "make demo", "make test")


PACKAGES = ("merge_snli", "generation", "metrics", "training")


def test_public_class_names_are_unique() -> None:
    found: dict[str, list[str]] = defaultdict(list)
    for path in (path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(path.relative_to(ROOT).as_posix())
    assert len(found) > 100
    assert {name: paths for name, paths in found.items() if len(paths) > 1} == {}
