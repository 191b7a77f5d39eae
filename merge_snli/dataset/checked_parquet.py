"""Write Parquet files named by the sha256 of their bytes, and detect damaged ones."""

from __future__ import annotations

import hashlib
import logging
from typing import TYPE_CHECKING, Any

from merge_snli.base.files import disk_errors_as_input_errors, sha256_of_file, write_bytes

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

logger = logging.getLogger(__name__)


def write_checked(folder: Path, table: pa.Table, *, prefix: str = "", **options: Any) -> Path:  # noqa: ANN401
    """Write a table atomically to `FOLDER/PREFIX<sha256>.parquet`.

    Args:
        folder: The folder; created if missing.
        table: The content.
        prefix: What the file's name begins with.
        options: Options of `pyarrow.parquet.write_table`.

    Returns:
        The file.

    Raises:
        InputError: If the disk is full or the folder is not writable; no partial file is left.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, **options)
    content = sink.getvalue().to_pybytes()
    path = folder / f"{prefix}{hashlib.sha256(content).hexdigest()}.parquet"
    write_bytes(path, content)
    return path


def is_intact(path: Path) -> bool:
    """Return whether a file's bytes match the sha256 at the end of its name; delete the file if they do not.

    Another process may delete the file at the same time; then it is not intact.

    Raises:
        InputError: If a damaged file cannot be deleted.
    """
    try:
        if sha256_of_file(path) == path.stem[-64:]:
            return True
    except FileNotFoundError:
        return False
    logger.warning("%s is damaged; it is deleted and computed again", path)
    with disk_errors_as_input_errors(path.parent):
        path.unlink(missing_ok=True)
    return False
