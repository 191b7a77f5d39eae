"""Fixtures: a data set with few files, its plan, and a client with write access."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from huggingface_hub import HfApi

import merge_snli
from merge_snli.base.files import read_json, sha256_of_json, write_json
from merge_snli.dataset.stored import MergeDataset, find_dataset
from merge_snli.hub.plan import Plan, Target, plan
from merge_snli.schema import TEST, data_file
from tests.records import copy_bundled

OWN = Path(merge_snli.__file__).parent
"""The data set of the bundled problems."""

CONFIGS = ("all", "noun", "verb", "adj", "seed")
REPO, SPACE = "org/merge_snli", "org/pattern_accuracy"


def part_of_the_bundled_data(folder: Path, splits: Sequence[str], configs: Sequence[str] = CONFIGS) -> Path:
    """Write the bundled data set with some of its configs, and of these some splits."""
    run = read_json(OWN / "run.json")
    files: dict[str, str] = {}
    parts: dict[str, Any] = {}
    for config in configs:
        own = {split: rows for split, rows in run["configs"][config]["splits"].items() if split in splits}
        parts[config] = run["configs"][config] | {"splits": own}
        for split in own:
            files[data_file(config, split)] = run["data"]["files"][data_file(config, split)]
    copy_bundled(folder, "README.md", *files)
    run |= {"configs": parts, "data": {"digest": sha256_of_json(files), "files": files}}
    run["options"]["subsamples"] = max(1, len(splits) - 1)
    write_json(folder / "run.json", run)
    return folder


@pytest.fixture
def dataset(tmp_path: Path) -> MergeDataset:
    """A writable copy of the bundled problems' data set with only the `test` splits."""
    return find_dataset(str(part_of_the_bundled_data(tmp_path / "merge_snli", [TEST])))


@pytest.fixture
def planned(dataset: MergeDataset) -> Plan:
    """The plan of a full publication: data, script, metric and tag."""
    return plan(dataset, Target(REPO, metric_space=SPACE))


@pytest.fixture
def api(token: str) -> HfApi:
    """A client with write access."""
    return HfApi(token=token)
