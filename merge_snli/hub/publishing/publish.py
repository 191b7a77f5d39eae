"""Publish a plan: each branch in one commit, the tag last."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from merge_snli.base.errors import InputError, param
from merge_snli.hub.publishing.hub import call_hub
from merge_snli.hub.publishing.push import Pushed, push

if TYPE_CHECKING:
    from collections.abc import Sequence

    from huggingface_hub import HfApi

    from merge_snli.hub.publishing.plan import Branch, Plan


@dataclass(frozen=True)
class Published:
    """The result of publishing.

    Attributes:
        url: The data set's page.
        pushed: The result of each branch, in the order of the plan.
        tag: The tag, or None if the plan has none.
        is_tag_new: Whether the tag was created; false if it existed and names the same data.
    """

    url: str
    pushed: tuple[Pushed, ...]
    tag: str | None
    is_tag_new: bool


def publish(api: HfApi, plan: Plan, *, private: bool = False, create_pr: bool = False) -> Published:
    """Publish data, script, metric and tag on the Hub. It is safe to repeat: unchanged files are not sent again.

    Args:
        api: A client whose token has write access.
        plan: What to publish.
        private: Make new repositories private; refuse an existing public one.
        create_pr: Propose the data in a pull request.

    Raises:
        InputError: If the Hub refuses or fails. The message also says which branches are published.
    """
    data, pushed = plan.branches[0], list[Pushed]()
    try:
        for branch in {branch.repo: branch for branch in plan.branches}.values():
            _ensure_repository(api, branch, private=private, may_create=not create_pr)
        is_tag_new = plan.tag is not None and not _has_tag(api, plan, plan.tag)
        for branch in plan.branches:
            pushed.append(push(api, branch, create_pr=create_pr and branch is data))
        if is_tag_new:
            call_hub(data.repo, lambda: _create_tag(api, data, str(plan.tag), pushed[0].oid))
    except InputError as error:
        raise InputError(f"{error.message.marked}; {_progress_text(pushed, plan)}") from error
    return Published(f"{api.endpoint}/datasets/{plan.repo}", tuple(pushed), plan.tag, is_tag_new)


def _ensure_repository(api: HfApi, branch: Branch, *, private: bool, may_create: bool) -> None:
    """Create a missing repository.

    Raises:
        InputError: If it is missing and may not be created, or public but should be private.
    """
    from huggingface_hub.errors import RepositoryNotFoundError

    sdk = "gradio" if branch.repo_type == "space" else None

    def find_or_create() -> bool:
        try:
            return bool(api.repo_info(branch.repo, repo_type=branch.repo_type).private)
        except RepositoryNotFoundError:
            if not may_create:
                raise
        api.create_repo(branch.repo, repo_type=branch.repo_type, private=private or None, space_sdk=sdk, exist_ok=True)
        return private

    is_private = call_hub(branch.repo, find_or_create)
    if private and not is_private:
        raise InputError(f"{branch.repo} is public: make it private on its page first, or leave out {param('private')}")


def _has_tag(api: HfApi, plan: Plan, tag: str) -> bool:
    """Return whether the tag exists.

    Raises:
        InputError: If it exists and names other data.
    """
    data = plan.branches[0]

    def read_data_files() -> dict[str, str] | None:
        if tag not in {ref.name for ref in api.list_repo_refs(data.repo, repo_type=data.repo_type).tags}:
            return None
        entries = api.list_repo_tree(data.repo, recursive=True, revision=tag, repo_type=data.repo_type)
        large = {entry.path: getattr(entry, "lfs", None) for entry in entries}
        return {path: lfs.sha256 for path, lfs in large.items() if lfs is not None}

    tagged = call_hub(data.repo, read_data_files)
    if tagged is not None and any(tagged.get(path) != digest for path, digest in plan.data_files.items()):
        raise InputError(f"the tag {tag} of {plan.repo} names other data: delete it on the Hub first")
    return tagged is not None


def _create_tag(api: HfApi, data: Branch, tag: str, oid: str) -> None:
    api.create_tag(data.repo, tag=tag, revision=oid, repo_type=data.repo_type, exist_ok=True)


def _progress_text(pushed: Sequence[Pushed], plan: Plan) -> str:
    """Return which parts of an unfinished plan are published for certain."""
    if not pushed:
        return "no commit is confirmed"
    remaining = [branch.title for branch in plan.branches[len(pushed) :]] + ([f"tag {plan.tag}"] if plan.tag else [])
    done = ", ".join(each.branch.title for each in pushed)
    return f"published: {done}; not confirmed: {', '.join(remaining)}. Run the same command again to continue"


def published_text(published: Published) -> str:
    """Return the outcome of `publish`, one line per branch."""
    lines = []
    for pushed in published.pushed:
        lines.append(f"{pushed.branch.title}: {'' if pushed.is_changed else 'unchanged, '}commit {pushed.oid[:12]}")
        if pushed.pull_request is not None:
            lines.append(f"pull request {pushed.pull_request}")
    if published.tag is not None:
        lines.append(f"tag {published.tag}{'' if published.is_tag_new else ' (unchanged)'}")
    return "\n".join([*lines, published.url, ""])
