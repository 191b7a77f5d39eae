"""How far a run on a cluster is: the tasks of each stage by state, the first failure, and the jobs in Slurm's queue."""

from __future__ import annotations

import subprocess
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from merge_snli.base.errors import InputError, param
from merge_snli.base.progress import format_duration
from merge_snli.base.table import Column, Table
from merge_snli.runs.options import SLURM
from merge_snli.runs.run_folder import (
    DONE,
    FAILED,
    RUNNING,
    STOPPED,
    WAITING,
    is_fresh,
    is_submitting,
    read_run,
    read_task,
    task_file,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from merge_snli.runs.run_folder import SubmittedRun, SubmittedStage, TaskRecord


@dataclass(frozen=True, kw_only=True)
class Failure:
    """A task that failed or was stopped.

    Attributes:
        stage: The name of its stage.
        task: Its number.
        host: The machine that it ran on.
        error: Why it failed.
        log: Its log file.
    """

    stage: str
    task: int
    host: str
    error: str
    log: Path


@dataclass(frozen=True, kw_only=True)
class StageStatus:
    """How far a stage is.

    Attributes:
        name: Its name.
        tasks: Number of tasks by state.
        units: Number of units done.
        unit: The unit.
        units_per_second: Units per second of all running tasks together, or of the finished ones if none runs; None
            before the first unit.
        seconds_left: Estimated seconds until its last task ends, if no task is waiting for resources; None if unknown.
        failures: Its failed and stopped tasks, in order.
        logs: The folder of its logs.
        job: The id of its Slurm job.
    """

    name: str
    tasks: Counter[str]
    units: int
    unit: str
    units_per_second: float | None
    seconds_left: float | None
    failures: tuple[Failure, ...]
    logs: Path
    job: str | None


@dataclass(frozen=True, kw_only=True)
class RunStatus:
    """How far a run is.

    Attributes:
        executor: `slurm`, `ray` or `local`.
        active: Whether it is still running or waiting in Slurm's queue.
        stages: Its stages.
    """

    executor: str
    active: bool
    stages: tuple[StageStatus, ...]

    @property
    def failures(self) -> tuple[Failure, ...]:
        """The failed and stopped tasks of all stages, in order."""
        return tuple(failure for stage in self.stages for failure in stage.failures)


def is_active(folder: Path, run: SubmittedRun) -> bool:
    """Return whether a run has Slurm jobs in the queue, or the command that submitted it is still running.

    Args:
        folder: The folder of the run.
        run: The run.

    Raises:
        InputError: If Slurm does not answer.
    """
    return is_submitting(folder) or (run.executor == SLURM and bool(queued(run.jobs)))


def run_status(folder: Path) -> RunStatus:
    """Return how far a run is.

    Args:
        folder: The folder of the run, `OUT.work/cluster`.

    Raises:
        InputError: If there is no run, or Slurm does not answer.
    """
    run = read_run(folder)
    if run is None:
        raise InputError(
            f"{folder} has no run on a cluster: pass the {param('out')} folder of a command with {param('cluster')}"
        )
    active = is_active(folder, run)
    return RunStatus(
        executor=run.executor, active=active, stages=tuple(_stage_status(stage, active=active) for stage in run.stages)
    )


def _stage_status(stage: SubmittedStage, *, active: bool) -> StageStatus:
    completed = stage.completed()
    records = {task: record for task in range(stage.tasks) if (record := read_task(stage.folder, task)) is not None}
    states = {task: _state(stage, task, records.get(task), completed, active=active) for task in range(stage.tasks)}
    failures = tuple(
        _failure(stage, task, records.get(task)) for task, state in states.items() if state in {FAILED, STOPPED}
    )
    counts = Counter(states.values())
    timed = [records[task] for task, state in states.items() if task in records and state in {RUNNING, DONE}]
    return StageStatus(
        name=stage.name,
        tasks=counts,
        units=sum(record.units for record in records.values()),
        unit=stage.unit,
        units_per_second=_rate(timed, counts[RUNNING]),
        seconds_left=_seconds_left(timed, counts),
        failures=failures,
        logs=stage.folder / "logs",
        job=stage.job,
    )


def _state(stage: SubmittedStage, task: int, record: TaskRecord | None, completed: set[int], *, active: bool) -> str:
    if task in completed:
        return DONE
    if record is None:
        return WAITING if active or stage.output(task) is None else STOPPED
    if record.state == DONE:  # it runs again, since a later stage has missed a file that it made
        return WAITING
    if record.state == RUNNING:
        return RUNNING if active and is_fresh(task_file(stage.folder, task)) else STOPPED
    return record.state


def _failure(stage: SubmittedStage, task: int, record: TaskRecord | None) -> Failure:
    if record is not None:
        error = record.error or "ended without a result: it was killed, or its machine was lost"
        return Failure(stage=stage.name, task=task, host=record.host, error=error, log=stage.log(task))
    output = stage.output(task)
    assert output is not None
    printed = output.read_text(encoding="utf-8", errors="replace").strip().splitlines() or ["nothing printed"]
    error = f"ended before it began its work: {printed[-1]}"
    return Failure(stage=stage.name, task=task, host="an unknown machine", error=error, log=output)


def _rate(records: list[TaskRecord], running: int) -> float | None:
    """Return the mean rate of a task, times the number of tasks that run."""
    seconds = sum(record.seconds for record in records)
    units = sum(record.units for record in records)
    return units / seconds * max(1, running) if units and seconds else None


def _seconds_left(records: list[TaskRecord], counts: Counter[str]) -> float | None:
    """Estimate from the durations of the tasks that are done, and those expected of the tasks that are running."""
    if counts[DONE] == counts.total():
        return 0.0
    expected = [(record, seconds) for record in records if (seconds := _duration(record)) is not None]
    if not expected:
        return None
    mean = sum(seconds for _, seconds in expected) / len(expected)
    spent = sum(record.seconds for record in records if record.state == RUNNING)
    return max(0.0, (counts.total() - counts[DONE]) * mean - spent) / max(1, counts[RUNNING])


def _duration(record: TaskRecord) -> float | None:
    """Return how many seconds a task has taken, or will take at its present rate; None if unknown."""
    if record.state == DONE:
        return record.seconds
    return record.seconds * record.total / record.units if record.total and record.units else None


def status_table(status: RunStatus) -> Table:
    """Return the status as a table, with the first failure in its notes."""
    return Table(
        columns=(
            Column("stage", "left"),
            *(Column(state) for state in ("tasks", DONE, RUNNING, FAILED)),
            Column("rate"),
            Column("left"),
            Column("logs", "left"),
        ),
        rows=tuple(_row(stage) for stage in status.stages),
        notes=tuple(_notes(status)),
    )


def _row(stage: StageStatus) -> tuple[str | int | None, ...]:
    failed = stage.tasks[FAILED] + stage.tasks[STOPPED]
    rate = None if stage.units_per_second is None else f"{stage.units_per_second:,.1f} {stage.unit}/s"
    left = None if stage.seconds_left is None or failed else format_duration(stage.seconds_left)
    return (
        stage.name,
        stage.tasks.total(),
        stage.tasks[DONE],
        stage.tasks[RUNNING],
        failed,
        rate,
        left,
        stage.logs.parent.name,
    )


def _notes(status: RunStatus) -> list[str]:
    notes = [f"Logs are in {status.stages[0].logs.parent.parent}, in the folder logs of each stage."]
    jobs = [stage.job for stage in status.stages if stage.job is not None]
    if jobs:
        notes.append(f"Slurm jobs: {', '.join(jobs)}.")
    if status.failures:
        notes.append(failure_text(status.failures[0]))
    if all(stage.tasks[DONE] == stage.tasks.total() for stage in status.stages):
        notes.append("The run is complete.")
    elif not status.active:
        notes.append("The run has ended: run the same command again to do what is missing.")
    return notes


def failure_text(failure: Failure) -> str:
    """Return what went wrong in a task, and where its log is."""
    return f"{failure.stage}, task {failure.task} on {failure.host}: {failure.error} (log: {failure.log})"


def status_json(status: RunStatus) -> dict[str, Any]:
    """Return the status as JSON values."""
    return {
        "executor": status.executor,
        "active": status.active,
        "stages": [
            {
                "name": stage.name,
                "tasks": stage.tasks.total(),
                **{state: stage.tasks[state] for state in (DONE, RUNNING, FAILED, STOPPED, WAITING)},
                "units": stage.units,
                "unit": stage.unit,
                "units_per_second": stage.units_per_second,
                "seconds_left": stage.seconds_left,
                "logs": str(stage.logs),
                "job": stage.job,
            }
            for stage in status.stages
        ],
        "failures": [{**vars(failure), "log": str(failure.log)} for failure in status.failures],
    }


def queued(jobs: Sequence[str]) -> tuple[str, ...]:
    """Return those jobs that are running or waiting.

    Args:
        jobs: Ids of jobs of this user.

    Raises:
        InputError: If Slurm does not answer.
    """
    if not jobs:
        return ()
    queue = set(_run("squeue", "--noheader", "--me", "--format=%F").split())
    return tuple(job for job in jobs if job in queue)


def cancel(jobs: Sequence[str]) -> None:
    """Cancel jobs.

    Args:
        jobs: Ids of jobs.

    Raises:
        InputError: If Slurm cannot cancel them.
    """
    _run("scancel", *jobs)


def not_installed(command: str) -> InputError:
    """Return the error of a machine that lacks a command of Slurm."""
    return InputError(f"{command} is not installed: use a machine of the Slurm cluster")


def _run(*command: str) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except FileNotFoundError as error:
        raise not_installed(command[0]) from error
    except subprocess.CalledProcessError as error:
        raise InputError(f"{command[0]} failed: {error.stderr.strip()}") from error
