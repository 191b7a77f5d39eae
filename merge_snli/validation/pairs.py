"""Check data sets of pairs from templates: their rows, and whether the recorded options give them again."""

from pathlib import Path

import pyarrow as pa

from merge_snli.base.errors import InputError, Message
from merge_snli.dataset.config_record import config_record
from merge_snli.dataset.record import Record
from merge_snli.pairs.options import SimplePairOptions
from merge_snli.pairs.output import METHOD_VERSION as PAIRS_METHOD_VERSION
from merge_snli.pairs.output import PairConfig, stored_table
from merge_snli.pairs.simple_pair import COMMAND, simple_pair_configs
from merge_snli.schema import data_file
from merge_snli.validation.data_files import compare_configs, find_difference
from merge_snli.validation.findings import Collector, quoted
from merge_snli.validation.parquet import READ_ERRORS, check_table, read_tables

NEW_RUN = "a new run with the recorded options"


def check_pairs(folder: Path, record: Record, collector: Collector) -> None:
    """Check data files and rows.

    Args:
        folder: The data set's folder.
        record: Its record.
        collector: Gets the findings and counts.
    """
    again = _made_again(record, collector)
    seen: set[str] = set()
    for name, config in record.configs.items():
        path = data_file(name, config.split)
        collector.count("data files", (folder / path).is_file())
        if not check_table(folder, path, record.features(name).arrow_schema, collector):
            continue
        table = pa.concat_tables(read_tables(folder / path))
        _check_rows(record, name, table, seen, collector)
        if again is None:
            continue
        expected = stored_table(again[name]) if name in again else table[:0]
        collector.count("regenerated rows", expected.num_rows)
        find_difference(path, [table], [expected], NEW_RUN, collector)


def _check_rows(record: Record, name: str, table: pa.Table, seen: set[str], collector: Collector) -> None:
    """Check that a group has one premise and no pair an id of `seen`, which gets its ids; and the record's counts."""
    config = record.configs[name]
    path = data_file(name, record.configs[name].split)
    collector.count("rows", table.num_rows)
    premises: dict[str, str] = {}
    columns = (table[column].to_pylist() for column in ("pair_id", record.group_column, "premise"))
    for number, (pair_id, group, premise) in enumerate(zip(*columns, strict=True)):
        if premises.setdefault(group, premise) != premise:
            collector.find(path, number, record.group_column, f"{quoted(group)} has another premise in an earlier row")
        if pair_id in seen:
            collector.find(path, number, "pair_id", f"{quoted(pair_id)} is the id of an earlier pair")
        seen.add(pair_id)
    try:
        counted = config_record(
            table,
            {config.split: table.num_rows},
            config.columns,
            description=config.description,
            group_column=record.group_column,
            label_names=record.label_names,
        )
    except READ_ERRORS:
        collector.find(path, None, "label", f"has numbers other than 0 to {len(record.label_names) - 1}")
        return
    compare_configs({name: config}, {name: counted}, collector)


def _made_again(record: Record, collector: Collector) -> dict[str, PairConfig] | None:
    """Return the rows that the recorded options give; None if they cannot be made again, which is reported."""
    version = record.method_version
    if record.command != COMMAND:
        why = "the problems that they come from are not part of the data set"
    elif version != PAIRS_METHOD_VERSION:
        why = f"made by method version {version}, this is {PAIRS_METHOD_VERSION}"
    else:
        try:
            configs, sources = simple_pair_configs(SimplePairOptions(**record.options))
        except InputError as error:
            why = error.message.marked
        except TypeError as error:
            why = str(error)
        else:
            if sources == record.sources:
                return configs
            why = "made from other words or templates than those of this installation"
    collector.skip(Message(f"sentences: {why}"))
    return None
