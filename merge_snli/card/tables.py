"""The card's tables: composition, shared words, columns, and an example."""

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from merge_snli.dataset.parquet_files import ROWS_PER_GROUP
from merge_snli.dataset.record import Record, generation_of
from merge_snli.schema import ALL, ANNOTATION_COLUMNS, SEED, TEST, DataColumn, data_file

# Maximum number of characters of an example in a table.
MAX_EXAMPLE_LENGTH = 100

# The columns of the example.
EXAMPLE_TEXTS = ("original", "replacement", "seed_premise", "seed_hypothesis", "premise", "hypothesis")

# What Markdown would read as markup: these characters, and underscores that are not within a word.
MARKUP = re.compile(r"[\\`*{}\[\]<>#~&$|]|(?<!\w)_|_(?!\w)")


def composition_table(record: Record) -> str:
    """Return the seeds and variants of each config, with the seeds' label distribution (the paper's Table 2)."""
    labels = record.label_names
    rows = []
    for name, config in record.test_configs.items():
        average = config.rows / config.groups
        row = [name, f"{config.groups:,}", f"{config.rows:,}", f"{average:.1f}"]
        rows.append(row + _shares(config.group_labels or {}, labels, config.groups))
    return _table(["config", "seeds", "variants", "variants per seed", *_percent(labels)], rows)


def words_table(record: Record) -> str:
    """Return the problems that share a word of each class (the paper's Table 4), and the seeds among them."""
    labels = record.label_names
    configs = record.test_configs
    rows = []
    for name, words in generation_of(record).words.items():
        seeds = "not replaced"
        if name in record.options["classes"]:
            seeds = f"{configs[name].groups:,}" if name in configs else "0"
        shares = _shares(words.labels, labels, words.problems)
        rows.append([name, f"{words.problems:,}", *shares, f"{words.problems_after:,}", seeds])
    return _table(["word class", "problems", *_percent(labels), "after exclusions", "seeds"], rows)


def example_table(record: Record, row: dict[str, Any]) -> str:
    """Return a table of a variant and its seed.

    Args:
        record: The record of a run.
        row: The variant.
    """
    label = escaped(record.label_names[row["label"]])
    texts = {name: escaped(row[name]) for name in EXAMPLE_TEXTS}
    change = f"variant, {texts['original']} → {texts['replacement']}"
    rows = [
        ["seed", texts["seed_premise"], texts["seed_hypothesis"], label],
        [change, texts["premise"], texts["hypothesis"], label],
    ]
    return _table(["example", *map(escaped, record.texts), "label"], rows)


def column_table(record: Record, config: str, example: dict[str, Any]) -> str:
    """Return a table of the columns of a config, with the values of the card's example.

    Args:
        record: The record of a run.
        config: `all` or `seed`.
        example: A row of the config.
    """
    rows = [[*_column(column), _value(example[column.name])] for column in record.columns(config)]
    return _table(["column", "type", "description", "example"], rows)


def pairs_table(record: Record) -> str:
    """Return the configs of pairs in groups: what they contain, their groups, pairs and labels."""
    rows = []
    for name, config in record.configs.items():
        pairs = sum(config.labels.values())
        labels = ", ".join(f"{escaped(label)} {count:,}" for label, count in config.labels.items() if count)
        named = f"{code(name)}, split {code(config.split)}"
        rows.append([named, _cell(config.description), f"{config.groups:,}", f"{pairs:,}", labels])
    return _table(["config", "contains", "groups", "pairs", "labels"], rows)


def pair_columns(record: Record, folder: Path) -> str:
    """Return a table of the columns of all configs of pairs, with examples from the first config that has each."""
    columns: dict[str, DataColumn] = {}
    configs: dict[str, list[str]] = {}
    for name, config in record.configs.items():
        for column in config.columns:
            columns[column.name] = column
            configs.setdefault(column.name, []).append(name)
    rows = []
    for name, column in columns.items():
        first, *_ = in_configs = configs[name]
        example = _first_row(folder, first, record.configs[first].split)
        listed = "all" if len(in_configs) == len(record.configs) else ", ".join(in_configs)
        rows.append([*_column(column), escaped(listed), _value(example[name])])
    return _table(["column", "type", "description", "configs", "example"], rows)


