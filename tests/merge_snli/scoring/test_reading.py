"""Test reading seeds, variants and distinct pairs."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from merge_snli.dataset.stored import find_dataset
from merge_snli.scoring.data import pair_digest
from merge_snli.scoring.reading import read_config
from tests.oracles import known, refused


def with_cell(table: pa.Table, column: str, row: int, value: Any) -> pa.Table:  # noqa: ANN401
    values = table.column(column).to_pylist()
    values[row] = value
    field = table.schema.field(column)
    return table.set_column(table.schema.get_field_index(column), field, pa.array(values, field.type))


def test_pairs_are_distinct(dataset: Path) -> None:
    data = read_config(find_dataset(str(dataset)), "all")
    rows = pq.read_table(dataset / "data/all/test.parquet").to_pylist()
    subsamples, distinct = data.subsamples, set(data.pairs)
    assert subsamples is not None
    assert len(distinct) == len(data.pairs)
    assert [data.pairs[index] for index in data.row_pairs] == [(row["premise"], row["hypothesis"]) for row in rows]
    assert [data.group_ids[index] for index in data.row_groups] == [row["seed_id"] for row in rows]
    assert [np.flatnonzero(column).tolist() for column in subsamples.T] == [row["subsamples"] for row in rows]


@pytest.mark.parametrize("config", ["all", "noun", "verb", "adj"])
def test_seeds_are_those_of_the_config(dataset: Path, config: str) -> None:
    data = read_config(find_dataset(str(dataset)), config)
    expected = set(pq.read_table(dataset / f"data/{config}/test.parquet").column("seed_id").to_pylist())
    rows = {row["seed_id"]: row for row in pq.read_table(dataset / "data/seed/test.parquet").to_pylist()}
    seeds = known(data.seeds)
    assert set(data.group_ids) == expected
    for seed_id, pair, label in zip(data.group_ids, seeds.pairs, seeds.labels, strict=True):
        assert data.pairs[pair] == (rows[seed_id]["premise"], rows[seed_id]["hypothesis"])
        assert label == rows[seed_id]["label"]


def undrawn(table: pa.Table) -> pa.Table:
    for row in range(table.num_rows):
        table = with_cell(table, "subsamples", row, [])
    return table


CHANGES: list[tuple[str, Callable[[pa.Table], pa.Table], str]] = [
    ("seed", lambda table: table, r"config seed of .* all, noun, verb"),
    ("adv", lambda table: table, r"config adv of .* all, noun, verb, adj"),
    ("all", lambda table: table.drop_columns(["seed_premise"]), r"'seed_premise'.* variant_id, seed_id"),
    ("all", lambda table: with_cell(table, "label", 1, 2), r"variants of seed s000 in .*different"),
    ("all", lambda table: with_cell(table, "label", 0, -1), r"seed s000 in .* has the label -1"),
    ("all", lambda table: table.slice(0, 0), "has no rows"),
    ("all", undrawn, r"config all of .* no subsamples"),
]


@pytest.mark.parametrize(("config", "change", "message"), CHANGES)
def test_data_that_cannot_be_scored_are_refused(
    dataset: Path, tmp_path: Path, config: str, change: Callable[[pa.Table], pa.Table], message: str
) -> None:
    shutil.copytree(dataset, tmp_path / "data")
    path = tmp_path / "data" / "data/all/test.parquet"
    pq.write_table(change(pq.read_table(path).slice(0, 60)), path)
    refused(message, read_config, find_dataset(str(tmp_path / "data")), config)


def test_digest_separates_premise_and_hypothesis() -> None:
    assert pair_digest(("a b", "c")) != pair_digest(("a ", "bc"))
    assert pair_digest(("é", "c")) == pair_digest(("é", "c"))
