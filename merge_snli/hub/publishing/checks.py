"""Check the data set and the arguments of a publication before the Hub is called."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from merge_snli.base.errors import InputError, param, reason
from merge_snli.dataset.script_branch import SCRIPT_BRANCH

if TYPE_CHECKING:
    from merge_snli.dataset.stored import MergeDataset

MAIN = "main"
METRIC = "pattern_accuracy"
BRANCH = re.compile(r"(?!refs/)\w[\w.-]*(/\w[\w.-]*)*", re.ASCII)
"""Pattern of a draft branch's name."""


def check_valid(dataset: MergeDataset) -> None:
    """Check that validation finds nothing in a data set.

    Raises:
        InputError: If it does; the message has the first finding.
    """
    from merge_snli.validation import validate

    findings = validate(dataset).findings
    if findings:
        more = f" and {len(findings) - 1:,} more" if len(findings) > 1 else ""
        raise InputError(
            f"{dataset.folder} does not pass validation ({findings[0]}{more}): fix this or generate the data set "
            f"again; merge-snli validate {dataset.folder} lists all findings"
        )


def check_arguments(
    repo: str, *, revision: str = MAIN, create_pr: bool = False, metric_space: str | None = None
) -> None:
    """Check the names of repositories and branches.

    Args:
        repo: The id of the data set's repository.
        revision: The branch for the data.
        create_pr: Whether the data is proposed in a pull request.
        metric_space: Id of the Space for the metric, or None.

    Raises:
        InputError: If a name is invalid, or `revision` and `create_pr` are combined.
    """
    check_repo_id("repo", repo)
    if create_pr and revision != MAIN:
        raise InputError(
            f"{param('create_pr')} cannot be combined with {param('revision')} {revision}: it proposes to change {MAIN}"
        )
    if revision == SCRIPT_BRANCH or not BRANCH.fullmatch(revision):
        raise InputError(
            f"{param('revision')} {revision!r} is not a valid name for a draft branch: use a name such as draft "
            f"({SCRIPT_BRANCH} is reserved for the loading script)"
        )
    if "." in repo and revision == MAIN:
        raise InputError(
            f"{param('repo')} {repo} contains a full stop, and datasets before version 4 cannot import a script with "
            "that name: use a name such as ORG/merge_snli"
        )
    if metric_space is not None:
        check_repo_id("metric_space", metric_space)
        owner, _, name = metric_space.partition("/")
        if name != METRIC:
            raise InputError(f"{param('metric_space')} {metric_space} must be named {METRIC}: use {owner}/{METRIC}")


def check_repo_id(option: str, repo: str) -> None:
    """Check that a repository's id is valid and has an owner.

    Args:
        option: The option that gave the id, for messages.
        repo: The id.

    Raises:
        InputError: If it is not.
    """
    from huggingface_hub.errors import HFValidationError
    from huggingface_hub.utils import validate_repo_id  # type: ignore[attr-defined]

    try:
        validate_repo_id(repo)
    except HFValidationError as error:
        raise InputError(f"{param(option)} {repo!r} is not a repository id: {reason(error)}") from error
    if "/" not in repo:
        raise InputError(f"{param(option)} {repo!r} has no owner: use OWNER/NAME, such as ORG/merge_snli")