def pairs_example(record: Record, folder: Path) -> str:
    """Return a table of the first pair of each config."""
    rows = []
    for name, config in record.configs.items():
        row = _first_row(folder, name, config.split)
        label = escaped(record.label_names[row["label"]])
        rows.append([code(name), escaped(row["premise"]), escaped(row["hypothesis"]), label])
    return _table(["config", "premise", "hypothesis", "label"], rows)


def annotation_table() -> str:
    """Return a table of the columns of config `annotation`."""
    return _table(["column", "type", "description"], map(_column, ANNOTATION_COLUMNS))


def examples(folder: Path) -> dict[str, dict[str, Any]]:
    """Return the variant that the card shows, and its seed, by config.

    It is the variant that most masked LMs validated in both sentences; of several, the one with the largest log-odds.
    """
    ranks = []
    with pq.ParquetFile(folder / data_file(ALL, TEST)) as file:
        for batch in file.iter_batches(ROWS_PER_GROUP, columns=["premise_mlms", "hypothesis_mlms", "log_odds"]):
            for row in batch.to_pylist():
                of_both = {*row["premise_mlms"]} & {*row["hypothesis_mlms"]}
                ranks.append((len(of_both), row["log_odds"]))
        group, number = divmod(ranks.index(max(ranks)), ROWS_PER_GROUP)
        variant: dict[str, Any] = file.read_row_group(group).slice(number, 1).to_pylist()[0]
    seeds = pq.read_table(folder / data_file(SEED, TEST), filters=[("seed_id", "==", variant["seed_id"])])
    return {ALL: variant, SEED: seeds.to_pylist()[0]}


def _first_row(folder: Path, config: str, split: str = TEST) -> dict[str, Any]:
    with pq.ParquetFile(folder / data_file(config, split)) as file:
        for batch in file.iter_batches(1):
            row: dict[str, Any] = batch.to_pylist()[0]
            return row
    raise ValueError(f"{data_file(config, split)} has no rows")


def _shares(counts: dict[str, int], labels: Sequence[str], total: int) -> list[str]:
    return [f"{100 * counts[label] / total:.1f}" if total else "–" for label in labels]


def _percent(labels: Sequence[str]) -> list[str]:
    return [f"{escaped(name)} %" for name in labels]


def _column(column: DataColumn) -> list[str]:
    return [code(column.name), code(column.type), escaped(column.description)]


def _table(header: list[str], rows: Iterable[list[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(text: str) -> str:
    """Escape what would end a table cell or line."""
    return " ".join(text.split()).replace("|", "\\|")


def escaped(text: str) -> str:
    r"""Return a text on one line in which no character is markup.

    Examples:
        >>> escaped("<b> of\nentailment_2")
        '\\<b\\> of entailment_2'
    """
    return MARKUP.sub(r"\\\g<0>", " ".join(text.split()))


def code(text: str) -> str:
    """Return a text on one line in a code span, which backticks of the text do not end.

    Examples:
        >>> code("a `b`")
        '`` a `b` ``'
    """
    fence = "`"
    while fence in text:
        fence += "`"
    space = " " if "`" in text else ""
    return f"{fence}{space}{_cell(text)}{space}{fence}"


def _value(value: object) -> str:
    """Return a value as JSON in a code span, cut after `MAX_EXAMPLE_LENGTH` characters."""
    text = json.dumps(value, ensure_ascii=False)
    if len(text) > MAX_EXAMPLE_LENGTH:
        text = f"{text[:MAX_EXAMPLE_LENGTH]}…"
    return code(text)
