"""Join the tables of answers with the data that they are on: log-odds, labels of annotators, and sentences."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from merge_snli.base.arrays import Ints
from merge_snli.base.errors import InputError
from merge_snli.scoring.data import ScoredData
from merge_snli.scoring.opening import open_config
from merge_snli.scoring.records import DatasetRecord
from merge_snli.scoring.statistics import ratios

LOG_ODDS = "log_odds"


def open_whole(data: object, record: DatasetRecord) -> ScoredData:
    """Return the whole data that a result is on.

    Args:
        data: The data, or what `merge_snli.score` takes as its data set.
        record: What the result records about it.

    Raises:
        InputError: If the data cannot be read, or the result is on other data.
    """
    if not isinstance(data, ScoredData):
        of_file = record.group_column if record.config is None else None
        data = open_config(data, record.config, group_column=of_file)
    if (record.whole, record.config) != (data.digest, data.config):
        raise InputError(
            f"a result is on {record.title}, config {record.config} ({record.whole[:8]}), not on {data.place} "
            f"({data.digest[:8]})"
        )
    return data


def with_data(table: pa.Table, data: ScoredData, *, with_text: bool) -> pa.Table:
    """Add columns of the data to a table of answers.

    Args:
        table: The table.
        data: The whole data that it is on.
        with_text: Whether to add the sentences, `premise` and `hypothesis`, whose terms apply.

    Returns:
        The table with the log-odds of each variant; with labels of annotators also the share who gave the gold label to
        the seed in `agreement`, and those of each label, as `annotators:LABEL`.
    """
    rows = _positions(table["row_id"], data.row_ids)
    groups = _positions(table["group_id"].cast(pa.string()), pa.array(data.group_ids, pa.string()))
    of_seeds = table["is_seed"].to_numpy()
    if LOG_ODDS in data.table.column_names:
        positions = pa.array(rows, mask=of_seeds | (rows < 0))
        table = table.append_column(LOG_ODDS, data.table[LOG_ODDS].combine_chunks().take(positions))
    if data.annotators is not None:
        counts = data.annotators[groups]
        shares = ratios(counts, np.repeat(counts.sum(axis=1, keepdims=True), counts.shape[1], axis=1))
        table = table.append_column("agreement", pa.array(data.agreement()[groups], from_pandas=True))
        for name, column in zip(data.label_names, shares.T, strict=True):
            table = table.append_column(f"annotators:{name}", pa.array(column, from_pandas=True))
    if with_text:
        pairs = (
            data.row_pairs[rows]
            if data.seeds is None
            else np.where(of_seeds, data.seeds.pairs[groups], data.row_pairs[rows])
        )
        for at, name in enumerate(("premise", "hypothesis")):
            table = table.append_column(name, pa.array([data.pairs[pair][at] for pair in pairs.tolist()]))
    return table


def _positions(ids: pa.ChunkedArray, among: pa.Array | pa.ChunkedArray) -> Ints:
    return np.asarray(pc.index_in(ids, value_set=among).fill_null(-1).to_numpy(), dtype=np.int64)
