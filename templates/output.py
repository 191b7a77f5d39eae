"""Write a data set of pairs in groups: Parquet files, card and record, moved into place together."""

from __future__ import annotations

import platform
from collections import Counter
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from merge_snli import __version__
from merge_snli.card import render_card
from merge_snli.dataset import CARD_FILE, RUN_FILE, PairsDataset, find_any_dataset
from merge_snli.errors import InputError, param
from merge_snli.files import sha256_of_file, sha256_of_json, write_bytes
from merge_snli.folders import check_dataset_out, new_content
from merge_snli.pairs_record import PAIR_COLUMNS, ConfigRecord, PairsRecord
from merge_snli.parquet_files import write_tables
from merge_snli.record import DataRecord, encode_record, seal
from merge_snli.schema import NLI_LABELS, TEST, Column, data_file, features_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from merge_snli.pairs_record import SourceRecord
    from merge_snli.record import TermsRecord

METHOD_VERSION = "1"
"""Increase it with a change of the rows that the same options and sources give."""

LIBRARIES = ("datasets", "pyarrow", "spacy")
UNIQUE_COLUMNS = ("pair_id",)
"""Columns without repeated values, which a dictionary would not make smaller."""

Row = dict[str, str]


@dataclass(frozen=True)
class PairConfig:
    """The rows of a config; labels are names, and a column that does not apply to a row may be missing in it.

    Attributes:
        description: What it contains, in Markdown.
        rows: The rows.
        columns: The columns after `PAIR_COLUMNS`.
        split: The only split.
    """

    description: str
    rows: Sequence[Row]
    columns: tuple[Column, ...]
    split: str = TEST

    @property
    def all_columns(self) -> tuple[Column, ...]:
        """All columns in their order."""
        return PAIR_COLUMNS + self.columns

    def to_record(self) -> ConfigRecord:
        """Return what the record says of the config."""
        labels, templates = (Counter(row[name] for row in self.rows) for name in ("label", "template"))
        return ConfigRecord(
            description=self.description,
            split=self.split,
            columns=self.all_columns,
            groups=len({row["group_id"] for row in self.rows}),
            labels={label: labels[label] for label in NLI_LABELS},
            templates=dict(templates),
        )


@dataclass(frozen=True, kw_only=True)
class PairsTexts:
    """What the record and the card say of a data set; the attributes are those of `PairsRecord`."""

    command: str
    title: str
    load_name: str
    summary: str
    notes: tuple[str, ...]
    terms: TermsRecord


def to_record(
    texts: PairsTexts, options: Mapping[str, Any], sources: Sequence[SourceRecord], configs: Mapping[str, PairConfig]
) -> PairsRecord:
    """Return the record of a run, without data files, card and digest.

    Args:
        texts: What it says of the data set.
        options: The options of the command.
        sources: What the sentences were made from.
        configs: The rows by config.
    """
    versions = {"merge_snli": __version__, "python": platform.python_version()}
    return PairsRecord(
        **vars(texts),
        method_version=METHOD_VERSION,
        options=dict(options),
        sources=tuple(sources),
        versions=versions | {name: version(name) for name in LIBRARIES},
        configs={name: config.to_record() for name, config in configs.items()},
        data=DataRecord("", {}, {}),
    )


def check_folder(out: str | Path, options: Mapping[str, Any], command: str, *, overwrite: bool) -> Path:
    """Check before a run that the data set can be written to a folder.

    Args:
        out: The folder.
        options: The options of the command.
        command: The command.
        overwrite: Whether a data set that was made otherwise may be replaced.

    Raises:
        InputError: If the folder has other content, or a data set that was made otherwise and `overwrite` is false.
    """
    folder = check_dataset_out(out)
    if (folder / RUN_FILE).is_file() and not overwrite:
        record = find_any_dataset(str(folder)).record
        if not isinstance(record, PairsRecord) or (record.command, record.options) != (command, options):
            raise InputError(
                f"{param('out')} {folder} has a data set that was made with other options: pass another folder, or add "
                f"{param('overwrite', True)} to replace it"
            )
    return folder


def write_pairs(folder: Path, record: PairsRecord, configs: Mapping[str, PairConfig]) -> PairsDataset:
    """Write data, card and record beside `folder`, then move them there together.

    Args:
        folder: The data set's folder.
        record: The result of `to_record`.
        configs: The rows by config.

    Raises:
        InputError: If the disk is full or the folder cannot be written; the folder is unchanged then.
    """
    with new_content(folder, ("data", CARD_FILE, RUN_FILE)) as staged:
        record = replace(record, data=write_data(staged, configs))
        card = render_card(record, staged).encode()
        write_bytes(staged / CARD_FILE, card)
        write_bytes(staged / RUN_FILE, encode_record(seal(record, card)))
    dataset = find_any_dataset(str(folder))
    assert isinstance(dataset, PairsDataset)
    return dataset


def write_data(folder: Path, configs: Mapping[str, PairConfig]) -> DataRecord:
    """Write the Parquet file of every config.

    Args:
        folder: The folder.
        configs: The rows by config.
    """
    files, rows = {}, {}
    for name, config in configs.items():
        path = data_file(name, config.split)
        table = stored_table(config)
        repeated = [column for column in table.column_names if column not in UNIQUE_COLUMNS]
        row_count = write_tables(folder / path, [table], table.schema, dictionaries=repeated)
        files[path] = sha256_of_file(folder / path)
        rows[name] = {config.split: row_count}
    return DataRecord(sha256_of_json(files), files, rows)


def stored_table(config: PairConfig) -> pa.Table:
    """Return the rows as the data files have them: with all columns, and labels as numbers."""
    schema = features_of(config.all_columns).arrow_schema
    columns: dict[str, list[Any]] = {
        name: [row.get(name, "") for row in config.rows] for name in schema.names if name != "label"
    }
    columns["label"] = [NLI_LABELS.index(row["label"]) for row in config.rows]
    return pa.table({name: columns[name] for name in schema.names}, schema)
