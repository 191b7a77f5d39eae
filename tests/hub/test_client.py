"""The fake Hub works with the real client."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi
from huggingface_hub.errors import GatedRepoError, HfHubHTTPError, RemoteEntryNotFoundError, RepositoryNotFoundError
from huggingface_hub.hf_api import RepoFile

from tests.hub.faults import Fault

if TYPE_CHECKING:
    from pathlib import Path

    from tests.hub.server import Hub


def commit_two(api: HfApi) -> str:
    api.create_repo("org/data", repo_type="dataset")
    adds = [CommitOperationAdd("data/all.parquet", b"PAR1" * 1000), CommitOperationAdd("README.md", b"# Data\n")]
    return api.create_commit("org/data", adds, commit_message="Two files", repo_type="dataset").oid


def test_a_commit_can_be_listed_and_downloaded(hub: Hub, token: str, tmp_path: Path) -> None:
    api = HfApi()
    oid = commit_two(api)
    files = {file.path: file for file in api.list_repo_tree("org/data", recursive=True, repo_type="dataset")}
    assert set(files) == {".gitattributes", "README.md", "data", "data/all.parquet"}
    large = files["data/all.parquet"]
    assert isinstance(large, RepoFile)
    assert large.lfs is not None
    assert api.list_repo_refs("org/data", repo_type="dataset").branches[0].target_commit == oid
    folder = api.snapshot_download("org/data", repo_type="dataset", local_dir=tmp_path / "here")
    assert (tmp_path / "here" / "data" / "all.parquet").read_bytes() == b"PAR1" * 1000
    assert folder == str(tmp_path / "here")


def test_uploaded_contents_are_not_sent_again(hub: Hub, token: str) -> None:
    api = HfApi()
    commit_two(api)
    hub.requests.clear()
    add, delete = CommitOperationAdd("data/other.parquet", b"PAR1" * 1000), CommitOperationDelete("data/all.parquet")
    api.create_commit("org/data", [add, delete], commit_message="Renamed", repo_type="dataset")
    assert hub.count("PUT", "/lfs/") == 0
    assert set(hub.storage.files(hub.storage.repos["dataset", "org/data"])) == {
        ".gitattributes",
        "README.md",
        "data/other.parquet",
    }


def test_a_range_of_a_file_is_read(hub: Hub, token: str) -> None:
    from huggingface_hub import HfFileSystem

    commit_two(HfApi())
    with HfFileSystem(endpoint=hub.url).open("datasets/org/data/data/all.parquet", block_size=100) as file:
        file.seek(3998)
        assert file.read() == b"R1"


def test_a_concurrent_commit_is_an_error(hub: Hub, token: str) -> None:
    api = HfApi()
    first = commit_two(api)
    hub.storage.put(hub.storage.repos["dataset", "org/data"], {"other.txt": b"mine"})
    with pytest.raises(HfHubHTTPError, match="A commit has happened since"):
        api.create_commit(
            "org/data",
            [CommitOperationAdd("x.txt", b"x")],
            commit_message="x",
            repo_type="dataset",
            parent_commit=first,
        )


def test_missing_and_gated_repositories_are_errors(hub: Hub) -> None:
    api = HfApi(token=False)
    with pytest.raises(RepositoryNotFoundError):
        api.dataset_info("org/none")
    repo = hub.storage.create("model", "org/gated")
    hub.storage.put(repo, {"config.json": b"{}"})
    repo.gated = True
    with pytest.raises(GatedRepoError):
        api.hf_hub_download("org/gated", "config.json")
    repo.gated = False
    with pytest.raises(RemoteEntryNotFoundError):
        api.hf_hub_download("org/gated", "other.json")


@pytest.mark.parametrize("kind", ["cut", "lost"])
def test_a_dropped_connection_is_retried(hub: Hub, token: str, waits: list[float], kind: str) -> None:
    fault = Fault("PUT", "/lfs/", cut=kind == "cut", lost=kind == "lost")
    hub.faults.append(fault)
    commit_two(HfApi())
    assert fault.times == 0
    assert hub.count("PUT", "/lfs/") == 2
    assert waits == [1]
