"""Atomic writes, sha256 digests, and disk errors that the user can fix."""

import errno
import hashlib
import json
import os
import platform
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PureWindowsPath
from typing import Any, TypeAlias

from merge_snli.base.errors import InputError, explained

# A JSON object, or what is written as one: plain values by name.
JsonObject: TypeAlias = dict[str, Any]

# Errors of the operating system that another path or other permissions can fix.
PATH_ERRORS = frozenset(
    {
        errno.EACCES,
        errno.EPERM,
        errno.EROFS,
        errno.ENOENT,
        errno.ENOTDIR,
        errno.EISDIR,
        errno.EEXIST,
        errno.ENAMETOOLONG,
        errno.ELOOP,
    }
)

# Errors of the operating system for a full disk or quota, or a limit on the size of files.
FULL_DISK_ERRORS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})

# Where signals, open files and folders that exist are handled in other ways.
ON_WINDOWS = os.name == "nt"

# Age after which a temporary file of another machine is taken for one of a killed process.
SECONDS_UNTIL_STALE = 24 * 3_600


@contextmanager
def disk_errors_as_input_errors(folder: Path) -> Iterator[None]:
    """Convert errors of a full disk or an unwritable folder to `InputError`.

    Args:
        folder: The folder written to, named in the message.

    Raises:
        InputError: If the block raises an `OSError` of `FULL_DISK_ERRORS` or `PATH_ERRORS`.
    """
    try:
        yield
    except OSError as error:
        if error.errno in FULL_DISK_ERRORS:
            raise InputError(
                f"the disk of {folder} is full ({error.strerror}): free some space or choose another folder, then run "
                "again; finished work is reused"
            ) from error
        if error.errno in PATH_ERRORS:
            raise InputError(f"{folder} cannot be written ({error.strerror}): choose another folder") from error
        raise


def write_atomically(path: Path, write: Callable[[Path], object]) -> None:
    """Write a temporary file beside `path`, then rename it to `path`.

    Args:
        path: The final file; missing parent folders are created.
        write: Writes the whole content to the temporary path that it receives.

    Raises:
        InputError: If the disk is full or the folder cannot be written. The temporary file is deleted.
    """
    temporary = path.with_name(f".{path.name}.{machine_name()}.{os.getpid()}.part")
    with disk_errors_as_input_errors(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            write(temporary)
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)


def remove_stale_parts(folder: Path) -> None:
    """Delete the temporary files of `write_atomically` that killed processes left in a folder and its subfolders.

    Those of running processes are kept; other machines may write to the same folder.
    """
    for part in folder.rglob(".*.part"):
        *_, host, pid, _ = part.name.rsplit(".", 3)
        with suppress(FileNotFoundError):  # deleted or renamed by its process meanwhile
            old = time.time() - part.stat().st_mtime > SECONDS_UNTIL_STALE
            if old or (host == machine_name() and not is_running(pid)):
                part.unlink()


def machine_name() -> str:
    """Return the name of this machine without its domain."""
    return platform.node().partition(".")[0]


def is_running(pid: int | str) -> bool:
    """Return whether a process of this machine runs; one that has ended and not been waited for does not.

    On Windows, where `os.kill` ends a process or sends it Ctrl-C, every process counts as running.
    """
    if ON_WINDOWS:
        return True
    try:
        os.kill(int(pid), 0)
    except (ProcessLookupError, ValueError):
        return False
    except PermissionError:
        return True
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(") ")[2]
    except OSError:  # not Linux, or it has just ended
        return True
    return not state.startswith("Z")


def write_bytes(path: Path, content: bytes) -> None:
    """Write `content` to `path` atomically."""
    write_atomically(path, lambda part: part.write_bytes(content))


def write_text(path: Path, text: str) -> None:
    """Write `text` as UTF-8 to `path` atomically."""
    write_bytes(path, text.encode())


def write_json(path: Path, value: Any) -> None:  # noqa: ANN401 - any JSON value
    """Write a JSON document to `path` atomically, indented, with a final newline."""
    write_text(path, json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def read_json(path: Path) -> Any:  # noqa: ANN401 - any JSON value
    """Return the value of a JSON file; None if it is missing, cannot be read or is not JSON."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None


def read_toml(path: Path, option: str) -> JsonObject:
    """Read a TOML file that a user wrote.

    Args:
        path: The file.
        option: The option that names it, for messages.
    """
    import tomllib

    errors = (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError)
    with (
        explained(OSError, f"⟦{option}⟧ {path} cannot be read: ⟦reason⟧"),
        explained(errors, f"⟦{option}⟧ {path} is not valid TOML: ⟦reason⟧"),
    ):
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))  # Windows editors write a byte order mark


def toml_beside(module: str, name: str = "") -> JsonObject:
    """Read a TOML file of this package.

    Args:
        module: The `__file__` of a module in the folder of the file.
        name: The stem of the file; by default that of the module.
    """
    import tomllib

    path = Path(module)
    return tomllib.loads(path.with_name(f"{name or path.stem}.toml").read_text(encoding="utf-8"))


def sha256_of_file(path: Path) -> str:
    """Return the sha256 of a file's bytes as 64 hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sha256_of_json(value: Any) -> str:  # noqa: ANN401 - any JSON value
    """Return the sha256 of a JSON value in its canonical form (sorted keys, no spaces) as 64 hexadecimal digits."""
    canonical = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def is_path(name: str) -> bool:
    """Return whether a name has the form of a path and not of a Hub id, so that a missing folder is not downloaded."""
    if name.startswith((".", "/", "~")) or "\\" in name or PureWindowsPath(name).drive:
        return True
    return name.partition("@")[0].count("/") > 1
