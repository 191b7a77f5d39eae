"""The fake Hub works with the real client."""

from pathlib import Path

from huggingface_hub import CommitOperationAdd, HfApi, HfFileSystem
from huggingface_hub.errors import RemoteEntryNotFoundError
from huggingface_hub.hf_api import RepoFile

from tests.hub.server import Hub
from tests.oracles import refused


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
    assert isinstance(large, RepoFile) and large.lfs is not None
    assert api.list_repo_refs("org/data", repo_type="dataset").branches[0].target_commit == oid
    folder = api.snapshot_download("org/data", repo_type="dataset", local_dir=tmp_path / "here")
    assert (tmp_path / "here" / "data" / "all.parquet").read_bytes() == b"PAR1" * 1000
    assert folder == str(tmp_path / "here")


def test_a_range_of_a_file_is_read(hub: Hub, token: str) -> None:
    commit_two(HfApi())
    with HfFileSystem(endpoint=hub.url).open("datasets/org/data/data/all.parquet", block_size=100) as file:
        file.seek(3998)
        assert file.read() == b"R1"


def test_a_missing_file_is_an_error(hub: Hub) -> None:
    hub.storage.put(hub.storage.create("model", "org/model"), {"config.json": b"{}"})
    refused("", HfApi(token=False).hf_hub_download, "org/model", "other.json", error=RemoteEntryNotFoundError)
