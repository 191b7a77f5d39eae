"""The values of a card: its example, its columns, and texts that are not markup."""

import json
import re
from pathlib import Path

import pyarrow.parquet as pq

from merge_snli.base.files import JsonObject
from merge_snli.base.table import code_span
from merge_snli.dataset.parquet_files import ROWS_PER_GROUP
from merge_snli.dataset.record import Record
from merge_snli.schema import ALL, SEED, TEST, DataColumn, data_file

# Maximum number of characters of an example in a table.
MAX_EXAMPLE_LENGTH = 100

# What Markdown would read as markup: these characters, and underscores that are not within a word.
MARKUP = re.compile(r"[\\`*{}\[\]<>#~&$|]|(?<!\w)_|_(?!\w)")


def example_of(folder: Path) -> tuple[JsonObject, JsonObject]:
    """Return the variant that the card shows, and its seed.

    It is the variant that most masked LMs validated in both sentences; of several, the one with the largest log-odds.
    """
    ranks = []
    with pq.ParquetFile(folder / data_file(ALL, TEST)) as file:
        for batch in file.iter_batches(ROWS_PER_GROUP, columns=["premise_mlms", "hypothesis_mlms", "log_odds"]):
            for row in batch.to_pylist():
                of_both = {*row["premise_mlms"]} & {*row["hypothesis_mlms"]}
                ranks.append((len(of_both), row["log_odds"]))
        group, number = divmod(ranks.index(max(ranks)), ROWS_PER_GROUP)
        variant: JsonObject = file.read_row_group(group).slice(number, 1).to_pylist()[0]
    seeds = pq.read_table(folder / data_file(SEED, TEST), filters=[("seed_id", "==", variant["seed_id"])])
    return variant, seeds.to_pylist()[0]


def configs_by_column(record: Record) -> list[tuple[DataColumn, list[str]]]:
    """Return the columns of all configs of pairs, each with the configs that have it."""
    columns: dict[str, DataColumn] = {}
    configs: dict[str, list[str]] = {}
    for name, config in record.configs.items():
        for column in config.columns:
            columns[column.name] = column
            configs.setdefault(column.name, []).append(name)
    return [(column, configs[name]) for name, column in columns.items()]


def first_row(folder: Path, config: str, split: str) -> JsonObject:
    """Return the first row of a split."""
    with pq.ParquetFile(folder / data_file(config, split)) as file:
        rows = next(file.iter_batches(1), None)
    if rows is None:
        raise ValueError(f"{data_file(config, split)} has no rows")
    row: JsonObject = rows.to_pylist()[0]
    return row


def escaped(text: str) -> str:
    r"""Return a text on one line in which no character is markup.

    Examples:
        >>> escaped("<b> of\nentailment_2")
        '\\<b\\> of entailment_2'
    """
    return MARKUP.sub(r"\\\g<0>", " ".join(text.split()))


def value_text(value: object) -> str:
    """Return a value as JSON in a code span, cut after `MAX_EXAMPLE_LENGTH` characters."""
    text = json.dumps(value, ensure_ascii=False)
    if len(text) > MAX_EXAMPLE_LENGTH:
        text = f"{text[:MAX_EXAMPLE_LENGTH]}…"
    return code_span(text)
