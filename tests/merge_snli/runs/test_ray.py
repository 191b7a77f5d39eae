"""Runs on a Ray cluster of two nodes: results as from one process, and what happens to killed and failing tasks."""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from tests.commands import Command
from tests.merge_snli.runs.conftest import (
    MANY,
    STAGES,
    ClusterFile,
    check_error_of_the_user,
    check_lost_node,
    check_scores,
    generate,
    status,
)
from tests.processes import wait_until
from tests.records import files_in

if TYPE_CHECKING:
    from ray.cluster_utils import Cluster

pytestmark = [pytest.mark.cluster, pytest.mark.usefixtures("shared")]

NODE: dict[str, Any] = {"num_cpus": 1, "memory": 2 * 1024**3, "object_store_memory": 80 * 1024**2}


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """A head and a second node, with processes of their own."""
    cluster_utils = pytest.importorskip("ray.cluster_utils")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("RAY_worker_niceness", "0")  # else tasks starve on a busy machine
        running = cluster_utils.Cluster()
        try:
            add_node(running, include_dashboard=False)
            add_node(running)
            yield running
        finally:
            running.shutdown()


def add_node(cluster: Cluster, **more: Any) -> None:  # noqa: ANN401 - Ray's options
    """Add a node; Ray gives it 30 seconds to start, which is too short on a busy machine."""
    for _ in range(5):
        try:
            cluster.add_node(**NODE, **more)
        except Exception as error:
            logging.getLogger(__name__).warning("the node did not start: %s", error)
        else:
            return
    pytest.fail("no node of Ray starts here")


@pytest.fixture
def executor(cluster: Cluster) -> str:
    return f'executor = "ray"\naddress = "{cluster.address}"'


@pytest.fixture(autouse=True)
def no_tasks_stay(cluster: Cluster) -> Iterator[None]:
    yield
    wait_until(lambda: not task_processes())


def task_processes() -> list[psutil.Process]:
    """Return the processes of this cluster that run a task."""
    return [process for process in psutil.Process().children(recursive=True) if runs_a_task(process)]


def runs_a_task(process: psutil.Process) -> bool:
    """Return whether a process runs a task; one that has ended since it was listed does not."""
    try:
        return "_run_for_rank" in "".join(process.cmdline()[:1])
    except psutil.NoSuchProcess:  # also of a zombie
        return False


def test_a_task_killed_in_every_stage_runs_again(
    many: Path, many_files: dict[str, bytes], cluster_file: ClusterFile, tmp_path: Path
) -> None:
    out = tmp_path / "with spaces" / "merge_snli"
    running = generate(many, out, cluster_file("many"), MANY)
    for stage in STAGES:
        running.wait_for(stage)
        task_processes()[0].kill()
    running.succeed()
    assert files_in(out) == many_files
    assert not list(tmp_path.rglob("*.sqlite"))


def test_a_lost_node_leaves_its_tasks_to_the_other(
    cluster: Cluster, few: Path, few_dataset: Path, cluster_file: ClusterFile, tmp_path: Path
) -> None:
    (second,) = cluster.worker_nodes
    check_lost_node(
        few,
        few_dataset,
        cluster_file,
        tmp_path / "merge_snli",
        lose=lambda: cluster.remove_node(second, allow_graceful=False),
        restore=lambda: add_node(cluster),
    )


def test_a_second_submission_is_refused_and_ctrl_c_ends_the_tasks_but_keeps_what_is_finished(
    many: Path, many_files: dict[str, bytes], cluster_file: ClusterFile, tmp_path: Path
) -> None:
    out = tmp_path / "merge_snli"
    file = cluster_file("many")
    running = generate(many, out, file, MANY)
    running.wait_for("demo:mlm-wordpiece")
    error = generate(many, out, file, MANY).fail()
    assert f"merge-snli work status {out}" in error
    os.kill(running.process.pid, signal.SIGINT)
    error = running.fail(130)
    assert "Traceback" not in error
    wait_until(lambda: not task_processes())
    found = status(out) or {}
    assert not found["active"]
    assert found["stages"][0]["done"] == found["stages"][0]["tasks"]
    generate(many, out, file, MANY).succeed()
    assert files_in(out) == many_files


def test_an_error_of_the_user_is_told_in_its_own_sentence(
    few: Path, cluster_file: ClusterFile, tmp_path: Path, command: Command
) -> None:
    check_error_of_the_user(few, tmp_path, cluster_file, command)


def test_scores_are_those_of_one_process(
    few_dataset: Path, few_results: Path, cluster_file: ClusterFile, tmp_path: Path
) -> None:
    check_scores(few_dataset, few_results, cluster_file("few"), tmp_path / "results")
