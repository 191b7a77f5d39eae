"""What a publication consists of, before the Hub is asked anything: files, branches, commits, the tag."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING

from merge_snli.dataset import RUN_FILE
from merge_snli.errors import InputError, reason
from merge_snli.hub import KINDS
from merge_snli.publishing.content import Content
from merge_snli.publishing.eval_yaml import eval_yaml
from merge_snli.publishing.record import published_record
from merge_snli.schema import data_version
from merge_snli.script_branch import SCRIPT_BRANCH, script_files

if TYPE_CHECKING:
    from merge_snli.dataset import MergeDataset

MAIN = "main"
BRANCH = re.compile(r"(?!refs/)\w[\w.-]*(/\w[\w.-]*)*", re.ASCII)
"""How a branch for a draft may be called."""
METRIC = "pattern_accuracy"


@dataclass(frozen=True)
class Branch:
    """What one branch of a repository is to hold, and the one commit that brings it there.

    Attributes:
        repo: The repository's id.
        repo_type: `dataset` or `space`.
        name: The branch.
        files: Contents by path.
        message: The commit's title.
        mark: The file by which a repository that holds something else is told.
        owned: Paths of which those that `files` has not are removed: what an older publication left.
    """

    repo: str
    repo_type: str
    name: str
    files: dict[str, Content]
    message: str
    mark: str
    owned: re.Pattern[str]

    @property
    def title(self) -> str:
        """The branch for people."""
        return f"{KINDS[self.repo_type]} {self.repo}, branch {self.name}"


@dataclass(frozen=True)
class Plan:
    """A publication.

    Attributes:
        repo: Id of the data set's repository.
        branches: Its branches and the Space's, in the order of their commits; the first is the data's own.
        tag: The tag that is set last on the first branch's commit, or None.
    """

    repo: str
    branches: tuple[Branch, ...]
    tag: str | None


def plan(
    source: MergeDataset,
    repo: str,
    *,
    revision: str = MAIN,
    create_pr: bool = False,
    metric_space: str | None = None,
    license_id: str | None = None,
) -> Plan:
    """Say what is to be published.

    Args:
        source: The data set, which `merge_snli.validation.validate` found sound.
        repo: The repository's id, `ORG/NAME`.
        revision: The branch that gets the data. One that is not `main` is a draft: it gets no script and no tag.
        create_pr: Propose the data in a pull request; script and tag then wait until it is merged.
        metric_space: Id of the Space that gets the metric, or None.
        license_id: The licence of the problems, where the record says none.

    Raises:
        InputError: As `check_names`, or where no licence is known.
    """
    check_names(repo, revision=revision, create_pr=create_pr, metric_space=metric_space)
    name = f"v{data_version(source.digest)}"
    if revision == name:
        raise InputError(f"--revision is {revision}: the tag is called so; name the draft's branch otherwise")
    data = {path: Content(source.folder / path) for path in sorted(source.run["data"]["files"])}
    record = published_record(source, repo=repo, metric=metric_space, license_id=license_id)
    main = data | {path: Content(content) for path, content in record.items()}
    main["eval.yaml"] = Content(eval_yaml(source))
    branches = [_of_data(repo, revision, main, f"Data {name}")]
    whole = revision == MAIN and not create_pr
    if whole:
        script = script_files(source, repo_name=repo.partition("/")[2])
        with_script = main | {path: Content(content) for path, content in script.items()}
        branches.append(_of_data(repo, SCRIPT_BRANCH, with_script, f"Loading script and data {name}"))
    if metric_space is not None:
        branches.append(_of_metric(metric_space))
    return Plan(repo, tuple(branches), name if whole else None)


def _of_data(repo: str, name: str, contents: dict[str, Content], message: str) -> Branch:
    return Branch(repo, "dataset", name, contents, message, RUN_FILE, re.compile(r"data/.+\.parquet"))


def _of_metric(space: str) -> Branch:
    """Return the metric's folder as a Space: `evaluate.load` looks for a module of the Space's own name."""
    with as_file(files("metrics") / METRIC) as folder:
        names = [path.name for path in sorted(folder.iterdir()) if path.suffix in {".md", ".py", ".txt"}]
        contents = {name: Content((Path(folder) / name).read_bytes()) for name in names}
    return Branch(space, "space", MAIN, contents, "Metric", f"{METRIC}.py", re.compile(r"[^/]+\.py"))


def check_names(repo: str, *, revision: str = MAIN, create_pr: bool = False, metric_space: str | None = None) -> None:
    """Refuse names under which nothing can be published, as far as they can be told without the data.

    Args:
        repo: As of `plan`, like the others.
        revision: A branch.
        create_pr: Whether a pull request is opened instead.
        metric_space: Id of a Space, or None.

    Raises:
        InputError: Where an id is none or no script can be called so, the branch cannot be one for a draft, or the
            Space has another name than the metric.
    """
    check_repo_id("--repo", repo)
    if create_pr and revision != MAIN:
        raise InputError(f"--create-pr proposes to change {MAIN}, so --revision {revision} does not go with it")
    if revision == SCRIPT_BRANCH or not BRANCH.fullmatch(revision):
        raise InputError(
            f"--revision is {revision!r}: give the name of a branch for a draft, such as draft, and not that of the "
            f"loading script, {SCRIPT_BRANCH}"
        )
    if "." in repo and revision == MAIN:
        raise InputError(
            f"--repo is {repo}: datasets before version 4 imports a script of the repository's name, which cannot have "
            "a full stop: take another name, such as ORG/merge_snli"
        )
    if metric_space is not None:
        check_repo_id("--metric-space", metric_space)
        owner, _, name = metric_space.partition("/")
        if name != METRIC:
            raise InputError(f"--metric-space is {metric_space}: its name must be {METRIC}, as {owner}/{METRIC}")


def check_repo_id(option: str, repo: str) -> None:
    """Refuse what is no id of a repository.

    Raises:
        InputError: Names the option.
    """
    from huggingface_hub.errors import HFValidationError
    from huggingface_hub.utils import validate_repo_id  # type: ignore[attr-defined]

    try:
        validate_repo_id(repo)
    except HFValidationError as error:
        raise InputError(f"{option} is {repo!r}: {reason(error)}") from error
    if "/" not in repo:
        raise InputError(f"{option} is {repo!r}: give OWNER/NAME, such as ORG/merge_snli")


def plan_text(plan: Plan) -> str:
    """Return a plan for people: every file with size and sha256, every commit, the tag."""
    tag = "" if plan.tag is None else f"tag {plan.tag} on {MAIN} of {plan.repo}\n"
    return "".join(branch_text(branch) for branch in plan.branches) + tag


def branch_text(branch: Branch) -> str:
    """Return what a branch is to hold: every file with sha256 and size, and the commit's title."""
    files = [f"  {of.sha256}  {of.size:>10,}  {path}" for path, of in sorted(branch.files.items())]
    total = f"  {len(files)} files, {sum(of.size for of in branch.files.values()):,} bytes"
    return "\n".join([branch.title, f'  commit "{branch.message}"', *files, total, ""])
