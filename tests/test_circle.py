"""The whole circle over the network: generate, publish, load, score, each as a user does it."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from generation import Options, generate
from merge_snli.dataset import find_dataset, read_split
from merge_snli.files import sha256_of_json
from merge_snli.schema import splits
from tests.hub.fixtures import hub_environment
from tests.hub.server import WRITER, Hub, running_hub

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent
OLD_DATASETS = ROOT / "build" / "datasets-3" / "venv" / "bin" / "python"
SUBSAMPLES = 4
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
told = {{"splits": sorted(main), "digest": digest(tagged), "first": streamed["seed_id"], "scores": scores}}
told["same"] = digest(main["subsample_3"]) == told["digest"]
print(json.dumps(told))
"""

OLD = f"""{LOAD}
loaded = load_dataset("{REPO}", "noun", revision="script", trust_remote_code=True, subsample=3)
print(json.dumps({{"splits": sorted(loaded), "digest": digest(loaded["test"])}}))
"""


@dataclass(frozen=True)
class Circle:
    """A data set that was generated and published.

    Attributes:
        hub: Where it was published.
        folder: Where it was generated.
        home: A folder for caches and results.
        printed: What publishing printed.
    """

    hub: Hub
    folder: Path
    home: Path
    printed: str

    @property
    def tag(self) -> str:
        """The tag that was set."""
        (tag,) = self.hub.storage.repos["dataset", REPO].tags
        return tag

    def run(self, *command: str | Path, cache: str = "cache") -> str:
        """Run a command of a user without a token, and return what it prints."""
        environment = hub_environment(self.hub, self.home / cache)
        done = subprocess.run(
            [str(part) for part in command], cwd=self.home, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def circle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Circle]:
    """A small data set, generated here and published by the command."""
    home = tmp_path_factory.mktemp("circle")
    folder = home / "merge_snli"
    mlm = ("demo:mlm-wordpiece",)
    generate(Options(problems="demo:problems", limit=24, mlm=mlm, inflation=3, subsamples=SUBSAMPLES), folder)
    with running_hub() as hub:
        command = [merge_snli(), "publish", str(folder), "--repo", REPO, "--metric-space", SPACE]
        environment = hub_environment(hub, home / "publishers-cache", token=WRITER)
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        yield Circle(hub, folder, home, done.stdout)


def merge_snli() -> str:
    return str(Path(sys.executable).with_name("merge-snli"))


def drawn(circle: Circle) -> str:
    """Return the digest of subsample 3 of the nouns as it was generated."""
    return sha256_of_json(read_split(find_dataset(str(circle.folder)), "noun", "subsample_3").to_pylist())


def test_it_was_published_whole(circle: Circle) -> None:
    repo = circle.hub.storage.repos["dataset", REPO]
    assert set(repo.branches) == {"main", "script"}
    assert repo.tags == {circle.tag: repo.branches["main"]}
    files = circle.hub.storage.files(repo)
    recorded = find_dataset(str(circle.folder)).record.data.files
    assert {name for name in files if name.startswith("data/")} == set(recorded)
    assert circle.printed.splitlines()[-2:] == [f"tag {circle.tag}", f"{circle.hub.url}/datasets/{REPO}"]


def test_plain_libraries_load_data_and_metric(circle: Circle) -> None:
    told = json.loads(circle.run(sys.executable, "-c", NEW, circle.tag).splitlines()[-1])
    assert told["splits"] == sorted(splits("noun", SUBSAMPLES))
    assert told["same"]
    assert told["digest"] == drawn(circle)
    assert told["first"] == read_split(find_dataset(str(circle.folder)), "seed")["seed_id"][0].as_py()
    assert (told["scores"]["sample_accuracy"], told["scores"]["pattern_accuracy"]) == (1, 1)


def test_older_datasets_run_the_script_and_get_the_same_rows(circle: Circle) -> None:
    if not OLD_DATASETS.is_file():
        pytest.skip(f"datasets 3.6.0 is not in {OLD_DATASETS.relative_to(ROOT).parents[1]}")
    told = json.loads(circle.run(OLD_DATASETS, "-c", OLD, cache="old-cache").splitlines()[-1])
    assert told == {"splits": ["test"], "digest": drawn(circle)}


def test_a_model_is_scored_on_what_was_published(circle: Circle) -> None:
    out = circle.home / "results"
    dataset = f"{REPO}@{circle.tag}"
    circle.run(merge_snli(), "score", "demo:nli-a", "--dataset", dataset, "--config", "noun", "--out", out)
    (path,) = out.glob("*.json")
    result = json.loads(path.read_text(encoding="utf-8"))
    source = find_dataset(str(circle.folder))
    assert result["dataset"]["name"] == REPO
    assert result["dataset"]["revision"] == circle.hub.storage.repos["dataset", REPO].branches["main"]
    assert result["dataset"]["digest"] == source.digest


def test_what_was_published_is_sound(circle: Circle) -> None:
    assert f"{REPO}: sound" in circle.run(merge_snli(), "validate", REPO)
