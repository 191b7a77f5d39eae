"""The stages of a run, and how they run on this machine.

A run is a list of stages in an order in which they can run. A stage is described once: what it does with a share of its
shards, and which stages it waits for. An executor decides where its tasks run; without one, `run_here` does everything
on this machine: each stage as a single task in this process, or in worker processes that take one shard after another.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Protocol

from merge_snli.base.errors import IncompleteError
from merge_snli.base.files import JsonObject, read_json, write_json
from merge_snli.base.progress import Progress, Stage
from merge_snli.base.workers import Workers, next_item

# The kinds of stages: those of generating a data set, and those of scoring models.
TAG, MASKED_LM, FILTERS, WRITE, PREDICT, EVALUATE = "tag", "masked_lm", "filters", "write", "predict", "evaluate"


@dataclass(frozen=True)
class TaskShare:
    """The share of a stage's work that one task does: every `tasks`-th item, from the one with the task's number.

    Attributes:
        task: The number of the task, from 0.
        tasks: The number of tasks.
        claim: Returns the number of the next item that no worker process has taken, if several do this share together.
    """

    task: int
    tasks: int
    claim: Callable[[], int] | None = None

    def of(self, items: int) -> range:
        """Return the numbers of the items of the share.

        Args:
            items: The number of items of all tasks.
        """
        return range(self.task, items, self.tasks)

    def taken(self, items: int) -> Iterator[int]:
        """Yield the numbers of the items that this process does, in ascending order; takes the argument of `of`."""
        if self.claim is None:
            yield from self.of(items)
            return
        item = self.claim()
        while item < items:
            yield item
            item = self.claim()


WHOLE = TaskShare(0, 1)


@dataclass(frozen=True, kw_only=True)
class RunStage:
    """A stage of a run.

    Attributes:
        name: Its name, for example that of a masked LM.
        kind: One of `TAG` to `EVALUATE`; names its table in a cluster file.
        unit: The unit that its tasks count.
        work: Does the share of one task, and counts its units.
        shards: Number of items that are divided among its tasks, and so the largest number of tasks.
        step: Its position in the order; it waits for all stages of earlier steps.
        after_failures: Run even if one of these has failed.
        parallel: Whether worker processes of this machine may do its shards.
    """

    name: str
    kind: str
    unit: str
    work: Callable[[TaskShare, Stage], None]
    shards: int = 1
    step: int
    after_failures: bool = False
    parallel: bool = False


@dataclass(frozen=True)
class Notes:
    """What the tasks of a stage tell those of later stages about each shard: in memory, or in files between processes.

    Tasks write whole files only; two tasks that work on the same shard write the same files.

    Attributes:
        folder: The folder of the files; None for memory.
    """

    folder: Path | None = None
    _held: dict[tuple[str, int], JsonObject] = field(default_factory=dict, repr=False, compare=False)

    def write(self, kind: str, shard: int, files: Mapping[str, Path], **more: object) -> None:
        """Write the note of a shard.

        Args:
            kind: The kind of the stage.
            shard: The number of the shard.
            files: The files that were made from it, by name.
            **more: JSON values.
        """
        note = {**more, "files": {name: str(path) for name, path in files.items()}}
        if self.folder is None:
            self._held[kind, shard] = note
        else:
            write_json(self._file(self.folder, kind, shard), note)

    def read(self, kind: str, shard: int) -> JsonObject:
        """Read the note of a shard.

        Args:
            kind: The kind of the stage.
            shard: The number of the shard.

        Raises:
            IncompleteError: If it is missing or damaged.
        """
        if self.folder is None:
            return self._held[kind, shard]
        path = self._file(self.folder, kind, shard)
        note: JsonObject | None = read_json(path)
        if note is None:
            raise IncompleteError(f"{path} is missing or damaged")
        return note

    def files(self, kind: str, shard: int) -> dict[str, Path]:
        """Return the files that were made from a shard, by name; takes the same arguments as `read`.

        Raises:
            IncompleteError: If the note or one of them is missing.
        """
        files = {name: Path(path) for name, path in self.read(kind, shard)["files"].items()}
        for path in files.values():
            if not path.is_file():
                raise IncompleteError(f"{path} is missing")
        return files

    @staticmethod
    def _file(folder: Path, kind: str, shard: int) -> Path:
        return folder / kind / f"{shard:06}.json"


class Executor(Protocol):
    """Runs the stages of a run as tasks in other processes."""

    def device(self, kind: str, device: str | None) -> str:
        """Return the device of the models of a stage, which need not be one of this machine.

        Args:
            kind: The kind of the stage.
            device: The device that the user chose; None for the executor's choice.
        """

    def folder(self, out: Path, inputs: object) -> Path:
        """Return the folder for the notes and completed tasks of a run.

        Args:
            out: The output folder of the run.
            inputs: Everything that the work of the stages depends on, as JSON values.
        """

    def run(self, stages: Sequence[RunStage], folder: Path, progress: Progress) -> None:
        """Run the tasks that are not complete, and wait for them.

        Args:
            stages: The stages, in order.
            folder: The folder of `folder`.
            progress: Receives the stages.

        Raises:
            InputError: If the tasks cannot be started, or one fails.
        """


def run_here(stages: Sequence[RunStage], progress: Progress, workers: Workers | None = None) -> None:
    """Run stages on this machine, one after another.

    Args:
        stages: The stages, in order.
        progress: Receives the stages.
        workers: Do the shards of the stages that are `parallel`; None for this process. Their notes are files.

    Raises:
        InputError: If the work of a stage raises it, or a worker is killed; the later stages are not run then.
    """
    for stage in stages:
        with progress.stage(stage.name, unit=stage.unit) as shown:
            if workers is None or not stage.parallel:
                stage.work(WHOLE, shown)
            else:
                workers.run(partial(stage.work, replace(WHOLE, claim=next_item)), stage.shards, shown)
