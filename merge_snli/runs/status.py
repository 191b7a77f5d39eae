"""How far a run on a cluster is: the tasks of each stage by state, the first failure, and the jobs in Slurm's queue."""

import subprocess
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from merge_snli.base.errors import InputError, explained
from merge_snli.base.files import JsonObject
from merge_snli.base.progress import format_duration
from merge_snli.base.table import Column, Table
from merge_snli.runs.run_folder import (
    DONE,
    FAILED,
    RUNNING,
    STOPPED,
    WAITING,
    SubmittedStage,
    TaskRecord,
    is_fresh,
    is_submitting,
    read_run,
    read_task,
    task_file,
)

# What a message says of a command of Slurm that this machine lacks.
NOT_INSTALLED = "is not installed: use a machine of the Slurm cluster"


def is_active(folder: Path, stages: Sequence[SubmittedStage]) -> bool:
    """Return whether a run has Slurm jobs in the queue, or the command that submitted it is still running.

    Args:
        folder: The folder of the run.
        stages: Its stages.
    """
    return is_submitting(folder) or bool(queued(stages))


def run_status(folder: Path) -> JsonObject:
    """Return how far a run is, as JSON values.

    Args:
        folder: The folder of the run, `OUT.work/cluster`.

    Returns:
        The `executor`, whether the run is `active`, its `stages` in order, and its `failures`: the tasks that failed or
        were stopped. A stage has the number of its `tasks` in all and by state. Its `units_per_second` are those of all
        running tasks together, or of the finished ones if none runs; its `seconds_left` are estimated for the case that
        no task is waiting for resources. Both are None if unknown.
    """
    run = read_run(folder)
    if not run:
        raise InputError(f"{folder} has no run on a cluster: pass the ⟦out⟧ folder of a command with ⟦cluster⟧")
    active = is_active(folder, run)
    stages = []
    failures = []
    for stage in run:
        status, failed = _stage_status(stage, active=active)
        stages.append(status)
        failures += failed
    return {"executor": run[0].executor, "active": active, "stages": stages, "failures": failures}


def _stage_status(stage: SubmittedStage, *, active: bool) -> tuple[JsonObject, list[JsonObject]]:
    """Return how far a stage is, and its failures."""
    completed = stage.completed()
    counts = Counter[str]()
    timed = []
    failures = []
    units = 0
    for task in range(stage.tasks):
        record = read_task(stage.folder, task)
        state = _state(stage, task, record, completed, active=active)
        counts[state] += 1
        if record is not None:
            units += record.units
            if state in {RUNNING, DONE}:
                timed.append(record)
        if state in {FAILED, STOPPED}:
            failures.append(_failure(stage, task, record))
    by_state = {state: counts[state] for state in (DONE, RUNNING, FAILED, STOPPED, WAITING)}
    progress = {
        "units": units,
        "unit": stage.unit,
        "units_per_second": _rate(timed, counts[RUNNING]),
        "seconds_left": _seconds_left(timed, counts),
        "logs": str(stage.folder / "logs"),
        "job": stage.job,
    }
    return {"name": stage.name, "tasks": stage.tasks, **by_state, **progress}, failures


def _state(stage: SubmittedStage, task: int, record: TaskRecord | None, completed: set[int], *, active: bool) -> str:
    if task in completed:
        return DONE
    if record is None:
        return STOPPED if not active and stage.output(task).is_file() else WAITING
    if record.state == DONE:  # it runs again, since a later stage has missed a file that it made
        return WAITING
    if record.state == RUNNING:
        return RUNNING if active and is_fresh(task_file(stage.folder, task)) else STOPPED
    return record.state


def _failure(stage: SubmittedStage, task: int, record: TaskRecord | None) -> JsonObject:
    if record is not None:
        host = record.host
        log = stage.log(task)
        error = record.error or "ended without a result: it was killed, or its machine was lost"
    else:
        host = "an unknown machine"
        log = stage.output(task)
        printed = log.read_text(encoding="utf-8", errors="replace").rstrip()
        last = printed.rpartition("\n")[2] or "nothing printed"
        error = f"ended before it began its work: {last}"
    return {"stage": stage.name, "task": task, "host": host, "error": error, "log": str(log)}


def _rate(records: list[TaskRecord], running: int) -> float | None:
    """Return the mean rate of a task, times the number of tasks that run."""
    seconds = sum(record.seconds for record in records)
    units = sum(record.units for record in records)
    return units / seconds * max(1, running) if units and seconds else None


def _seconds_left(records: list[TaskRecord], counts: Counter[str]) -> float | None:
    """Estimate from the durations that follow from what the tasks have done and have to do."""
    expected = [record.seconds * record.total / record.units for record in records if record.total and record.units]
    if not expected:
        return None
    spent = sum(record.seconds for record in records if record.state == RUNNING)
    left = (counts.total() - counts[DONE]) * fmean(expected) - spent
    return max(0.0, left) / max(1, counts[RUNNING])


def status_table(status: JsonObject) -> Table:
    """Return what `run_status` returns as a table, with the first failure in its notes."""
    numbers = map(Column, ("tasks", DONE, RUNNING, FAILED, "rate", "left"))
    columns = (Column("stage", "left"), *numbers, Column("logs", "left"))
    return Table(columns=columns, rows=[*map(_row, status["stages"])], notes=_notes(status))


def _row(stage: JsonObject) -> tuple[str | int | None, ...]:
    counts = [stage[name] for name in ("tasks", DONE, RUNNING)]
    failed = stage[FAILED] + stage[STOPPED]
    rate = None
    left = None
    if stage["units_per_second"] is not None:
        rate = f"{stage['units_per_second']:,.1f} {stage['unit']}/s"
    if stage["seconds_left"] is not None and not failed:
        left = format_duration(stage["seconds_left"])
    return stage["name"], *counts, failed, rate, left, Path(stage["logs"]).parent.name


def _notes(status: JsonObject) -> list[str]:
    stages = status["stages"]
    jobs = [stage["job"] for stage in stages if stage["job"] is not None]
    is_complete = all(stage[DONE] == stage["tasks"] for stage in stages)
    notes = [f"Logs are in {Path(stages[0]['logs']).parents[1]}, in the folder logs of each stage."]
    if jobs:
        notes.append(f"Slurm jobs: {', '.join(jobs)}.")
    if status["failures"]:
        notes.append(failure_text(status["failures"][0]))
    if is_complete:
        notes.append("The run is complete.")
    elif not status["active"]:
        notes.append("The run has ended: run the same command again to do what is missing.")
    return notes


def failure_text(failure: JsonObject) -> str:
    """Return what went wrong in a task, and where its log is."""
    return "{stage}, task {task} on {host}: {error} (log: {log})".format(**failure)


def queued(stages: Sequence[SubmittedStage]) -> tuple[str, ...]:
    """Return the Slurm jobs of stages that are running or waiting.

    Args:
        stages: Stages that this user has submitted.
    """
    jobs = [stage.job for stage in stages if stage.job is not None]
    queue = _run("squeue", "--noheader", "--me", "--format=%F").split() if jobs else ()
    return tuple(job for job in jobs if job in queue)


def cancel(jobs: Sequence[str]) -> None:
    """Cancel jobs.

    Args:
        jobs: Ids of jobs.
    """
    _run("scancel", *jobs)


def _run(*command: str) -> str:
    with explained(FileNotFoundError, f"{command[0]} {NOT_INSTALLED}"):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise InputError(f"{command[0]} failed: {done.stderr.strip()}")
    return done.stdout
