"""Fixtures that several folders of tests use: no network, the tagger, tiny masked LMs, real data."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

os.environ.update(HF_HUB_OFFLINE="1", HF_EVALUATE_OFFLINE="1", TOKENIZERS_PARALLELISM="false")

import pytest
from filelock import FileLock

from tests.hub.fixtures import hub, hub_server, token, waits
from tests.tiny_models import save_masked_lm

if TYPE_CHECKING:
    from collections.abc import Callable

    from generation.sentences.tagging import Tagger

__all__ = ["hub", "hub_server", "token", "waits"]

DATA = Path(__file__).parent.parent.parent / "shared" / "data"


@pytest.fixture(scope="session")
def tagger() -> Tagger:
    """The default tagger."""
    from generation.sentences.tagging import load_tagger

    return load_tagger()


@pytest.fixture(scope="session")
def tiny_mlm(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A function from a kind that `save_masked_lm` knows to the folder of a tiny masked LM."""
    made: dict[str, Path] = {}

    def folder(kind: str) -> Path:
        if kind not in made:
            made[kind] = save_masked_lm(kind, tmp_path_factory.mktemp("mlm") / f"tiny-{kind}")
        return made[kind]

    return folder


@dataclass(frozen=True)
class DemoRun:
    """What `merge-snli demo` wrote and printed."""

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
            command = [str(Path(sys.executable).with_name("merge-snli")), "demo"]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
            assert (done.returncode, done.stderr) == (0, "")
            printed.write_text(done.stdout, encoding="utf-8")
    return DemoRun(folder / "demo", printed.read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def corpus() -> Callable[[str], Path]:
    """A function from a name such as `snli/dev.jsonl` to the file; skips where the corpora are not there."""

    def file(name: str) -> Path:
        if not (DATA / name).is_file():
            pytest.skip(f"the corpus file {name} is not at {DATA.name}/{name} beside the project")
        return DATA / name

    return file
