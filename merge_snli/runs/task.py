"""One task of a stage, as a step of a datatrove pipeline, with a record of how far it is."""

import logging
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from datatrove.pipeline.base import PipelineStep
from datatrove.utils.logging import logger as task_log

from merge_snli.base.errors import IncompleteError, InputError, as_flags, log_flags, reason
from merge_snli.base.files import machine_name
from merge_snli.base.progress import Progress, Stage, repeating
from merge_snli.base.stages import TaskShare
from merge_snli.runs.run_folder import DONE, FAILED, RUNNING, SECONDS_PER_BEAT, SubmittedStage, TaskRecord, write_task

ENVIRONMENT = {"TRANSFORMERS_VERBOSITY": "error", "TOKENIZERS_PARALLELISM": "false"}


class StageTask(PipelineStep):  # type: ignore[misc]
    """Does the share of one task, and records its progress for `merge-snli work status`.

    Attributes:
        name: The name of the stage.
    """

    type = "merge-snli"

    def __init__(
        self,
        work: Callable[[TaskShare, Stage], None],
        stage: SubmittedStage,
        earlier: Sequence[SubmittedStage],
        threads: int,
    ) -> None:
        """Set what the tasks of a stage do.

        Args:
            work: Does a share.
            stage: The stage.
            earlier: The stages before it, which run again if a file that they made is missing.
            threads: Number of threads of the models.
        """
        self.name = stage.name
        super().__init__()
        self._work = work
        self._stage = stage
        self._earlier = tuple(earlier)
        self._threads = threads

    def run(self, data: Any, rank: int = 0, world_size: int = 1) -> tuple[()]:  # noqa: ANN401
        """Do the share of one task."""
        os.environ.update(ENVIRONMENT, OMP_NUM_THREADS=str(self._threads))  # before torch is imported
        started = time.time()

        def note(state: str, error: str | None = None) -> None:
            record = TaskRecord(
                state=state,
                host=machine_name(),
                started=started,
                seconds=round(time.time() - started, 1),
                units=stage.done,
                total=stage.total,
                error=error,
            )
            write_task(self._stage.folder, rank, record)

        with Progress(quiet=True).stage(self.name, unit=self._stage.unit) as stage, _logs_in_task_log():
            note(RUNNING)
            try:
                with repeating(lambda: note(RUNNING), SECONDS_PER_BEAT):
                    self._work(TaskShare(rank, world_size), stage)
            except Exception as error:
                if isinstance(error, IncompleteError):
                    for earlier in self._earlier:
                        earlier.forget()
                internal = f"internal error, {type(error).__name__}: {reason(error)}"
                note(FAILED, as_flags(error) if isinstance(error, InputError) else internal)
                raise
            note(DONE)
        return ()


class _TaskLog(logging.Handler):
    """Forwards log records to the log of the task."""

    def emit(self, record: logging.LogRecord) -> None:
        task_log.log(record.levelname, record.getMessage())


@contextmanager
def _logs_in_task_log() -> Iterator[None]:
    root, handler = logging.getLogger(), _TaskLog(logging.WARNING)
    handler.addFilter(log_flags)
    root.addHandler(handler)
    try:
        yield
    finally:
        root.removeHandler(handler)
