"""Fixtures: a data set with few files, its plan, and a client with write access."""

import json
from pathlib import Path

import pytest
from huggingface_hub import HfApi

import merge_snli
from merge_snli.base.files import sha256_of_json, write_json
from merge_snli.dataset.stored import MergeDataset, find_dataset
from merge_snli.hub.plan import Plan, plan
from tests.records import copy_bundled

OWN = Path(merge_snli.__file__).parent
"""The data set of the bundled problems."""

REPO, SPACE = "org/merge_snli", "org/pattern_accuracy"


@pytest.fixture
def dataset(tmp_path: Path) -> MergeDataset:
    """A writable copy of the bundled problems' data set with only the `test` splits."""
    folder = tmp_path / "merge_snli"
    run = json.loads((OWN / "run.json").read_text(encoding="utf-8"))
    files = {name: digest for name, digest in run["data"]["files"].items() if name.endswith("/test.parquet")}
    copy_bundled(folder, "README.md", *files)
    for config in run["configs"].values():
        config["splits"] = {"test": config["splits"]["test"]}
    run["data"] = {"digest": sha256_of_json(files), "files": files}
    write_json(folder / "run.json", run)
    return find_dataset(str(folder))


@pytest.fixture
def planned(dataset: MergeDataset) -> Plan:
    """The plan of a full publication: data, script, metric and tag."""
    return plan(dataset, REPO, metric_space=SPACE)


@pytest.fixture
def api(token: str) -> HfApi:
    """A client with write access."""
    return HfApi(token=token)
