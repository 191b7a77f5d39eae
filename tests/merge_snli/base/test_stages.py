"""Stages of a run: their notes, their progress, and the workers that share them."""

import logging
import multiprocessing
import os
import re
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain, takewhile
from pathlib import Path

import pytest

from merge_snli.base import progress
from merge_snli.base.errors import IncompleteError, InputError
from merge_snli.base.progress import Progress, Stage, format_duration, repeating
from merge_snli.base.stages import FILTERS, TAG, Notes, RunStage, TaskShare, run_here
from merge_snli.base.workers import Workers, next_item, started
from tests.oracles import refused
from tests.processes import SECONDS, printed_by, wait_until


@pytest.mark.parametrize(("items", "sizes"), [(0, [0, 0, 0]), (1, [0, 0, 1]), (7, [2, 2, 3]), (9, [3, 3, 3])])
def test_every_item_is_in_one_share(items: int, sizes: list[int]) -> None:
    shares = [TaskShare(task, 3).of(items) for task in range(3)]
    assert sorted(chain(*shares)) == list(range(items))
    assert sorted(map(len, shares)) == sizes


def test_stages_run_in_order_and_stop_at_the_first_error() -> None:
    done: list[str] = []

    def work(name: str, share: TaskShare, shown: Stage) -> None:
        assert share == TaskShare(0, 1)
        assert shown.unit == "shards"
        done.append(name)
        if name == "second":
            raise InputError("no")

    stages = [
        RunStage(name=name, kind=TAG, unit="shards", work=partial(work, name), shards=4, step=step)
        for step, name in enumerate(("first", "second", "third"))
    ]
    progress = Progress(quiet=True)
    refused("no", run_here, stages, progress)
    assert done == ["first", "second"]
    assert [stage.name for stage in progress.stages] == done


@pytest.mark.parametrize("shared", [False, True])
def test_notes_name_files_that_exist(tmp_path: Path, shared: bool) -> None:
    notes = Notes(tmp_path / "notes" if shared else None)
    made = tmp_path / "made.parquet"
    made.touch()
    notes.write(TAG, 3, {"shard": made}, words={"noun": 2})
    assert notes.files(TAG, 3) == {"shard": made}
    assert notes.read(TAG, 3)["words"] == {"noun": 2}
    made.unlink()
    refused(r"made\.parquet", notes.files, TAG, 3, error=IncompleteError)


def test_a_missing_or_damaged_note_is_named(tmp_path: Path) -> None:
    notes = Notes(tmp_path)
    refused(r"000003\.json", notes.read, FILTERS, 3, error=IncompleteError)
    notes.write(FILTERS, 3, {})
    (file,) = tmp_path.rglob("*.json")
    file.write_text("{", encoding="utf-8")
    refused(r"000003\.json", notes.read, FILTERS, 3, error=IncompleteError)


def test_stages_of_this_process_import_no_cluster() -> None:
    modules = "{'datatrove', 'ray', 'merge_snli.runs'}"
    code = f"import sys, generation.pipeline, merge_snli.scoring.tasks; print({modules} & {{*sys.modules}})"
    assert printed_by(code) == "set()"


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture) -> Callable[[], list[str]]:
    caplog.set_level(logging.INFO, logger="merge_snli.base.progress")
    return lambda: [record.getMessage() for record in caplog.records]


def test_a_stage_logs_a_line_when_it_is_done(lines: Callable[[], list[str]]) -> None:
    with Progress().stage("shared words", unit="problems", total=2_000, cached=500) as stage:
        stage.advance(1_500)
        assert lines() == []
    assert lines().pop().startswith("shared words: 100% 2000/2000 [")


def test_a_long_stage_logs_its_rate_and_the_time_left(
    lines: Callable[[], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "SECONDS_PER_LINE", 0.05)
    with Progress().stage("roberta-base", unit="forms", total=10_000, cached=100) as stage:
        stage.advance(4_000)
        while len(lines()) < 2:
            time.sleep(0.01)
        first = lines()[0]
    assert re.fullmatch(r"roberta-base:  41% 4100/10000 \[00:00<00:\d\d, [\d.]+ forms/s\]", first)


def test_a_stage_of_unknown_length_or_without_a_rate_has_no_time_left(
    lines: Callable[[], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "SECONDS_PER_LINE", 0.02)
    for total, expected in ((None, " 0 rows [00:00, ? rows/s]"), (3, "   0% 0/3 [00:00<?, ? rows/s]")):
        before = len(lines())
        with Progress().stage("reading", unit="rows", total=total):
            while len(lines()) == before:
                time.sleep(0.01)
        assert lines()[before] == f"reading:{expected}"


def test_quiet_and_failed_stages_log_nothing(lines: Callable[[], list[str]]) -> None:
    with Progress(quiet=True).stage("reading", unit="rows"):
        pass
    with pytest.raises(KeyError), Progress().stage("reading", unit="rows"):
        raise KeyError
    assert lines() == []


@pytest.mark.parametrize(
    ("seconds", "text"), [(3.14, "3.1 s"), (61, "1 min 01 s"), (3_599.6, "1 h 00 min"), (9_000, "2 h 30 min")]
)
def test_durations(seconds: float, text: str) -> None:
    assert format_duration(seconds) == text


def test_a_repeated_function_is_called_again_after_an_error_of_the_disk(lines: Callable[[], list[str]]) -> None:
    calls = iter(["full", "full", ""])
    done = threading.Event()

    def write() -> None:
        if error := next(calls, ""):
            raise OSError(error)
        done.set()

    with repeating(write, 0.01):
        assert done.wait(SECONDS)
    assert [line.partition(";")[0] for line in lines()] == ["full", "full"]


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


@pytest.mark.slow
def test_workers_share_the_items_and_warnings_are_logged_once(
    workers: Workers, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    names = [*map(str, range(20))]
    with Progress(quiet=True).stage("", unit="") as stage:
        workers.run(partial(warn, names, tmp_path), 20, stage)
    assert sorted(caplog.messages) == sorted(["for all", *(f"of {name}" for name in names)])
    assert stage.done == 20
    assert stage.total == 20


@pytest.mark.slow
def test_workers_ignore_ctrl_c(workers: Workers) -> None:
    with Progress(quiet=True).stage("", unit="") as stage:
        workers.run(ignores_ctrl_c, 1, stage)
    assert stage.done == 1


@pytest.mark.slow
def test_finished_tasks_log_their_warnings_although_another_fails(
    workers: Workers, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("merge_snli.base.workers.FIRST_EXCEPTION", "ALL_COMPLETED")
    monkeypatch.setattr("merge_snli.base.workers.SECONDS_PER_POLL", None)  # so both have ended when it looks
    with Progress(quiet=True).stage("", unit="") as stage, pytest.raises(InputError, match="it failed"):
        workers.run(partial(warn, ["failed", "finished"], tmp_path), 2, stage)
    assert caplog.messages == ["for all", "of finished"]


@pytest.mark.slow
def test_a_worker_that_ends_is_an_input_error() -> None:
    before = set(multiprocessing.active_children())
    killed = pytest.raises(InputError, match="worker process was killed")
    with Progress(quiet=True).stage("", unit="") as stage, started(2) as processes, killed:
        processes.run(exit_at_once, 2, stage)
    assert set(multiprocessing.active_children()) == before
