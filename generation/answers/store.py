"""The store of what masked LMs answered: shards on disk, found again by content, never asked twice."""

from __future__ import annotations

import hashlib
import json
import logging
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from generation.answers.answer import SHARD_SCHEMA, Answer, answers_of, row_of
from generation.answers.cache_key import CacheKey, cache_key_of
from generation.answers.store_index import StoreIndex
from generation.masked_lms.loading import check_masked_lm
from generation.work.folder import DESCRIPTION_FILE
from merge_snli.errors import InputError
from merge_snli.files import disk_errors_as_input_errors, sha256_of_file, write_bytes, write_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from contextlib import ExitStack
    from pathlib import Path
    from types import TracebackType

    from generation.options import Options
    from merge_snli.inference.models import ResolvedModel

logger = logging.getLogger(__name__)

INDEX_FILE = "index.sqlite"

ROWS_PER_GROUP = 256


class Store:
    """The answers of one masked LM in a work folder. Its index is open, and it remembers which shards it has checked.

    Attributes:
        folder: Where its shards lie.
    """

    def __init__(self, work: Path, shelf: CacheKey) -> None:
        """Open the store, and bring its index up to date with the shards that are there.

        Args:
            work: The work folder.
            shelf: Whose answers.

        Raises:
            InputError: Where the work folder cannot be written.
        """
        self.folder = shelf.folder(work)
        with disk_errors_as_input_errors(work):
            self.folder.mkdir(parents=True, exist_ok=True)
        self._shelf = shelf
        self._index = StoreIndex(self.folder / INDEX_FILE)
        self._whole: set[str] = set()
        self._catch_up()

    def __enter__(self) -> Store:
        """Return the store itself."""
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        """Close the index."""
        self._index.close()

    def describe(self, pieces: int) -> None:
        """Write down whose answers these are, and how many pieces the masked LM's vocabulary has."""
        write_json(self.folder / DESCRIPTION_FILE, {**asdict(self._shelf), "pieces": pieces})

    def pieces(self) -> int | None:
        """Return how many pieces the masked LM's vocabulary has, None where that was not written down yet."""
        described = read_description(self.folder)
        return None if described is None else int(described["pieces"])

    def missing(self, keys: Iterable[str]) -> set[str]:
        """Return the keys of forms that have no answer yet; a damaged shard answers nothing and is deleted."""
        wanted = set(keys)
        places = self._index.find(wanted)
        return wanted.difference(*(rows for shard, rows in places.items() if self._is_whole(shard)))

    def save(self, answers: Mapping[str, Answer]) -> None:
        """Write answers as one more shard.

        Args:
            answers: By the form's key.

        Raises:
            InputError: Where the disk is full; no torn shard is left.
        """
        rows = sorted(answers.items())
        content = pa.BufferOutputStream()
        table = pa.Table.from_pylist([row_of(key, answer) for key, answer in rows], SHARD_SCHEMA)
        pq.write_table(table, content, compression="zstd", row_group_size=ROWS_PER_GROUP)
        shard = content.getvalue().to_pybytes()
        name = hashlib.sha256(shard).hexdigest()
        write_bytes(self._path(name), shard)
        if name not in self._index.shards():
            self._index.add(name, [key for key, _ in rows])
        self._whole.add(name)

    def load(self, keys: Iterable[str]) -> dict[str, Answer]:
        """Return the answers to those of the forms that have one.

        Args:
            keys: Keys of forms.

        Raises:
            InputError: Where a shard cannot be read that could be read before.
        """
        answers: dict[str, Answer] = {}
        for shard, rows in self._index.find(keys).items():
            if self._is_whole(shard):
                answers.update(answers_of(self._read(shard, rows), rows))
        return answers

    def _read(self, shard: str, rows: Mapping[str, int]) -> pa.Table:
        try:
            with pq.ParquetFile(self._path(shard)) as file:
                return file.read_row_groups(sorted({row // ROWS_PER_GROUP for row in rows.values()}))
        except (pa.ArrowException, OSError) as error:
            raise InputError(f"{self._path(shard)} can no longer be read ({error}): run again") from error

    def _path(self, shard: str) -> Path:
        return self.folder / f"{shard}.parquet"

    def _catch_up(self) -> None:
        """Add the shards that the index does not know, and forget those that are gone."""
        known, there = self._index.shards(), {path.stem for path in self.folder.glob("*.parquet")}
        for shard in sorted(known - there):
            self._index.remove(shard)
        for shard in sorted(there - known):
            if self._is_whole(shard):
                self._index.add(shard, pq.read_table(self._path(shard), columns=["form"])["form"].to_pylist())

    def _is_whole(self, shard: str) -> bool:
        """Tell whether a shard's bytes are those that its name stands for; one whose are not is deleted."""
        if shard in self._whole:
            return True
        path = self._path(shard)
        if sha256_of_file(path) != shard:
            logger.warning("%s is damaged and is made again", path)
            path.unlink()
            self._index.remove(shard)
            return False
        self._whole.add(shard)
        return True


Stores = dict[str, Store]
"""The open stores of a run by masked LM."""


def open_stores(
    work: Path, sources: Sequence[ResolvedModel], options: Options, device: str, stack: ExitStack
) -> Stores:
    """Open the stores of a run's masked LMs, each closed with `stack`.

    Those that have not answered yet are checked, so that a wrong one is told of before any work is spent.

    Args:
        work: The work folder.
        sources: The masked LMs.
        options: The run's choices.
        device: The kind of device that they run on.
        stack: Closes the stores.

    Raises:
        InputError: Where a masked LM is none, or the work folder cannot be written.
    """
    stores = {}
    for source in sources:
        stores[source.name] = stack.enter_context(Store(work, cache_key_of(source, options, device)))
        if stores[source.name].pieces() is None:
            check_masked_lm(source)
    return stores


def read_description(folder: Path) -> dict[str, Any] | None:
    """Return the fields of `CacheKey` and `pieces` that a folder of the store was made for; None if they are lost."""
    try:
        described = json.loads((folder / DESCRIPTION_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return described if isinstance(described, dict) and isinstance(described.get("pieces"), int) else None
