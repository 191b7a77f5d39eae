"""datatrove's executors, for the tasks of a stage, and what they would do: tasks, estimated times, Slurm's scripts."""

from __future__ import annotations

import logging
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import dill
from datatrove.executor.base import PipelineExecutor
from datatrove.executor.local import LocalPipelineExecutor
from datatrove.executor.ray import RayPipelineExecutor
from datatrove.executor.slurm import SlurmPipelineExecutor
from datatrove.pipeline.base import PipelineStep

from merge_snli.base.errors import REASON, explained
from merge_snli.base.progress import format_duration
from merge_snli.base.stages import MASKED_LM, RunStage
from merge_snli.base.table import Column, Table
from merge_snli.runs.options import ClusterOptions, StageOptions
from merge_snli.runs.run_folder import LOCAL, RAY, SLURM
from merge_snli.runs.task import StageTask

if TYPE_CHECKING:
    from generation.report.estimate import Estimate

logger = logging.getLogger(__name__)

# In the logging folder: the executor, for the processes that run its tasks.
PICKLED = "executor.pik"

# The option of Python with which `-m` imports nothing from the working directory, whose files may be of others.
SAFE_PATH = "-P"

# Options of Ray's tasks: a new process for each, which is started again if it is lost.
RAY_TASKS = {"max_calls": 1, "max_retries": 3}


class SlurmExecutor(SlurmPipelineExecutor):  # type: ignore[misc]
    """Submits the tasks as one array of Slurm jobs."""

    def launch_merge_stats(self) -> None:
        """Submit no job for datatrove's statistics: `work cancel` would not know it."""

    def get_launch_file_contents(self, sbatch_args: dict[str, Any], _: str) -> str:
        """Return the sbatch script, without options that are None and with the Python that submits it."""
        python = "python" if self.env_command else shlex.quote(sys.executable)
        pickled = shlex.quote(self.logging_dir.resolve_paths(PICKLED))
        given = {name: value and shlex.quote(str(value)) for name, value in sbatch_args.items() if value is not None}
        command = f"{python} {SAFE_PATH} -m datatrove.tools.launch_pickled_pipeline {pickled}"
        return str(super().get_launch_file_contents(given, command))


class LocalExecutor(LocalPipelineExecutor):  # type: ignore[misc]
    """Runs each task in a process of its own, so that killing one neither stops nor blocks the others."""

    def run(self) -> None:
        """Run the tasks that are not complete."""
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

    def _run_task(self, rank: int) -> None:
        folder = Path(self.logging_dir.resolve_paths(""))
        output = folder / "output" / f"{rank:05}.txt"
        output.parent.mkdir(exist_ok=True)
        with output.open("wb") as file:
            module = [SAFE_PATH, "-m", "merge_snli.runs.executors"]
            command = [sys.executable, *module, str(folder / PICKLED), str(rank)]
            # A session of its own: Ctrl-C reaches the submitting process only, which ends its tasks.
            process = subprocess.Popen(command, stdout=file, stderr=file, start_new_session=True)
            self._processes.append(process)
            process.wait()


