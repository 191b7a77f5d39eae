"""Records for data sets that a test writes: that of the shipped data set, changed."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from merge_snli.dataset.record import Record, generation_of
from merge_snli.dataset.record_file import encode_record, read_record
from merge_snli.dataset.stored import CARD_FILE, RUN_FILE
from merge_snli.embedded import FOLDER, embedded_path
from tests.oracles import written

SHIPPED = FOLDER.parent / RUN_FILE


def changed(record: Record, **changes: Any) -> Record:  # noqa: ANN401 - values of the fields of the records
    """Return a record with other values of its fields, or of those of its part `generation`."""
    generation = generation_of(record)
    own = {name: value for name, value in changes.items() if name not in vars(generation)}
    of_generation = {name: value for name, value in changes.items() if name in vars(generation)}
    return replace(record, **own, generation=replace(generation, **of_generation))


def save_record(folder: Path, **changes: Any) -> Record:  # noqa: ANN401 - values of the fields of the records
    """Write `run.json` with the fields of the shipped record except for `changes`; its own digest is not updated."""
    record = changed(read_record(SHIPPED), **changes)
    (folder / RUN_FILE).write_bytes(encode_record(record))
    return record


def copy_bundled(folder: Path, *names: str) -> Path:
    """Copy the bundled data set, or only its files of these names, into a folder, and return the folder."""
    for name in names or (RUN_FILE, CARD_FILE, *read_record(SHIPPED).data.files):
        written(folder / name, (SHIPPED.parent / name).read_bytes())
    return folder


def files_in(folder: Path) -> dict[str, bytes]:
    """Return the content of each file of a folder by its path in the folder."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def bundled(name: str) -> Path:
    """Return the path of bundled problems or of a bundled model."""
    path = embedded_path(name)
    assert path is not None
    return path


def first_problems(folder: Path, count: int, *more: str) -> Path:
    """Write the first bundled problems, and more lines, into a file of a folder, and return it."""
    path = folder / "problems.jsonl"
    lines = bundled("demo:problems").read_text(encoding="utf-8").splitlines()[:count]
    path.write_text("\n".join([*lines, *more]), encoding="utf-8")
    return path
