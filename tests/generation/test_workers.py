"""Worker processes: any number of them gives the bytes of one process, also after one is killed or a Ctrl-C."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import pytest

from generation import Options, generate
from generation.pipeline import run_pipeline
from generation.work import RESULT_FOLDERS
from merge_snli.base.errors import InputError
from merge_snli.base.files import is_running
from merge_snli.base.progress import Progress
from merge_snli.embedded import embedded_path

PER_SHARD = 5


@pytest.fixture(scope="module")
def options(tmp_path_factory: pytest.TempPathFactory) -> Options:
    source = embedded_path("demo:problems")
    assert source is not None
    path = tmp_path_factory.mktemp("problems") / "problems.jsonl"
    path.write_text("\n".join(source.read_text(encoding="utf-8").splitlines()[:12]), encoding="utf-8")
    return Options(problems=str(path), id_column="id", mlm=("demo:mlm-bpe",), inflation=5, subsamples=2)


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
    choices: dict[str, Any] = {"work": work, "problems_per_shard": PER_SHARD, "quiet": True, "progress": progress}
    run_pipeline(options, out, workers=workers, **choices)
    contents = {str(path.relative_to(out)): path.read_bytes() for path in out.rglob("*") if path.is_file()}
    clear(work, "out", *RESULT_FOLDERS, "tagged")
    return contents


def clear(work: Path, *names: str) -> None:
    for name in names:
        subprocess.run(["rm", "-rf", str(work / name)], check=True)


@pytest.mark.parametrize("workers", [2, 3])
def test_the_bytes_are_those_of_one_process(
    options: Options, one_process: dict[str, bytes], work: Path, workers: int
) -> None:
    progress = Progress(quiet=True)
    assert made(options, work, workers, progress) == one_process
    done = {stage.name: (stage.done, stage.total) for stage in progress.stages}
    assert done["read and tag"] == (12, 12)
    assert done["filters and sets"] == (24, 24)
    assert multiprocessing.active_children() == []


def when_workers_filter(work: Path, act: Callable[[list[BaseProcess]], object]) -> threading.Thread:
    """Act on the workers as soon as one has written a result, in a thread."""

    def wait() -> None:
        while not list((work / RESULT_FOLDERS[-1]).glob("*/*")):
            time.sleep(0.001)
        act(multiprocessing.active_children())

    thread = threading.Thread(target=wait)
    thread.start()
    return thread


def test_a_run_resumes_after_a_worker_is_killed(options: Options, one_process: dict[str, bytes], work: Path) -> None:
    killer = when_workers_filter(work, lambda workers: workers[0].kill())
    with pytest.raises(InputError, match="worker process was killed"):
        made(options, work, 2)
    killer.join()
    assert multiprocessing.active_children() == []
    assert list((work / "tagged").rglob("*.parquet"))
    assert made(options, work, 2) == one_process


def test_workers_end_when_the_user_interrupts_or_the_process_is_killed(options: Options, work: Path) -> None:
    # In a script without a guard for the main module, and as one process group, as from a terminal.
    code = f"from generation.pipeline import *; run_pipeline(Options(**{vars(options)!r}), {str(work / 'out')!r}, "
    code += f"work={str(work)!r}, quiet=True, workers=2, problems_per_shard={PER_SHARD})"
    script = work / "script.py"
    script.write_text(f"from pathlib import *\nfrom merge_snli.problems.inputs import *\n{code}", encoding="utf-8")
    for number in (signal.SIGINT, signal.SIGKILL):
        clear(work, "out", *RESULT_FOLDERS)
        command = [sys.executable, str(script)]
        with subprocess.Popen(command, start_new_session=True, stderr=subprocess.PIPE, text=True) as process:
            while not list((work / RESULT_FOLDERS[-1]).glob("*/*")):
                assert process.poll() is None, process.communicate()[1]
                time.sleep(0.001)
            workers = children(process.pid)
            (os.killpg if number == signal.SIGINT else os.kill)(process.pid, number)
            error = process.communicate()[1]
        assert process.returncode, error
        assert len(workers) >= 2
        while any(map(is_running, workers)):  # they end a moment after it
            time.sleep(0.01)
        assert error.splitlines().count("KeyboardInterrupt") == (number == signal.SIGINT), error
        assert error.count("Traceback") == (number == signal.SIGINT), "no worker prints one"


def children(pid: int) -> list[int]:
    return list(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8").split()))


@pytest.mark.parametrize("workers", [0, -1])
def test_too_few_workers(options: Options, tmp_path: Path, workers: int) -> None:
    with pytest.raises(InputError, match=f"workers is {workers}"):
        generate(options.problems, options, out=tmp_path / "out", workers=workers)
