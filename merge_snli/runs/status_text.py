"""The status of a run on a cluster as a table, and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from merge_snli.base.progress import format_duration
from merge_snli.base.table import Column, Table
from merge_snli.runs.run_folder import DONE, FAILED, RUNNING, STOPPED, WAITING

if TYPE_CHECKING:
    from merge_snli.runs.status import Failure, RunStatus, StageStatus


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
