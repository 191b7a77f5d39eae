"""Problems, and what one process makes of them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from generation import Options
from generation.pipeline import run_pipeline as generate_here
from merge_snli.embedded import embedded_path
from tests.merge_snli.runs.runs import FEW, MAIN, MANY, files

PER_SHARD = {"many": 75, "few": 5}
PROBLEMS = {"many": 300, "few": 20}


@pytest.fixture(scope="session")
def shared() -> Iterator[None]:
    """One thread per process, here and in the tasks."""
    before = os.environ.get("OMP_NUM_THREADS")
    os.environ["OMP_NUM_THREADS"] = "1"
    yield
    if before is None:
        del os.environ["OMP_NUM_THREADS"]
    else:
        os.environ["OMP_NUM_THREADS"] = before


@pytest.fixture(scope="session")
def many(corpus: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """300 problems of SNLI."""
    lines = corpus("snli/dev.jsonl").read_text(encoding="utf-8").splitlines()
    return write_lines(tmp_path_factory.mktemp("many") / "problems.jsonl", lines[: PROBLEMS["many"]])


@pytest.fixture(scope="session")
def few(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """20 of the bundled problems."""
    source = embedded_path("demo:problems")
    assert source is not None
    lines = source.read_text(encoding="utf-8").splitlines()
    return write_lines(tmp_path_factory.mktemp("few") / "problems.jsonl", lines[: PROBLEMS["few"]])


def write_lines(path: Path, lines: list[str]) -> Path:
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


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
    return files(out)


@pytest.fixture
def cluster_file(executor: str, tmp_path: Path) -> Callable[..., Path]:
    """A function that writes a cluster file for problems of a size, with two tasks per stage."""

    def write(size: str, more: str = "") -> Path:
        path = tmp_path / "cluster.toml"
        tasks = "tasks = 2\nmem_per_cpu_gb = 1"
        text = f"problems_per_shard = {PER_SHARD[size]}\n[defaults]\n{tasks}\n{more}"
        path.write_text(f"{executor}\n{text}", encoding="utf-8")
        return path

    return write


@pytest.fixture(scope="session")
def few_results(few_dataset: Path, shared: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of the bundled classifiers on `few_dataset`, from one process."""
    out = tmp_path_factory.mktemp("scored") / "results"
    models = ("demo:nli-a", "demo:nli-b")
    command = [*MAIN, "score", *models, "--dataset", str(few_dataset), "--out", str(out)]
    subprocess.run(command, check=True, capture_output=True)
    return out
