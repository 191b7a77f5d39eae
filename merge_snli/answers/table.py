"""The answers of a model as a table, which is stored beside its result: one row per predicted row, and one per seed.

Columns are plain, so that `datasets`, pandas, Polars, DuckDB and the Hub's viewer read them: `row_id`, `group_id`,
`is_seed`, `label` (gold) and `answer` in the compared labels, `unread` (why there is no answer), `subsamples`, the
replaced word (`word_class`, `original`, `replacement`) or the values of `--by` columns, `probability:LABEL`, and of
language models `replies`, `log_likelihoods` or both.
"""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from merge_snli.answers.answers import Answers, Graded
from merge_snli.answers.data import ANSWER_COLUMNS, ScoredData, positions_among, subsample_masks
from merge_snli.base.arrays import Bools, Floats, Ints
from merge_snli.base.limits import open_parquet
from merge_snli.models.labels import Missing
from merge_snli.statistics import ratios

PROBABILITY = "probability:"
LOG_LIKELIHOODS, LOG_ODDS = "log_likelihoods", "log_odds"
# Why a model that is not a language model has no answer.
NO_ANSWER = "no answer"
# What a language model replied to a pair, in order: `unread` is why no label is read, `read_by` the language model that
# read the label.
REPLIES = pa.list_(
    pa.struct({"label": pa.string(), "text": pa.string(), "unread": pa.string(), "read_by": pa.string()})
)
REQUIRED = {
    "row_id": pa.string(),
    "group_id": pa.string(),
    "is_seed": pa.bool_(),
    "label": pa.string(),
    "answer": pa.string(),
    "unread": pa.string(),
}
# The columns of texts that repeat.
REPEATED = ("group_id", "label", "answer", "unread", "word_class", "original", "replacement")
# The columns with which rows are counted by group.
COUNTED_COLUMNS = ("group_id", "is_seed", "label", "answer", "subsamples")
# How far the probabilities of a row, which are float32, may be from adding up to 1.
SUM_TOLERANCE = 1e-5


def to_table(answers: Answers) -> pa.Table:
    """Return the table of some answers: seeds in the order of the groups, then rows in theirs.

    Args:
        answers: The answers; none is `NOT_PREDICTED`.
    """
    ids = pa.array(answers.group_ids, pa.string())
    own = {}
    if answers.subsamples is not None:
        own["subsamples"] = _numbers(answers.subsamples, answers.subsample or 0)
    for name in answers.table.column_names:
        if name != "row_id":
            own[name] = answers.table[name]
    rows = _block(answers, answers.labels, answers.row_ids, ids.take(pa.array(answers.groups)), own)
    if answers.seeds is None:
        return rows
    seeds = _block(answers.seeds, answers.labels, ids, ids, None)
    return pa.concat_tables([seeds, rows], promote_options="default").select(rows.column_names)


def _block(
    graded: Graded, labels: Sequence[str], row_ids: pa.Array, group_ids: pa.Array, own: dict[str, pa.Array] | None
) -> pa.Table:
    """Return the table of rows, or of seeds if they have no columns of their own."""
    names = pa.array(labels, pa.string())
    missing = graded.predicted < 0
    details = {}
    if graded.details is not None:
        details = {name: graded.details[name] for name in graded.details.column_names}
    why = details.pop("unread", pa.nulls(len(missing), pa.string()))
    columns = {
        "row_id": row_ids,
        "group_id": group_ids,
        "is_seed": pa.array(np.full(len(missing), own is None)),
        "label": names.take(pa.array(graded.gold)),
        "answer": names.take(pa.array(graded.predicted, mask=missing)),
    }
    columns["unread"] = pc.if_else(missing, pc.coalesce(why, pa.scalar(NO_ANSWER)), pa.scalar(None, pa.string()))
    columns |= own or {}
    if graded.probabilities is not None:
        for label, shares in zip(labels, graded.probabilities.T.astype(np.float32), strict=True):
            columns[f"{PROBABILITY}{label}"] = pa.array(shares, from_pandas=True)
    return pa.table(columns | details)


