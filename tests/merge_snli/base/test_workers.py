"""Worker processes: what they log, and what happens when a task fails, a worker is killed or there are too many."""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
from collections.abc import Iterator
from functools import partial

import pytest

from merge_snli.base.errors import InputError
from merge_snli.base.progress import Progress, Stage
from merge_snli.base.workers import Workers, started

logger = logging.getLogger(__name__)


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    with started(2) as processes:
        yield processes


def warn(name: str, stage: Stage) -> None:
    stage.total = 3
    stage.advance(2)
    logger.warning("for all")
    logger.warning("of %s", name)
    if name == "failed":
        raise InputError("it failed")


def ignores_ctrl_c(stage: Stage) -> None:
    signal.raise_signal(signal.SIGINT)
    stage.advance(1)


def exit_at_once(_: Stage) -> None:
    os._exit(1)


def test_warnings_are_logged_once_and_units_added_up(workers: Workers, caplog: pytest.LogCaptureFixture) -> None:
    with Progress(quiet=True).stage("", unit="") as stage:
        workers.run([partial(warn, "one"), partial(warn, "two")], stage)
    assert sorted(caplog.messages) == ["for all", "of one", "of two"]
    assert (stage.done, stage.total) == (4, 6)


def test_workers_ignore_ctrl_c(workers: Workers) -> None:
    with Progress(quiet=True).stage("", unit="") as stage:
        workers.run([ignores_ctrl_c], stage)
    assert stage.done == 1


def test_finished_tasks_log_their_warnings_although_another_fails(
    workers: Workers, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("merge_snli.base.workers.FIRST_EXCEPTION", "ALL_COMPLETED")
    monkeypatch.setattr("merge_snli.base.workers.SECONDS_PER_POLL", None)  # so both have ended when it looks
    with Progress(quiet=True).stage("", unit="") as stage, pytest.raises(InputError, match="it failed"):
        workers.run([partial(warn, "failed"), partial(warn, "finished")], stage)
    assert caplog.messages == ["for all", "of finished"]


def test_a_worker_that_ends_is_an_input_error() -> None:
    before = multiprocessing.active_children()
    killed = pytest.raises(InputError, match="worker process was killed")
    with Progress(quiet=True).stage("", unit="") as stage, started(2) as processes, killed:
        processes.run([exit_at_once, exit_at_once], stage)
    assert multiprocessing.active_children() == before
