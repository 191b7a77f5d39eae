"""Submit the stages of a run to a cluster, and wait for them."""

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import chdir, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from datatrove.utils.logging import logger as datatrove_log

from merge_snli.base import __version__
from merge_snli.base.errors import InputError, explained
from merge_snli.base.files import disk_errors_as_input_errors, machine_name, sha256_of_json
from merge_snli.base.progress import Progress, repeating
from merge_snli.base.stages import RunStage
from merge_snli.runs.executors import SlurmExecutor, make_executor
from merge_snli.runs.options import ClusterOptions
from merge_snli.runs.run_folder import (
    RAY,
    SECONDS_PER_BEAT,
    SLURM,
    SUBMITTER_FILE,
    SubmittedStage,
    is_submitting,
    output_folder,
    read_run,
    run_folder,
    task_file,
    write_run,
)
from merge_snli.runs.status import NOT_INSTALLED, failure_text, is_active, queued, run_status

logger = logging.getLogger(__name__)

# How often the command counts the tasks that are complete.
SECONDS_PER_POLL = 2.0

# How often it asks Slurm, which slows down for everyone.
SECONDS_PER_QUESTION = 5.0

# The version of what tasks unpickle and of the notes that they leave for each other: raise it if modules or fields of
# these change, so that a run of an older checkout is planned again and not resumed.
PLAN_FORMAT = 7


@dataclass(frozen=True)
class Cluster:
    """Runs stages as tasks on a cluster: an executor as `merge_snli.base.stages` describes it.

    Attributes:
        options: The content of the cluster file.
    """

    options: ClusterOptions

    def device(self, kind: str, device: str | None) -> str:
        """Return the device of the models of a stage: a GPU if its tasks have one, unless the user chose another."""
        return device or ("cuda" if self.options.stage(kind).gpus_per_task else "cpu")

    def folder(self, out: Path, inputs: object) -> Path:
        """Return the folder for the notes and completed tasks of a run with these inputs."""
        return run_folder(out) / sha256_of_json([inputs, PLAN_FORMAT, __version__])[:16]

    def run(self, stages: Sequence[RunStage], folder: Path, progress: Progress) -> None:
        """Run the tasks that are not complete, and wait for them.

        Args:
            stages: The stages, in order.
            folder: The folder of `folder`.
            progress: Receives the stages.

        Raises:
            InputError: If a run is active in the folder, the cluster cannot be reached, or a task failed.
            KeyboardInterrupt: If the user interrupts. Slurm jobs go on; other tasks end.
        """
        datatrove_log.disable("datatrove")  # its messages are for programmers
        try:
            with _only_submitter(folder.parent), _exit_at_sigterm(), _connected(self.options):
                submitted = self._run(stages, folder, progress)
            if self.options.executor == SLURM:
                _wait(submitted, progress)
        except KeyboardInterrupt:
            if self.options.executor == SLURM:
                out = output_folder(folder.parent)
                logger.warning(
                    "the jobs stay in Slurm's queue; watch them with: merge-snli work status %s; cancel them with: "
                    "merge-snli work cancel %s",
                    out,
                    out,
                )
            raise
        incomplete = [stage for stage in submitted if not stage.is_complete()]
        if incomplete:
            failures = run_status(folder.parent)["failures"]
            why = failure_text(failures[0]) if failures else f"{incomplete[0].name} did not start"
            raise InputError(f"{why}; finished tasks are kept: run the same command again to do the others")

    def _run(self, stages: Sequence[RunStage], folder: Path, progress: Progress) -> list[SubmittedStage]:
        """Submit all stages to Slurm, or run them one after another if those before have not failed."""
        runs = [self.options.submitted(stage, folder) for stage in stages]
        runs[-1].forget()  # it is cheap, and its output may have been deleted
        write_run(folder.parent, runs)
        for nth, stage in enumerate(stages):
            run = runs[nth]
            earlier = [before for before, other in zip(runs, stages, strict=True) if other.step < stage.step]
            for task in set(range(run.tasks)) - run.completed():  # what earlier runs have left
                task_file(run.folder, task).unlink(missing_ok=True)
                run.output(task).unlink(missing_ok=True)
            executor = make_executor(stage, run, self.options.stage(stage.kind), earlier)
            if self.options.executor == SLURM:
                runs[nth] = replace(run, job=_submit(executor, run))
                # Written after each stage, so that `work cancel` knows every job even if the next one is refused.
                write_run(folder.parent, runs)
            elif stage.after_failures or all(before.is_complete() for before in earlier):
                with _progress_of(run, progress):
                    executor.run()
        return runs


