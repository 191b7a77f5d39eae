"""Publishes a plan: each branch in one commit, the tag last, so that a tag always names something whole."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from merge_snli.errors import InputError
from merge_snli.hub import KINDS
from merge_snli.publishing.hub import UnsureError, ask, no_addresses_logged, status_of
from merge_snli.publishing.plan import MAIN
from merge_snli.publishing.push import Pushed, push, read_head

if TYPE_CHECKING:
    from huggingface_hub import HfApi

    from merge_snli.publishing.plan import Branch, Plan


@dataclass(frozen=True)
class Published:
    """What a publication did.

    Attributes:
        url: The data set's page.
        pushed: What became of each branch, in their order.
        tag: The tag, or None where none was to be set.
        tagged: Whether it was set now; false where it was there and names the same data.
    """

    url: str
    pushed: tuple[Pushed, ...]
    tag: str | None
    tagged: bool


def publish(api: HfApi, plan: Plan, *, private: bool = False, create_pr: bool = False) -> Published:
    """Bring data, script, metric and tag to the Hub; what is there already is not sent again.

    Args:
        api: The client, with a token that may write.
        plan: What is to be published.
        private: Make new repositories private, and refuse one that is there and public.
        create_pr: Propose the data in a pull request.

    Returns:
        What was done.

    Raises:
        InputError: Where the Hub refuses or fails: what it says, what to do, and what is published already.
    """
    done: list[Pushed] = []
    with no_addresses_logged():
        try:
            for repo in {branch.repo: branch for branch in plan.branches}.values():
                _find_repo(api, repo, private=private, may_create=not create_pr)
            _check_tag(api, plan)
            for branch in plan.branches:
                proposes = create_pr and branch is plan.branches[0]
                done.append(_push_new(api, branch, done, create_pr=proposes))
            tagged = plan.tag is not None and _set_tag(api, plan.branches[0], plan.tag, done[0].oid)
        except InputError as error:
            raise InputError(f"{error}; {_state(done, plan, sure=not isinstance(error, UnsureError))}") from error
    return Published(f"{api.endpoint}/datasets/{plan.repo}", tuple(done), plan.tag, tagged)


def _find_repo(api: HfApi, branch: Branch, *, private: bool, may_create: bool) -> None:
    """Make a repository that is missing.

    Raises:
        InputError: Where it is there and public though it is to be private, or missing and not to be made.
    """
    from huggingface_hub.errors import RepositoryNotFoundError

    def is_private() -> bool | None:
        try:
            return bool(api.repo_info(branch.repo, repo_type=branch.repo_type).private)
        except RepositoryNotFoundError as error:
            if status_of(error) != 404 or not may_create:
                raise
            return None

    found = ask(branch.repo, is_private)
    if found is None:
        sdk = "gradio" if branch.repo_type == "space" else None
        ask(
            branch.repo,
            lambda: api.create_repo(
                branch.repo, repo_type=branch.repo_type, private=private or None, space_sdk=sdk, exist_ok=True
            ),
        )
    elif private and not found:
        kind = KINDS[branch.repo_type]
        raise InputError(
            f"the {kind} {branch.repo} is public: make it private on its page first, or leave --private out"
        )


def _check_tag(api: HfApi, plan: Plan) -> None:
    """Refuse to publish beside a tag of this name that names other data."""
    main = plan.branches[0]
    if plan.tag is None or plan.tag not in _tags(api, main):
        return
    tagged = read_head(api, main, plan.tag)
    data = {path: content for path, content in main.files.items() if main.owned.fullmatch(path)}
    if not all(content.is_in(tagged.files.get(path)) for path, content in data.items()):
        raise InputError(f"{plan.repo} has a tag {plan.tag} that names other data: remove it on the Hub first")


def _push_new(api: HfApi, branch: Branch, done: list[Pushed], *, create_pr: bool) -> Pushed:
    """Push a branch, which is made where it is missing and removed again where its commit cannot be made."""
    if branch.name == MAIN or branch.name in _branches(api, branch):
        return push(api, branch, create_pr=create_pr)
    start = done[0].oid if done else read_head(api, branch, MAIN).oid
    kind, name = {"repo_type": branch.repo_type}, branch.name
    ask(branch.repo, lambda: api.create_branch(branch.repo, branch=name, revision=start, exist_ok=True, **kind))
    try:
        return push(api, branch)
    except InputError:
        with suppress(InputError):
            if read_head(api, branch, name).oid == start:
                ask(branch.repo, lambda: api.delete_branch(branch.repo, branch=name, **kind))
        raise


def _set_tag(api: HfApi, main: Branch, tag: str, oid: str) -> bool:
    """Tag a commit, where the tag is not there yet."""
    if tag in _tags(api, main):
        return False
    kind = {"repo_type": main.repo_type}
    ask(main.repo, lambda: api.create_tag(main.repo, tag=tag, revision=oid, exist_ok=True, **kind))
    return True


def _tags(api: HfApi, branch: Branch) -> set[str]:
    return {tag.name for tag in ask(branch.repo, lambda: api.list_repo_refs(branch.repo, repo_type="dataset")).tags}


def _branches(api: HfApi, branch: Branch) -> set[str]:
    refs = ask(branch.repo, lambda: api.list_repo_refs(branch.repo, repo_type=branch.repo_type))
    return {each.name for each in refs.branches}


def _state(done: list[Pushed], plan: Plan, *, sure: bool) -> str:
    """Say what is published of a plan that could not be finished."""
    if not sure:
        unknown = plan.branches[len(done)].title
        return f"whether {unknown} has changed is not known: the same command finds out, and goes on from there"
    if not done:
        return "nothing was published"
    left = [branch.title for branch in plan.branches[len(done) :]] + ([f"tag {plan.tag}"] if plan.tag else [])
    return (
        f"published: {', '.join(pushed.branch.title for pushed in done)}; not yet: {', '.join(left)}. "
        "The same command goes on from there"
    )


def published_text(published: Published) -> str:
    """Return what a publication did, one line a branch."""
    lines = []
    for pushed in published.pushed:
        changes = pushed.changes
        size = sum(content.size for content in changes.added.values())
        told = (
            f"{len(changes.added)} files sent ({size:,} bytes), {len(changes.removed)} removed"
            if changes
            else "unchanged"
        )
        lines.append(f"{pushed.branch.title}: {told}, commit {pushed.oid[:12]}")
        if pushed.pull_request is not None:
            lines.append(f"pull request {pushed.pull_request}")
    if published.tag is not None:
        lines.append(f"tag {published.tag}{'' if published.tagged else ' was there and stays'}")
    return "\n".join([*lines, published.url, ""])
