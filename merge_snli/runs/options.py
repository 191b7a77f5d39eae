"""The cluster file: which executor runs the tasks of a run, how many there are, and what each may use."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from merge_snli.base import __version__
from merge_snli.base.errors import InputError, param
from merge_snli.base.files import read_toml, sha256_of_json
from merge_snli.base.stages import EVALUATE, FILTERS, MASKED_LM, PREDICT, TAG, WRITE
from merge_snli.runs.run_folder import SubmittedStage, run_folder

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from merge_snli.base.progress import Progress
    from merge_snli.base.stages import RunStage

SLURM, RAY, LOCAL = "slurm", "ray", "local"

STAGES = (TAG, MASKED_LM, FILTERS, WRITE, PREDICT, EVALUATE)
SINGLE_TASK = (WRITE, EVALUATE)
"""Stages that one task does."""

DEFAULTS = "defaults"
"""The table with values for all stages."""

ONLY_FOR = {
    SLURM: {"partition", "time", "env_command", "sbatch_args"},
    RAY: {"address", "ray_remote_kwargs"},
}
"""Keys that have an effect with one executor only."""

PLAN_FORMAT = 1
"""The version of what tasks unpickle and of the notes that they leave for each other: raise it if modules or fields of
these change, so that a run of an older checkout is planned again and not resumed."""

MAX_TASKS = 1_000
"""Slurm's default limit of an array of jobs."""


class _Strict(BaseModel):
    """Values of exactly the declared types, and no others."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class StageOptions(_Strict):
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


class ClusterOptions(_Strict):
    """The content of a cluster file, and so an executor as `merge_snli.base.stages` describes it.

    Attributes:
        executor: `slurm`, `ray` or `local`.
        address: Address of the Ray cluster; `auto` for the one of this machine.
        problems_per_shard: Number of problems that are tagged and filtered together, see `generation.generate`.
        tag: Reading and tagging the problems.
        masked_lm: Each masked LM.
        filters: Filters and sets.
        write: Merging and writing the data set.
        predict: Each scored model.
        evaluate: Computing the results.
    """

    executor: Literal["slurm", "ray", "local"]
    address: str = "auto"
    problems_per_shard: int = Field(default=1_000, ge=1)
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

    def device(self, kind: str, device: str | None) -> str:
        """Return the device of the models of a stage: a GPU if its tasks have one, unless the user chose another."""
        return device or ("cuda" if self.stage(kind).gpus_per_task else "cpu")

    def folder(self, out: Path, inputs: object) -> Path:
        """Return the folder for the notes and completed tasks of a run with these inputs."""
        return run_folder(out) / sha256_of_json([inputs, PLAN_FORMAT, __version__])[:16]

    def submitted(self, stage: RunStage, folder: Path) -> SubmittedStage:
        """Return a stage with its number of tasks and its folder, before it is submitted."""
        return SubmittedStage.of(stage, min(self.stage(stage.kind).tasks, max(1, stage.shards)), folder)

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
        from merge_snli.runs.submit import run_stages

        run_stages(stages, self, folder, progress)


def read_cluster_file(path: Path) -> ClusterOptions:
    """Read a cluster file.

    Args:
        path: A TOML file with a table for each stage, and `[defaults]` for all of them.

    Raises:
        InputError: If datatrove is not installed, the file cannot be read, a key is unknown or has no effect with the
            executor, or a value is invalid.
    """
    if find_spec("datatrove") is None:
        raise InputError(
            f"{param('cluster')} needs datatrove, which is not installed: pip install 'merge-snli[cluster]'"
        )
    content = read_toml(path, "cluster")
    defaults = content.pop(DEFAULTS, {})
    _check_defaults(path, defaults)
    _check_effect(path, content, {DEFAULTS: defaults, **content})
    own_keys: dict[str, set[str]] = {}
    for kind in STAGES:
        stage = content.get(kind, {})
        if not isinstance(stage, dict):
            raise InputError(f"{param('cluster')} {path}: {kind} is {stage!r}, but must be a table [{kind}]")
        if kind in SINGLE_TASK and "tasks" in stage:
            raise InputError(f"{param('cluster')} {path}: [{kind}] is a single task: remove tasks there")
        own_keys[kind] = {*stage}
        single = {"tasks": 1} if kind in SINGLE_TASK else {}
        content[kind] = {**defaults, **stage, **single}
    return _validated(path, content, own_keys)


def _check_defaults(path: Path, defaults: object) -> None:
    """Check the names in the table of defaults, so that an error there does not name a stage."""
    if not isinstance(defaults, dict):
        raise InputError(f"{param('cluster')} {path}: {DEFAULTS} is {defaults!r}, but must be a table [{DEFAULTS}]")
    known = StageOptions.model_fields
    for key in defaults:
        if key not in known:
            raise InputError(
                f"{param('cluster')} {path}: unknown key {key!r} in [{DEFAULTS}] (keys: {', '.join(known)})"
            )


def _check_effect(path: Path, content: dict[str, Any], tables: dict[str, Any]) -> None:
    """Refuse keys that have an effect with other executors only."""
    executor = content.get("executor")
    given = {key for table in tables.values() if isinstance(table, dict) for key in table} | content.keys()
    for other, keys in ONLY_FOR.items():
        if executor in (SLURM, RAY, LOCAL) and executor != other and keys & given:
            key = min(keys & given)
            raise InputError(f"{param('cluster')} {path}: {key} has no effect with the executor {executor}: remove it")


def _validated(path: Path, content: dict[str, Any], own_keys: dict[str, set[str]]) -> ClusterOptions:
    """Check the values; an error names the table that has the value, of the stage or of the defaults."""
    try:
        return ClusterOptions.model_validate(content)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
    place = [str(part) for part in first["loc"]]
    table = place.pop(0) if place[0] in STAGES else None
    key = ".".join(place[:2])
    where = f" in [{table if place[0] in own_keys[table] else DEFAULTS}]" if table else ""
    if first["type"] == "extra_forbidden":
        known = [*StageOptions.model_fields] if table else [*ClusterOptions.model_fields, DEFAULTS]
        raise InputError(f"{param('cluster')} {path}: unknown key {key!r}{where} (keys: {', '.join(known)})")
    if first["type"] == "missing":
        raise InputError(f'{param("cluster")} {path}: {key} is missing: add {key} = "slurm", "ray" or "local"')
    raise InputError(f"{param('cluster')} {path}: {key}{where} is {first['input']!r}: {first['msg'].lower()}")
