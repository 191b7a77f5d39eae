"""Check and plan a publication: the files, the commits and the tag, without calling the Hub."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from huggingface_hub.errors import HFValidationError
from huggingface_hub.utils import validate_repo_id  # type: ignore[attr-defined]

from merge_snli.base.errors import InputError, explained
from merge_snli.base.hub_ids import REPO_TYPE_NAMES
from merge_snli.base.table import count
from merge_snli.base.templates import printed
from merge_snli.dataset.script_branch import SCRIPT_BRANCH, script_files
from merge_snli.dataset.stored import RUN_FILE, MergeDataset
from merge_snli.hub.contents import eval_yaml, published_record
from merge_snli.hub.prepare import METRIC_NAME, metric_folder
from merge_snli.results.eval_results import PATH_IN_REPO, write_eval_results
from merge_snli.results.result import Result
from merge_snli.schema import data_version

MAIN = "main"
# Pattern of a draft branch's name.
BRANCH = re.compile(r"(?!refs/)\w[\w.-]*(/\w[\w.-]*)*", re.ASCII)

BRANCH_TEXT = """\
{{ branch.title }}
  commit "{{ branch.message }}"
{% for name, of_name in sizes.items() %}
  {{ "{:>14,}".format(of_name | sum) }} bytes  {{ name }}, {{ count(of_name | length, "file") }}
{% endfor %}
  {{ "{:>14,}".format(sizes.values() | map("sum") | sum) }} bytes in {{ count(branch.files | length, "file") }}
