"""Submit the stages of a run, and wait for them."""

from __future__ import annotations

import logging
import os
import subprocess
import time
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

from datatrove.utils.logging import logger as datatrove_log

from merge_snli.cluster.executors import make_executor
from merge_snli.cluster.options import RAY, SLURM
from merge_snli.cluster.run_folder import (
    SECONDS_PER_BEAT,
    SUBMITTER_FILE,
    ClusterRun,
    StageRun,
    is_submitting,
    output_folder,
    read_run,
    task_file,
    write_run,
)
from merge_snli.cluster.slurm_queue import not_installed, queued
from merge_snli.cluster.status import is_active, run_status
from merge_snli.cluster.status_text import failure_text
from merge_snli.cluster.task import StageTask
from merge_snli.errors import InputError, reason
from merge_snli.files import disk_errors_as_input_errors, machine_name
from merge_snli.progress import repeating

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from merge_snli.cluster.executors import Executor
    from merge_snli.cluster.options import ClusterOptions
    from merge_snli.cluster.stages import ClusterStage
    from merge_snli.progress import Progress

logger = logging.getLogger(__name__)

SECONDS_PER_POLL = 2.0
"""How often the command counts the tasks that are complete."""

MAX_SECONDS_PER_QUESTION = 30.0
"""The longest time between two questions to Slurm."""


def run_stages(
    stages: Sequence[ClusterStage], options: ClusterOptions, folder: Path, plan_folder: Path, progress: Progress
) -> None:
    """Run the stages that are not complete, and wait for them.

    Args:
        stages: The stages, in order.
        options: Who runs them.
        folder: The folder of the run.
        plan_folder: The folder for the logs and completed tasks of these stages.
        progress: Receives the stages.

    Raises:
        InputError: If a run is active in the folder, the cluster cannot be reached, or a task failed.
        KeyboardInterrupt: If the user interrupts. Slurm jobs go on; other tasks end.
    """
    datatrove_log.disable("datatrove")  # its messages are for programmers
    with _only_submitter(folder):
        runs = [stage_run(stage, options, plan_folder) for stage in stages]
        runs[-1].forget()  # it is cheap, and its output may have been deleted
        if options.executor == SLURM:
            run = _submit(stages, runs, options, folder)
        else:
            run = ClusterRun(executor=options.executor, stages=tuple(runs))
            write_run(folder, run)
            _run_here(stages, runs, options, progress)
    if options.executor == SLURM:
        _wait(run, progress)
    incomplete = [stage for stage in run.stages if len(stage.completed()) < stage.tasks]
    if incomplete:
        failures = run_status(folder).failures
        why = failure_text(failures[0]) if failures else f"{incomplete[0].name} did not start"
        raise InputError(f"{why}; finished tasks are kept: run the same command again to do the others")


def stage_run(stage: ClusterStage, options: ClusterOptions, plan_folder: Path) -> StageRun:
    """Return a stage with its number of tasks and its folder, before it is submitted."""
    tasks = min(options.stage(stage.kind).tasks, max(1, stage.shards))
    return StageRun(name=stage.name, unit=stage.unit, tasks=tasks, folder=stage.folder(plan_folder, tasks))


def _executor(
    nth: int, stages: Sequence[ClusterStage], runs: Sequence[StageRun], options: ClusterOptions, after: Sequence[str]
) -> Executor:
    """Return the executor of a stage, after removing the records of tasks that will run."""
    stage, run = stages[nth], runs[nth]
    resources = options.stage(stage.kind)
    for task in set(range(run.tasks)) - run.completed():
        task_file(run.folder, task).unlink(missing_ok=True)
    step = StageTask(stage.work, run, _before(stage, stages, runs), resources.cpus_per_task)
    return make_executor(
        options.executor,
        step,
        resources,
        tasks=run.tasks,
        folder=run.folder,
        after=after,
        after_failures=stage.after_failures,
    )


def _before(stage: ClusterStage, stages: Sequence[ClusterStage], runs: Sequence[StageRun]) -> list[StageRun]:
    """Return the submitted stages of the steps before a stage."""
    return [run for run, other in zip(runs, stages, strict=True) if other.step < stage.step]


