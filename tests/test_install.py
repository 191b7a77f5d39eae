"""The installation: what `make demo` and `make test` print, and the systems that all dependencies have wheels for."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests import ROOT
from tests.systems import unix_only

PROGRAM = """#!/bin/sh
case "$*" in *config*) exit 1;; esac
for number in $(seq 40); do echo "$(basename "$0") package $number"; done
case "$*" in {fails}) exit 3;; esac
"""


pytestmark = unix_only


def write_program(path: Path, fails: str) -> None:
    """Write a program that prints 40 lines, and fails if its arguments match a pattern of the shell."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(PROGRAM.format(fails=fails), encoding="utf-8")
    path.chmod(0o755)


def install(folder: Path, *, uv_fails: str = "never", pip_fails: str = "never") -> subprocess.CompletedProcess[str]:
    """Run `.ci/install` with an imitated uv and an imitated pip."""
    write_program(folder / "bin" / "uv", uv_fails)
    write_program(folder / "venv" / "bin" / "python", pip_fails)
    environment = {"PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}
    return run([str(ROOT / ".ci" / "install"), str(folder / "venv"), "--editable", ".[dev]"], environment)


def run(command: Sequence[str], environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def without_times(printed: str) -> list[str]:
    return re.sub(r"\d+ s$", "N s", printed, flags=re.MULTILINE).splitlines()


def test_a_step_is_one_line_with_its_time(tmp_path: Path) -> None:
    done = install(tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert without_times(done.stdout) == ["Installing torch ... N s", "Installing .[dev] and its dependencies ... N s"]
    assert (tmp_path / "venv" / "install.log").read_text(encoding="utf-8").count("uv package 40") == 2


def test_pip_is_used_if_uv_fails(tmp_path: Path) -> None:
    done = install(tmp_path, uv_fails="*--editable*")
    assert done.returncode == 0
    assert ["failed" in line for line in done.stdout.splitlines()] == [False, True, False, False]
    assert "falling back to pip" in done.stderr
    assert (tmp_path / "venv" / "install.log").read_text(encoding="utf-8").count("python package 40") == 2


@pytest.mark.parametrize("step", ["*torch", "*--editable*"])
def test_the_end_of_the_log_is_printed_if_a_step_fails(step: str, tmp_path: Path) -> None:
    done = install(tmp_path, uv_fails=step, pip_fails=step)
    assert done.returncode == 3 and "failed after" in done.stdout.splitlines()[-1]
    assert done.stderr.rpartition(f"{tmp_path / 'venv' / 'install.log'}:\n")[2].splitlines() == [
        f"python package {number}" for number in range(21, 41)
    ]


def test_an_environment_is_made_in_one_line(tmp_path: Path) -> None:
    log = tmp_path / "venv" / "install.log"
    done = run([str(ROOT / ".ci" / "step"), str(log), "Creating it", "echo", "it prints"], {"PATH": os.environ["PATH"]})
    assert (without_times(done.stdout), done.stderr) == (["Creating it ... N s"], "")
    assert "it prints" in log.read_text(encoding="utf-8").splitlines()


@pytest.mark.slow
@pytest.mark.parametrize("python", ["3.11", "3.12", "3.13", "3.14"])
@pytest.mark.parametrize("system", ["linux", "macos", "windows"])
def test_all_dependencies_have_wheels(python: str, system: str) -> None:
    uv = shutil.which("uv", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if uv is None:
        pytest.skip("uv is not installed")
    target = ["--python-version", python, "--python-platform", system, "--only-binary", ":all:"]
    done = subprocess.run(
        [uv, "pip", "compile", "--quiet", "--constraint", "constraints.txt", *target, "pyproject.toml"],
        cwd=ROOT,
        env={**os.environ, "MACOSX_DEPLOYMENT_TARGET": "14.0"},  # of torch 2.13
        capture_output=True,
        text=True,
        check=False,
    )
    if "error sending request" in done.stderr:
        pytest.skip("no package index can be reached")
    assert done.returncode == 0, done.stderr
    assert "\ntorch==" in done.stdout
