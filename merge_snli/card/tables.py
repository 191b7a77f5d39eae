"""The card's tables: composition, shared words, columns, and an example."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from merge_snli.dataset.parquet_files import ROWS_PER_GROUP
from merge_snli.dataset.record import Record, generation_of
from merge_snli.schema import ALL, ANNOTATION_COLUMNS, TEST, data_file

# Maximum number of characters of an example in a table.
MAX_EXAMPLE_LENGTH = 100


def composition_table(record: Record) -> str:
    """Return the seeds and variants of each config, with the seeds' label distribution (the paper's Table 2)."""
    labels = record.label_names
    rows = [
        [
            config,
            f"{of.groups:,}",
            f"{of.rows:,}",
            f"{of.rows / of.groups:.1f}",
            *_shares(of.group_labels or {}, labels, of.groups),
        ]
        for config, of in record.test_configs.items()
    ]
    return _table(["config", "seeds", "variants", "variants per seed", *_percent(labels)], rows)


def words_table(record: Record) -> str:
    """Return the problems that share a word of each class (the paper's Table 4), and the seeds among them."""
    labels = record.label_names
    seeds = {name: of.groups for name, of in record.test_configs.items()}
    rows = [
        [
            name,
            f"{of.problems:,}",
            *_shares(of.labels, labels, of.problems),
            f"{of.problems_after:,}",
            f"{seeds.get(name, 0):,}" if name in record.options["classes"] else "not replaced",
        ]
        for name, of in generation_of(record).words.items()
    ]
    return _table(["word class", "problems", *_percent(labels), "after exclusions", "seeds"], rows)


def example_table(record: Record, folder: Path) -> str:
    """Return a table of the first variant and its seed.

    Args:
        record: The record of a run.
        folder: The data set's folder.
    """
    row = _example(folder, ALL)
    label = _cell(record.label_names[row["label"]])
    change = f"variant, {_cell(row['original'])} → {_cell(row['replacement'])}"
    rows = [
        ["seed", _text(row["seed_premise"]), _text(row["seed_hypothesis"]), label],
        [change, _text(row["premise"]), _text(row["hypothesis"]), label],
    ]
    return _table(["example", *map(_cell, record.texts), "label"], rows)


def column_table(record: Record, config: str, folder: Path) -> str:
    """Return a table of the columns of a config, with the values of the card's example.

    Args:
        record: The record of a run.
        config: `all` or `seed`.
        folder: The data set's folder.
    """
    example = _example(folder, config)
    rows = [
        [f"`{column.name}`", f"`{column.type}`", _cell(column.description), _code(example[column.name])]
        for column in record.columns(config)
    ]
    return _table(["column", "type", "description", "example"], rows)


def pairs_table(record: Record) -> str:
    """Return the configs of pairs in groups: what they contain, their groups, pairs and labels."""
    rows = [
        [
            f"`{name}`, split `{config.split}`",
            _cell(config.description),
            f"{config.groups:,}",
            f"{sum(config.labels.values()):,}",
            ", ".join(f"{label} {count:,}" for label, count in config.labels.items() if count),
        ]
        for name, config in record.configs.items()
    ]
    return _table(["config", "contains", "groups", "pairs", "labels"], rows)


def pair_columns(record: Record, folder: Path) -> str:
    """Return a table of the columns of all configs of pairs, with examples from the first config that has each."""
    of_configs = {name: {column.name for column in config.columns} for name, config in record.configs.items()}
    columns = {column.name: column for config in record.configs.values() for column in config.columns}
    rows = []
    for name, column in columns.items():
        configs = [config for config, names in of_configs.items() if name in names]
        example = _first_row(folder, configs[0], record.configs[configs[0]].split)[name]
        in_configs = "all" if len(configs) == len(of_configs) else ", ".join(configs)
        rows.append([f"`{name}`", f"`{column.type}`", _cell(column.description), in_configs, _code(example)])
    return _table(["column", "type", "description", "configs", "example"], rows)


def pairs_example(record: Record, folder: Path) -> str:
    """Return a table of the first pair of each config."""
    first = {name: _first_row(folder, name, config.split) for name, config in record.configs.items()}
    rows = [
        [f"`{name}`", _text(row["premise"]), _text(row["hypothesis"]), record.label_names[row["label"]]]
        for name, row in first.items()
    ]
    return _table(["config", "premise", "hypothesis", "label"], rows)


def annotation_table() -> str:
    """Return a table of the columns of config `annotation`."""
    rows = [[f"`{column.name}`", f"`{column.type}`", _cell(column.description)] for column in ANNOTATION_COLUMNS]
    return _table(["column", "type", "description"], rows)


def _example(folder: Path, config: str) -> dict[str, Any]:
    """Return the variant that the card shows, or its seed.

    It is the variant that most masked LMs validated in both sentences; of several, the one with the largest log-odds.
    """
    with pq.ParquetFile(folder / data_file(ALL, TEST)) as file:
        batches = file.iter_batches(ROWS_PER_GROUP, columns=["premise_mlms", "hypothesis_mlms", "log_odds"])
        rows = (row for batch in batches for row in batch.to_pylist())
        ranks = [(len({*row["premise_mlms"]} & {*row["hypothesis_mlms"]}), row["log_odds"]) for row in rows]
        group, number = divmod(ranks.index(max(ranks)), ROWS_PER_GROUP)
        variant: dict[str, Any] = file.read_row_group(group).slice(number, 1).to_pylist()[0]
    if config == ALL:
        return variant
    seeds = pq.read_table(folder / data_file(config, TEST), filters=[("seed_id", "==", variant["seed_id"])])
    return dict(seeds.to_pylist()[0])


def _first_row(folder: Path, config: str, split: str = TEST) -> dict[str, Any]:
    with pq.ParquetFile(folder / data_file(config, split)) as file:
        for batch in file.iter_batches(1):
            row: dict[str, Any] = batch.to_pylist()[0]
            return row
    raise ValueError(f"{data_file(config, split)} has no rows")


def _shares(counts: dict[str, int], labels: Sequence[str], total: int) -> list[str]:
    return [f"{100 * counts[label] / total:.1f}" if total else "–" for label in labels]


def _percent(labels: Sequence[str]) -> list[str]:
    return [f"{_cell(name)} %" for name in labels]


def _table(header: list[str], rows: list[list[str]]) -> str:
    return "\n".join(f"| {' | '.join(line)} |" for line in (header, ["---"] * len(header), *rows))


def _cell(text: str) -> str:
    """Escape what would end a table cell or line."""
    return " ".join(text.split()).replace("|", "\\|")


def _text(text: str) -> str:
    """Escape a sentence so that no character is markup."""
    return _cell(re.sub(r"([\\`*_{}\[\]<>#~&$])", r"\\\1", text))


def _code(value: object) -> str:
    """Return a value as JSON in a code span."""
    whole = json.dumps(value, ensure_ascii=False)
    text = whole if len(whole) <= MAX_EXAMPLE_LENGTH else f"{whole[:MAX_EXAMPLE_LENGTH]}…"
    fence, space = ("``", " ") if "`" in text else ("`", "")
    return f"{fence}{space}{_cell(text)}{space}{fence}"