class RayExecutor(RayPipelineExecutor):  # type: ignore[misc]
    """Runs each task as a task of Ray, in a process of its own.

    datatrove's actors wait forever for a killed process, and for resources that no machine has.
    """

    def run(self) -> None:
        """Run the tasks that are not complete; Ray starts those of a lost process or machine again."""
        import ray  # not by the tasks of other executors

        gigabytes = self.mem_per_cpu_gb * self.cpus_per_task
        resources = {"CPU": self.cpus_per_task, "GPU": self.gpus_per_task, "memory": gigabytes * 1024**3}
        cpus, gpus, memory = resources.values()
        options = {"num_cpus": cpus, "num_gpus": gpus, "memory": memory, **RAY_TASKS, **self.ray_remote_kwargs}
        with explained((TypeError, ValueError), f"ray_remote_kwargs {self.ray_remote_kwargs} is not valid: {REASON}"):
            run_task = ray.remote(**options)(PipelineExecutor._run_for_rank)
        if not any(_has(node, resources) for node in ray.nodes()):  # type: ignore[no-untyped-call]
            logger.warning(
                "no machine of the Ray cluster has %d CPUs, %d GPUs and %d GB of memory for %s; waiting for one",
                self.cpus_per_task,
                self.gpus_per_task,
                gigabytes,
                self.pipeline[0].name,
            )
        executor = ray.put(self)
        running: list[ray.ObjectRef[Any]] = []
        for rank in self.get_incomplete_ranks():
            if len(running) == self.workers:
                _, running = ray.wait(running)
            running.append(run_task.remote(executor, rank, 1))
        ray.wait(running, num_returns=len(running))


def _has(node: dict[str, Any], resources: dict[str, int]) -> bool:
    """Return whether a machine of a Ray cluster is large enough for a task."""
    return node["Alive"] and all(node["Resources"].get(name, 0) >= amount for name, amount in resources.items())


DatatroveExecutor = SlurmExecutor | LocalExecutor | RayExecutor


def make_executor(
    kind: str,
    step: PipelineStep,
    options: StageOptions,
    *,
    tasks: int,
    folder: Path,
    after: Sequence[str] = (),
    after_failures: bool = False,
) -> DatatroveExecutor:
    """Return the executor of a stage.

    Args:
        kind: `slurm`, `ray` or `local`.
        step: What its tasks do.
        options: The resources of a task.
        tasks: Number of tasks.
        folder: The folder for logs and completed tasks.
        after: Ids of the Slurm jobs that must end before.
        after_failures: Start even if one of them fails.
    """
    common: dict[str, Any] = {"pipeline": [step], "tasks": tasks, "logging_dir": str(folder)}
    workers = options.workers or -1
    if kind == LOCAL:
        return LocalExecutor(**common, workers=options.workers or 1)
    resources = {name: getattr(options, name) for name in ("cpus_per_task", "mem_per_cpu_gb", "gpus_per_task")}
    if kind == RAY:
        return RayExecutor(**common, **resources, workers=workers, ray_remote_kwargs=options.ray_remote_kwargs)
    return SlurmExecutor(
        **common,
        **resources,
        workers=workers,
        time=options.time,
        partition=options.partition,
        qos=None,
        job_name=f"merge-snli-{folder.name}",
        env_command=options.env_command,
        # A stage that can never start is removed from the queue.
        sbatch_args={"kill-on-invalid-dep": "yes", **options.sbatch_args},
        depends_job_id=":".join(after) or None,
        run_on_dependency_fail=after_failures,
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
        rows=tuple(_rows(options, stages, folder, estimate)),
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
    first: dict[str, RunStage] = {}
    for stage in stages:
        first.setdefault(stage.kind, stage)
    for stage in first.values():
        run = options.submitted(stage, folder)
        resources = options.stage(stage.kind)
        step = StageTask(stage.work, run, (), resources.cpus_per_task)
        prefix = "tmp" if shlex.quote(str(run.folder)) == str(run.folder) else "tmp "  # so that paths are quoted alike
        with TemporaryDirectory(prefix=prefix) as temporary:  # the executor creates a folder for the logs
            slurm = make_executor(SLURM, step, resources, tasks=run.tasks, folder=Path(temporary) / run.folder.name)
            assert isinstance(slurm, SlurmExecutor)
            script = slurm.get_launch_file_contents(slurm.get_sbatch_args(run.tasks), "")
        yield f"{stage.name}:\n\n{script.replace(temporary, str(run.folder.parent)).rstrip()}\n"


if __name__ == "__main__":  # one task of a local executor
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    dill.loads(Path(sys.argv[1]).read_bytes())._run_for_rank(int(sys.argv[2]), 1)