def _submit(
    stages: Sequence[ClusterStage], runs: Sequence[StageRun], options: ClusterOptions, folder: Path
) -> ClusterRun:
    """Submit all stages to Slurm, each after those of earlier steps."""
    if "SLURM_ARRAY_TASK_ID" in os.environ:
        raise InputError("this is a task of a Slurm job: submit from a login node, or from an interactive job")
    submitted = [*runs]
    for nth, stage in enumerate(stages):
        after = [run.job for run in _before(stage, stages, submitted) if run.job is not None]
        executor = _executor(nth, stages, runs, options, after)
        with _submission_errors():
            executor.run()
        job = None if executor.job_id == -1 else str(executor.job_id)
        submitted[nth] = StageRun(**{**vars(runs[nth]), "job": job})
        # Written after each stage, so that `work cancel` knows every job even if the next one is refused.
        write_run(folder, ClusterRun(executor=SLURM, stages=tuple(submitted)))
    return ClusterRun(executor=SLURM, stages=tuple(submitted))


def _run_here(
    stages: Sequence[ClusterStage], runs: Sequence[StageRun], options: ClusterOptions, progress: Progress
) -> None:
    """Run the stages one after another with Ray or locally, until one has failed."""
    with _connected(options.address) if options.executor == RAY else nullcontext():
        for nth, (stage, run) in enumerate(zip(stages, runs, strict=True)):
            failed = any(len(each.completed()) < each.tasks for each in _before(stage, stages, runs))
            if failed and not stage.after_failures:
                return
            executor = _executor(nth, stages, runs, options, ())
            with _progress_of(run, progress):
                executor.run()


@contextmanager
def _connected(address: str) -> Iterator[None]:
    """Connect to a Ray cluster; at the end, Ray stops the tasks that are still running."""
    import ray

    try:
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
    except (ConnectionError, ValueError, RuntimeError) as error:
        raise InputError(f"cannot connect to the Ray cluster at {address!r}: {reason(error)}") from error
    try:
        yield
    finally:
        ray.shutdown()


@contextmanager
def _submission_errors() -> Iterator[None]:
    try:
        yield
    except FileNotFoundError as error:
        raise not_installed("sbatch") from error
    except subprocess.CalledProcessError as error:
        raise InputError("sbatch refused the job (its message is above): check the cluster file") from error


@contextmanager
def _progress_of(run: StageRun, progress: Progress) -> Iterator[None]:
    """Show how many tasks of a stage are complete, while a block runs them."""
    done = len(run.completed())
    with progress.stage(run.name, unit="tasks", total=run.tasks, cached=done) as stage:

        def update() -> None:
            stage.advance(len(run.completed()) - done - stage.done)

        with repeating(update, SECONDS_PER_POLL):
            yield
        update()


def _wait(run: ClusterRun, progress: Progress) -> None:
    """Wait until all jobs have left Slurm's queue."""
    for stage in run.stages:
        if stage.job is None:
            continue
        with _progress_of(stage, progress):
            started = time.monotonic()
            while _is_queued(stage.job):
                # Soon at first, then as rarely as a long run allows: asking slows Slurm down for everyone.
                waited = time.monotonic() - started
                time.sleep(min(1.0 + waited / 20, MAX_SECONDS_PER_QUESTION))


def _is_queued(job: str) -> bool:
    """Return whether a job is in the queue, or Slurm does not answer at the moment."""
    try:
        return bool(queued([job]))
    except InputError as error:
        logger.warning("%s; the jobs go on, asking again", error)
        return True


@contextmanager
def _only_submitter(folder: Path) -> Iterator[None]:
    """Refuse a second submission while a run is active."""
    with disk_errors_as_input_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    run, file = read_run(folder), folder / SUBMITTER_FILE
    if not is_submitting(folder):
        file.unlink(missing_ok=True)
    advice = f"watch it with: merge-snli work status {output_folder(folder)}"
    if run is not None and is_active(folder, run):
        raise InputError(f"a run on {run.executor} is active in {folder}; {advice}")
    try:
        with file.open("x", encoding="utf-8") as opened:
            opened.write(f"{machine_name()} {os.getpid()}")
    except FileExistsError:
        raise InputError(f"another command is submitting a run in {folder}; {advice}") from None
    try:
        with repeating(lambda: os.utime(file), SECONDS_PER_BEAT):
            yield
    finally:
        file.unlink(missing_ok=True)
