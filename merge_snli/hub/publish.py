"""Publish a data set on the Hub: each branch in one commit of its changed files, the tag last."""

from collections.abc import Sequence
from dataclasses import dataclass

from huggingface_hub import CommitOperationAdd, CommitOperationDelete, Discussion, HfApi

from merge_snli.base.errors import InputError
from merge_snli.dataset.stored import MergeDataset, find_local
from merge_snli.hub.client import call_hub, find_api
from merge_snli.hub.plan import MAIN, Branch, Plan, Target, check_valid, plan

# Files that a repository created on the Hub's web page may hold.
GENERATED_FILES = frozenset({".gitattributes", "README.md"})

# What `merge-snli publish` prints: the outcome for each branch, or that of proposing results.
PUBLISHED = """\
{% for pushed in published.pushed %}
{{ pushed.branch.title }}: {{ "" if pushed.is_changed else "unchanged, " }}commit {{ pushed.oid[:12] }}
{% if pushed.pull_request is not none %}
pull request {{ pushed.pull_request }}
{% endif %}
{% endfor %}
{% if published.tag is not none %}
tag {{ published.tag }}
{% endif %}
{{ published.url }}
"""

PROPOSED = """\
{% if pushed.pull_request is none %}
{{ pushed.branch.repo }} already has these results
{% else %}
pull request {{ pushed.pull_request }}
{% endif %}
"""


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


@dataclass(frozen=True)
class Published:
    """The result of publishing.

    Attributes:
        url: The data set's page.
        pushed: The result of each branch, in the order of the plan.
        tag: The tag, or None if the plan has none.
    """

    url: str
    pushed: tuple[Pushed, ...]
    tag: str | None


def publish(
    data: MergeDataset | str,
    repo: str,
    *,
    private: bool = False,
    revision: str = MAIN,
    create_pr: bool = False,
    metric_space: str | None = None,
    license_id: str | None = None,
) -> Published:
    """Publish a data set on the Hub, with its loading script and tag, if validation finds nothing in it.

    Args:
        data: The data set, or its folder.
        repo: The repository's id, `ORG/NAME`; it is created if it does not exist.
        private: Make new repositories private; refuse an existing public one.
        revision: The branch for the data. A branch other than `main` is a draft: no script, no tag.
        create_pr: Propose the data in a pull request, without script and tag.
        metric_space: Id of the Space for the metric, or None.
        license_id: License of the problems, if the record has none.

    Raises:
        InputError: If an option or the data set is invalid, there is no token, or the Hub refuses or fails.
    """
    dataset = find_local(data)
    api = find_api()
    target = Target(repo, revision=revision, create_pr=create_pr, metric_space=metric_space, license_id=license_id)
    return publish_plan(api, checked_plan(dataset, target), private=private)


def checked_plan(dataset: MergeDataset, target: Target) -> Plan:
    """Plan to publish a data set, if validation finds nothing in it."""
    check_valid(dataset)
    return plan(dataset, target)


def publish_plan(api: HfApi, plan: Plan, *, private: bool = False) -> Published:
    """Publish data, script, metric and tag on the Hub. It is safe to repeat: unchanged files are not sent again.

    Args:
        api: A client whose token has write access.
        plan: What to publish.
        private: Make new repositories private; refuse an existing public one.

    Raises:
        InputError: If the Hub refuses or fails. The message also says which branches are published.
    """
    data = plan.branches[0]
    pushed = []
    try:
        for branch in {branch.repo: branch for branch in plan.branches}.values():
            _ensure_repository(api, branch, private=private, may_create=not data.is_proposed)
        for branch in plan.branches:
            pushed.append(push(api, branch))
        if plan.tag is not None:
            call_hub(
                data.repo,
                lambda: api.create_tag(
                    data.repo, tag=str(plan.tag), revision=pushed[0].oid, repo_type=data.repo_type, exist_ok=True
                ),
            )
    except InputError as error:
        raise InputError(f"{error.message.marked}; {_progress_text(pushed, plan)}") from error
    return Published(f"{api.endpoint}/datasets/{plan.repo}", tuple(pushed), plan.tag)


def _ensure_repository(api: HfApi, branch: Branch, *, private: bool, may_create: bool) -> None:
    """Create a missing repository; refuse a public one if it should be private."""
    sdk = "gradio" if branch.repo_type == "space" else None

    def find_or_create() -> bool:
        if may_create and not api.repo_exists(branch.repo, repo_type=branch.repo_type):
            api.create_repo(
                branch.repo, repo_type=branch.repo_type, private=private or None, space_sdk=sdk, exist_ok=True
            )
        return bool(api.repo_info(branch.repo, repo_type=branch.repo_type).private)

    is_private = call_hub(branch.repo, find_or_create)
    if private and not is_private:
        raise InputError(f"{branch.repo} is public: make it private on its page first, or leave out ⟦private⟧")


def _progress_text(pushed: Sequence[Pushed], plan: Plan) -> str:
    """Return which branches of an unfinished plan are published for certain."""
    if not pushed:
        return "no commit is confirmed"
    remaining = [branch.title for branch in plan.branches[len(pushed) :]]
    if plan.tag:
        remaining.append(f"tag {plan.tag}")
    done = ", ".join(push.branch.title for push in pushed)
    return f"published: {done}; not confirmed: {', '.join(remaining)}. Run the same command again to continue"


def push(api: HfApi, branch: Branch) -> Pushed:
    """Commit the files of a branch, which is created if it is missing, or propose them in a pull request.

    Unchanged files are not uploaded, and an empty commit is not made. The commit fails if anyone else commits to the
    branch meanwhile. An open pull request of the same user and title is updated.

    Args:
        api: The client.
        branch: The branch.

    Raises:
        InputError: If the repository holds unrelated files, the branch was changed meanwhile, or the Hub fails.
    """
    return call_hub(branch.repo, lambda: _commit(api, branch))


def _commit(api: HfApi, branch: Branch) -> Pushed:
    if branch.name != MAIN:
        api.create_branch(branch.repo, branch=branch.name, repo_type=branch.repo_type, exist_ok=True)
    request = _open_pull_request(api, branch) if branch.is_proposed else None
    revision = branch.name if request is None else f"refs/pr/{request.num}"
    head = api.repo_info(branch.repo, revision=revision, repo_type=branch.repo_type)
    names = set(api.list_repo_files(branch.repo, revision=head.sha, repo_type=branch.repo_type))
    if branch.marker is not None and branch.marker not in names and names - GENERATED_FILES:
        raise InputError(f"{branch.repo} holds unrelated files and no {branch.marker}: choose another repository")
    operations: list[CommitOperationAdd | CommitOperationDelete] = []
    operations += [CommitOperationAdd(path, content) for path, content in branch.files.items()]
    operations += [CommitOperationDelete(path) for path in sorted(names) if branch.is_obsolete(path)]
    commit = api.create_commit(
        branch.repo,
        operations,
        commit_message=branch.message,
        repo_type=branch.repo_type,
        revision=revision,
        create_pr=branch.is_proposed and request is None,
        parent_commit=head.sha,
    )
    return Pushed(branch, commit.oid, commit.oid != head.sha, commit.pr_url if request is None else request.url)


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
