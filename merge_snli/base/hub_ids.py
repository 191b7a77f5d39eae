"""Download files of a Hub repository, with errors that say what to do."""

import re
from collections.abc import Sequence
from pathlib import Path

from merge_snli.base.errors import InputError, reason

# Pattern of the Hub's license ids.
LICENSE_ID = re.compile(r"[a-z0-9][a-z0-9.+-]*")

# Names of the Hub's repository types, for messages.
REPO_TYPE_NAMES = {"model": "model", "dataset": "data set", "space": "Space"}


def check_license(license_id: str | None) -> None:
    """Check that the value of `--license` may be a license id of the Hub."""
    if license_id is not None and not LICENSE_ID.fullmatch(license_id.lower()):
        raise InputError(f"⟦license⟧ is {license_id!r}: give a license id of the Hub, such as cc-by-4.0 or other")


def split_revision(name: str) -> tuple[str, str | None]:
    """Split `ORG/NAME@REVISION` into a Hub id and a branch, tag or commit.

    Examples:
        >>> split_revision("org/merge_snli@v1.0.3")
        ('org/merge_snli', 'v1.0.3')
        >>> split_revision("org/merge_snli@refs/pr/1")
        ('org/merge_snli', 'refs/pr/1')
        >>> split_revision("org/merge_snli")
        ('org/merge_snli', None)
    """
    repo_id, _, revision = name.partition("@")
    return repo_id, revision or None


def is_cached(repo_id: str, file: str) -> bool:
    """Return whether the Hub's cache has a file of the main branch of a model."""
    from huggingface_hub import try_to_load_from_cache

    return isinstance(try_to_load_from_cache(repo_id, file), str)


def fetch(repo_id: str, *, repo_type: str, revision: str | None, patterns: Sequence[str], alternative: str) -> Path:
    """Download files of a repository into the Hub's cache.

    Args:
        repo_id: The repository's id, `ORG/NAME`.
        repo_type: `model` or `dataset`.
        revision: Branch, tag or commit; None for the main branch.
        patterns: Glob patterns of the files to download.
        alternative: What the user can pass instead of a Hub id, for messages.

    Returns:
        The folder of the snapshot, named after the commit.
    """
    from huggingface_hub import constants, errors, snapshot_download

    at = f" at revision {revision}" if revision else ""
    reasons: dict[type[Exception], str] = {
        errors.GatedRepoError: "it is gated: request access on its page, then log in with `hf auth login` or HF_TOKEN",
        errors.RepositoryNotFoundError: "it does not exist or is private: check the name, or log in with "
        "`hf auth login`",
        errors.RevisionNotFoundError: f"{repo_id} has no branch, tag or commit {revision}",
    }
    try:
        return Path(snapshot_download(repo_id, repo_type=repo_type, revision=revision, allow_patterns=list(patterns)))
    except errors.HFValidationError as error:
        raise InputError(
            f"{repo_id!r} is neither a folder nor a Hub id ({reason(error)}): pass a Hub id or {alternative}"
        ) from error
    except (errors.HfHubHTTPError, errors.LocalEntryNotFoundError, OSError) as error:
        offline = "HF_HUB_OFFLINE is set and the cache does not have it: unset HF_HUB_OFFLINE"
        other = offline if constants.HF_HUB_OFFLINE else f"{reason(error)}: try again later"
        why = next((text for kind, text in reasons.items() if isinstance(error, kind)), other)
        raise InputError(
            f"cannot download {REPO_TYPE_NAMES[repo_type]} {repo_id}{at}: {why}; or pass {alternative} (there is no "
            f"folder {repo_id})"
        ) from error
