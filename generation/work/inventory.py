"""What a work folder holds, and which of it a data set needs to be made again without asking a masked LM."""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from generation.answers import cache_key as shelf
from generation.answers import store
from generation.sentences import tagged_shards
from generation.variants import variant_shards as results
from generation.work.shards import all_shards, key_of
from merge_snli.files import disk_errors_as_input_errors, sha256_of_json, write_json
from merge_snli.record import as_json, inputs_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from generation.output.record import RunInputs
    from generation.variants.variant_shards import Result
    from merge_snli.record import Inputs, Record

NEEDS_FOLDER = "runs"
TAGGED, RESULTS, ANSWERS = "tagged problems", "results", "answers"

Json = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Stored:
    """One kind of thing in a work folder.

    Attributes:
        kind: `answers` of a masked LM, `tagged problems`, or `results`.
        masked_lm: Whose answers, else None.
        how: What else the answers depend on, by option; empty for other kinds.
        needed: Whether the data set needs it; None where that is not known.
        shards: How many files.
        rows: How many forms, problems or variants and seeds these hold.
        bytes: How large they are.
        paths: The files, or the folder of the answers.
    """

    kind: str
    masked_lm: str | None
    how: Json
    needed: bool | None
    shards: int
    rows: int
    bytes: int
    paths: tuple[Path, ...]

    def as_dict(self) -> Json:
        """Return everything but the paths as plain JSON values."""
        return {name: value for name, value in asdict(self).items() if name != "paths"}


def note_needs(work: Path, sources: RunInputs, shards: Sequence[Path], made: Sequence[Result]) -> None:
    """Write down which shards a run needs.

    Args:
        work: The work folder.
        sources: All that the rows of its data set depend on.
        shards: Its tagged shards.
        made: What came of them.
    """
    of_results = [key_of(path) for each in made for path in (each.seeds, each.standalone)]
    keys = {TAGGED: [key_of(shard) for shard in shards], RESULTS: of_results}
    write_json(_needs_file(work, sources.recorded()), keys)


def inventory(work: Path, record: Record | None) -> list[Stored]:
    """List what a work folder holds.

    Args:
        work: The work folder.
        record: The record of the data set that was made with it, None where there is none.
    """
    needs = _read_needs(work, record)
    return [
        *_answers(work, record),
        *_shards(TAGGED, [work / tagged_shards.FOLDER], needs),
        *_shards(RESULTS, [work / folder for folder in results.FOLDERS], needs),
    ]


def drop(stored: Iterable[Stored]) -> None:
    """Delete things from a work folder; a run that needs them makes them again.

    Args:
        stored: What `inventory` gave, or a part of it.

    Raises:
        InputError: Where they may not be deleted.
    """
    for each in stored:
        for path in each.paths:
            with disk_errors_as_input_errors(path.parent):
                if path.is_dir():
                    shutil.rmtree(path)
                else:
                    path.unlink()


def _needs_file(work: Path, inputs: Inputs) -> Path:
    return work / NEEDS_FOLDER / f"{sha256_of_json(as_json(inputs))[:32]}.json"


def _read_needs(work: Path, record: Record | None) -> dict[str, set[str]] | None:
    """Return the keys of the shards that a data set needs by their kind, None where that is not known."""
    if record is None:
        return None
    try:
        needs = json.loads(_needs_file(work, inputs_of(record)).read_text(encoding="utf-8"))
        return {kind: set(needs[kind]) for kind in (TAGGED, RESULTS)}
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _answers(work: Path, record: Record | None) -> Iterator[Stored]:
    needed = None if record is None else {each.folder(work) for each in shelf.recorded_cache_keys(record)}
    for folder in sorted(path for path in (work / shelf.FOLDER).glob("*") if path.is_dir()):
        how = store.read_description(folder) or {}
        files = sorted(folder.glob("*.parquet"))
        yield Stored(
            kind=ANSWERS,
            masked_lm=how.get("masked_lm"),
            how={name: value for name, value in how.items() if name not in {"masked_lm", "pieces"}},
            needed=None if needed is None else folder in needed,
            shards=len(files),
            rows=sum(map(_rows, files)),
            bytes=sum(path.stat().st_size for path in folder.iterdir()),
            paths=(folder,),
        )


def _shards(kind: str, folders: Sequence[Path], needs: dict[str, set[str]] | None) -> Iterator[Stored]:
    """Yield the shards of a kind that are needed, then those that are not, each as one entry."""
    files = [path for folder in folders for path in all_shards(folder)]
    for needed in (True, False) if needs is not None else (None,):
        of_kind = tuple(path for path in files if needs is None or (key_of(path) in needs[kind]) == needed)
        if of_kind:
            yield Stored(
                kind=kind,
                masked_lm=None,
                how={},
                needed=needed,
                shards=len(of_kind),
                rows=sum(map(_rows, of_kind)),
                bytes=sum(path.stat().st_size for path in of_kind),
                paths=of_kind,
            )


def _rows(path: Path) -> int:
    try:
        return int(pq.read_metadata(path).num_rows)
    except (pa.ArrowException, OSError):
        return 0
