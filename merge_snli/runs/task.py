"""One task of a stage, which a datatrove pipeline calls, with a record of how far it is."""

import logging
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from datatrove.utils.logging import logger as task_log

from merge_snli.base.errors import IncompleteError, InputError, as_flags, log_flags, reason
from merge_snli.base.files import machine_name
from merge_snli.base.progress import Progress, Stage, repeating
from merge_snli.base.stages import TaskShare
from merge_snli.runs.run_folder import DONE, FAILED, RUNNING, SECONDS_PER_BEAT, SubmittedStage, TaskRecord, write_task

ENVIRONMENT = {"TRANSFORMERS_VERBOSITY": "error", "TOKENIZERS_PARALLELISM": "false"}


@dataclass(frozen=True, repr=False)  # datatrove would log all of it
class StageTask:
    """Does the share of one task, and records its progress for `merge-snli work status`.

    Attributes:
        work: Does a share.
        stage: The stage.
        earlier: The stages before it, which run again if a file that they made is missing.
        threads: Number of threads of the models.
    """

    work: Callable[[TaskShare, Stage], None]
    stage: SubmittedStage
    earlier: Sequence[SubmittedStage]
    threads: int

    def __call__(self, _: None, task: int, tasks: int) -> None:
        """Do the share of one task."""
        os.environ.update(ENVIRONMENT, OMP_NUM_THREADS=str(self.threads))  # before torch is imported
        started = time.monotonic()

        def note(state: str, error: str | None = None) -> None:
            record = TaskRecord(
                state=state,
                host=machine_name(),
                seconds=round(time.monotonic() - started, 1),
                units=stage.done,
                total=stage.total,
                error=error,
            )
            write_task(self.stage.folder, task, record)

        with Progress(quiet=True).stage(self.stage.name, unit=self.stage.unit) as stage, _logs_in_task_log():
            note(RUNNING)
            try:
                with repeating(lambda: note(RUNNING), SECONDS_PER_BEAT):
                    self.work(TaskShare(task, tasks), stage)
            except Exception as error:
                if isinstance(error, IncompleteError):
                    for earlier in self.earlier:
                        earlier.forget()
                internal = f"internal error, {type(error).__name__}: {reason(error)}"
                note(FAILED, as_flags(error) if isinstance(error, InputError) else internal)
                raise
            stage.total = stage.done
            note(DONE)


class _TaskLog(logging.Handler):
    """Forwards log records to the log of the task."""

    def emit(self, record: logging.LogRecord) -> None:
        task_log.log(record.levelname, record.getMessage())


@contextmanager
def _logs_in_task_log() -> Iterator[None]:
    root = logging.getLogger()
    handler = _TaskLog(logging.WARNING)
    handler.addFilter(log_flags)
    root.addHandler(handler)
    try:
        yield
    finally:
        root.removeHandler(handler)