"""


@dataclass(frozen=True)
class Target:
    """Where to publish a data set.

    Attributes:
        repo: The repository's id, `ORG/NAME`.
        revision: The branch for the data. A branch other than `main` is a draft: no script, no tag.
        create_pr: Propose the data in a pull request, without script and tag.
        metric_space: Id of the Space for the metric, or None.
        license_id: License of the problems, if the record has none.
    """

    repo: str
    revision: str = MAIN
    create_pr: bool = False
    metric_space: str | None = None
    license_id: str | None = None

    def __post_init__(self) -> None:
        """Check the names of repositories and branches.

        Raises:
            InputError: If a name is invalid, or `revision` and `create_pr` are combined.
        """
        repo = self.repo
        revision = self.revision
        space = self.metric_space
        check_repo_id("repo", repo)
        if self.create_pr and revision != MAIN:
            raise InputError(f"⟦create_pr⟧ cannot be combined with ⟦revision⟧ {revision}: it proposes to change {MAIN}")
        if revision == SCRIPT_BRANCH or not BRANCH.fullmatch(revision):
            raise InputError(
                f"⟦revision⟧ {revision!r} is not a valid name for a draft branch: use a name such as draft "
                f"({SCRIPT_BRANCH} is reserved for the loading script)"
            )
        if "." in repo and revision == MAIN:
            raise InputError(
                f"⟦repo⟧ {repo} contains a full stop, and datasets before version 4 cannot import a script with "
                "that name: use a name such as ORG/merge_snli"
            )
        if space is not None:
            check_repo_id("metric_space", space)
            owner, _, name = space.partition("/")
            if name != METRIC_NAME:
                raise InputError(f"⟦metric_space⟧ {space} must be named {METRIC_NAME}: use {owner}/{METRIC_NAME}")


@dataclass(frozen=True)
class Branch:
    """The files of one branch, published in one commit.

    Attributes:
        repo: The repository's id.
        repo_type: `dataset`, `space` or `model`.
        name: The branch.
        files: Contents by path: bytes, or the path of a local file.
        message: The commit message, and the title of a pull request.
        marker: A file that identifies repositories made by publishing; None if any repository is accepted.
        owned: Pattern of paths that publishing owns: it deletes matching files that are not in `files`.
        is_proposed: Whether a pull request proposes the files, and the branch itself stays as it is.
    """

    repo: str
    repo_type: str
    name: str
    files: dict[str, Path | bytes]
    message: str
    marker: str | None = None
    owned: re.Pattern[str] | None = None
    is_proposed: bool = False

    @property
    def title(self) -> str:
        """The branch as messages name it."""
        place = f"pull request to {self.name}" if self.is_proposed else f"branch {self.name}"
        return f"{REPO_TYPE_NAMES[self.repo_type]} {self.repo}, {place}"

    def is_obsolete(self, path: str) -> bool:
        """Return whether a file of the repository is left from an older publication."""
        return self.owned is not None and path not in self.files and self.owned.fullmatch(path) is not None


@dataclass(frozen=True)
class Plan:
    """A publication.

    Attributes:
        repo: The id of the data set's repository.
        branches: The branches in the order of their commits. The first holds the data.
        tag: The tag on the first branch's commit, or None.
    """

    repo: str
    branches: tuple[Branch, ...]
    tag: str | None


def plan(dataset: MergeDataset, target: Target) -> Plan:
    """Plan a publication.

    Args:
        dataset: A data set without findings of `merge_snli.validation.validate`. Without subsamples it gets no loading
            script and no `eval.yaml`.
        target: Where to publish it.

    Raises:
        InputError: If the license is unknown, or the branch has the name of the tag.
    """
    repo = target.repo
    revision = target.revision
    space = target.metric_space
    tag = f"v{data_version(dataset.digest)}"
    if revision == tag:
        raise InputError(f"⟦revision⟧ {revision} is the name of the tag: choose another name for the draft")
    contents: dict[str, Path | bytes] = {path: dataset.folder / path for path in sorted(dataset.record.files)}
    contents |= published_record(dataset, repo=repo, metric=space, license_id=target.license_id)
    if dataset.record.subsamples is not None:
        contents["eval.yaml"] = eval_yaml(dataset, repo)
    data = _data_branch(repo, revision, contents, f"Data {tag}")
    branches = [replace(data, is_proposed=target.create_pr)]
    is_complete = revision == MAIN and not target.create_pr
    if is_complete and dataset.record.subsamples is not None:
        with_script = {**contents, **script_files(dataset, repo_name=repo.partition("/")[2])}
        branches.append(_data_branch(repo, SCRIPT_BRANCH, with_script, f"Loading script and data {tag}"))
    if space is not None:
        branches.append(_metric_branch(space))
    return Plan(repo, tuple(branches), tag if is_complete else None)


def _data_branch(repo: str, name: str, contents: dict[str, Path | bytes], message: str) -> Branch:
    return Branch(repo, "dataset", name, contents, message, RUN_FILE, re.compile(r"data/.+\.parquet"))


def _metric_branch(space: str) -> Branch:
    """Return the metric's folder as a Space; `evaluate.load` expects a module with the Space's name."""
    paths = [path for path in sorted(metric_folder().iterdir()) if path.suffix in {".md", ".py", ".txt"}]
    contents: dict[str, Path | bytes] = {path.name: path.read_bytes() for path in paths}
    return Branch(space, "space", MAIN, contents, "Metric", f"{METRIC_NAME}.py", re.compile(r"[^/]+\.py"))


def results_branch(results: Sequence[Result], *, model: str, dataset: str) -> Branch:
    """Return the file to propose to a model's repository: `.eval_results/merge_snli.yaml`.

    Args:
        results: Results of that model on configs of one data set.
        model: The model's id on the Hub.
        dataset: The data set's id on the Hub.

    Raises:
        InputError: If the model's id is invalid, or the results are not of a commit of that model.
    """
    check_repo_id("model", model)
    for result in results:
        if result.model.name != model:
            raise InputError(f"⟦model⟧ is {model}, but a result is of {result.model.name}: pass results of one model")
        if not result.has_seeds:
            raise InputError(
                f"a result is on {result.dataset.title}, which the Hub has no task for: pass results on MERGE data sets"
            )
    with TemporaryDirectory() as folder:
        written = write_eval_results(results, Path(folder), dataset_id=dataset)
        if not written:
            raise InputError(f"no result is of a commit of {model} on the Hub and on all rows: score its id in float32")
        content = written[0].read_bytes()
    return Branch(model, "model", MAIN, {PATH_IN_REPO: content}, f"Add results on {dataset}", is_proposed=True)


def plan_text(plan: Plan) -> str:
    """Return a plan as text: files and sizes by folder, every commit, the tag."""
    text = "".join(map(branch_text, plan.branches))
    if plan.tag is not None:
        text += f"tag {plan.tag} on {MAIN} of {plan.repo}\n"
    return text


def branch_text(branch: Branch) -> str:
    """Return a branch as text: the commit message, files and sizes by folder, and the total."""
    sizes: dict[str, list[int]] = {}
    for path, content in sorted(branch.files.items(), key=lambda file: ("/" in file[0], file[0])):
        folder, slash, _ = path.rpartition("/")
        size = len(content) if isinstance(content, bytes) else content.stat().st_size
        sizes.setdefault(f"{folder}/*" if slash else path, []).append(size)
    return printed(BRANCH_TEXT, branch=branch, sizes=sizes, count=count)


def check_valid(dataset: MergeDataset) -> None:
    """Check that validation finds nothing in a data set.

    Raises:
        InputError: If it does; the message has the first finding.
    """
    from merge_snli.validation import validate

    findings = validate(dataset).findings
    if findings:
        raise InputError(
            f"{dataset.folder} does not pass validation ({findings[0]}): fix this or generate the data set "
            f"again; merge-snli validate {dataset.folder} lists all findings"
        )


def check_repo_id(option: str, repo: str) -> None:
    """Check that a repository's id is valid and has an owner.

    Args:
        option: The option that gave the id, for messages.
        repo: The id.

    Raises:
        InputError: If it is not.
    """
    with explained(HFValidationError, f"⟦{option}⟧ {repo!r} is not a repository id: ⟦reason⟧"):
        validate_repo_id(repo)
    if "/" not in repo:
        raise InputError(f"⟦{option}⟧ {repo!r} has no owner: use OWNER/NAME, such as ORG/merge_snli")
