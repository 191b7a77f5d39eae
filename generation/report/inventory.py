"""Inventory: list the content of a work folder, and delete what a data set does not need."""

import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from generation.options import Options
from generation.work import (
    ANSWERS_FOLDER,
    RESULT_FOLDERS,
    RUNS_FOLDER,
    TAGGED_FOLDER,
    all_shards,
    key_of,
    read_description,
)
from merge_snli.base.files import JsonObject, disk_errors_as_input_errors, read_json, sha256_of_json, write_json
from merge_snli.base.option import described
from merge_snli.base.table import Cell, Column, Table
from merge_snli.dataset.record import Record
from merge_snli.dataset.record_file import inputs_of

TAGGED, RESULTS, ANSWERS = "tagged problems", "results", "answers"

BYTES_PER_MIB = 2**20
NEEDED = {True: "yes", False: "no", None: "unknown"}

# How the name of an entry shows the options that answers depend on.
SHOWN_OPTIONS = {
    "device": "{}",
    "dtype": "{}",
    "top_k": "top-k {}",
    "mask": "mask {}",
    "split_words": "split-words",
}


@dataclass(frozen=True, kw_only=True)
class Stored:
    """The files of one kind in a work folder.

    Attributes:
        kind: `answers` (of one masked LM), `tagged problems` or `results`.
        masked_lm: The masked LM that gave the answers; None for other kinds.
        cache_key: What else the answers depend on, by option; empty for other kinds.
        needed: Whether the data set needs them; None if unknown.
        shards: Number of files.
        rows: Number of rows: forms, problems, or variants, seeds and counts.
        bytes: Size of the files.
        paths: The files, or the folder of the answers.
    """

    kind: str
    masked_lm: str | None = None
    cache_key: JsonObject = field(default_factory=dict)
    needed: bool | None
    shards: int
    rows: int
    bytes: int
    paths: tuple[Path, ...]

    def as_dict(self) -> JsonObject:
        """Return everything but the paths as JSON values."""
        return {name: value for name, value in asdict(self).items() if name != "paths"}


def note_needs(
    work: Path, inputs: JsonObject, tagged: Iterable[Path], results: Iterable[Path], answers: Iterable[Path]
) -> None:
    """Record which files of a work folder a run needs.

    Args:
        work: The work folder.
        inputs: Everything that the rows of the run's data set depend on, as JSON values.
        tagged: Shards of tagged problems.
        results: Shards made from them.
        answers: Folders of the masked LMs' answers.
    """
    needs = {
        TAGGED: sorted(map(key_of, tagged)),
        RESULTS: sorted({key_of(path) for path in results}),
        ANSWERS: sorted(folder.name for folder in answers),
    }
    write_json(_needs_file(work, inputs), needs)


def inventory(work: Path, record: Record | None) -> list[Stored]:
    """List the content of a work folder.

    Args:
        work: The work folder.
        record: The record of the data set made with it; None if there is none.
    """
    needs = None if record is None else _read_needs(work, inputs_of(record))
    stored = [*_answers(work, needs)]
    stored += _shards(TAGGED, [work / TAGGED_FOLDER], needs)
    stored += _shards(RESULTS, [work / folder for folder in RESULT_FOLDERS], needs)
    return stored


def drop(stored: Iterable[Stored]) -> None:
    """Delete files from a work folder. A run that needs them computes them again.

    Args:
        stored: All or some entries of `inventory`.
    """
    for entry in stored:
        for path in entry.paths:
            with disk_errors_as_input_errors(path.parent):
                if path.is_dir():
                    shutil.rmtree(path)
                else:
                    path.unlink()


def _needs_file(work: Path, inputs: JsonObject) -> Path:
    return work / RUNS_FOLDER / f"{sha256_of_json(inputs)[:32]}.json"


def _read_needs(work: Path, inputs: JsonObject) -> dict[str, set[str]] | None:
    """Return the keys or folder names that a run needs by kind; None if they were not recorded."""
    try:
        needs = read_json(_needs_file(work, inputs))
        return {kind: set(needs[kind]) for kind in (TAGGED, RESULTS, ANSWERS)}
    except (KeyError, TypeError):
        return None


def _answers(work: Path, needs: dict[str, set[str]] | None) -> Iterator[Stored]:
    for folder in sorted((work / ANSWERS_FOLDER).glob("*/")):
        cache_key = read_description(folder)
        masked_lm = cache_key.pop("masked_lm", None)
        cache_key.pop("pieces", None)
        needed = None if needs is None else folder.name in needs[ANSWERS]
        shards = sorted(folder.glob("*.parquet"))
        yield _stored(shards, (folder,), kind=ANSWERS, needed=needed, masked_lm=masked_lm, cache_key=cache_key)


def _shards(kind: str, folders: Iterable[Path], needs: dict[str, set[str]] | None) -> Iterator[Stored]:
    """Yield one entry for the shards that are needed and one for the others."""
    shards = [*chain.from_iterable(map(all_shards, folders))]
    by_need: dict[bool | None, list[Path]] = {True: [], False: [], None: []}
    for path in shards:
        by_need[None if needs is None else key_of(path) in needs[kind]].append(path)
    for needed, selected in by_need.items():
        if selected:
            yield _stored(selected, tuple(selected), kind=kind, needed=needed)


def _stored(shards: Sequence[Path], paths: tuple[Path, ...], **about: Any) -> Stored:  # noqa: ANN401 - other fields
    size = 0
    for path in paths:
        files = path.iterdir() if path.is_dir() else [path]
        size += sum(file.stat().st_size for file in files)
    return Stored(shards=len(shards), rows=sum(map(_rows, shards)), bytes=size, paths=paths, **about)


def _rows(path: Path) -> int:
    try:
        return int(pq.read_metadata(path).num_rows)
    except (pa.ArrowException, OSError):
        return 0


def inventory_table(work: Path, stored: Sequence[Stored]) -> Table:
    """Return the content of a work folder as a table.

    Args:
        work: The work folder.
        stored: What `generation.report.inventory.inventory` returned.
    """
    total = sum(entry.bytes for entry in stored) / BYTES_PER_MIB
    rows: list[tuple[Cell, ...]] = []
    for entry in stored:
        rows.append((_name(entry), entry.shards, entry.rows, entry.bytes / BYTES_PER_MIB, NEEDED[entry.needed]))
    columns = (Column("content", "left"), *map(Column, ("shards", "rows", "MiB")), Column("needed", "left"))
    return Table(title=f"{total:,.1f} MiB in {work}", columns=columns, rows=rows)


def _name(stored: Stored) -> str:
    """Name an entry; answers by their masked LM, its device, top-k, and the other options that are not the default."""
    if stored.kind != ANSWERS:
        return stored.kind
    default = {name: option.default for name, option in described(Options)}
    default["top_k"] = None  # so that it is always shown
    options = []
    for name, text in SHOWN_OPTIONS.items():
        value = stored.cache_key.get(name, default[name])
        if value != default[name]:
            options.append(text.format(value))
    return f"answers of {stored.masked_lm or 'a masked LM'} ({', '.join(options)})"
