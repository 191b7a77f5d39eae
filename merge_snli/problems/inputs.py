"""Where problems are, as a user names them: files, patterns, a folder, a Hub id, bundled problems, or a table."""

import glob
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import unquote

from merge_snli.base.errors import InputError
from merge_snli.base.files import is_path
from merge_snli.base.hub_ids import fetch, split_revision
from merge_snli.embedded import PREFIX, embedded_path
from merge_snli.problems.formats import FILE_TYPES, file_type
from merge_snli.problems.rows import Rows
from merge_snli.problems.tables import table_in_memory
from merge_snli.problems.text_files import GZIP

# Between the names of several files in records and on the command line.
SEPARATOR = ","

# The prefix of the name of problems in memory, such as `memory:pandas.DataFrame`.
MEMORY = "memory:"

# The prefix of the libraries' paths to files on the Hub: `hf://datasets/ORG/NAME[@REVISION]/PATH`.
ON_HUB = "hf://datasets/"

# Such a path: the repository, and perhaps a revision and the path of a file.
HUB_PATH = re.compile(rf"{ON_HUB}([^/@]+/[^/@]+)(?:@([^/]+))?(?:/(.*))?")

# The name of a source and its split, such as `ORG/NAME:validation`.
WITH_SPLIT = re.compile(r"(.+):([\w.-]+)")

# Short names of revisions in such a path.
ALIASES = {"~parquet": "refs/convert/parquet"}


@dataclass(frozen=True)
class Problems:
    """Where problems are.

    Attributes:
        names: The paths, patterns and paths on the Hub of files; or one name, that of a folder, a data set on the Hub,
            bundled problems, or a table in memory.
        table: The rows of the table in memory; None if there is none.
    """

    names: tuple[str, ...]
    table: Rows | None = field(default=None, compare=False, repr=False)

    @classmethod
    def of(cls, given: object) -> "Problems":
        """Return what a user names as problems.

        Args:
            given: A path, pattern, folder, Hub id or bundled name; several files as a list or as one text with commas;
                or a table: a `datasets.Dataset`, a pandas or Polars frame, an Arrow table, or a list of dicts.
        """
        if isinstance(given, Problems):
            return given
        if isinstance(given, str | Path):
            return cls(_split(str(given)))
        if isinstance(given, list | tuple) and given and all(isinstance(name, str | Path) for name in given):
            if len(given) == 1:
                return cls.of(given[0])
            names = tuple(map(str, given))
            for name in names:
                if SEPARATOR in name:
                    raise InputError(f"⟦problems⟧: {name!r} has a comma: rename the file")
            return cls(names)
        kind = type(given)
        library = "" if kind is list else f"{kind.__module__.partition('.')[0]}."
        name = f"{MEMORY}{library}{kind.__name__}"
        return cls((name,), table_in_memory(given, name))

    def __str__(self) -> str:
        """Return the name that records and messages have."""
        return SEPARATOR.join(self.names)

    @property
    def are_bundled(self) -> bool:
        """Whether they are those of this package."""
        return self.names[0].startswith(PREFIX)

    @property
    def were_in_memory(self) -> bool:
        """Whether they are a table in memory, also if only its name is left, in a record."""
        return self.names[0].startswith(MEMORY)

    @property
    def are_files(self) -> bool:
        """Whether they are one or more files, which have no splits, and not a folder or a Hub id."""
        (name, *others) = self.names
        if others:
            return True
        if _exists(name):
            return Path(name).is_file()
        return glob.has_magic(name) or name.startswith(ON_HUB) or file_type(Path(name)) in FILE_TYPES

    def files(self) -> tuple[Path, ...]:
        """Return the files, in the order of the names, and of the paths that match a pattern."""
        paths = []
        for name in self.names:
            paths += _find(name)
        for path in paths:
            if paths.count(path) > 1:
                raise InputError(f"⟦problems⟧ names {path} more than once")
        return tuple(paths)

    def absolute(self) -> "Problems":
        """Return them with local paths and patterns made absolute, to record them."""
        if not self.are_files and not _exists(self.names[0]):
            return self
        names = [name if name.startswith(ON_HUB) else str(Path(name).absolute()) for name in self.names]
        return replace(self, names=tuple(names))

    @property
    def public_name(self) -> str:
        """The last part of each path, so that no folder of this machine is published; a Hub id as it is.

        A folder with the form of a Hub id, such as `data/mine`, counts as an id.
        """
        names = []
        for name in self.names:
            is_path_here = (len(self.names) > 1 or _is_path_or_file(name)) and not name.startswith(ON_HUB)
            names.append(Path(name).name if is_path_here else name)
        return ", ".join(names)

    @property
    def stems(self) -> str:
        """The names of the files without folders and endings."""
        return ", ".join(_stem(Path(name)) for name in self.names)


