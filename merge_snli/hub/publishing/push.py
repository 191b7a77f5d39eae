"""Commit the files of one branch to the Hub: one commit, only changed files, on top of the commit that was read."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from merge_snli.base.errors import InputError
from merge_snli.hub.publishing.checks import MAIN
from merge_snli.hub.publishing.hub import call_hub, hub_errors

if TYPE_CHECKING:
    from huggingface_hub import Discussion, HfApi

    from merge_snli.hub.publishing.plan import Branch

GENERATED_FILES = frozenset({".gitattributes", "README.md"})
"""Files that a repository created on the Hub's web page may hold."""


@dataclass(frozen=True)
class Pushed:
    """The result of a push.

    Attributes:
        branch: The branch as planned.
        oid: The commit that holds its files.
        is_changed: Whether the push made that commit; false if the branch had these files already.
        pull_request: URL of the pull request that proposes the files, or None.
    """

    branch: Branch
    oid: str
    is_changed: bool
    pull_request: str | None = None


def push(api: HfApi, branch: Branch, *, create_pr: bool = False) -> Pushed:
    """Commit the files of a branch; the branch is created if it is missing.

    Unchanged files are not uploaded, and an empty commit is not made. The commit fails if anyone else commits to the
    branch meanwhile.

    Args:
        api: The client.
        branch: The branch.
        create_pr: Propose the files in a pull request. An open one of the same user and title is updated.

    Raises:
        InputError: If the repository holds unrelated files, the branch was changed meanwhile, or the Hub fails.
    """
    return call_hub(branch.repo, lambda: _push(api, branch, create_pr=create_pr))


def _push(api: HfApi, branch: Branch, *, create_pr: bool) -> Pushed:
    start = _create_branch(api, branch)
    try:
        return _commit(api, branch, create_pr=create_pr)
    except hub_errors():
        if start is not None:
            _delete_branch(api, branch, start)
        raise


def _create_branch(api: HfApi, branch: Branch) -> str | None:
    """Create a missing branch and return its first commit; None if the branch exists."""
    refs = api.list_repo_refs(branch.repo, repo_type=branch.repo_type) if branch.name != MAIN else None
    if refs is None or branch.name in {ref.name for ref in refs.branches}:
        return None
    start = next(ref.target_commit for ref in refs.branches if ref.name == MAIN)
    api.create_branch(branch.repo, branch=branch.name, revision=start, repo_type=branch.repo_type)
    return start


def _delete_branch(api: HfApi, branch: Branch, start: str) -> None:
    """Delete a branch that still is at its first commit."""
    with suppress(*hub_errors()):
        if api.repo_info(branch.repo, revision=branch.name, repo_type=branch.repo_type).sha == start:
            api.delete_branch(branch.repo, branch=branch.name, repo_type=branch.repo_type)


def _commit(api: HfApi, branch: Branch, *, create_pr: bool) -> Pushed:
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete

    request = _open_pull_request(api, branch) if create_pr else None
    revision = branch.name if request is None else f"refs/pr/{request.num}"
    head = api.repo_info(branch.repo, revision=revision, repo_type=branch.repo_type)
    names = set(api.list_repo_files(branch.repo, revision=head.sha, repo_type=branch.repo_type))
    _check_repository(branch, names)
    commit = api.create_commit(
        branch.repo,
        [
            *(CommitOperationAdd(path, content) for path, content in branch.files.items()),
            *(CommitOperationDelete(path) for path in sorted(names) if branch.is_obsolete(path)),
        ],
        commit_message=branch.message,
        repo_type=branch.repo_type,
        revision=revision,
        create_pr=create_pr and request is None,
        parent_commit=head.sha,
    )
    url = commit.pr_url if request is None else request.url
    return Pushed(branch, commit.oid, commit.oid != head.sha, url)


def _check_repository(branch: Branch, names: set[str]) -> None:
    """Refuse a repository that was not made by publishing.

    Raises:
        InputError: If it has files but not the marker file.
    """
    if branch.marker is not None and branch.marker not in names and names - GENERATED_FILES:
        raise InputError(f"{branch.repo} holds unrelated files and no {branch.marker}: choose another repository")


def _open_pull_request(api: HfApi, branch: Branch) -> Discussion | None:
    """Return the user's own open pull request with the branch's commit message as its title, or None."""
    requests = api.get_repo_discussions(
        branch.repo,
        author=api.whoami()["name"],
        discussion_type="pull_request",
        discussion_status="open",
        repo_type=branch.repo_type,
    )
    return next((request for request in requests if request.title == branch.message), None)
