"""datatrove's executors, for the tasks of a stage."""

from __future__ import annotations

import shlex
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import datatrove.executor.ray
import dill
from datatrove.executor.base import PipelineExecutor
from datatrove.executor.local import LocalPipelineExecutor
from datatrove.executor.ray import RankWorker, RayPipelineExecutor
from datatrove.executor.slurm import SlurmPipelineExecutor

from merge_snli.cluster.options import LOCAL, RAY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from datatrove.pipeline.base import PipelineStep

    from merge_snli.cluster.options import StageOptions

PICKLED = "executor.pik"
"""In the logging folder: the executor, for the processes that run its tasks."""


class SlurmExecutor(SlurmPipelineExecutor):  # type: ignore[misc]
    """Submits the tasks as one array of Slurm jobs."""

    def launch_merge_stats(self) -> None:
        """Submit no job for datatrove's statistics: `status --cancel` would not know it."""

    def get_launch_file_contents(self, sbatch_args: dict[str, Any], _: str) -> str:
        """Return the sbatch script, without options that are None and with the Python that submits it."""
        python = "python" if self.env_command else shlex.quote(sys.executable)
        pickled = shlex.quote(self.logging_dir.resolve_paths(PICKLED))
        given = {name: value and shlex.quote(str(value)) for name, value in sbatch_args.items() if value is not None}
        command = f"{python} -m datatrove.tools.launch_pickled_pipeline {pickled}"
        script: str = super().get_launch_file_contents(given, command)
        return script


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
            command = [sys.executable, "-m", "merge_snli.cluster.executors", str(folder / PICKLED), str(rank)]
            # A session of its own: Ctrl-C reaches the submitting process only, which ends its tasks.
            process = subprocess.Popen(command, stdout=file, stderr=file, start_new_session=True)
            self._processes.append(process)
            process.wait()


class _Worker(RankWorker):  # type: ignore[misc]
    """Runs tasks in the process of the actor: datatrove's pool in the actor waits forever for a killed process."""

    def run_for_rank(self, executor_ref: RayExecutor, ranks: list[int], *_: object) -> None:
        for rank in ranks:
            executor_ref._run_for_rank(rank, 1)


class RayExecutor(RayPipelineExecutor):  # type: ignore[misc]
    """Runs the tasks on a Ray cluster, and those of a lost machine again on another one."""

    # Logs go to the shared folder at once; datatrove copies them at the end, when those of killed tasks are lost.
    _run_for_rank = PipelineExecutor._run_for_rank

    def run(self) -> None:
        """Run the tasks that are not complete."""
        datatrove.executor.ray.RankWorker = _Worker
        super().run()


Executor = SlurmExecutor | LocalExecutor | RayExecutor


def make_executor(
    kind: str,
    step: PipelineStep,
    options: StageOptions,
    *,
    tasks: int,
    folder: Path,
    after: Sequence[str] = (),
    after_failures: bool = False,
) -> Executor:
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


def _run_pickled(path: str, rank: int) -> None:
    """Run one task of a local executor."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    executor: LocalExecutor = dill.loads(Path(path).read_bytes())
    executor._run_for_rank(rank, 1)


if __name__ == "__main__":
    _run_pickled(sys.argv[1], int(sys.argv[2]))
