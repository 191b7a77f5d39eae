"""Worker processes: any number of them gives the bytes of one process, also after one is killed or a Ctrl-C."""

import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from generation import Options, generate
from generation.pipeline import run_pipeline
from generation.run import GenerationRun
from generation.tasks import stages
from generation.work import RESULT_FOLDERS
from merge_snli.base.errors import InputError
from merge_snli.base.files import is_running
from merge_snli.base.progress import Progress
from merge_snli.base.stages import FILTERS, RunStage
from tests import ROOT
from tests.oracles import refused, written
from tests.processes import wait_until
from tests.records import files_in, first_problems
from tests.systems import linux_only

PER_SHARD = 5
CHOICES: dict[str, Any] = {"id_column": "id", "mlm": ("demo:mlm-bpe",), "inflation": 5, "subsamples": 2}

# Without a guard for the main module.
SCRIPT = """
import signal, time
from functools import partial
from pytest import MonkeyPatch
from generation.pipeline import Options, run_pipeline
from tests.generation.test_workers import CHOICES, PER_SHARD, stop_after_filters
signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell may have switched off for the tests
stop_after_filters(MonkeyPatch(), partial(time.sleep, 3600))
options = Options(problems={problems!r}, **CHOICES)
run_pipeline(options, {out!r}, work={work!r}, quiet=True, workers=2, problems_per_shard=PER_SHARD)
"""


@pytest.fixture(scope="module")
def options(tmp_path_factory: pytest.TempPathFactory) -> Options:
    return Options(problems=str(first_problems(tmp_path_factory.mktemp("problems"), 12)), **CHOICES)


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A work folder that the runs share, so that the masked LMs answer once."""
    return tmp_path_factory.mktemp("work")


@pytest.fixture(scope="module")
def one_process(options: Options, work: Path) -> dict[str, bytes]:
    return made(options, work, 1)


def made(options: Options, work: Path, workers: int, progress: Progress | None = None) -> dict[str, bytes]:
    """Generate in a folder of one name, and return the bytes of its files."""
    out = work / "out" / "merge_snli"
    run_pipeline(options, out, work=work, workers=workers, problems_per_shard=PER_SHARD, quiet=True, progress=progress)
    contents = files_in(out)
    clear(work, "out", *RESULT_FOLDERS, "tagged")
    return contents


def clear(work: Path, *names: str) -> None:
    for name in names:
        shutil.rmtree(work / name, ignore_errors=True)


def stop_after_filters(patch: pytest.MonkeyPatch, stop: Callable[[], object]) -> None:
    """Let each worker stop when it has filtered its share, before it reports that."""

    def stopping(run: GenerationRun) -> tuple[RunStage, ...]:
        return tuple(
            replace(stage, work=partial(work_and_stop, stage.work, stop)) if stage.kind == FILTERS else stage
            for stage in stages(run)
        )

    patch.setattr("generation.pipeline.stages", stopping)


def work_and_stop(work: Callable[..., None], stop: Callable[[], object], *arguments: object) -> None:
    work(*arguments)
    stop()


@pytest.mark.slow
def test_the_bytes_are_those_of_one_process(options: Options, one_process: dict[str, bytes], work: Path) -> None:
    progress = Progress(quiet=True)
    assert made(options, work, 3, progress) == one_process
    done = {stage.name: (stage.done, stage.total) for stage in progress.stages}
    assert done["read and tag"] == (12, 12)
    assert done["filters and sets"] == (4, 4), "three shards and one sample"
    assert multiprocessing.active_children() == []


@pytest.mark.slow
def test_a_run_resumes_after_a_worker_is_killed(
    options: Options, one_process: dict[str, bytes], work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch, pytest.raises(InputError, match="worker process was killed"):
        stop_after_filters(patch, partial(os._exit, 1))
        made(options, work, 2)
    assert multiprocessing.active_children() == []
    assert list((work / "tagged").rglob("*.parquet"))
    # Which folder has files depends on the share of the worker that ended first.
    assert any(list((work / name).glob("*/*")) for name in RESULT_FOLDERS)
    assert made(options, work, 2) == one_process


@pytest.mark.slow
@linux_only
@pytest.mark.parametrize("interrupted", [True, False])
def test_workers_end_when_the_user_interrupts_or_the_process_is_killed(
    options: Options, work: Path, interrupted: bool
) -> None:
    (problems,) = options.problems.names
    script = written(work / "script.py", SCRIPT.format(problems=problems, out=str(work / "out"), work=str(work)))
    clear(work, "out", *RESULT_FOLDERS)
    command = [sys.executable, str(script)]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        command,
        start_new_session=True,  # a group, as from a terminal
        env=env,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        wait_until(lambda: list((work / RESULT_FOLDERS[-1]).glob("*/*")) or process.poll() is not None)
        assert process.poll() is None, process.communicate()[1]
        workers = children(process.pid)
        if interrupted:
            os.killpg(process.pid, signal.SIGINT)
        else:
            process.kill()
        error = process.communicate()[1]
    assert process.returncode, error
    assert len(workers) >= 2
    wait_until(lambda: not any(map(is_running, workers)))  # they end a moment after it
    assert error.splitlines().count("KeyboardInterrupt") == interrupted, error
    assert error.count("Traceback") == interrupted, "no worker prints one"


def children(pid: int) -> list[int]:
    return list(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8").split()))


def test_too_few_workers(options: Options, tmp_path: Path) -> None:
    refused("workers is 0", generate, options.problems, options, out=tmp_path / "out", workers=0)
