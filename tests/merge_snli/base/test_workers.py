"""Worker processes: what they log, and what happens when a task fails, a worker is killed or there are too many."""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import takewhile
from pathlib import Path

import pytest

from merge_snli.base.errors import InputError
from merge_snli.base.progress import Progress, Stage
from merge_snli.base.workers import Workers, next_item, started
from tests.processes import wait_until

logger = logging.getLogger(__name__)


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    with started(2) as processes:
        yield processes


def warn(names: Sequence[str], both: Path, stage: Stage) -> None:
    """Take items until another worker has one too; log a warning for each, and fail at `failed`."""
    stage.total = len(names)
    for name in map(names.__getitem__, takewhile(len(names).__gt__, iter(next_item, None))):
        stage.advance(1)
        logger.warning("for all")
        logger.warning("of %s", name)
        (both / name).touch()
        wait_until(lambda: len(list(both.iterdir())) > 1)
        if name == "failed":
            raise InputError("it failed")


def ignores_ctrl_c(stage: Stage) -> None:
    signal.raise_signal(signal.SIGINT)
    stage.advance(1)


def exit_at_once(_: Stage) -> None:
    os._exit(1)


def test_workers_share_the_items_and_warnings_are_logged_once(
    workers: Workers, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    names = [*map(str, range(20))]
    with Progress(quiet=True).stage("", unit="") as stage:
        workers.run(partial(warn, names, tmp_path), 20, stage)
    assert sorted(caplog.messages) == sorted(["for all", *(f"of {name}" for name in names)])
    assert (stage.done, stage.total) == (20, 20)


def test_workers_ignore_ctrl_c(workers: Workers) -> None:
    with Progress(quiet=True).stage("", unit="") as stage:
        workers.run(ignores_ctrl_c, 1, stage)
    assert stage.done == 1


def test_finished_tasks_log_their_warnings_although_another_fails(
    workers: Workers, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("merge_snli.base.workers.FIRST_EXCEPTION", "ALL_COMPLETED")
    monkeypatch.setattr("merge_snli.base.workers.SECONDS_PER_POLL", None)  # so both have ended when it looks
    with Progress(quiet=True).stage("", unit="") as stage, pytest.raises(InputError, match="it failed"):
        workers.run(partial(warn, ["failed", "finished"], tmp_path), 2, stage)
    assert caplog.messages == ["for all", "of finished"]


def test_a_worker_that_ends_is_an_input_error() -> None:
    before = multiprocessing.active_children()
    killed = pytest.raises(InputError, match="worker process was killed")
    with Progress(quiet=True).stage("", unit="") as stage, started(2) as processes, killed:
        processes.run(exit_at_once, 2, stage)
    assert multiprocessing.active_children() == before
