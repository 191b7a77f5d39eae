"""Index which shard has the answer of which form, in a temporary SQLite database, to keep memory use constant."""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Sequence

from merge_snli.base.errors import explained

TABLE = "CREATE TABLE forms (key TEXT, shard INTEGER, row INTEGER)"
# Made when forms are first looked up: faster than an index that grows with each shard.
KEYS = "CREATE INDEX IF NOT EXISTS keys ON forms (key)"
QUERY = "SELECT key, shard, row FROM forms WHERE key IN (SELECT value FROM json_each(?))"
FULL = "cannot use a temporary index of stored answers (⟦reason⟧); free some space in TMPDIR"

# The row of each form key, by shard name.
Locations = dict[str, dict[str, int]]


class StoreIndex:
    """The index of one folder of shards, which SQLite deletes when it is closed.

    Attributes:
        shards: The names of the indexed shards.
    """

    def __init__(self) -> None:
        """Create an empty index."""
        self.shards: list[str] = []
        # Answers are stored in a thread, while nothing else uses the index.
        self._connection = sqlite3.connect("", check_same_thread=False)
        self._connection.execute(TABLE)

    def close(self) -> None:
        """Delete the index."""
        self._connection.close()

    def add(self, shard: str, keys: Sequence[str]) -> None:
        """Add a shard whose rows are the answers of these form keys, in this order."""
        rows = [(key, len(self.shards), row) for row, key in enumerate(keys)]
        self.shards.append(shard)
        with explained(sqlite3.DatabaseError, FULL), self._connection:
            self._connection.executemany("INSERT INTO forms VALUES (?, ?, ?)", rows)

    def remove(self, shard: str) -> None:
        """Remove the forms of a shard."""
        with explained(sqlite3.DatabaseError, FULL), self._connection:
            self._connection.execute("DELETE FROM forms WHERE shard = ?", [self.shards.index(shard)])

    def find(self, keys: Iterable[str]) -> Locations:
        """Return the locations of the answers of these forms; forms without an answer are left out."""
        locations: Locations = defaultdict(dict)
        with explained(sqlite3.DatabaseError, FULL):
            self._connection.execute(KEYS)
            for key, shard, row in self._connection.execute(QUERY, [json.dumps([*keys])]):
                locations[self.shards[shard]][key] = row
        return locations
