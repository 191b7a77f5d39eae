"""End to end over HTTP: generate, publish, load and score a data set."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from generation import Options
from generation.pipeline import run_pipeline
from merge_snli.base.files import sha256_of_json
from merge_snli.dataset.stored import find_dataset, read_split
from merge_snli.schema import splits
from tests import ROOT
from tests.hub.fixtures import hub_environment
from tests.hub.server import WRITER, Hub, running_hub
from tests.processes import PROGRAM

pytestmark = pytest.mark.slow

OLD_DATASETS = ROOT / "build" / "datasets-3" / "venv" / "bin" / "python"
SUBSAMPLES = 4
PROGRESS = re.compile(r"merge-snli: .* (\[\S+<.*\]|in \S+ s)")
REPO, SPACE = "org/merge_snli", "org/pattern_accuracy"

LOAD = """
import json, hashlib, sys
from datasets import load_dataset

def digest(rows):
    canonical = json.dumps(rows.to_list(), sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()
"""

NEW = f"""{LOAD}
import evaluate

tag = sys.argv[1]
main = load_dataset("{REPO}", "noun")
tagged = load_dataset("{REPO}", "noun", split="subsample_3", revision=tag)
streamed = next(iter(load_dataset("{REPO}", "seed", split="test", streaming=True)))
metric = evaluate.load("{SPACE}")
scores = metric.compute(predictions=tagged["label"], references=tagged["label"], groups=tagged["seed_id"])
report = {{"splits": sorted(main), "digest": digest(tagged), "first": streamed["seed_id"], "scores": scores}}
report["same"] = digest(main["subsample_3"]) == report["digest"]
print(json.dumps(report))
"""

OLD = f"""{LOAD}
loaded = load_dataset("{REPO}", "noun", revision="script", trust_remote_code=True, subsample=3)
print(json.dumps({{"splits": sorted(loaded), "digest": digest(loaded["test"])}}))
"""


@dataclass(frozen=True)
class Circle:
    """A generated and published data set.

    Attributes:
        hub: The local Hub.
        folder: The generated data set.
        home: Folder for caches and results.
        printed: The output of `merge-snli publish`.
    """

    hub: Hub
    folder: Path
    home: Path
    printed: str

    @property
    def tag(self) -> str:
        """The tag of the published version."""
        (tag,) = self.hub.storage.repos["dataset", REPO].tags
        return tag

    def run(self, *command: str | Path, cache: str = "cache") -> str:
        """Run a command without a Hub token and return its output."""
        environment = hub_environment(self.hub, self.home / cache)
        done = subprocess.run(
            [str(part) for part in command], cwd=self.home, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def circle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Circle]:
    """A small data set, generated and published with the command."""
    home = tmp_path_factory.mktemp("circle")
    folder = home / "merge_snli"
    mlm = ("demo:mlm-wordpiece",)
    run_pipeline(Options(problems="demo:problems", limit=24, mlm=mlm, inflation=3, subsamples=SUBSAMPLES), folder)
    with running_hub() as hub:
        command = [PROGRAM, "publish", str(folder), "--repo", REPO, "--metric-space", SPACE]
        environment = hub_environment(hub, home / "publishers-cache", token=WRITER)
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        # On a slow machine, the stages of the check show progress.
        others = [line for line in done.stderr.splitlines() if not PROGRESS.fullmatch(line)]
        assert others == []
        yield Circle(hub, folder, home, done.stdout)


def drawn_digest(circle: Circle) -> str:
    """Return the digest of the generated rows of config noun, subsample 3."""
    return sha256_of_json(read_split(find_dataset(str(circle.folder)), "noun", "subsample_3").to_pylist())


def test_plain_libraries_load_data_and_metric(circle: Circle) -> None:
    report = json.loads(circle.run(sys.executable, "-c", NEW, circle.tag).splitlines()[-1])
    assert report["splits"] == sorted(splits("noun", SUBSAMPLES)) and report["same"]
    assert report["digest"] == drawn_digest(circle)
    assert report["first"] == read_split(find_dataset(str(circle.folder)), "seed")["seed_id"][0].as_py()
    assert (report["scores"]["sample_accuracy"], report["scores"]["pattern_accuracy"]) == (1, 1)


def test_datasets_3_loads_the_same_rows_with_the_script(circle: Circle) -> None:
    if not OLD_DATASETS.is_file():
        pytest.skip(f"datasets 3.6.0 is not installed in {OLD_DATASETS.relative_to(ROOT).parents[1]}")
    report = json.loads(circle.run(OLD_DATASETS, "-c", OLD, cache="old-cache").splitlines()[-1])
    assert report == {"splits": ["test"], "digest": drawn_digest(circle)}


def test_a_model_is_scored_on_the_published_data_set(circle: Circle) -> None:
    out = circle.home / "results"
    published = f"{REPO}@{circle.tag}"
    circle.run(PROGRAM, "score", "demo:nli-a", "--dataset", published, "--config", "noun", "--out", out)
    (path,) = out.glob("*.json")
    result = json.loads(path.read_text(encoding="utf-8"))
    dataset = find_dataset(str(circle.folder))
    assert result["dataset"]["name"] == REPO
    assert result["dataset"]["revision"] == circle.hub.storage.repos["dataset", REPO].branches["main"]
    assert result["dataset"]["digest"] == dataset.digest


def test_the_published_data_set_is_valid(circle: Circle) -> None:
    assert f"{REPO}: valid" in circle.run(PROGRAM, "validate", REPO)
