"""Check a data set of sentence pairs in groups: its record, its rows, and that its command gives the same rows."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

import pyarrow as pa
from pydantic import ValidationError

from merge_snli.dataset import RUN_FILE
from merge_snli.errors import InputError
from merge_snli.files import sha256_of_json
from merge_snli.pairs_record import PairsRecord
from merge_snli.record import OWN_DIGEST, decode, own_digest, validation_errors
from merge_snli.schema import data_file, features_of
from merge_snli.validation.data_files import find_difference
from merge_snli.validation.finding import quoted
from merge_snli.validation.folder import check_digests
from merge_snli.validation.parquet import check_table, read_tables
from templates.output import METHOD_VERSION, stored_table
from templates.simple_pair import simple_pair_configs
from templates.simple_pair_options import SimplePairOptions
from templates.simple_pair_texts import COMMAND

if TYPE_CHECKING:
    from pathlib import Path

    from merge_snli.validation.collector import Collector
    from templates.output import PairConfig

NEW_RUN = "a new run with the recorded options"


def read_pairs(content: bytes, collector: Collector) -> PairsRecord | None:
    """Read `run.json`; None if a field is missing or malformed.

    Args:
        content: The bytes of the file.
        collector: Gets the findings.
    """
    try:
        return decode(content, PairsRecord)
    except ValidationError as error:
        for place, message in validation_errors(error):
            collector.find(RUN_FILE, None, place or None, message)
        return None


def check_pairs(folder: Path, record: PairsRecord, content: bytes, collector: Collector) -> None:
    """Check record, data files and rows.

    Args:
        folder: The data set's folder.
        record: The result of `read_pairs`.
        content: The bytes of `run.json`.
        collector: Gets the findings and counts.
    """
    _check_record(record, content, collector)
    check_digests(folder, record.files, collector)
    again, seen = _made_again(record, collector), set[str]()
    for name, config in record.configs.items():
        path = data_file(name, config.split)
        collector.count("data files", (folder / path).is_file())
        if check_table(folder, path, features_of(config.columns, record.label_names).arrow_schema, collector):
            table = pa.concat_tables(read_tables(folder / path))
            _check_rows(record, name, table, collector)
            _check_ids(path, table, seen, collector)
            if again is not None:
                expected = stored_table(again[name]) if name in again else table[:0]
                collector.count("regenerated rows", expected.num_rows)
                if not table.equals(expected):
                    find_difference(path, 0, table.to_pylist(), expected.to_pylist(), NEW_RUN, collector)


def _check_record(record: PairsRecord, content: bytes, collector: Collector) -> None:
    found = {
        OWN_DIGEST: (record.digest, own_digest(json.loads(content))),
        "data.digest": (record.data.digest, sha256_of_json(record.files)),
        "data.files": (sorted(record.files), sorted(data_file(*of) for of in _splits(record))),
        "data.rows": (list(record.rows), list(record.configs)),
    }
    for place, (value, expected) in found.items():
        if value != expected:
            collector.find(RUN_FILE, None, place, f"is {quoted(value)}; the other fields give {quoted(expected)}")


def _splits(record: PairsRecord) -> list[tuple[str, str]]:
    return [(name, config.split) for name, config in record.configs.items()]


def _check_rows(record: PairsRecord, name: str, table: pa.Table, collector: Collector) -> None:
    """Check that a group has one premise, and the counts of the record."""
    config, path = record.configs[name], data_file(name, record.configs[name].split)
    collector.count("rows", table.num_rows)
    premises: dict[str, str] = {}
    groups = zip(table[record.group_column].to_pylist(), table["premise"].to_pylist(), strict=True)
    for number, (group, premise) in enumerate(groups):
        if premises.setdefault(group, premise) != premise:
            collector.find(path, number, record.group_column, f"{quoted(group)} has another premise in an earlier row")
    labels, templates = (Counter(table[column].to_pylist()) for column in ("label", "template"))
    found: dict[str, object] = {
        "groups": len(premises),
        "labels": {label: labels[number] for number, label in enumerate(record.label_names)},
        "templates": dict(templates),
    }
    for place, value in found.items():
        collector.compare(RUN_FILE, f"configs.{name}.{place}", getattr(config, place), value, "the data has")
    rows = {config.split: table.num_rows}
    collector.compare(RUN_FILE, f"data.rows.{name}", record.rows.get(name), rows, "the data has")


def _check_ids(path: str, table: pa.Table, seen: set[str], collector: Collector) -> None:
    """Check that no pair has an id of `seen`, and add its ids."""
    for number, pair_id in enumerate(table["pair_id"].to_pylist()):
        if pair_id in seen:
            collector.find(path, number, "pair_id", f"{quoted(pair_id)} is the id of an earlier pair")
        seen.add(pair_id)


def _made_again(record: PairsRecord, collector: Collector) -> dict[str, PairConfig] | None:
    """Return the rows that the recorded options give; None if they cannot be made here."""
    if record.command != COMMAND:
        collector.skip("sentences: the problems that they come from are not part of the data set")
        return None
    if record.method_version != METHOD_VERSION:
        collector.skip(f"sentences: made by method version {record.method_version}, this is {METHOD_VERSION}")
        return None
    try:
        configs, sources = simple_pair_configs(SimplePairOptions(**record.options))
    except (InputError, TypeError) as error:
        collector.skip(f"sentences: the words cannot be read ({error})")
        return None
    if sources != record.sources:
        collector.skip("sentences: made from other words or templates than those of this installation")
        return None
    return configs
