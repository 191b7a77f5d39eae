"""Check the list of files in a data set's repository on the Hub, of which only the data set's own are downloaded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from merge_snli.base.errors import reason
from merge_snli.dataset.script_branch import SCRIPT_BRANCH, script_names
from merge_snli.validation.folder import OPTIONAL_FILES, REQUIRED_FILES, find_unexpected_file

if TYPE_CHECKING:
    from merge_snli.validation.collector import Collector


def check_repository(repo_id: str, revision: str, data_files: frozenset[str], collector: Collector) -> None:
    """Report unexpected files of a repository; missing files are reported for the folder.

    The loading script and its schema are allowed on the branch `script` only.

    Args:
        repo_id: The data set's Hub id.
        revision: The commit.
        data_files: The data files that the record names.
        collector: Gets the findings.
    """
    from huggingface_hub import HfApi
    from huggingface_hub.errors import HTTPError  # type: ignore[attr-defined]

    try:
        names = set(HfApi().list_repo_files(repo_id, repo_type="dataset", revision=revision))
        refs = HfApi().list_repo_refs(repo_id, repo_type="dataset")
    except (HTTPError, OSError, ValueError) as error:
        collector.skip(f"other files of {repo_id}: the Hub did not list them ({reason(error)})")
        return
    script_commits = {branch.target_commit for branch in refs.branches if branch.name == SCRIPT_BRANCH}
    script = set(script_names(repo_id.rpartition("/")[2])) if revision in script_commits else set()
    for name in sorted(names - REQUIRED_FILES - OPTIONAL_FILES - data_files - script):
        find_unexpected_file(name, collector)