def _submit(executor: SlurmExecutor, run: SubmittedStage) -> str | None:
    """Submit a stage to Slurm, and return its job; None if all its tasks are complete."""
    run.output(0).parent.mkdir(parents=True, exist_ok=True)
    refused = "sbatch refused the job (its message is above): check the cluster file"
    with explained(FileNotFoundError, f"sbatch {NOT_INSTALLED}"), explained(subprocess.CalledProcessError, refused):
        executor.launch_job()
    return None if executor.job_id == -1 else str(executor.job_id)


@contextmanager
def _exit_at_sigterm() -> Iterator[None]:
    """Exit at SIGTERM as at Ctrl-C, so that the tasks of the command end with it; only a main thread can."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def _connected(options: ClusterOptions) -> Iterator[None]:
    """Connect to a Ray cluster, if there is one; at the end, Ray stops the tasks that are still running."""
    if options.executor != RAY:
        yield
        return
    import ray

    message = f"cannot connect to the Ray cluster at {options.address!r}: ⟦reason⟧"
    # Ray lets the tasks import from the directory that it is started in, which must not be one with files of others.
    with explained((ConnectionError, ValueError, RuntimeError), message), chdir(sys.prefix):
        ray.init(address=options.address, log_to_driver=False, logging_level=logging.ERROR)
    try:
        yield
    finally:
        ray.shutdown()


@contextmanager
def _progress_of(run: SubmittedStage, progress: Progress) -> Iterator[None]:
    """Show how many tasks of a stage are complete, while a block runs them."""
    done = len(run.completed())
    with progress.stage(run.name, unit="tasks", total=run.tasks, cached=done) as stage:

        def update() -> None:
            stage.advance(len(run.completed()) - done - stage.done)

        with repeating(update, SECONDS_PER_POLL):
            yield
        update()


def _wait(stages: Sequence[SubmittedStage], progress: Progress) -> None:
    """Wait until all jobs have left Slurm's queue."""
    for stage in stages:
        with _progress_of(stage, progress):
            while _is_queued(stage):
                time.sleep(SECONDS_PER_QUESTION)


def _is_queued(stage: SubmittedStage) -> bool:
    """Return whether the job of a stage is in the queue, or Slurm does not answer at the moment."""
    try:
        return bool(queued([stage]))
    except InputError as error:
        logger.warning("%s; the jobs go on, asking again", error)
        return True


@contextmanager
def _only_submitter(folder: Path) -> Iterator[None]:
    """Refuse a second submission while a run is active; of two that begin at once, one creates the file."""
    with disk_errors_as_input_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    file = folder / SUBMITTER_FILE
    active = f"a run is active in {folder}; watch it with: merge-snli work status {output_folder(folder)}"
    if is_active(folder, read_run(folder)):
        raise InputError(active)
    if not is_submitting(folder):
        file.unlink(missing_ok=True)  # of a command that was killed
    try:
        with file.open("x", encoding="utf-8") as opened:
            opened.write(f"{machine_name()} {os.getpid()}")
    except FileExistsError:
        raise InputError(active) from None
    try:
        with repeating(lambda: os.utime(file), SECONDS_PER_BEAT):
            yield
    finally:
        file.unlink(missing_ok=True)
