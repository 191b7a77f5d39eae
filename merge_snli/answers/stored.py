"""Read the file of the answers of a result, which is not kept: those of many models take much memory."""

from hashlib import sha256
from pathlib import Path

from merge_snli.base.errors import InputError, explained


def stored_content(path: Path, digest: str | None) -> bytes:
    """Return the content of the file of the answers of a result.

    Args:
        path: The file.
        digest: Its sha256 in the result.

    Raises:
        InputError: If the file cannot be read, or is not the one with the digest.
    """
    with explained(OSError, f"cannot read {path}: ⟦reason⟧"):
        content = path.read_bytes()
    if sha256(content).hexdigest() != digest:
        raise InputError(
            f"{path} is not the file of the answers of its result: copy both files, or score the model again"
        )
    return content
