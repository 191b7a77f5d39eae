"""The files that the name of a source stands for: one path, several, patterns, or files of a data set on the Hub."""

from __future__ import annotations

import glob
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from urllib.parse import unquote

from merge_snli.base.errors import InputError, param
from merge_snli.base.files import is_path
from merge_snli.base.hub_ids import fetch, split_revision
from merge_snli.problems.file_rows import GZIP, READERS, file_type

SEPARATOR = ","
"""Between the names of several files."""

ON_HUB = "hf://datasets/"
"""The prefix of the libraries' paths to files on the Hub: `hf://datasets/ORG/NAME[@REVISION]/PATH`."""

ALIASES = {"~parquet": "refs/convert/parquet"}
"""Short names of revisions in such a path."""


def one_name(names: Sequence[str | Path]) -> str:
    """Return one name for several files.

    Raises:
        InputError: If there is no name, or one of several names has the separator.
    """
    texts = [str(name) for name in names]
    divided = [text for text in texts if SEPARATOR in text]
    if not texts or (divided and len(texts) > 1):
        wrong = f"{divided[0]!r} has a comma: rename the file" if divided else "no file is named"
        raise InputError(f"{param('problems')}: {wrong}")
    return SEPARATOR.join(texts)


def without_hub_prefix(name: str) -> str:
    """Return `hf://datasets/ORG/NAME@REVISION` as the Hub id `ORG/NAME@REVISION`; return any other name unchanged."""
    if not name.startswith(ON_HUB) or SEPARATOR in name:
        return name
    repository, file = _hub_parts(name)
    return name if file else repository


def names_files(name: str) -> bool:
    """Return whether a source is one or more files, which have no splits, and not a folder or a Hub id."""
    path = Path(name)
    with suppress(OSError):  # a text that is too long for a path names no file
        if path.exists():
            return path.is_file()
    parts = name.split(SEPARATOR)
    return len(parts) > 1 or glob.has_magic(name) or name.startswith(ON_HUB) or file_type(path) in READERS


def find_files(name: str) -> tuple[Path, ...]:
    """Return the files that a source stands for, in the order of its names, and of the paths that match a pattern.

    Args:
        name: A path, a pattern such as `data/*.jsonl`, a path on the Hub, or several of them, separated by commas.

    Raises:
        InputError: If a file does not exist, a pattern matches none, or the Hub does not have it.
    """
    if Path(name).is_file():
        return (Path(name),)
    found = [path for part in name.split(SEPARATOR) for path in _find(part.strip())]
    twice = next((path for path in found if found.count(path) > 1), None)
    if twice is not None:
        raise InputError(f"{param('problems')} names {twice} more than once")
    return tuple(found)


def absolute_names(name: str) -> str:
    """Return the name of a source with its local paths and patterns made absolute, to record it."""
    if Path(name).exists():
        return str(Path(name).absolute())
    if not names_files(name):
        return name
    parts = [part.strip() for part in name.split(SEPARATOR)]
    return SEPARATOR.join(part if part.startswith(ON_HUB) else str(Path(part).absolute()) for part in parts)


def public_name(name: str) -> str:
    """Return the last part of each path, so that no folder of this machine is published; return a Hub id unchanged.

    A folder with the form of a Hub id, such as `data/mine`, counts as an id.
    """
    parts = [part.strip() for part in name.split(SEPARATOR)]
    if len(parts) > 1 and all(_is_path_or_file(part) for part in parts):
        return ", ".join(map(public_name, parts))
    return Path(name).name if _is_path_or_file(name) and not name.startswith(ON_HUB) else name


def title_of_files(name: str) -> str:
    """Return the names of the files of a source without folders and endings."""
    parts = public_name(name).split(SEPARATOR)
    return ", ".join(_stem(Path(part.strip())) for part in parts)


def hub_repository(name: str) -> str:
    """Return the Hub id of the data set of a path on the Hub, without its revision."""
    return split_revision(_hub_parts(name)[0])[0]


def _stem(path: Path) -> str:
    path = path.with_suffix("") if path.suffix == GZIP else path
    return path.stem if path.suffix in READERS else path.name


def _is_path_or_file(name: str) -> bool:
    return name.startswith(ON_HUB) or file_type(Path(name)) in READERS or is_path(name)


def _find(name: str) -> list[Path]:
    if name.startswith(ON_HUB):
        return _from_hub(name)
    if Path(name).is_file():
        return [Path(name)]
    if glob.has_magic(name):
        matching = glob.glob(name, recursive=True)  # noqa: PTH207 - a pattern may be absolute
        found = sorted(path for path in map(Path, matching) if path.is_file())
        if not found:
            raise InputError(f"no file matches {name!r}")
        return found
    raise InputError(f"no such file: {name} (expected a {', '.join(READERS)} file or a Hub id)")


def _from_hub(name: str) -> list[Path]:
    repository, file = _hub_parts(name)
    repo_id, revision = split_revision(repository)
    folder = fetch(
        repo_id,
        repo_type="dataset",
        revision=revision,
        patterns=[file],
        alternative="a file or a folder",
    )
    found = sorted(path for path in folder.glob(file) if path.is_file())
    if not found:
        raise InputError(f"{name}: {repository} has no file {file}")
    return found


def _hub_parts(name: str) -> tuple[str, str]:
    """Return the `ORG/NAME@REVISION` and the path of a file on the Hub; an empty path if there is none."""
    parts = name.removeprefix(ON_HUB).split("/", 2)
    if len(parts) < 2 or not all(parts[:2]):
        raise InputError(f"{name!r} is not a path on the Hub: expected {ON_HUB}ORG/NAME/PATH")
    repo_id, revision = split_revision("/".join(parts[:2]))
    revision = None if revision is None else ALIASES.get(revision, unquote(revision))
    return repo_id if revision is None else f"{repo_id}@{revision}", "".join(parts[2:])
