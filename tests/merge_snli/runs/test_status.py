"""`merge-snli work status` reads the records of tasks."""

from __future__ import annotations

import json
import os
import socket
import time
from dataclasses import replace
from pathlib import Path

import pytest

from merge_snli.base.errors import InputError, param
from merge_snli.base.progress import Stage
from merge_snli.base.stages import TaskShare
from merge_snli.cli import main
from merge_snli.runs.run_folder import (
    SECONDS_WITHOUT_BEAT,
    SUBMITTER_FILE,
    SubmittedStage,
    TaskRecord,
    is_submitting,
    read_run,
    task_file,
    write_run,
    write_task,
)
from merge_snli.runs.status import run_status
from merge_snli.runs.task import StageTask


@pytest.fixture
def stage(tmp_path: Path) -> SubmittedStage:
    """The only stage of a run: task 0 is done, 1 runs, 2 has failed, 3 was killed, 4 waits."""
    folder = tmp_path / "out.work" / "cluster"
    made = SubmittedStage(
        executor="local", name="roberta", unit="forms", tasks=5, folder=folder / "plan" / "1-roberta-5"
    )
    write_run(folder, [made])
    for task, (state, error) in enumerate([("done", None), ("running", None), ("failed", "--dtype is wrong")]):
        write_task(
            made.folder, task, TaskRecord(state=state, host="n1", started=0.0, seconds=20.0, units=100, error=error)
        )
    write_task(made.folder, 3, TaskRecord(state="running", host="n2", started=0.0, seconds=5.0, units=7))
    long_ago = time.time() - 2 * SECONDS_WITHOUT_BEAT
    os.utime(task_file(made.folder, 3), (long_ago, long_ago))
    (made.folder / "completions").mkdir()
    (made.folder / "completions" / "00000").touch()
    (folder / SUBMITTER_FILE).write_text(f"{socket.gethostname().partition('.')[0]} {os.getpid()}", encoding="utf-8")
    return made


def test_tasks_are_counted_by_state(stage: SubmittedStage, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["work", "status", str(tmp_path / "out"), "--format", "json"]) == 0
    status = json.loads(capsys.readouterr().out)
    assert status["active"] is True
    (found,) = status["stages"]
    assert {name: found[name] for name in ("tasks", "done", "running", "failed", "stopped", "waiting")} == {
        "tasks": 5,
        "done": 1,
        "running": 1,
        "failed": 1,
        "stopped": 1,
        "waiting": 1,
    }
    assert found["units_per_second"] == pytest.approx(200 / 40)
    assert found["seconds_left"] == pytest.approx(4 * 20 - 20), "as long as the task that is done"
    assert [(each["task"], each["host"]) for each in status["failures"]] == [(2, "n1"), (3, "n2")]
    assert status["failures"][0]["error"] == "--dtype is wrong"
    assert status["failures"][0]["log"] == str(stage.log(2))
    assert "killed" in status["failures"][1]["error"]


def test_the_time_left_follows_from_how_far_a_task_is(stage: SubmittedStage, tmp_path: Path) -> None:
    (stage.folder / "completions" / "00000").unlink()
    for task, record in ((0, None), (1, TaskRecord(state="running", host="n1", started=0.0, seconds=20.0, units=100))):
        task_file(stage.folder, task).unlink()
        if record is not None:
            write_task(stage.folder, task, record)
    assert run_status(tmp_path / "out.work" / "cluster")["stages"][0]["seconds_left"] is None
    halfway = TaskRecord(state="running", host="n1", started=0.0, seconds=20.0, units=100, total=200)
    write_task(stage.folder, 1, halfway)
    assert run_status(tmp_path / "out.work" / "cluster")["stages"][0]["seconds_left"] == pytest.approx(5 * 40 - 20)


def test_the_first_failure_is_shown_with_its_log(
    stage: SubmittedStage, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["work", "status", str(tmp_path / "out")]) == 0
    printed = capsys.readouterr().out
    assert "--dtype is wrong" in printed
    assert stage.log(2).name in printed
    assert "run the same command again" not in printed


