"""Files that are whole or not there: atomic writes, digests, and room on the disk."""

import errno
import hashlib
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from merge_snli.errors import InputError

UNUSABLE = frozenset(
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
"""What the system says of a path that a user can mend."""


@contextmanager
def disk_errors_as_input_errors(folder: Path) -> Iterator[None]:
    """Turn a full disk or a folder that may not be written into an `InputError` that names it.

    Args:
        folder: What is written to; named in the message.

    Raises:
        InputError: On ENOSPC, EDQUOT and the errors of `UNUSABLE` inside the block.
    """
    try:
        yield
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            message = f"the disk that holds {folder} is full: free some room or choose another folder, then run again"
            raise InputError(f"{message}; what was done is kept") from error
        if error.errno in UNUSABLE:
            raise InputError(f"{folder} cannot be written ({error.strerror}): choose another folder") from error
        raise


def write_atomically(path: Path, write: Callable[[Path], None]) -> None:
    """Let `write` fill a temporary file beside `path`, then put it in place in one step.

    Args:
        path: The final file; its folder is made where it is missing.
        write: Gets the temporary path and writes the whole content there.

    Raises:
        InputError: Where the disk is full or may not be written; nothing is left behind then.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    with disk_errors_as_input_errors(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            write(temporary)
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)


def write_bytes(path: Path, content: bytes) -> None:
    """Write `content` to `path` atomically."""

    def write(part: Path) -> None:
        part.write_bytes(content)

    write_atomically(path, write)


def write_text(path: Path, text: str) -> None:
    """Write `text` as UTF-8 to `path` atomically."""
    write_bytes(path, text.encode())


def write_json(path: Path, value: Any) -> None:  # noqa: ANN401 - any JSON value
    """Write a JSON document to `path` atomically, indented, with a newline at its end."""
    write_text(path, json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def sha256_of_file(path: Path) -> str:
    """Return the sha256 of a file's bytes as 64 hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sha256_of_json(value: Any) -> str:  # noqa: ANN401 - any JSON value
    """Return the sha256 of a JSON value in its canonical form (sorted keys, no spaces) as 64 hexadecimal digits."""
    canonical = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def is_path(name: str) -> bool:
    """Tell a path from a Hub id by its form, so that nobody asks the Hub for a folder that is missing."""
    return name.startswith((".", "/", "~")) or name.partition("@")[0].count("/") > 1 or "\\" in name
