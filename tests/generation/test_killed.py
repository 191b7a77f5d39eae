"""Killed runs and truncated files: the result has the bytes of an undisturbed run."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests import ROOT
from tests.generation.killed_runs import BOUNDARIES, MOVES
from tests.records import first_problems
from tests.systems import unix_only

pytestmark = [pytest.mark.slow, unix_only]


@pytest.fixture(scope="module")
def report(tiny_mlm: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The report of `killed_runs.py`, which runs in a new process because a process with threads must not fork."""
    folder = tmp_path_factory.mktemp("killed")
    problems = first_problems(folder, 12)
    mlms = [str(tiny_mlm(kind)) for kind in ("bert", "roberta")]
    command = [sys.executable, "-m", "tests.generation.killed_runs", str(folder), str(problems), *mlms]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def test_killed_at_random_moments(report: dict[str, Any]) -> None:
    assert report["random"]["killed"] >= 30
    assert report["random"]["equal"]
    assert all(report["random"]["equal"])


def test_killed_at_each_boundary_between_stages(report: dict[str, Any]) -> None:
    assert len(report["boundaries"]) == 2 * len(BOUNDARIES) + 1
    assert [when for when, held in report["boundaries"].items() if not held] == []


def test_killed_while_another_data_set_is_replaced(report: dict[str, Any]) -> None:
    assert report["replaced"] == [True] * (1 + 4 * MOVES)


def test_truncated_files_are_recreated(report: dict[str, Any]) -> None:
    assert report["truncated"] == [True, True, True]
