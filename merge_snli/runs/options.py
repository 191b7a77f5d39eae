"""The cluster file: which executor runs the tasks of a run, how many there are, and what each may use."""

import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from merge_snli.base.errors import InputError
from merge_snli.base.extras import install_command
from merge_snli.base.files import read_toml
from merge_snli.base.stages import EVALUATE, FILTERS, MASKED_LM, PREDICT, TAG, WRITE, RunStage
from merge_snli.dataset.record_file import valid
from merge_snli.runs.run_folder import RAY, SLURM, SubmittedStage

STAGES = (TAG, MASKED_LM, FILTERS, WRITE, PREDICT, EVALUATE)

# The table with values for all stages.
DEFAULTS = "defaults"

# Keys that have an effect with one executor only.
ONLY_FOR = {
    SLURM: {"partition", "time", "env_command", "sbatch_args"},
    RAY: {"address", "ray_remote_kwargs"},
}

# Options of `sbatch` that number the tasks and name their logs.
SET_BY_US = frozenset({"array", "output", "error"})

# Slurm's default limit of an array of jobs.
MAX_TASKS = 1_000

# Values of exactly the declared types, and no others.
STRICT = ConfigDict(frozen=True, extra="forbid", strict=True)


class StageOptions(BaseModel):
    """The tasks of a stage and their resources.

    Attributes:
        tasks: Number of tasks.
        workers: Number of tasks that run at the same time; None for all, locally for one.
        cpus_per_task: Number of CPUs per task, and threads of the models.
        mem_per_cpu_gb: Memory per CPU, in GB.
        gpus_per_task: Number of GPUs per task; with 0, the models run on the CPU.
        partition: Slurm partition.
        time: Time limit of a Slurm job, such as `4:00:00`.
        env_command: Shell command that activates the Python environment in a Slurm job; by default, the jobs use the
            Python that submits them.
        sbatch_args: More options of `sbatch`, without their dashes.
        ray_remote_kwargs: More options of Ray's tasks.
    """

    model_config = STRICT

    tasks: int = Field(default=1, ge=1, le=MAX_TASKS)
    workers: int | None = Field(default=None, ge=1)
    cpus_per_task: int = Field(default=1, ge=1)
    mem_per_cpu_gb: int = Field(default=2, ge=1)
    gpus_per_task: int = Field(default=0, ge=0)
    partition: str | None = None
    time: str | None = None
    env_command: str | None = None
    sbatch_args: dict[str, str | int] = {}
    ray_remote_kwargs: dict[str, Any] = {}


class ClusterOptions(BaseModel):
    """The content of a cluster file.

    Attributes:
        executor: `slurm`, `ray` or `local`.
        address: Address of the Ray cluster; `auto` for the one of this machine.
        problems_per_shard: Number of problems that are tagged and filtered together.
        defaults: The values of all stages, which `read_cluster_file` puts into them.
        tag: Reading and tagging the problems.
        masked_lm: Each masked LM.
        filters: Filters and sets.
        write: Merging and writing the data set.
        predict: Each scored model.
        evaluate: Computing the results.
    """

    model_config = STRICT

    executor: Literal["slurm", "ray", "local"]
    address: str = "auto"
    problems_per_shard: int = Field(default=125, ge=1)
    defaults: StageOptions = StageOptions()
    tag: StageOptions = StageOptions()
    masked_lm: StageOptions = StageOptions()
    filters: StageOptions = StageOptions()
    write: StageOptions = StageOptions()
    predict: StageOptions = StageOptions()
    evaluate: StageOptions = StageOptions()

    def stage(self, kind: str) -> StageOptions:
        """Return the options of a stage, one of `STAGES`."""
        options: StageOptions = getattr(self, kind)
        return options

    def submitted(self, stage: RunStage, folder: Path) -> SubmittedStage:
        """Return a stage with its number of tasks and its folder, before it is submitted.

        Args:
            stage: The stage.
            folder: The folder of all stages. That of this stage depends on its number of tasks, by which the work is
                divided.
        """
        tasks = min(self.stage(stage.kind).tasks, max(1, stage.shards))
        safe_name = re.sub(r"[^A-Za-z0-9._]+", "-", stage.name).strip("-")
        return SubmittedStage(
            executor=self.executor,
            name=stage.name,
            unit=stage.unit,
            tasks=tasks,
            folder=folder / f"{stage.step}-{safe_name}-{tasks}",
        )


def read_cluster_file(path: Path) -> ClusterOptions:
    """Read a cluster file.

    Args:
        path: A TOML file with a table for each stage, and `[defaults]` for all of them.
    """
    if find_spec("datatrove") is None:
        raise InputError(f"⟦cluster⟧ needs datatrove, which is not installed: {install_command('cluster')}")
    content = read_toml(path, "cluster")
    defaults = content.get(DEFAULTS, {})
    for stage in STAGES:
        own = content.get(stage, {})
        if isinstance(defaults, dict) and isinstance(own, dict):  # others are refused
            content[stage] = {**defaults, **own}
    keys = ", ".join(ClusterOptions.model_fields)
    of_stage = ", ".join(StageOptions.model_fields)
    with valid(f"⟦cluster⟧ {path}: ⟦reason⟧; correct this entry (keys: {keys}; of a stage: {of_stage})"):
        options = ClusterOptions.model_validate(content)
    for stage in (DEFAULTS, *STAGES):
        for name in SET_BY_US & options.stage(stage).sbatch_args.keys():
            raise InputError(f"⟦cluster⟧ {path}: sbatch_args.{name} in [{stage}] is set by the run: remove it")
    given = options.model_fields_set.union(*(options.stage(stage).model_fields_set for stage in STAGES))
    for executor, own_keys in ONLY_FOR.items():
        if executor != options.executor and own_keys & given:
            raise InputError(
                f"⟦cluster⟧ {path}: {min(own_keys & given)} has no effect with the executor "
                f"{options.executor}: remove it"
            )
    return options