def _numbers(subsamples: Bools, first: int) -> pa.ListArray:
    """Return the numbers of the subsamples that have each row, [n_rows]."""
    _, numbers = np.nonzero(subsamples.T)
    numbers += first
    ends = np.concatenate([[0], np.cumsum(subsamples.sum(axis=0))])
    return pa.ListArray.from_arrays(pa.array(ends, pa.int32()), pa.array(numbers, pa.int32()))


def to_bytes(table: pa.Table) -> bytes:
    """Return the Parquet file of a table of answers."""
    plain = {"row_id": "DELTA_BYTE_ARRAY"}
    texts = []
    for name in table.column_names:
        if name.startswith(PROBABILITY):
            plain[name] = "BYTE_STREAM_SPLIT"
        elif name not in ("row_id", "is_seed", "replies", LOG_LIKELIHOODS):
            texts.append(name)
    sink = pa.BufferOutputStream()
    table = without_dictionaries(table).replace_schema_metadata()
    pq.write_table(table, sink, compression="zstd", use_dictionary=texts, column_encoding=plain)
    return bytes(sink.getvalue())


def without_dictionaries(table: pa.Table) -> pa.Table:
    """Return a table whose dictionary columns have their values instead."""
    schema = [(column.name, _undictionary(column.type)) for column in table.schema]
    return table.cast(pa.schema(schema))


def _undictionary(of: pa.DataType) -> pa.DataType:
    return of.value_type if pa.types.is_dictionary(of) else of


def from_bytes(content: bytes, columns: Sequence[str] | None = None, *, name: object = None) -> pa.Table:
    """Read the Parquet file of a table of answers; texts that repeat are dictionary arrays.

    Args:
        content: The file.
        columns: The columns to read if the table has them; None for all.
        name: The file, whose size is to be checked; None for a file that was checked.

    Raises:
        ValueError: If it is not one.
        InputError: If it is too large.
    """
    try:
        if name is not None:
            open_parquet(content, name=name).close()
        there = pq.read_schema(pa.BufferReader(content)).names
        texts = [column for column in REPEATED if column in there]
        file = pq.ParquetFile(pa.BufferReader(content), read_dictionary=texts)
        return file.read([column for column in there if columns is None or column in columns])
    except (pa.ArrowException, OSError) as error:
        raise ValueError("the table of answers is not a Parquet file") from error


def check_table(table: pa.Table, n_subsamples: int | None) -> None:
    """Check what `from_table` relies on.

    Args:
        table: The table, as `from_bytes` returns it.
        n_subsamples: Number of subsamples; None if the data has none.

    Raises:
        ValueError: If a column is missing or has another type or an empty value, the seeds are not the first rows, an
            id is not unique, or a group has no seed or no row.
    """
    _check_columns(table, n_subsamples)
    on_seeds, rows = _seeds_and_rows(table)
    if not pc.all(on_seeds["is_seed"], min_count=0).as_py():
        raise ValueError("the seeds are not the first rows")
    of_seeds = pc.unique(on_seeds["group_id"])
    of_rows = pc.unique(rows["group_id"])
    if len(pc.unique(rows["row_id"])) < len(rows) or len(of_seeds) < len(on_seeds):
        raise ValueError("an id is not unique")
    if len(of_seeds) and {*of_seeds.to_pylist()} != {*of_rows.to_pylist()}:
        raise ValueError("a group has no seed, or a seed no row")


def _seeds_and_rows(table: pa.Table) -> tuple[pa.Table, pa.Table]:
    """Return the rows of a table on seeds, which are the first, and the others."""
    seeds = int(np.count_nonzero(table["is_seed"].to_numpy()))
    return table.slice(0, seeds), table.slice(seeds)


def from_table(
    table: pa.Table, labels: Sequence[str], n_subsamples: int | None, subsample: int | None = None
) -> Answers:
    """Return the answers in a table, of which columns besides `COUNTED_COLUMNS` may be left out.

    Args:
        table: The table, as `from_bytes` returns it, which was checked.
        labels: The compared labels.
        n_subsamples: Number of subsamples; None if the data has none.
        subsample: The number of the only subsample, of answers to the rows of one. Earlier versions stored it as 0.

    Raises:
        ValueError: If a value is not valid.
    """
    on_seeds, rows = _seeds_and_rows(table)
    ids = pc.unique(table["group_id"]).cast(pa.string())
    of_answers = {*ANSWER_COLUMNS, LOG_LIKELIHOODS} - {"row_id"}
    about = [name for name in table.column_names if name not in of_answers and not name.startswith(PROBABILITY)]
    return Answers(
        labels=tuple(labels),
        table=rows.select(about),
        group_ids=tuple(ids.to_pylist()),
        groups=positions_among(rows["group_id"], ids),
        subsamples=None if n_subsamples is None else subsample_masks(rows["subsamples"], n_subsamples, subsample),
        subsample=subsample,
        seeds=_graded(on_seeds, labels) if len(on_seeds) else None,
        **vars(_graded(rows, labels)),
    )


