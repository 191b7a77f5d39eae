"""Problems by Hub id, from a local server with the Hub's interface."""

from __future__ import annotations

import json
from pathlib import Path

import datasets
import pytest

from merge_snli.base.errors import InputError
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.reading import open_source
from tests.hub.server import Hub
from tests.hub.storage import Repo


def lines(*premises: str) -> bytes:
    rows = ({"premise": premise, "hypothesis": "A dog runs.", "label": "entailment"} for premise in premises)
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


@pytest.fixture
def problems(hub: Hub, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Repo:
    """A data set of problems with two revisions, which `datasets` loads from the local server."""
    monkeypatch.setattr(datasets.config, "HF_ENDPOINT", hub.url)
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "datasets")
    monkeypatch.setattr(datasets.config, "HF_MODULES_CACHE", str(tmp_path / "modules"))
    repo = hub.storage.create("dataset", "org/problems")
    hub.storage.put(repo, {"test.jsonl": lines("A dog runs fast.")})
    repo.tags["v1"] = repo.branches["main"]
    hub.storage.put(repo, {"test.jsonl": lines("A dog runs fast.", "A dog is running.")})
    return repo


def premises(name: str) -> list[str]:
    return [problem.premise for _, problem in open_source(ProblemOptions(problems=name)) if problem is not None]


def test_problems_are_read_at_a_revision(problems: Repo) -> None:
    assert premises("org/problems") == ["A dog runs fast.", "A dog is running."]
    assert premises("org/problems@v1") == ["A dog runs fast."]
    assert premises(f"org/problems@{problems.tags['v1']}") == ["A dog runs fast."]


@pytest.mark.parametrize(
    ("name", "means"),
    [
        (
            "org/none",
            "org/none, split test: .*doesn't exist on the Hub or cannot be accessed",
        ),
        ("org/problems@none", "org/problems@none, split test: .*none"),
    ],
)
def test_a_missing_data_set_or_revision_is_named(problems: Repo, name: str, means: str) -> None:
    with pytest.raises(InputError, match=means) as raised:
        premises(name)
    assert "\n" not in str(raised.value)


def test_gated_problems_are_reported(problems: Repo) -> None:
    problems.gated = True
    with pytest.raises(InputError, match=r"org/problems.*gated"):
        premises("org/problems")


def test_a_file_on_the_hub_is_read_by_its_path(problems: Repo) -> None:
    assert premises("hf://datasets/org/problems/test.jsonl") == ["A dog runs fast.", "A dog is running."]
    assert premises("hf://datasets/org/problems@v1/*.jsonl") == ["A dog runs fast."]
    with pytest.raises(InputError, match=r"org/problems has no file none\.jsonl"):
        premises("hf://datasets/org/problems/none.jsonl")
    with pytest.raises(InputError, match=r"org/none.*does not exist"):
        premises("hf://datasets/org/none/test.jsonl")
