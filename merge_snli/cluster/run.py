"""`generate` on a cluster, and what it shares with `score`: plan the stages and run them."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from merge_snli import __version__
from merge_snli.cluster.options import LOCAL, MASKED_LM, SLURM, ClusterOptions, read_cluster_file
from merge_snli.cluster.run_folder import output_folder, run_folder
from merge_snli.cluster.stages import ClusterStage, generation_stages
from merge_snli.dataset import find_dataset
from merge_snli.errors import InputError, param
from merge_snli.files import sha256_of_json
from merge_snli.folders import check_dataset_out
from merge_snli.record import as_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from generation.options import Options
    from merge_snli.dataset import MergeDataset
    from merge_snli.progress import Progress

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Planned:
    """A run that is ready to be submitted.

    Attributes:
        options: Who runs it.
        stages: Its stages.
        folder: Its folder.
        plan_folder: The folder of what depends on the inputs.
    """

    options: ClusterOptions
    stages: tuple[ClusterStage, ...]
    folder: Path
    plan_folder: Path

    def at_once(self, kind: str, tasks: int) -> int:
        """Return the largest number of tasks of a stage that run at the same time."""
        workers = self.options.stage(kind).workers or (1 if self.options.executor == LOCAL else tasks)
        return min(workers, tasks)

    def run(self, progress: Progress) -> None:
        """Run the stages that are not complete.

        Raises:
            InputError: If they cannot be submitted, or a task fails.
        """
        from merge_snli.cluster.submit import run_stages

        with _jobs_go_on(self.options, self.folder):
            run_stages(self.stages, self.options, self.folder, self.plan_folder, progress)


def plan_generate(
    options: Options,
    out: str | Path,
    cluster_file: Path,
    *,
    work: str | Path | None = None,
    overwrite: bool = False,
    allow_pickle: bool = False,
    progress: Progress,
) -> Planned | MergeDataset:
    """Plan the generation of a data set on a cluster.

    Args:
        options: The options of the run.
        out: The data set's folder, which all machines must see, as the work folder.
        cluster_file: The cluster file.
        work: The work folder; None for `OUT.work/`.
        overwrite: Replace an existing data set with other options.
        allow_pickle: Load masked LMs with pickle weights, which can execute arbitrary code.
        progress: Receives the stages.

    Returns:
        The plan; or the data set if `out` holds it already.

    Raises:
        InputError: If an input or the cluster file cannot be used.
    """
    from generation.output.folder import find_finished
    from generation.pipeline import read_inputs
    from generation.task_plan import plan_generation
    from generation.work.folder import work_folder_of

    cluster = read_installed(cluster_file)
    out = check_dataset_out(out).absolute()
    _, inputs = read_inputs(options, progress, allow_pickle=allow_pickle)
    if (done := find_finished(out, inputs, overwrite=overwrite)) is not None:
        logger.info("nothing to do: %s has this data set already", out)
        return done
    device = device_of(cluster, MASKED_LM, options.device)
    work = work_folder_of(out, work)
    choices = [device, cluster.problems_per_shard, str(work)]
    plan_folder = run_folder(out) / sha256_of_json([as_json(inputs.to_record()), *choices, __version__])[:16]
    plan = plan_generation(
        inputs,
        device=device,
        allow_pickle=allow_pickle,
        problems_per_shard=cluster.problems_per_shard,
        out=out,
        work=work,
        folder=plan_folder,
    )
    return Planned(options=cluster, stages=generation_stages(plan), folder=run_folder(out), plan_folder=plan_folder)


def generate_on_cluster(planned: Planned | MergeDataset, progress: Progress) -> MergeDataset:
    """Run the stages of `plan_generate`, and return the data set.

    Raises:
        InputError: If they cannot be submitted, or a task fails.
    """
    if not isinstance(planned, Planned):
        return planned
    planned.run(progress)
    logger.info("done:\n%s", progress)
    return find_dataset(str(output_folder(planned.folder)))


def read_installed(path: Path) -> ClusterOptions:
    """Read a cluster file, after checking that datatrove is installed.

    Raises:
        InputError: If it is not, or the file cannot be used.
    """
    if find_spec("datatrove") is None:
        raise InputError(
            f"{param('cluster')} needs datatrove, which is not installed: pip install 'merge-snli[cluster]'"
        )
    return read_cluster_file(path)


def device_of(cluster: ClusterOptions, kind: str, device: str | None) -> str:
    """Return the device of a stage's models, which need not be one of this machine."""
    return device or ("cuda" if cluster.stage(kind).gpus_per_task else "cpu")


@contextmanager
def _jobs_go_on(options: ClusterOptions, folder: Path) -> Iterator[None]:
    """Say on Ctrl-C what happens to the jobs in Slurm's queue."""
    try:
        yield
    except KeyboardInterrupt:
        if options.executor == SLURM:
            out = output_folder(folder)
            logger.warning(
                "the jobs stay in Slurm's queue; watch them with: merge-snli work status %s; cancel them with: "
                "merge-snli work cancel %s",
                out,
                out,
            )
        raise
