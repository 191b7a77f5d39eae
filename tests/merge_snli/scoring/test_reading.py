"""Test reading seeds, variants and distinct pairs."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from merge_snli.base.errors import InputError
from merge_snli.dataset.stored import find_dataset
from merge_snli.scoring.data import pair_digest
from merge_snli.scoring.reading import read_config


def rewrite(folder: Path, change: Callable[[pa.Table], pa.Table]) -> None:
    path = folder / "data/all/test.parquet"
    pq.write_table(change(pq.read_table(path)), path)


def with_cell(table: pa.Table, column: str, row: int, value: Any) -> pa.Table:  # noqa: ANN401
    values = table.column(column).to_pylist()
    values[row] = value
    field = table.schema.field(column)
    return table.set_column(table.schema.get_field_index(column), field, pa.array(values, field.type))


@pytest.fixture
def folder(make_dataset: Callable[..., Path], tmp_path: Path) -> Path:
    return make_dataset(tmp_path / "data", seeds=3)


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
    seeds = data.seeds
    assert seeds is not None
    assert set(data.group_ids) == expected
    for seed_id, pair, label in zip(data.group_ids, seeds.pairs, seeds.labels, strict=True):
        assert data.pairs[pair] == (rows[seed_id]["premise"], rows[seed_id]["hypothesis"])
        assert label == rows[seed_id]["label"]


def test_seed_config_is_refused(dataset: Path) -> None:
    with pytest.raises(InputError, match=r"config seed of .* all, noun, verb"):
        read_config(find_dataset(str(dataset)), "seed")


def test_unknown_config_is_refused_with_the_available_ones(dataset: Path) -> None:
    with pytest.raises(InputError, match=r"config adv of .* all, noun, verb, adj"):
        read_config(find_dataset(str(dataset)), "adv")


def test_missing_column_is_named(folder: Path) -> None:
    rewrite(folder, lambda table: table.drop_columns(["seed_premise"]))
    with pytest.raises(InputError, match=r"'seed_premise'.* variant_id, seed_id"):
        read_config(find_dataset(str(folder)), "all")


def test_seed_with_two_labels_is_refused(folder: Path) -> None:
    rewrite(folder, lambda table: with_cell(table, "label", 1, 2))
    with pytest.raises(InputError, match=r"variants of seed s000 in .*different"):
        read_config(find_dataset(str(folder)), "all")


def test_seed_without_gold_label_is_refused(folder: Path) -> None:
    rewrite(folder, lambda table: with_cell(table, "label", 0, -1))
    with pytest.raises(InputError, match=r"seed s000 in .* has the label -1"):
        read_config(find_dataset(str(folder)), "all")


def test_config_without_rows_is_refused(folder: Path) -> None:
    rewrite(folder, lambda table: table.slice(0, 0))
    with pytest.raises(InputError, match="has no rows"):
        read_config(find_dataset(str(folder)), "all")


def test_config_without_subsamples_is_refused(folder: Path) -> None:
    def undrawn(table: pa.Table) -> pa.Table:
        for row in range(table.num_rows):
            table = with_cell(table, "subsamples", row, [])
        return table

    rewrite(folder, undrawn)
    with pytest.raises(InputError, match=r"config all of .* no subsamples"):
        read_config(find_dataset(str(folder)), "all")


def test_digest_separates_premise_and_hypothesis() -> None:
    assert pair_digest(("a b", "c")) != pair_digest(("a ", "bc"))
    assert pair_digest(("é", "c")) == pair_digest(("é", "c"))
