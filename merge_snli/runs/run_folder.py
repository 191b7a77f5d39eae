"""The folder of a cluster run, in `OUT.work/cluster`: what was submitted, and how far each task is.

Tasks on other machines write here, so every file is written whole and renamed into place, and none is locked.
"""

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from merge_snli.base.errors import explained
from merge_snli.base.files import ON_WINDOWS, is_running, machine_name, read_json, write_bytes, write_json

CLUSTER_FILE, SUBMITTER_FILE = "cluster.json", "submitter.json"

# The executors.
SLURM, RAY, LOCAL = "slurm", "ray", "local"

# The states of a task. A task is stopped if it was killed, or its machine was lost.
RUNNING, DONE, FAILED, STOPPED, WAITING = "running", "done", "failed", "stopped", "waiting"

# How often running tasks, and the command that submitted them, renew their files.
SECONDS_PER_BEAT = 15.0

# After this time without a renewal, a task on another machine counts as stopped.
SECONDS_WITHOUT_BEAT = 90.0


@dataclass(frozen=True, kw_only=True)
class SubmittedStage:
    """A submitted stage.

    Attributes:
        executor: `slurm`, `ray` or `local`.
        name: The name of the stage.
        unit: The unit that its tasks count.
        tasks: Number of tasks.
        folder: The folder of its logs and completed tasks.
        job: Id of the Slurm job; None with other executors, or if all tasks were complete at submission.
    """

    executor: str
    name: str
    unit: str
    tasks: int
    folder: Path
    job: str | None = None

    def completed(self) -> set[int]:
        """Return the numbers of the tasks that are complete."""
        return {int(path.name) for path in (self.folder / "completions").glob("[0-9]*")}

    def is_complete(self) -> bool:
        """Return whether all tasks are complete."""
        return len(self.completed()) == self.tasks

    def log(self, task: int) -> Path:
        """Return the log file of a task."""
        return self.folder / "logs" / f"task_{task:05}.log"

    def output(self, task: int) -> Path:
        """Return the file with what the process of a task has printed, which is there once it has started."""
        return self.folder / "output" / f"{task}.txt"

    def forget(self) -> None:
        """Forget which tasks are complete, so that they run again."""
        for path in (self.folder / "completions").glob("[0-9]*"):
            path.unlink(missing_ok=True)


@dataclass(frozen=True, kw_only=True)
class TaskRecord:
    """How far a task is.

    Attributes:
        state: `running`, `done` or `failed`.
        host: The machine.
        seconds: How long it has been running.
        units: Number of units done.
        total: Number of units to do; None if unknown.
        error: Why it failed; None if it did not.
    """

    state: str
    host: str
    seconds: float = 0.0
    units: int = 0
    total: int | None = None
    error: str | None = None


RUN = TypeAdapter(tuple[SubmittedStage, ...])


def run_folder(out: str | Path) -> Path:
    """Return the folder of the runs of an output folder on a cluster."""
    out = Path(out).expanduser()
    out = out.resolve() if out.is_symlink() else out.absolute()
    return out.with_name(f"{out.name}.work") / "cluster"


def output_folder(folder: Path) -> Path:
    """Return the output folder of a folder of `run_folder`."""
    return folder.parent.with_name(folder.parent.name.removesuffix(".work"))


def write_run(folder: Path, run: Sequence[SubmittedStage]) -> None:
    """Write the stages of a run, in order."""
    stages = tuple(replace(stage, folder=stage.folder.relative_to(folder)) for stage in run)
    write_bytes(folder / CLUSTER_FILE, RUN.dump_json(stages, indent=2))


def read_run(folder: Path) -> tuple[SubmittedStage, ...]:
    """Read the stages of a run, in order; empty if there is no run."""
    path = folder / CLUSTER_FILE
    if not path.is_file():
        return ()
    message = (
        f"{path} is damaged, or of another version of merge-snli: delete {folder} and run the command with "
        "⟦cluster⟧ again, which keeps the finished answers"
    )
    with explained(ValidationError, message):
        stages = RUN.validate_json(path.read_bytes())
    return tuple(replace(stage, folder=folder / stage.folder) for stage in stages)


def task_file(stage_folder: Path, task: int) -> Path:
    """Return the file of a task's record."""
    return stage_folder / "tasks" / f"{task:05}.json"


def write_task(stage_folder: Path, task: int, record: TaskRecord) -> None:
    """Write how far a task is."""
    write_json(task_file(stage_folder, task), asdict(record))


def read_task(stage_folder: Path, task: int) -> TaskRecord | None:
    """Read how far a task is; None if it has not started."""
    content = read_json(task_file(stage_folder, task))
    return None if content is None else TaskRecord(**content)


def is_fresh(path: Path) -> bool:
    """Return whether a file was renewed within `SECONDS_WITHOUT_BEAT`."""
    try:
        return time.time() - path.stat().st_mtime < SECONDS_WITHOUT_BEAT
    except OSError:
        return False


def is_submitting(folder: Path) -> bool:
    """Return whether a command is submitting a run, or running it with another executor than Slurm."""
    file = folder / SUBMITTER_FILE
    with suppress(OSError, ValueError):
        host, pid = file.read_text(encoding="utf-8").split()
        if host == machine_name() and not ON_WINDOWS:
            return is_running(pid)
    return is_fresh(file)
