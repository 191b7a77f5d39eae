"""Models and data sets by Hub id, against a local server that stands in for the Hub."""

from collections.abc import Callable

import pytest

from merge_snli.dataset.stored import MergeDataset, find_dataset, read_split
from merge_snli.embedded import FOLDER
from merge_snli.models.finding import MODEL_FILES, ResolvedModel, find_model, folder_digest
from tests.hub.faults import Fault
from tests.hub.server import READER, WRITER, Hub
from tests.hub.storage import PullRequest, Repo
from tests.oracles import refused

Find = Callable[[str], ResolvedModel | MergeDataset]

NOUN = "data/noun/test.parquet"


@pytest.fixture
def model(hub: Hub) -> Repo:
    """A model's repository with a first and a second commit, and files that are never downloaded."""
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


def test_model_has_the_commit_as_revision(hub: Hub, model: Repo) -> None:
    newest = find_model("org/bpe")
    first = find_model("org/bpe@v1")
    assert newest.name == "org/bpe"
    assert newest.revision == model.branches["main"]
    assert first.revision == model.tags["v1"]
    assert first.digest == folder_digest(FOLDER / "mlm-bpe")
    assert newest.digest != first.digest
    assert {".bin", ".py"}.isdisjoint(path.suffix for path in first.path.iterdir())
    assert find_model(f"org/bpe@{model.tags['v1']}") == first
    assert find_model("org/bpe", revision="v1") == first


def test_cached_model_offline(hub: Hub, model: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    fetched = find_model("org/bpe")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    assert find_model("org/bpe") == fetched
    refused(r"org/other.*HF_HUB_OFFLINE", find_model, "org/other")


def test_data_set_is_downloaded_without_other_files(hub: Hub, data: Repo) -> None:
    dataset = find_dataset("org/merge_snli")
    assert dataset.name == "org/merge_snli"
    assert dataset.revision == data.branches["main"]
    assert dataset.configs == ("noun",)
    assert read_split(dataset, "noun").num_rows == 767
    assert not (dataset.folder / "notes.txt").exists()
    assert find_dataset(f"org/merge_snli@{dataset.revision}") == dataset
    data.pull_requests[1] = PullRequest(1, "proposed", data.branches["main"])
    assert find_dataset("org/merge_snli@refs/pr/1") == dataset


@pytest.mark.parametrize(
    ("find", "kind", "name"), [(find_model, "model", "org/bpe"), (find_dataset, "data set", "org/merge_snli")]
)
@pytest.mark.parametrize("token", [None, READER])
@pytest.mark.usefixtures("model", "data")
def test_failed_download(
    hub: Hub, find: Find, kind: str, name: str, token: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for repo in hub.storage.repos.values():
        repo.gated = True
    if token:
        monkeypatch.setenv("HF_TOKEN", token)
    refused(f"{kind} {name} at revision none: .* no branch, tag or commit none", find, f"{name}@none")
    refused(f"{kind} org/none: .*private", find, "org/none")
    assert "\n" not in str(refused(f"{kind} {name}: .*gated", find, name))
    for repo in hub.storage.repos.values():
        repo.private = True
    monkeypatch.setenv("HF_TOKEN", WRITER)
    assert find(name).revision is not None


def test_server_error(hub: Hub, model: Repo) -> None:
    hub.faults.append(Fault("GET", "/api/models", 500, times=9))
    refused(r"model org/bpe: .*500", find_model, "org/bpe")
