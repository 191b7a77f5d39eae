"""The index of the store: which shard has the answer to which form, on disk, so that memory does not grow with it."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING

from merge_snli.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

KEYS_A_QUERY = 500
TABLES = """
    CREATE TABLE IF NOT EXISTS shards (number INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL);
    CREATE TABLE IF NOT EXISTS forms (key BLOB PRIMARY KEY, shard INTEGER NOT NULL, row INTEGER NOT NULL) WITHOUT ROWID;
"""

Places = dict[str, dict[str, int]]
"""By the shard's name, the row of each form's key."""


class StoreIndex:
    """The index of one folder of shards; it can be lost at any time, since the shards themselves say all it says."""

    def __init__(self, path: Path) -> None:
        """Open the index, or begin an empty one where there is none or it is damaged.

        Args:
            path: Its file.

        Raises:
            InputError: Where the disk is full or may not be written.
        """
        self._path = path
        try:
            self._open()
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError):
                raise _mendable(error, path) from error
            path.unlink()
            self._open()

    def _open(self) -> None:
        self._connection = sqlite3.connect(self._path)
        # A killed process loses nothing so, and after a power cut the index is made again.
        self._connection.execute("PRAGMA synchronous = OFF")
        self._connection.executescript(TABLES)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def shards(self) -> set[str]:
        """Return the names of the shards that the index knows."""
        with self._written() as connection:
            return {name for (name,) in connection.execute("SELECT name FROM shards")}

    def forms(self) -> int:
        """Return how many forms have an answer."""
        with self._written() as connection:
            return int(connection.execute("SELECT count(*) FROM forms").fetchone()[0])

    def add(self, shard: str, keys: Sequence[str]) -> None:
        """Add a shard whose rows answer the forms of these keys, in this order."""
        with self._written() as connection:
            number = connection.execute("INSERT INTO shards (name) VALUES (?)", [shard]).lastrowid
            rows = ((bytes.fromhex(key), number, row) for row, key in enumerate(keys))
            connection.executemany("INSERT OR IGNORE INTO forms VALUES (?, ?, ?)", rows)

    def remove(self, shard: str) -> None:
        """Forget a shard and what it answers."""
        with self._written() as connection:
            connection.execute("DELETE FROM forms WHERE shard = (SELECT number FROM shards WHERE name = ?)", [shard])
            connection.execute("DELETE FROM shards WHERE name = ?", [shard])

    def find(self, keys: Iterable[str]) -> Places:
        """Return where the answers to these forms are; a form without one is not there."""
        places: Places = defaultdict(dict)
        every = iter(keys)
        with self._written() as connection:
            while part := [bytes.fromhex(key) for key in islice(every, KEYS_A_QUERY)]:
                query = (
                    "SELECT forms.key, shards.name, forms.row FROM forms JOIN shards ON forms.shard = shards.number "
                    f"WHERE forms.key IN ({','.join('?' * len(part))})"
                )
                for key, shard, row in connection.execute(query, part):
                    places[shard][key.hex()] = row
        return places

    @contextmanager
    def _written(self) -> Iterator[sqlite3.Connection]:
        """Keep what was done together, and say in one sentence what a user can mend."""
        try:
            with self._connection:
                yield self._connection
        except sqlite3.OperationalError as error:
            raise _mendable(error, self._path) from error
        except sqlite3.DatabaseError as error:
            self._path.unlink(missing_ok=True)
            raise InputError(f"{self._path} was damaged ({error}) and is made again: run again") from error


def _mendable(error: sqlite3.Error, path: Path) -> InputError:
    return InputError(
        f"{path.parent} cannot be used ({error}): free some room or choose another folder with --work, then run again; "
        "what was done is kept"
    )
