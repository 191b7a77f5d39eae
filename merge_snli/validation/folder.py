"""The files of a data set's folder: all that should be there, nothing else, and nothing that leads out of it."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

import merge_snli
from generation.run_file import RUN_TOML
from merge_snli.dataset import CARD_FILE, RUN_FILE
from merge_snli.files import sha256_of_file
from merge_snli.validation.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ALWAYS = frozenset({CARD_FILE, RUN_FILE})
MAY_BE_THERE = frozenset({RUN_TOML, "croissant.json", "eval.yaml", ".gitattributes"})
"""What a run, publishing or the Hub may add beside the data."""

OF_TOOLS = (".git", ".cache/huggingface")
"""Folders that `git clone` and `hf download` make for themselves."""

KINDS = {
    "a pickle, which runs code when it is loaded": (".pkl", ".pickle", ".pt", ".pth", ".bin", ".joblib", ".npy"),
    "a program": (".py", ".pyc", ".so", ".sh", ".js", ".exe", ".dll", ".ipynb"),
}
"""What a stray file may be, by the end of its name."""


def check_folder(folder: Path, data_files: frozenset[str], *, blobs: Path | None = None) -> Iterator[Finding]:
    """Yield what is missing, what should not be there, and what is a link or no plain file.

    Args:
        folder: The data set's folder. In the installed package's own folder, only `data/` is looked through.
        data_files: The data files that the record names, as relative paths.
        blobs: Where the Hub's cache keeps the files that its links lead to; None where no link is expected.
    """
    expected = ALWAYS | data_files
    folders = {parent.as_posix() for name in expected for parent in Path(name).parents}
    own = is_package(folder)
    seen = set()
    for name, path in _entries(folder):
        if own and name not in ALWAYS and name != "data" and not name.startswith("data/"):
            continue
        problem = _problem(path, blobs)
        is_folder = path.is_dir() and not path.is_symlink()
        seen.add(name)
        if problem is not None:
            yield Finding(shown(name), None, None, problem)
        elif (is_folder and name not in folders) or (not is_folder and name not in expected | MAY_BE_THERE):
            yield Finding(shown(name), None, None, stray(name, is_folder=is_folder))
    for name in sorted(expected - seen):
        yield Finding(name, None, None, "is missing")


def is_package(folder: Path) -> bool:
    """Tell whether a folder is that of the installed package, which is a data set, too."""
    return folder.resolve() == Path(merge_snli.__file__).parent.resolve()


def is_plain(path: Path) -> bool:
    """Tell whether a path is a file that can be read: a pipe would block, a device never end."""
    return path.is_file()


def check_digests(folder: Path, digests: Mapping[str, str]) -> Iterator[Finding]:
    """Yield the files whose sha256 is not the recorded one.

    Args:
        folder: The data set's folder.
        digests: sha256 by relative path; files that are missing are passed over.
    """
    for name, recorded in digests.items():
        path = folder / name
        if not is_plain(path):
            continue
        try:
            found = sha256_of_file(path)
        except OSError as error:
            yield Finding(name, None, None, f"cannot be read: {error.strerror}")
            continue
        if found != recorded:
            yield Finding(name, None, None, f"its sha256 is {found[:12]}…, the run wrote {recorded[:12]}…")


def shown(name: str) -> str:
    """Return a file's name so that it can be printed: bytes that are no text, and control characters, as escapes."""
    text = os.fsencode(name).decode("utf-8", "backslashreplace")
    return text if text.isprintable() else ascii(text)[1:-1]


def _entries(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield every file and folder below `folder` with its relative name, in order; links are not followed."""
    for root, folders, files in os.walk(folder):
        relative = Path(root).relative_to(folder)
        folders[:] = sorted(name for name in folders if (relative / name).as_posix() not in OF_TOOLS)
        for name in sorted((*folders, *files)):
            yield (relative / name).as_posix(), Path(root) / name


def _problem(path: Path, blobs: Path | None) -> str | None:
    mode = path.lstat().st_mode
    if stat.S_ISLNK(mode):
        if blobs is not None and path.resolve().parent == blobs.resolve():
            return None
        return f"is a link to {shown(str(path.readlink()))}: only plain files belong here"
    return None if stat.S_ISREG(mode) or stat.S_ISDIR(mode) else "is no plain file"


def stray(name: str, *, is_folder: bool = False) -> str:
    """Say what a file or folder is that should not be there."""
    if is_folder:
        return "is a folder that no run made"
    kind = next((kind for kind, ends in KINDS.items() if name.lower().endswith(ends)), None)
    return "is a file that no run made" + (f": {kind}" if kind else "")
