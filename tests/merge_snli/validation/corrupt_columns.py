"""Corrupt the columns of a table: names, order, types, nulls, features."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from tests.merge_snli.validation.corrupt_rows import other_letter
from tests.merge_snli.validation.targets import rewrite


def rename_a_column(path: Path, rng: random.Random) -> str:
    table = pq.read_table(path, partitioning=None)
    name = rng.choice(table.column_names)
    rewrite(
        path,
        table.rename_columns([other_letter(other, rng) if other == name else other for other in table.column_names]),
    )
    return str(name)


def drop_a_column(path: Path, rng: random.Random) -> str:
    table = pq.read_table(path, partitioning=None)
    name = rng.choice(table.column_names)
    rewrite(path, table.drop_columns([name]))
    return str(name)


def swap_columns(path: Path, rng: random.Random) -> str:
    table = pq.read_table(path, partitioning=None)
    one, other = rng.sample(range(table.num_columns), 2)
    order = list(range(table.num_columns))
    order[one], order[other] = order[other], order[one]
    rewrite(path, table.select(order))
    return f"columns {one} and {other}"


def other_type(path: Path, rng: random.Random) -> str:
    table = pq.read_table(path, partitioning=None)
    index = rng.randrange(table.num_columns)
    field = table.schema.field(index)
    kinds = {pa.string(): pa.large_string(), pa.int64(): pa.int32(), pa.float32(): pa.float64()}
    kind = kinds.get(field.type) or pa.large_list(field.type.value_type)
    rewrite(path, table.set_column(index, pa.field(field.name, kind), table.column(index).cast(kind)))
    return str(field.name)


def null_value(path: Path, rng: random.Random) -> str:
    table = pq.read_table(path, partitioning=None)
    index = rng.randrange(table.num_columns)
    values = table.column(index).to_pylist()
    values[rng.randrange(len(values))] = None
    rewrite(path, table.set_column(index, table.field(index), pa.array(values, table.field(index).type)))
    return str(table.column_names[index])


def other_features(path: Path, rng: random.Random) -> str:
    table = pq.read_table(path, partitioning=None)
    metadata = json.loads(table.schema.metadata[b"huggingface"])
    names = metadata["info"]["features"]["label"]["names"]
    names[0], names[1] = names[1], names[0]
    kept = rng.choice((None, {b"huggingface": json.dumps(metadata).encode()}, {b"huggingface": b"{"}))
    rewrite(path, table.replace_schema_metadata(kept))
    return f"{path.name}: {'no' if kept is None else 'other'} features"
