"""Runs on a Slurm cluster of two nodes: results as from one process, and what happens to killed and failing tasks."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from merge_snli.cli import main
from tests.merge_snli.runs.cases import check_error_of_the_user, check_lost_node, check_scores
from tests.merge_snli.runs.runs import MANY, files, generate, status
from tests.merge_snli.runs.slurm import Slurm, slurm, slurm_cluster, why_no_slurm
from tests.processes import wait_until

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.skipif(why_no_slurm() is not None, reason=str(why_no_slurm())),
    pytest.mark.usefixtures("shared"),
]

ClusterFile = Callable[..., Path]

STAGES = ("read and tag", "demo:mlm-wordpiece", "filters and sets", "write")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Slurm]:
    with slurm_cluster(tmp_path_factory.mktemp("slurm")) as running:
        yield running


@pytest.fixture(autouse=True)
def no_jobs_stay(cluster: Slurm) -> Iterator[None]:
    yield
    slurm("scancel", "--me")
    wait_until(lambda: not cluster.queue())


@pytest.fixture
def executor() -> str:
    return 'executor = "slurm"'


def test_a_task_killed_in_every_stage_is_told_and_only_what_is_missing_runs_again(
    many: Path, many_files: dict[str, bytes], cluster_file: ClusterFile, tmp_path: Path
) -> None:
    out, file = tmp_path / "with spaces" / "merge_snli", cluster_file("many")
    for nth, stage in enumerate(STAGES):
        running = generate(many, out, file, MANY)
        running.wait_for(stage, tasks=1 if stage == "write" else 2)
        found = status(out)
        assert found is not None
        jobs = {each["name"]: each["job"] for each in found["stages"]}
        assert jobs["read and tag"] is None or nth < 2, "complete stages are not submitted again"
        slurm("scancel", f"{jobs[stage]}_0")
        code, error = running.end()
        assert code == 2
        assert f"{stage}, task 0" in error
        assert "killed" in error
        assert not out.exists()
    assert generate(many, out, file, MANY).end() == (0, "")
    assert files(out) == many_files
    assert not list(tmp_path.rglob("*.sqlite"))


def test_a_lost_node_leaves_its_tasks_to_the_other(
    cluster: Slurm, few: Path, few_dataset: Path, cluster_file: ClusterFile, tmp_path: Path
) -> None:
    check_lost_node(
        few,
        few_dataset,
        cluster_file,
        tmp_path / "merge_snli",
        lose=lambda: cluster.lose_node("n2"),
        restore=lambda: cluster.start_node("n2"),
    )
    wait_until(lambda: "down" not in slurm("sinfo", "--noheader", "--format=%T"))


def test_a_second_submission_is_refused_and_ctrl_c_leaves_the_jobs_which_only_status_cancels(
    few: Path, cluster_file: ClusterFile, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, file = tmp_path / "merge_snli", cluster_file("few")
    other = slurm("sbatch", "--parsable", "--output=/dev/null", "--wrap=sleep 600").strip()
    running = generate(few, out, file)
    running.wait_for("read and tag")
    code, error = generate(few, out, file).end()
    assert code == 2
    assert f"merge-snli work status {out}" in error
    os.kill(running.process.pid, signal.SIGINT)
    code, error = running.end()
    assert code == 130
    assert f"merge-snli work cancel {out}" in error
    found = status(out)
    assert found is not None
    assert found["active"]
    jobs = {each["job"] for each in found["stages"]}
    assert jobs <= set(slurm("squeue", "--noheader", "--format=%F").split())
    code, error = generate(few, out, file).end()
    assert (code, "active" in error) == (2, True)
    assert main(["work", "cancel", str(out)]) == 0
    assert "Slurm jobs" in capsys.readouterr().out
    wait_until(lambda: not jobs & set(slurm("squeue", "--noheader", "--format=%F").split()))
    assert other in slurm("squeue", "--noheader", "--format=%F").split()


def test_an_error_of_the_user_is_told_in_its_own_sentence(
    few: Path, cluster_file: ClusterFile, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    check_error_of_the_user(few, tmp_path, cluster_file, capsys)


def test_a_full_disk_on_one_node_is_told_and_the_run_resumes(
    few: Path, few_dataset: Path, cluster_file: ClusterFile, tmp_path: Path
) -> None:
    out = tmp_path / "merge_snli"
    answers = out.with_name("merge_snli.work") / "suggestions"
    answers.mkdir(parents=True)
    # In a mount namespace of its own, the first task sees a small disk in place of the folder of the answers.
    small = f"mount -t tmpfs -o size=40k small {answers}"
    if subprocess.run(["unshare", "--mount", "sh", "-c", small], capture_output=True, check=False).returncode:
        pytest.skip("no file system can be mounted here")
    again = f'SMALL=1 exec unshare --mount sh -c "{small} && bash $0"'
    command = f'if [ "$SLURM_ARRAY_TASK_ID" = 0 ] && [ -z "$SMALL" ]; then {again}; fi'
    python = f'PATH="{Path(sys.executable).parent}:$PATH"'
    more = f"[masked_lm]\nenv_command = '''\n{python}\n{command}\n'''\n"
    code, error = generate(few, out, cluster_file("few", more)).end()
    assert code == 2
    assert f"the disk of {answers}" in error
    assert "is full" in error
    assert generate(few, out, cluster_file("few")).end() == (0, "")
    assert files(out) == files(few_dataset)


def test_scores_are_those_of_one_process(
    few_dataset: Path, few_results: Path, cluster_file: ClusterFile, tmp_path: Path
) -> None:
    check_scores(few_dataset, few_results, cluster_file("few"), tmp_path / "results")
