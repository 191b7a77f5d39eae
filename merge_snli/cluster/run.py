"""The executors of a cluster file: they run the stages of `generate` and `score` as tasks in other processes."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING

from merge_snli import __version__
from merge_snli.cluster.options import LOCAL, SLURM, ClusterOptions, read_cluster_file
from merge_snli.cluster.run_folder import SubmittedStage, output_folder, run_folder
from merge_snli.errors import InputError
from merge_snli.files import sha256_of_json

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from merge_snli.base.stages import RunStage
    from merge_snli.progress import Progress

logger = logging.getLogger(__name__)

PLAN_FORMAT = 1
"""The version of what tasks unpickle and of the notes that they leave for each other: raise it if modules or fields of
these change, so that a run of an older checkout is planned again and not resumed."""


@dataclass(frozen=True)
class ClusterExecutor:
    """Runs stages with Slurm, Ray or as processes of this machine, as `merge_snli.base.stages.Executor`.

    Attributes:
        options: The content of the cluster file.
    """

    options: ClusterOptions

    def device(self, kind: str, device: str | None) -> str:
        """Return the device of the models of a stage: a GPU if its tasks have one, unless the user chose another."""
        return device or ("cuda" if self.options.stage(kind).gpus_per_task else "cpu")

    def folder(self, out: Path, inputs: object) -> Path:
        """Return the folder for the notes and completed tasks of a run."""
        return run_folder(out) / sha256_of_json([inputs, PLAN_FORMAT, __version__])[:16]

    def submitted(self, stage: RunStage, folder: Path) -> SubmittedStage:
        """Return a stage with its number of tasks and its folder, before it is submitted."""
        return SubmittedStage.of(stage, min(self.options.stage(stage.kind).tasks, max(1, stage.shards)), folder)

    def at_once(self, stage: RunStage, tasks: int) -> int:
        """Return the largest number of tasks of a stage that run at the same time."""
        workers = self.options.stage(stage.kind).workers or (1 if self.options.executor == LOCAL else tasks)
        return min(workers, tasks)

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
        from merge_snli.cluster.submit import run_stages

        try:
            run_stages(stages, self, folder, progress)
        except KeyboardInterrupt:
            if self.options.executor == SLURM:
                out = output_folder(folder.parent)
                logger.warning(
                    "the jobs stay in Slurm's queue; watch them with: merge-snli status %s; cancel them with: "
                    "merge-snli status %s --cancel",
                    out,
                    out,
                )
            raise


def read_executor(path: Path) -> ClusterExecutor:
    """Read a cluster file, after checking that datatrove is installed.

    Args:
        path: The cluster file.

    Raises:
        InputError: If it is not, or the file cannot be used.
    """
    if find_spec("datatrove") is None:
        raise InputError("--cluster needs datatrove, which is not installed: pip install 'merge-snli[cluster]'")
    return ClusterExecutor(read_cluster_file(path))
