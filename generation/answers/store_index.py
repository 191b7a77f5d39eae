"""Index which shard has the answer of which form, in SQLite, to keep memory use constant."""

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from merge_snli.base.errors import InputError, param

KEYS_PER_QUERY = 500
TABLES = """
    CREATE TABLE IF NOT EXISTS shards (number INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL);
    CREATE TABLE IF NOT EXISTS forms (key BLOB PRIMARY KEY, shard INTEGER NOT NULL, row INTEGER NOT NULL) WITHOUT ROWID;
"""

# The row of each form key, by shard name.
Locations = dict[str, dict[str, int]]


class StoreIndex:
    """The index of one folder of shards. It can be rebuilt from the shards at any time."""

    def __init__(self, path: Path | None) -> None:
        """Open the index, or create an empty one if it is missing or damaged.

        Args:
            path: The index file; None for a temporary one that SQLite deletes when it is closed.
        """
        self._path = path
        try:
            self._open()
        except sqlite3.DatabaseError as error:
            self._discard(error)
            self._open()

    def _open(self) -> None:
        # Answers are stored in a thread, while nothing else uses the index.
        self._connection = sqlite3.connect(self._path or "", check_same_thread=False)
        # Safe if the process is killed; after a power failure the index is rebuilt.
        self._connection.execute("PRAGMA synchronous = OFF")
        self._connection.executescript(TABLES)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def shards(self) -> set[str]:
        """Return the names of the indexed shards."""
        with self._transaction() as connection:
            return {name for (name,) in connection.execute("SELECT name FROM shards")}

    def add(self, shard: str, keys: Sequence[str]) -> None:
        """Add a shard whose rows are the answers of these form keys, in this order."""
        with self._transaction() as connection:
            number = connection.execute("INSERT INTO shards (name) VALUES (?)", [shard]).lastrowid
            rows = ((bytes.fromhex(key), number, row) for row, key in enumerate(keys))
            connection.executemany("INSERT OR IGNORE INTO forms VALUES (?, ?, ?)", rows)

    def remove(self, shard: str) -> None:
        """Remove a shard and its forms."""
        with self._transaction() as connection:
            connection.execute("DELETE FROM forms WHERE shard = (SELECT number FROM shards WHERE name = ?)", [shard])
            connection.execute("DELETE FROM shards WHERE name = ?", [shard])

    def find(self, keys: Iterable[str]) -> Locations:
        """Return the locations of the answers of these forms; forms without an answer are left out."""
        locations: Locations = defaultdict(dict)
        remaining = iter(keys)
        with self._transaction() as connection:
            while batch := [bytes.fromhex(key) for key in islice(remaining, KEYS_PER_QUERY)]:
                query = (
                    "SELECT forms.key, shards.name, forms.row FROM forms JOIN shards ON forms.shard = shards.number "
                    f"WHERE forms.key IN ({','.join('?' * len(batch))})"
                )
                for key, shard, row in connection.execute(query, batch):
                    locations[shard][key.hex()] = row
        return locations

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """Run a block as one transaction, and turn SQLite errors into `InputError`."""
        try:
            with self._connection:
                yield self._connection
        except sqlite3.DatabaseError as error:
            self._discard(error)
            raise InputError(
                f"{self._path} was damaged ({error}) and has been deleted; run again to rebuild it"
            ) from error

    def _discard(self, error: sqlite3.DatabaseError) -> None:
        """Delete a damaged index file; refuse to go on after an error of the disk."""
        if isinstance(error, sqlite3.OperationalError) or self._path is None:
            what, advice = "a temporary index of stored answers", "free some space in TMPDIR"
            if self._path is not None:
                what = f"the index in {self._path.parent}"
                advice = (
                    f"free disk space or choose another folder with {param('work')}, then run again: finished work is "
                    "kept"
                )
            raise InputError(f"cannot use {what} ({error}); {advice}") from error
        self.close()  # Windows deletes no open file
        self._path.unlink(missing_ok=True)
