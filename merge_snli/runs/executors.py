"""datatrove's executors, for the tasks of a stage, and what they would do: tasks, estimated times, Slurm's scripts."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING, Any

import dill
from datatrove.executor.base import PipelineExecutor
from datatrove.executor.local import LocalPipelineExecutor
from datatrove.executor.ray import RayPipelineExecutor
from datatrove.executor.slurm import SlurmPipelineExecutor

from merge_snli.base.errors import explained
from merge_snli.base.progress import format_duration
from merge_snli.base.stages import MASKED_LM, RunStage
from merge_snli.base.table import Column, Table
from merge_snli.runs.options import ClusterOptions, StageOptions
from merge_snli.runs.run_folder import LOCAL, RAY, SLURM, SubmittedStage
from merge_snli.runs.task import StageTask

if TYPE_CHECKING:
    from generation.report.estimate import Estimate

# In the logging folder: the executor, for the processes that run its tasks.
PICKLED = "executor.pik"

# Runs the task of a process. Python's option -P imports nothing from the working directory, whose files may be of
# others.
PROGRAM = ("-P", "-m", "datatrove.tools.launch_pickled_pipeline")

# The environment variables with the number of the task of a process.
SLURM_TASK, LOCAL_TASK = "SLURM_ARRAY_TASK_ID", "MERGE_SNLI_TASK"

# Options of Ray's tasks: a new process for each, which is started again if it is lost.
RAY_TASKS = {"max_calls": 1, "max_retries": 3}


class SlurmExecutor(SlurmPipelineExecutor):  # type: ignore[misc]
    """Submits the tasks as one array of Slurm jobs, with the numbers of the tasks."""

    def run(self) -> None:
        """Run the task of this job."""
        self._run_for_rank(int(os.environ[SLURM_TASK]))

    def launch_merge_stats(self) -> None:
        """Submit no job for datatrove's statistics: `work cancel` would not know it."""

    def get_launch_file_contents(self, sbatch_args: dict[str, Any], _: str) -> str:
        """Return the sbatch script, without options that are None and with the Python that submits it."""
        tasks = ",".join(map(str, self.get_incomplete_ranks()))
        given = {name: value and shlex.quote(str(value)) for name, value in sbatch_args.items() if value is not None}
        given["array"] = re.sub(r"[^%]*", tasks, sbatch_args["array"], count=1)
        python = "python" if self.env_command else shlex.quote(sys.executable)
        command = [*PROGRAM, self.logging_dir.resolve_paths(PICKLED)]
        return str(super().get_launch_file_contents(given, f"{python} {shlex.join(command)}"))


class LocalExecutor(LocalPipelineExecutor):  # type: ignore[misc]
    """Runs each task in a process of its own, so that killing one neither stops nor blocks the others."""

    def run(self) -> None:
        """Run the task of this process, or all tasks that are not complete."""
        if LOCAL_TASK in os.environ:
            signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the task removes its temporary files
            self._run_for_rank(int(os.environ[LOCAL_TASK]), local_rank=1)
            return
        with self.logging_dir.open(PICKLED, "wb") as file:
            dill.dump(self, file, fmode=dill.CONTENTS_FMODE)
        self._processes: list[subprocess.Popen[bytes]] = []
        with ThreadPoolExecutor(self.workers) as pool:
            try:
                list(pool.map(self._run_task, self.get_incomplete_ranks()))
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                for process in self._processes:
                    process.terminate()
                raise

    def _run_task(self, task: int) -> None:
        command = [sys.executable, *PROGRAM, self.logging_dir.resolve_paths(PICKLED)]
        environment = {**os.environ, LOCAL_TASK: str(task)}
        with self.logging_dir.open(f"output/{task}.txt", "wb") as file:
            # A session of its own: Ctrl-C reaches the submitting process only, which ends its tasks.
            process = subprocess.Popen(command, stdout=file, stderr=file, env=environment, start_new_session=True)
            self._processes.append(process)
            process.wait()


class RayExecutor(RayPipelineExecutor):  # type: ignore[misc]
    """Runs each task as a task of Ray, in a process of its own.

    datatrove's actors wait forever for a killed process.
    """

    def run(self) -> None:
        """Run the tasks that are not complete; Ray starts those of a lost process or machine again."""
        import ray  # not by the tasks of other executors

        options = {
            "num_cpus": self.cpus_per_task,
            "num_gpus": self.gpus_per_task,
            "memory": self.mem_per_cpu_gb * self.cpus_per_task * 1024**3,
            **RAY_TASKS,
            **self.ray_remote_kwargs,
        }
        with explained((TypeError, ValueError), f"ray_remote_kwargs {self.ray_remote_kwargs} is not valid: ⟦reason⟧"):
            run_task = ray.remote(**options)(PipelineExecutor._run_for_rank)
        executor = ray.put(self)
        running: list[ray.ObjectRef[Any]] = []
        for rank in self.get_incomplete_ranks():
            if len(running) == self.workers:
                _, running = ray.wait(running)
            running.append(run_task.remote(executor, rank, 1))
        ray.wait(running, num_returns=len(running))


