"""Records for data sets that a test writes: that of the shipped data set, changed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from merge_snli.dataset import RUN_FILE
from merge_snli.embedded import FOLDER
from merge_snli.record import Record, encode_record, read_record

SHIPPED = FOLDER.parent / RUN_FILE


def save_record(folder: Path, **changes: Any) -> Record:  # noqa: ANN401 - values of the fields of Record
    """Write `run.json` with the fields of the shipped record except for `changes`; its own digest is not updated."""
    record = replace(read_record(SHIPPED), **changes)
    (folder / RUN_FILE).write_bytes(encode_record(record))
    return record
