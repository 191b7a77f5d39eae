"""Problems and what one process makes of them; runs with a cluster file in another process, alike on all engines."""

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from generation import Options
from generation.pipeline import run_pipeline as generate_here
from merge_snli.base.files import read_json
from merge_snli.embedded import FOLDER
from merge_snli.runs.run_folder import CLUSTER_FILE, run_folder
from merge_snli.runs.status import run_status
from tests.commands import Command
from tests.oracles import written
from tests.processes import SECONDS, wait_until
from tests.records import files_in, first_problems

_PROGRAM = """
import signal, sys
from merge_snli.cli import main
signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell may have switched off for the tests
sys.exit(main())
"""
MAIN = (sys.executable, "-c", _PROGRAM)

MANY = ("--mlm", "demo:mlm-wordpiece", "demo:mlm-bpe", "--inflation", "3", "--subsamples", "2", "--quiet")
FEW = ("--mlm", "demo:mlm-wordpiece", "--inflation", "3", "--subsamples", "2", "--quiet")
"""The arguments of runs on many problems and on few."""


@dataclass(frozen=True)
class Running:
    """A command that runs in another process.

    Attributes:
        process: The process.
        out: Its `--out` folder.
    """

    process: subprocess.Popen[str]
    out: Path

    def end(self) -> tuple[int, str]:
        """Wait for the end, and return the exit code and what the command has printed on stderr."""
        _, error = self.process.communicate(timeout=SECONDS)
        return self.process.returncode, error

    def succeed(self) -> None:
        """Wait for the end, which must be a success."""
        code, error = self.end()
        assert code == 0, error

    def fail(self, code: int = 2) -> str:
        """Wait for the end with an exit code, and return what the command has printed on stderr."""
        found, error = self.end()
        assert found == code, error
        return error

    def running_in(self, stage: str) -> int:
        """Return how many tasks of a stage are running."""
        found = status(self.out) or {"stages": []}
        return sum(each["running"] for each in found["stages"] if each["name"] == stage)

    def wait_for(self, stage: str, tasks: int = 1) -> None:
        """Wait until this many tasks of a stage are running."""
        wait_until(lambda: self.running_in(stage) >= tasks or self.process.poll() is not None)
        assert self.process.poll() is None, self.end()


