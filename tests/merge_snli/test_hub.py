"""Models and data sets by Hub id, against the stand-in of the Hub."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from merge_snli.dataset import find_dataset, read_split
from merge_snli.embedded import FOLDER
from merge_snli.errors import InputError
from merge_snli.inference.models import MODEL_FILES, find_model, folder_digest
from tests.hub.faults import Fault
from tests.hub.server import READER, WRITER
from tests.hub.storage import PullRequest

if TYPE_CHECKING:
    from tests.hub.server import Hub
    from tests.hub.storage import Repo

NOUN = "data/noun/test.parquet"


@pytest.fixture
def model(hub: Hub) -> Repo:
    """A model's repository with a first and a second commit, and what is never fetched."""
    repo = hub.storage.create("model", "org/bpe")
    files = {path.name: path.read_bytes() for pattern in MODEL_FILES for path in (FOLDER / "mlm-bpe").glob(pattern)}
    hub.storage.put(repo, files | {"pytorch_model.bin": b"a pickle", "modeling.py": b"code"}, title="first")
    repo.tags["v1"] = repo.branches["main"]
    hub.storage.put(repo, {"config.json": files["config.json"] + b"\n"}, title="second")
    return repo


@pytest.fixture
def data(hub: Hub) -> Repo:
    """A data set's repository."""
    repo = hub.storage.create("dataset", "org/merge_snli")
    names = ("README.md", "run.json", NOUN)
    hub.storage.put(repo, {name: (FOLDER.parent / name).read_bytes() for name in names} | {"notes.txt": b"no"})
    return repo


def test_a_model_is_pinned_to_the_commit_that_it_was_fetched_at(hub: Hub, model: Repo) -> None:
    newest, first = find_model("org/bpe"), find_model("org/bpe@v1")
    assert (newest.name, newest.revision) == ("org/bpe", model.branches["main"])
    assert (first.name, first.revision) == ("org/bpe", model.tags["v1"])
    assert first.digest == folder_digest(FOLDER / "mlm-bpe") != newest.digest
    assert not [path.name for path in first.path.iterdir() if path.suffix in {".bin", ".py"}]
    assert find_model(f"org/bpe@{model.tags['v1']}") == first
    assert find_model("org/bpe", revision="v1") == first


def test_a_model_that_is_in_the_cache_is_found_offline(hub: Hub, model: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    fetched = find_model("org/bpe")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    assert find_model("org/bpe") == fetched
    with pytest.raises(InputError, match=r"org/other is no folder here .*: HF_HUB_OFFLINE is set and it is not whole"):
        find_model("org/other")


def test_a_data_set_is_fetched_without_anything_else(hub: Hub, data: Repo) -> None:
    source = find_dataset("org/merge_snli")
    assert (source.name, source.revision, source.configs) == ("org/merge_snli", data.branches["main"], ("noun",))
    assert read_split(source, "noun").num_rows == 2638
    assert not (source.folder / "notes.txt").exists()
    assert find_dataset(f"org/merge_snli@{source.revision}") == source
    data.pull_requests[1] = PullRequest(1, "proposed", data.branches["main"])
    assert find_dataset("org/merge_snli@refs/pr/1") == source


@pytest.mark.parametrize("kind", ["model", "data set"])
def test_what_cannot_be_had_is_one_sentence(
    hub: Hub, model: Repo, data: Repo, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    find, name = (find_model, "org/bpe") if kind == "model" else (find_dataset, "org/merge_snli")
    repo = model if kind == "model" else data
    repo.gated = True
    told = {f"{name}@none": f"{kind} {name} at revision none .* has no branch, tag or commit none"}
    told |= {"org/none": f"{kind} org/none .*: the Hub has none of that name, or it is private"}
    told |= {name: f"{kind} {name} .*: it is gated: ask for access on its page"}
    for token in (None, READER):
        if token:
            monkeypatch.setenv("HF_TOKEN", token)
        for asked, means in told.items():
            with pytest.raises(InputError, match=means) as raised:
                find(asked)
            assert "\n" not in str(raised.value)
    repo.private = True
    monkeypatch.setenv("HF_TOKEN", WRITER)
    assert find(name).revision == repo.branches["main"]


def test_a_hub_that_fails_is_told(hub: Hub, model: Repo) -> None:
    hub.faults.append(Fault("GET", "/api/models", 500, times=9))
    with pytest.raises(InputError, match=r"model org/bpe .* could not be fetched from the Hub: .*500"):
        find_model("org/bpe")
