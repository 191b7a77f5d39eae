"""Apply a corruption to any file, any table, the rows of one table, or the same row of every table."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from generation.output.write_data import REPEATED_COLUMNS
from merge_snli.dataset.parquet_files import parquet_writer
from merge_snli.schema import ALL, SEED, features

Row = dict[str, Any]
Rows = list[Row]
Change = Callable[[Path, random.Random], str]
"""Changes a folder or file and returns what was changed."""

ChangeOfRows = Callable[[Rows, random.Random], str]
ChangeOfRow = Callable[[Row, random.Random], None]


def any_file(folder: Path, rng: random.Random) -> Path:
    return rng.choice(sorted(path for path in folder.rglob("*") if path.is_file()))


def any_table(folder: Path, rng: random.Random) -> Path:
    return rng.choice(sorted(folder.glob("data/*/*.parquet")))


def in_any_file(change: Change) -> Change:
    return lambda folder, rng: change(any_file(folder, rng), rng)


def in_any_table(change: Change) -> Change:
    return lambda folder, rng: change(any_table(folder, rng), rng)


def rewrite(path: Path, table: pa.Table) -> None:
    """Write a table as a run does, so that only its content differs."""
    schema = own_schema(path)
    if table.schema.equals(schema, check_metadata=True):
        table = table.cast(schema)
    with parquet_writer(path, table.schema, dictionaries=REPEATED_COLUMNS) as writer:
        writer.write_table(table.combine_chunks())


def own_schema(path: Path) -> pa.Schema:
    """Return the schema of a file as a run writes it; pyarrow reads list items under another name."""
    run = json.loads((path.parents[2] / "run.json").read_text(encoding="utf-8"))
    options = run["options"]
    of = features(path.parent.name, run["label_names"], options["classes"], options.get("keep_column", ()))
    return of.arrow_schema


def read_rows(path: Path) -> Rows:
    rows: Rows = pq.read_table(path, partitioning=None).to_pylist()
    return rows


def write_rows(path: Path, rows: Rows) -> None:
    rewrite(path, pa.Table.from_pylist(rows, own_schema(path)))


def on_rows(change: ChangeOfRows, *, seeds: bool = False) -> Change:
    """Change the rows of one file of variants or seeds."""

    def apply(folder: Path, rng: random.Random) -> str:
        paths = sorted(path for path in folder.glob("data/*/*.parquet") if (path.parent.name == SEED) == seeds)
        path = rng.choice(paths)
        rows = read_rows(path)
        where = change(rows, rng)
        write_rows(path, rows)
        return f"{path.parent.name}/{path.name}: {where}"

    return apply


def everywhere(change: ChangeOfRow) -> Change:
    """Change one variant in every file that has it."""

    def apply(folder: Path, rng: random.Random) -> str:
        before = rng.choice(read_rows(folder / "data" / ALL / "test.parquet"))
        after = json.loads(json.dumps(before))
        change(after, rng)
        for path in sorted(folder.glob("data/*/*.parquet")):
            rows = read_rows(path)
            if before in rows:
                write_rows(path, [after if row == before else row for row in rows])
        changed = next((name for name in before if repr(before[name]) != repr(after[name])), "nothing")
        return f"{before['variant_id']}: {changed}"

    return apply
