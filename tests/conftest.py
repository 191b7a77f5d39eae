"""Fixtures shared by several test folders: tagger, tiny masked LMs, a demo run, corpora."""

import functools
import gc
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from pathlib import Path

from merge_snli.models.tagger import Tagger

os.environ.update(HF_HUB_OFFLINE="1", HF_EVALUATE_OFFLINE="1", TOKENIZERS_PARALLELISM="false")
os.environ.update(HF_ASSETS_CACHE=tempfile.mkdtemp())

import pytest
from filelock import FileLock
from hypothesis import HealthCheck, settings

from tests.browser import browser
from tests.commands import command
from tests.hub.fixtures import hub, hub_server, token, waits
from tests.processes import PROGRAM

__all__ = ["browser", "command", "hub", "hub_server", "token", "waits"]

# How long an example takes depends on what else the machine does.
settings.register_profile("busy machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy machine")

DATA = Path(__file__).parent.parent.parent / "shared" / "data"


def paper_text(name: str) -> str:
    """Return the text of a paper; skips the test if it is missing."""
    path = DATA.parent / "seeds" / name
    if not path.is_file():
        pytest.skip(f"the paper's text {name} was not found")
    return path.read_text(encoding="utf-8")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the tests of the demo's run, all on one worker, so that none waits for the run of another."""
    items.sort(key=lambda item: "demo_run" not in getattr(item, "fixturenames", ()))


FAST = "not slow and not cluster"
"""The tests that pyproject.toml chooses."""


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not import files of slow tests, which takes long, if only fast tests are chosen."""
    if config.option.markexpr != FAST or collection_path.suffix != ".py":
        return None
    return "\npytestmark = pytest.mark.slow" in collection_path.read_text(encoding="utf-8") or None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Exclude the imported libraries from garbage collection, which takes long with so many objects."""
    gc.disable()
    collected = yield
    gc.collect()
    gc.freeze()
    gc.enable()
    return collected


@pytest.fixture(scope="session", autouse=True)
def cache_of_checks_is_removed() -> Iterator[None]:
    """Remove the cache of this run of the tests."""
    yield
    shutil.rmtree(os.environ["HF_ASSETS_CACHE"])


@pytest.fixture(scope="session", autouse=True)
def repeated_work_takes_less_time() -> Iterator[None]:
    """Share each spaCy pipeline among all runs of a worker, which still check its weights, and draw few pixels."""
    from merge_snli.models import tagger
    from merge_snli.pairs.clauses import load_parser

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tagger, "_load", functools.cache(tagger._load))
        patch.setattr("merge_snli.pairs.extended_pair.load_parser", functools.cache(load_parser))
        patch.setattr("merge_snli.comparison.line_chart.PNG_DPI", 40)
        yield


@pytest.fixture(scope="session")
def tagger() -> Tagger:
    """The default tagger."""
    from merge_snli.models.tagger import find_tagger

    return find_tagger()


@pytest.fixture(scope="session")
def tiny_mlm(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A function that returns the folder of a tiny masked LM of a kind of `save_masked_lm`."""
    from tests.tiny_models import save_masked_lm

    return functools.cache(lambda kind: save_masked_lm(kind, tmp_path_factory.mktemp("mlm") / f"tiny-{kind}"))


@dataclass(frozen=True)
class DemoRun:
    """Output folder and printed text of `merge-snli demo`."""

    out: Path
    printed: str


@pytest.fixture(scope="session")
def demo_run(tmp_path_factory: pytest.TempPathFactory) -> DemoRun:
    """One run of the demo in another process, in an empty folder; the workers of pytest-xdist share it."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "shared-demo"
    printed = folder / "printed.txt"
    with FileLock(folder.with_suffix(".lock")):
        if not printed.exists():
            folder.mkdir()
            command = [PROGRAM, "demo"]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
            assert re.findall(r"^(?!merge-snli: .*(?: in |/s|s/ )).+", done.stderr, re.MULTILINE) == [], (
                "other than progress"
            )
            printed.write_text(done.stdout, encoding="utf-8")
    return DemoRun(folder / "demo", printed.read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def corpus() -> Callable[[str], Path]:
    """A function that returns a corpus file such as `snli/dev.jsonl`; skips the test if it is missing."""

    def file(name: str) -> Path:
        if not (DATA / name).is_file():
            pytest.skip(f"the corpus file {DATA / name} does not exist")
        return DATA / name

    return file
