"""Runs as processes of this machine: results as from one process, and what happens to killed tasks."""

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.merge_snli.runs.conftest import Running, generate, status
from tests.records import files_in

pytestmark = [pytest.mark.cluster, pytest.mark.usefixtures("shared")]


@pytest.fixture
def executor() -> str:
    return 'executor = "local"'


def task_processes(running: Running) -> list[Any]:
    """Return the processes of the tasks of a command."""
    found: list[Any] = psutil.Process(running.process.pid).children()
    return found


def test_a_killed_task_is_told_ctrl_c_and_sigterm_end_the_tasks_and_what_is_finished_is_kept(
    few: Path, few_dataset: Path, cluster_file: Callable[..., Path], tmp_path: Path
) -> None:
    out = tmp_path / "merge_snli"
    file = cluster_file("few", "[masked_lm]\ntasks = 2\nworkers = 2\n")
    running = generate(few, out, file)
    running.wait_for("demo:mlm-wordpiece", tasks=2)
    task_processes(running)[0].kill()
    assert "killed" in running.fail()
    assert [stage["done"] for stage in (status(out) or {})["stages"]] == [2, 1, 0, 0]
    for number, expected in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
        running = generate(few, tmp_path / str(expected) / "merge_snli", file)  # one task is too short to be caught
        running.wait_for("demo:mlm-wordpiece", tasks=2)
        tasks = task_processes(running)
        os.kill(running.process.pid, number)
        assert "Traceback" not in running.fail(expected)
        _, alive = psutil.wait_procs(tasks, timeout=60)
        assert alive == []
    generate(few, out, file).succeed()
    assert files_in(out) == files_in(few_dataset)
