"""What a run on a cluster would do: its stages, tasks and estimated times, and Slurm's scripts."""

from __future__ import annotations

import shlex
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from merge_snli.base.progress import format_duration
from merge_snli.base.stages import FILTERS, MASKED_LM, TAG, WRITE
from merge_snli.base.table import Column, Table
from merge_snli.runs.executors import SlurmExecutor, make_executor
from merge_snli.runs.options import LOCAL, SLURM
from merge_snli.runs.task import StageTask

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from generation.dry_run import DryRun
    from merge_snli.base.stages import RunStage
    from merge_snli.runs.options import ClusterOptions


def plan_text(options: ClusterOptions, stages: Sequence[RunStage], folder: Path, estimate: DryRun) -> str:
    """Return the stages of a run with their tasks and estimated times and, for Slurm, one script per kind of stage.

    Args:
        options: Who would run them.
        stages: The stages, in order.
        folder: The folder for the notes and completed tasks of the run.
        estimate: The estimate for one process on this machine.
    """
    device = f"on {estimate.device}, the device of this machine"
    table = Table(
        title=f"{estimate.problems:,} problems (shards: {stages[0].shards:,}), "
        f"about {estimate.forms:,} forms per masked LM",
        columns=(Column("stage", "left"), Column("tasks"), Column("forms per task"), Column("time")),
        rows=tuple(_rows(options, stages, folder, estimate)),
        notes=(
            f"Times are measured in one process {device}, and divided by the tasks that run at the same time; waiting "
            "for resources is not included. Nothing was submitted.",
        ),
    )
    scripts = [*_scripts(options, stages, folder)] if options.executor == SLURM else []
    return "\n".join([table.text(), *scripts])


def _rows(
    options: ClusterOptions, stages: Sequence[RunStage], folder: Path, estimate: DryRun
) -> Iterator[tuple[str | int | None, ...]]:
    seconds = {TAG: estimate.reading, FILTERS: estimate.filters, WRITE: estimate.writing}
    masked_lms = {each.name: each for each in estimate.masked_lms}
    loading = estimate.loading / len(masked_lms)  # a task loads one masked LM at most, the estimate is for all
    for stage in stages:
        tasks = options.submitted(stage, folder).tasks
        at_once = min(tasks, options.stage(stage.kind).workers or (1 if options.executor == LOCAL else tasks))
        own = seconds[stage.kind] if stage.kind in seconds else masked_lms[stage.name].seconds
        forms = -(-masked_lms[stage.name].forms // tasks) if stage.kind == MASKED_LM else None
        yield stage.name, tasks, forms, format_duration(loading + own / at_once)


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
