"""Check the files of a data set's folder, and the names of those in its repository: missing, unexpected, changed."""

import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

from generation.options import RUN_TOML
from merge_snli.base.errors import one_line, reason
from merge_snli.base.files import sha256_of_file
from merge_snli.dataset.script_branch import SCRIPT_BRANCH, script_names
from merge_snli.dataset.stored import CARD_FILE, FOLDER, RUN_FILE
from merge_snli.validation.findings import Collector

REQUIRED_FILES = frozenset({CARD_FILE, RUN_FILE})
# Files that a run, publishing or the Hub may add beside the data.
OPTIONAL_FILES = frozenset({RUN_TOML, "eval.yaml", ".gitattributes"})

# Folders that `git clone` and `hf download` create.
TOOL_FOLDERS = (".git", ".cache/huggingface")

# Files and folders that file managers and editors leave. They are not checked, loaded or published.
IGNORED_NAMES = frozenset(
    {".DS_Store", ".idea", ".ipynb_checkpoints", ".vscode", "Thumbs.db", "__MACOSX", "desktop.ini"}
)

UNEXPECTED = "is not part of the data set: move it elsewhere"


def check_folder(folder: Path, data_files: frozenset[str], collector: Collector, *, blobs: Path | None = None) -> None:
    """Report missing and unexpected files, links, and special files.

    Args:
        folder: The data set's folder. In the folder of the installed package, only `data/` is searched.
        data_files: The data files that the record names, as relative paths.
        collector: Gets the findings.
        blobs: The folder in the Hub's cache that links may lead to; None if links are not allowed.
    """
    if not (folder / RUN_FILE).exists():  # which says what belongs to the data set
        collector.find(RUN_FILE, None, None, "is missing: generate the data set again, or restore the file")
        return
    expected = REQUIRED_FILES | data_files
    folders = {parent.as_posix() for name in expected for parent in Path(name).parents}
    is_package = folder.resolve() == FOLDER.resolve()
    present = set()
    for name, path in _entries(folder):
        if is_package and name not in REQUIRED_FILES and name != "data" and not name.startswith("data/"):
            continue
        if is_ignored(name) and not path.is_symlink():
            continue
        problem = _problem_of_type(path, blobs)
        is_folder = path.is_dir() and not path.is_symlink()
        present.add(name)
        if problem is not None:
            collector.find(one_line(name), None, None, problem)
        elif name not in (folders if is_folder else expected | OPTIONAL_FILES):
            find_unexpected_file(name, collector)
    for name in sorted(expected - present):
        collector.find(name, None, None, "is missing")


def find_unexpected_file(name: str, collector: Collector) -> None:
    """Report a file that is not part of a data set, unless a file manager or editor left it."""
    if is_ignored(name):
        return
    collector.find(one_line(name), None, None, UNEXPECTED)


def check_digests(folder: Path, digests: Mapping[str, str], collector: Collector) -> None:
    """Report files with another sha256 than the recorded one.

    Args:
        folder: The data set's folder.
        digests: sha256 by relative path. Missing files are skipped.
        collector: Gets the findings.
    """
    for name, recorded in digests.items():
        path = folder / name
        if not path.is_file():  # a pipe would block
            continue
        try:
            digest = sha256_of_file(path)
        except OSError as error:
            collector.find(name, None, None, f"cannot be read: {error.strerror}")
            continue
        if digest != recorded:
            collector.find(name, None, None, f"has sha256 {digest[:12]}…; the record has {recorded[:12]}…")


def is_ignored(name: str) -> bool:
    """Return whether a relative path is, or is in, what a file manager or editor leaves."""
    return any(level in IGNORED_NAMES or level.startswith("._") for level in Path(name).parts)


def _entries(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield every file and folder below `folder` with its relative path, sorted, without following links."""
    for root, folders, files in os.walk(folder):
        relative = Path(root).relative_to(folder)
        folders[:] = sorted(name for name in folders if (relative / name).as_posix() not in TOOL_FOLDERS)
        for name in sorted((*folders, *files)):
            yield (relative / name).as_posix(), Path(root) / name


def _problem_of_type(path: Path, blobs: Path | None) -> str | None:
    mode = path.lstat().st_mode
    if stat.S_ISLNK(mode):
        if blobs is not None and path.resolve().parent == blobs.resolve():
            return None
        return f"is a link to {one_line(str(path.readlink()))}: links are not allowed"
    return None if stat.S_ISREG(mode) or stat.S_ISDIR(mode) else "is not a regular file"


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
