"""Write a data set of pairs in groups: Parquet files, card and record, moved into place together; and its summary."""

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pyarrow as pa

from merge_snli.base import __version__
from merge_snli.base.errors import InputError
from merge_snli.base.files import JsonObject
from merge_snli.base.table import Cell, Column, Table
from merge_snli.card import load_name_of
from merge_snli.card.dataset_folder import card_and_record, data_record, write_files
from merge_snli.dataset.config_record import config_record
from merge_snli.dataset.out_folder import check_dataset_out, new_content
from merge_snli.dataset.parquet_files import write_tables
from merge_snli.dataset.record import ConfigRecord, Record
from merge_snli.dataset.stored import CARD_FILE, RUN_FILE, MergeDataset, find_dataset
from merge_snli.schema import NLI_LABELS, TEST, DataColumn, data_file, features_of

GROUP_COLUMN = "group_id"
# The columns that every config begins with, and what they hold.
PAIR_COLUMNS = {
    "pair_id": "id of the pair, unique in the data set",
    GROUP_COLUMN: "id of the premise: the group of pattern accuracy",
    "premise": "premise",
    "hypothesis": "hypothesis",
    "label": "gold label",
    "template": "template of the premise",
    "hypothesis_template": "template of the hypothesis",
}

# Increase it with a change of the rows that the same options and sources give.
METHOD_VERSION = "2"

LIBRARIES = ("datasets", "pyarrow", "spacy")
# Columns without repeated values, which a dictionary would not make smaller.
UNIQUE_COLUMNS = ("pair_id",)

Row = dict[str, str]


@dataclass(frozen=True)
class PairConfig:
    """The rows of a config; labels are names, and a column that does not apply to a row may be missing in it.

    Attributes:
        description: What it contains, in Markdown.
        rows: The rows.
        columns: The columns of texts after `PAIR_COLUMNS`, and what they hold.
        split: The only split.
    """

    description: str
    rows: Sequence[Row]
    columns: Mapping[str, str]
    split: str = TEST

    @property
    def all_columns(self) -> tuple[DataColumn, ...]:
        """All columns in their order."""
        columns = []
        for name, content in {**PAIR_COLUMNS, **self.columns}.items():
            columns.append(DataColumn(name, "label" if name == "label" else "string", content))
        return tuple(columns)


def check_folder(out: str | Path, command: str, options: JsonObject, *, overwrite: bool) -> Path:
    """Check before a run that the data set can be written to a folder.

    Args:
        out: The folder.
        command: The command.
        options: The options of the command.
        overwrite: Whether a data set that was made otherwise may be replaced.
    """
    folder = check_dataset_out(out)
    if (folder / RUN_FILE).is_file() and not overwrite:
        record = find_dataset(str(folder)).record
        if (record.command, record.options) != (command, options):
            raise InputError(
                f"⟦out⟧ {folder} has a data set that was made with other options: pass another folder, or add "
                "⟦overwrite=True⟧ to replace it"
            )
    return folder


def write_pairs(folder: Path, configs: Mapping[str, PairConfig], **about: Any) -> MergeDataset:  # noqa: ANN401
    """Write data, card and record beside `folder`, then move them there together.

    Args:
        folder: The data set's folder.
        configs: The rows by config.
        about: The command, its options, the sources, and title, summary, notes and terms of the data set; see
            `merge_snli.dataset.record.Record`.

    Raises:
        InputError: If the disk is full or the folder cannot be written; the folder is unchanged then.
    """
    versions = {"merge_snli": __version__, "python": platform.python_version()}
    with new_content(folder, ("data", CARD_FILE, RUN_FILE)) as staged:
        written = {name: _write_config(staged, name, config) for name, config in configs.items()}
        record = Record(
            **about,
            method_version=METHOD_VERSION,
            load_name=load_name_of(folder),
            label_names=NLI_LABELS,
            group_column=GROUP_COLUMN,
            versions=versions | {name: version(name) for name in LIBRARIES},
            configs=written,
            data=data_record(staged, written),
        )
        write_files(staged, card_and_record(record, staged))
    return find_dataset(str(folder))


def _write_config(folder: Path, name: str, config: PairConfig) -> ConfigRecord:
    """Write the Parquet file of a config."""
    table = stored_table(config)
    repeated = [column for column in table.column_names if column not in UNIQUE_COLUMNS]
    rows = write_tables(folder / data_file(name, config.split), [table], table.schema, dictionaries=repeated)
    return config_record(
        table,
        {config.split: rows},
        config.all_columns,
        description=config.description,
        group_column=GROUP_COLUMN,
        label_names=NLI_LABELS,
    )


def stored_table(config: PairConfig) -> pa.Table:
    """Return the rows as the data files have them: with all columns, and labels as numbers."""
    schema = features_of(config.all_columns).arrow_schema
    columns: dict[str, list[Any]] = {}
    for name in schema.names:
        columns[name] = [row.get(name, "") for row in config.rows]
    columns["label"] = [NLI_LABELS.index(label) for label in columns["label"]]
    return pa.table(columns, schema)


def summary_table(record: Record) -> Table:
    """Return the configs with their groups and their pairs by label.

    Args:
        record: The record of the pairs.
    """
    columns = (Column("config", "left"), Column("split", "left"), Column("groups"), *map(Column, record.label_names))
    rows: list[tuple[Cell, ...]] = []
    for name, config in record.configs.items():
        rows.append((name, config.split, config.groups, *config.labels.values()))
    return Table(title=record.title, columns=columns, rows=rows)