def public_name(name: str) -> str:
    """Return `Problems.public_name` of a name in a record."""
    return Problems.of(name).public_name


def split_of_name(source: str) -> tuple[str, str | None]:
    """Return the name and the split of `NAME:SPLIT`; for a name without a split, such as `demo:problems`, None."""
    match = WITH_SPLIT.fullmatch(source)
    if match is None or source.startswith(PREFIX) or _exists(source):
        return source, None
    return match[1], match[2]


def hub_repository(name: str) -> str:
    """Return the Hub id of the data set of a path on the Hub, without its revision."""
    return split_revision(_split_hub_path(name)[0])[0]


def no_such_file(name: str) -> InputError:
    """Return the error about a path where nothing is."""
    return InputError(f"no such file: {name} (expected a {', '.join(FILE_TYPES)} file or a Hub id)")


def _split(name: str) -> tuple[str, ...]:
    """Split a text with commas that names several files, and read `hf://datasets/ORG/NAME` as a Hub id."""
    names = tuple(file.strip() for file in name.split(SEPARATOR))
    if len(names) > 1 and not _exists(name) and all(_is_path_or_file(file) or _exists(file) for file in names):
        return names
    if name.startswith(ON_HUB):
        repository, file = _split_hub_path(name)
        return (name if file else repository,)
    return (name,)


def _exists(name: str) -> bool:
    return os.path.exists(name)  # noqa: PTH110 - False for a text that is too long for a path


def _stem(path: Path) -> str:
    path = path.with_suffix("") if path.suffix == GZIP else path
    return path.stem if path.suffix in FILE_TYPES else path.name


def _is_path_or_file(name: str) -> bool:
    return name.startswith(ON_HUB) or file_type(Path(name)) in FILE_TYPES or is_path(name)


def _find(name: str) -> list[Path]:
    if name.startswith(ON_HUB):
        return _from_hub(name)
    if (bundled := embedded_path(name)) is not None:
        return [bundled]
    if Path(name).is_file():
        return [Path(name)]
    if not glob.has_magic(name):
        raise no_such_file(name)
    return _files(map(Path, glob.glob(name, recursive=True)), f"no file matches {name!r}")  # noqa: PTH207 - may be absolute


def _from_hub(name: str) -> list[Path]:
    repository, file = _split_hub_path(name)
    repo_id, revision = split_revision(repository)
    folder = fetch(repo_id, repo_type="dataset", revision=revision, patterns=[file], alternative="a file or a folder")
    return _files(folder.glob(file), f"{name}: {repository} has no file {file}")


def _files(paths: Iterable[Path], message: str) -> list[Path]:
    files = sorted(path for path in paths if path.is_file())
    if not files:
        raise InputError(message)
    return files


def _split_hub_path(name: str) -> tuple[str, str]:
    """Return the `ORG/NAME@REVISION` and the path of a file on the Hub; an empty path if there is none."""
    found = HUB_PATH.fullmatch(name)
    if found is None:
        raise InputError(f"{name!r} is not a path on the Hub: expected {ON_HUB}ORG/NAME/PATH")
    repository, revision, file = found.groups(default="")
    if revision:
        repository = f"{repository}@{ALIASES.get(revision, unquote(revision))}"
    return repository, file