def _graded(block: pa.Table, labels: Sequence[str]) -> Graded:
    """Return the gold and predicted labels of rows or seeds, and the probabilities and replies if there are any."""
    gold = _label_numbers(block["label"], labels)
    predicted = _label_numbers(block["answer"], labels)
    if (gold < 0).any():
        raise ValueError("a row has no label")
    details = [name for name in ("unread", "replies", LOG_LIKELIHOODS) if name in block.column_names]
    replies = block.select(details) if len(details) > 1 else None
    probabilities = _probabilities(block, labels)
    if probabilities is not None:
        sums = probabilities.sum(axis=1)
        may_be_unknown = np.isnan(sums) & ((predicted < 0) | (replies is not None))
        if not (np.isclose(sums, 1, atol=SUM_TOLERANCE) | may_be_unknown).all():
            raise ValueError("the probabilities of a row do not add up to 1")
    return Graded(predicted, probabilities, replies, gold=gold)


def _probabilities(block: pa.Table, labels: Sequence[str]) -> Floats | None:
    named = [f"{PROBABILITY}{label}" for label in labels]
    there = [name for name in named if name in block.column_names]
    if not there:
        return None
    if there != named:
        raise ValueError("the table of answers has probabilities of some labels only")
    return np.stack([block[name].to_numpy() for name in named], axis=1).astype(np.float64)


def _check_columns(table: pa.Table, n_subsamples: int | None) -> None:
    types = {column.name: _undictionary(column.type) for column in table.schema}
    needed = dict(REQUIRED)
    if n_subsamples is not None:
        needed["subsamples"] = pa.list_(pa.int32())
    for name, needs in needed.items():
        if types.get(name) != needs:
            raise ValueError(f"the table of answers has no column {name} of type {needs}")
    for name in ("row_id", "group_id", "is_seed", "label"):
        if table[name].null_count:
            raise ValueError(f"column {name} of the table of answers has an empty value")


def _label_numbers(column: pa.ChunkedArray, labels: Sequence[str]) -> Ints:
    """Return the number of each label; `NO_ANSWER` for none."""
    numbers = positions_among(column, pa.array(labels, pa.string()))
    unknown = (numbers < 0) & column.is_valid().to_numpy()
    if unknown.any():
        name = column.filter(pa.array(unknown))[0].as_py()
        raise ValueError(f"{name!r} is not one of the labels {', '.join(labels)}")
    return np.where(numbers < 0, Missing.NO_ANSWER.value, numbers)


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
    rows = positions_among(table["row_id"], data.row_ids)
    groups = positions_among(table["group_id"], pa.array(data.group_ids, pa.string()))
    of_seeds = table["is_seed"].to_numpy()
    if LOG_ODDS in data.table.column_names:
        positions = pa.array(rows, mask=of_seeds | (rows < 0))
        table = table.append_column(LOG_ODDS, data.table[LOG_ODDS].combine_chunks().take(positions))
    if data.annotators is not None:
        counts = data.annotators[groups]
        totals = counts.sum(axis=1)
        table = table.append_column("agreement", pa.array(data.agreement()[groups], from_pandas=True))
        for name, of_label in zip(data.label_names, counts.T, strict=True):
            table = table.append_column(f"annotators:{name}", pa.array(ratios(of_label, totals), from_pandas=True))
    if with_text:
        n_seeds = len(data.sentences) - len(data.row_groups)
        sentences = data.sentences.take(np.where(of_seeds, groups, n_seeds + rows))
        table = table.append_column("premise", sentences.premises).append_column("hypothesis", sentences.hypotheses)
    return table