def make_executor(
    stage: RunStage, run: SubmittedStage, options: StageOptions, earlier: Sequence[SubmittedStage] = ()
) -> Any:  # noqa: ANN401 - an executor of datatrove, which has no types
    """Return the executor of a stage.

    Args:
        stage: The stage.
        run: The stage with its tasks and its folder.
        options: The resources of a task.
        earlier: The stages that it waits for.
    """
    task = StageTask(stage.work, run, earlier, options.cpus_per_task)
    common: dict[str, Any] = {"pipeline": [task], "tasks": run.tasks, "logging_dir": str(run.folder)}
    if run.executor == LOCAL:
        return LocalExecutor(**common, workers=options.workers or 1)
    common["workers"] = options.workers or -1
    common |= options.model_dump(include={"cpus_per_task", "mem_per_cpu_gb", "gpus_per_task"})
    if run.executor == RAY:
        return RayExecutor(**common, ray_remote_kwargs=options.ray_remote_kwargs)
    output = run.folder / "output" / "%a.txt"
    # A stage that can never start is removed from the queue.
    arguments = {"output": output, "error": output, "kill-on-invalid-dep": "yes", **options.sbatch_args}
    return SlurmExecutor(
        **common,
        time=options.time,
        partition=options.partition,
        qos=None,
        job_name=f"merge-snli-{run.folder.name}",
        env_command=options.env_command,
        sbatch_args=arguments,
        slurm_logs_folder=gettempdir(),  # datatrove creates it, also for a dry run
        depends_job_id=":".join(before.job for before in earlier if before.job) or None,
        run_on_dependency_fail=stage.after_failures,
        requeue_signals=None,
        with_srun=False,
    )


def plan_text(options: ClusterOptions, stages: Sequence[RunStage], folder: Path, estimate: Estimate) -> str:
    """Return the stages of a run with their tasks and estimated times and, for Slurm, one script per kind of stage.

    Args:
        options: Who would run them.
        stages: The stages, in order.
        folder: The folder for the notes and completed tasks of the run.
        estimate: The estimate for one process on this machine.
    """
    table = Table(
        title=f"{estimate.problems:,} problems (shards: {stages[0].shards:,}), "
        f"about {estimate.forms:,} forms per masked LM",
        columns=(Column("stage", "left"), Column("tasks"), Column("forms per task"), Column("time")),
        rows=[*_rows(options, stages, folder, estimate)],
        notes=(
            f"Times are measured in one process on {estimate.device}, the device of this machine, and divided by the "
            "tasks that run at the same time; waiting for resources is not included. Nothing was submitted.",
        ),
    )
    lines = [table.text()]
    if options.executor == SLURM:
        lines += _scripts(options, stages, folder)
    return "\n".join(lines)


def _rows(
    options: ClusterOptions, stages: Sequence[RunStage], folder: Path, estimate: Estimate
) -> Iterator[tuple[str | int | None, ...]]:
    masked_lms = sum(stage.kind == MASKED_LM for stage in stages)
    loading = estimate.loading / masked_lms  # a task loads one masked LM at most
    for stage in stages:
        tasks = options.submitted(stage, folder).tasks
        at_once = min(tasks, options.stage(stage.kind).workers or (1 if options.executor == LOCAL else tasks))
        step = estimate.steps[stage.name]
        forms = None if step.forms is None else -(-step.forms // tasks)
        yield stage.name, tasks, forms, format_duration(loading + step.seconds / at_once)


def _scripts(options: ClusterOptions, stages: Sequence[RunStage], folder: Path) -> Iterator[str]:
    """Yield the script of the first stage of each kind."""
    shown = set()
    for stage in stages:
        if stage.kind not in shown:
            shown.add(stage.kind)
            run = options.submitted(stage, folder)
            slurm = make_executor(stage, run, options.stage(stage.kind))
            script = slurm.get_launch_file_contents(slurm.get_sbatch_args(run.tasks), "")
            yield f"{stage.name}:\n\n{script.rstrip()}\n"