def start(command: str, *arguments: str, out: Path) -> Running:
    """Start a command."""
    process = subprocess.Popen(
        [*MAIN, command, *arguments, "--out", str(out)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    return Running(process, out)


def generate(problems: Path, out: Path, cluster: Path, more: Sequence[str] = FEW) -> Running:
    """Start generating a data set on a cluster."""
    return start("generate", str(problems), *more, "--cluster", str(cluster), out=out)


def status(out: Path) -> dict[str, Any] | None:
    """Return what `merge-snli work status --format json` prints; None before the submission."""
    folder = run_folder(out)
    return run_status(folder) if (folder / CLUSTER_FILE).exists() else None


def results(folder: Path) -> dict[str, Any]:
    """Return result files by name, without the time that the predictions took, and so without the digest."""
    found = {path.name: read_json(path) for path in folder.glob("*.json")}
    for result in found.values():
        result["run"].pop("seconds")
        result.pop("digest")
    return found


ClusterFile: TypeAlias = Callable[..., Path]
"""The type of the fixture `cluster_file`."""

STAGES = ("read and tag", "demo:mlm-wordpiece", "filters and sets", "write")
MODELS = ("demo:nli-a", "demo:nli-b")


def check_scores(dataset: Path, expected: Path, cluster_file: Path, out: Path) -> None:
    """Check that scores are those of one process."""
    start("score", *MODELS, "--dataset", str(dataset), "--cluster", str(cluster_file), out=out).succeed()
    assert len(results(out)) == len(MODELS) and results(out) == results(expected)


def check_lost_node(
    problems: Path,
    expected: Path,
    cluster_file: Callable[..., Path],
    out: Path,
    *,
    lose: Callable[[], object],
    restore: Callable[[], object],
) -> None:
    """Check that a data set is that of one process although one of two nodes is lost while a masked LM runs on both."""
    running = generate(problems, out, cluster_file("few", "[filters]\ntasks = 1\n"))
    running.wait_for("demo:mlm-wordpiece", tasks=2)
    lose()
    try:
        running.succeed()
    finally:
        restore()
    assert files_in(out) == files_in(expected)


def check_error_of_the_user(problems: Path, folder: Path, cluster_file: Callable[..., Path], command: Command) -> None:
    """Check that a masked LM that the machines of the tasks do not have is told in the error's own sentence."""
    mlm = Path(shutil.copytree(FOLDER / "mlm-bpe", folder / "my-mlm"))
    out = folder / "merge_snli"
    running = generate(
        problems, out, cluster_file("few", "[tag]\ntasks = 1\n"), ("--mlm", str(mlm), "--inflation", "3")
    )
    running.wait_for("read and tag")
    mlm.rename(folder / "not-on-this-machine")
    sentence = f"model folder {mlm} does not exist; give a folder, a Hub id or demo:NAME"
    error = running.fail()
    assert sentence in error
    found = command("work", "status", out).out
    assert sentence in " ".join(found.split())
    assert "Traceback" not in error + found
    failures = status(out)["failures"]  # type: ignore[index]
    assert {failure["stage"] for failure in failures} == {"my-mlm"}
    assert sentence in Path(failures[0]["log"]).read_text(encoding="utf-8")


PER_SHARD = {"many": 75, "few": 5}


@pytest.fixture(scope="session")
def shared() -> Iterator[None]:
    """One thread per process, here and in the tasks."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OMP_NUM_THREADS", "1")
        yield


@pytest.fixture(scope="session")
def many(corpus: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """300 problems of SNLI."""
    lines = corpus("snli/dev.jsonl").read_text(encoding="utf-8").splitlines()
    return written(tmp_path_factory.mktemp("many") / "problems.jsonl", "\n".join(lines[:300]))


@pytest.fixture(scope="session")
def few(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """20 of the bundled problems."""
    return first_problems(tmp_path_factory.mktemp("few"), 20)


@pytest.fixture(scope="session")
def many_files(many: Path, shared: None, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files of the data set of `many`, from one process."""
    return made_here(many, tmp_path_factory.mktemp("one") / "merge_snli", "many", MANY)


@pytest.fixture(scope="session")
def few_dataset(few: Path, shared: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data set of `few`, from one process."""
    out = tmp_path_factory.mktemp("one") / "merge_snli"
    made_here(few, out, "few", FEW)
    return out


def made_here(problems: Path, out: Path, size: str, arguments: Sequence[str]) -> dict[str, bytes]:
    mlms = tuple(each for each in arguments if each.startswith("demo:"))
    options = Options(problems=str(problems), mlm=mlms, inflation=3, subsamples=2)
    generate_here(options, out, problems_per_shard=PER_SHARD[size], quiet=True)
    return files_in(out)


@pytest.fixture
def cluster_file(executor: str, tmp_path: Path) -> Callable[..., Path]:
    """A function that writes a cluster file for problems of a size, with two tasks per stage."""

    def write(size: str, more: str = "") -> Path:
        path = tmp_path / "cluster.toml"
        defaults = f"problems_per_shard = {PER_SHARD[size]}\n[defaults]\ntasks = 2\nmem_per_cpu_gb = 1"
        path.write_text(f"{executor}\n{defaults}\n{more}", encoding="utf-8")
        return path

    return write


@pytest.fixture(scope="session")
def few_results(few_dataset: Path, shared: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of the bundled classifiers on `few_dataset`, from one process."""
    out = tmp_path_factory.mktemp("scored") / "results"
    command = [*MAIN, "score", *MODELS, "--dataset", str(few_dataset), "--out", str(out)]
    subprocess.run(command, check=True, capture_output=True)
    return out