def test_a_running_task_has_stopped_if_its_command_has_ended(stage: SubmittedStage, tmp_path: Path) -> None:
    folder = tmp_path / "out.work" / "cluster"
    (folder / SUBMITTER_FILE).write_text(f"{socket.gethostname().partition('.')[0]} 999999999", encoding="utf-8")
    assert not is_submitting(folder)
    (found,) = run_status(folder)["stages"]
    assert found["running"] == 0
    assert found["stopped"] == 2


def test_a_task_that_is_done_and_runs_again_is_no_failure(stage: SubmittedStage, tmp_path: Path) -> None:
    folder = tmp_path / "out.work" / "cluster"
    (folder / SUBMITTER_FILE).unlink()
    (stage.folder / "output").mkdir()
    (stage.folder / "output" / "00000.txt").touch()
    stage.forget()
    assert [failure["task"] for failure in run_status(folder)["failures"]] == [1, 2, 3]


def test_what_a_task_printed_is_shown_if_it_ended_before_its_work(stage: SubmittedStage, tmp_path: Path) -> None:
    folder = tmp_path / "out.work" / "cluster"
    (folder / SUBMITTER_FILE).unlink()
    (stage.folder / "output").mkdir()
    (stage.folder / "output" / "00004.txt").write_text("…\nNo module named 'merge_snli'\n", encoding="utf-8")
    last = run_status(folder)["failures"][-1]
    assert last["task"] == 4
    assert last["error"].endswith("No module named 'merge_snli'")
    assert last["log"] == str(stage.folder / "output" / "00004.txt")


def test_a_command_on_another_machine_ends_when_it_no_longer_renews_its_file(
    stage: SubmittedStage, tmp_path: Path
) -> None:
    folder = tmp_path / "out.work" / "cluster"
    file = folder / SUBMITTER_FILE
    file.write_text("elsewhere 1", encoding="utf-8")
    assert is_submitting(folder)
    os.utime(file, (0, 0))
    assert not is_submitting(folder)


def test_the_run_is_read_back(stage: SubmittedStage, tmp_path: Path) -> None:
    assert read_run(tmp_path / "out.work" / "cluster") == (stage,)


def test_no_run_and_a_run_that_cannot_be_canceled(
    stage: SubmittedStage, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["work", "status", str(tmp_path / "other")]) == 2
    assert "other.work" in capsys.readouterr().err
    assert main(["work", "cancel", str(tmp_path / "out")]) == 2
    assert "local" in capsys.readouterr().err


@pytest.mark.parametrize(
    "content", ["[]", '{"executor": "local"}', '{"executor": "local", "stages": [{"folder": "a"}]}']
)
def test_file_of_another_version_is_named(content: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "out.work" / "cluster" / "cluster.json"
    path.parent.mkdir(parents=True)
    path.write_text(content, encoding="utf-8")
    assert main(["work", "status", str(tmp_path / "out")]) == 2
    assert f"{path} is damaged" in capsys.readouterr().err


def test_the_error_of_a_task_names_flags(
    stage: SubmittedStage, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.environ", dict(os.environ))  # a task sets its threads

    def work(share: TaskShare, progress: Stage) -> None:
        raise InputError(f"{param('device', 'cpu')} is wrong in /data/--old")

    with pytest.raises(InputError, match=r"^device='cpu' is wrong"):
        StageTask(work, stage, (), threads=1).run(None, rank=4)
    assert (
        run_status(tmp_path / "out.work" / "cluster")["failures"][-1]["error"] == "--device=cpu is wrong in /data/--old"
    )
    assert main(["work", "status", str(tmp_path / "out"), "--format", "json"]) == 0
    assert "--device=cpu is wrong" in capsys.readouterr().out


@pytest.mark.parametrize(("content", "has_output"), [("[0, 1, 2]", True), ("", False), ("[0, 1", False)])
def test_a_submission_that_is_just_being_written_has_no_output_yet(
    stage: SubmittedStage, content: str, has_output: bool
) -> None:
    (stage.folder / "ranks_to_run.json").write_text(content, encoding="utf-8")
    output = stage.folder / "slurm_logs" / "17_1.out"
    output.parent.mkdir()
    output.write_text("started\n", encoding="utf-8")
    assert replace(stage, job="17").output(1) == (output if has_output else None)
