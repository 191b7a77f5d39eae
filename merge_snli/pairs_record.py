"""The record of a data set of sentence pairs in groups, such as Simple Pair: its content, without how it is made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from pydantic_core import from_json

from merge_snli.record import DataRecord, PublishedRecord, Record, Sha256, TermsRecord, decode, decode_record
from merge_snli.schema import NLI_LABELS, Column

GROUP_ID = "group_id"
PAIR_COLUMNS = (
    Column("pair_id", "string", "id of the pair, unique in the data set"),
    Column(GROUP_ID, "string", "id of the premise: the group of pattern accuracy"),
    Column("premise", "string", "premise"),
    Column("hypothesis", "string", "hypothesis"),
    Column("label", "label", "gold label"),
    Column("template", "string", "template of the premise"),
    Column("hypothesis_template", "string", "template of the hypothesis"),
)
"""The columns that every config of pairs in groups begins with."""


@dataclass(frozen=True)
class SourceRecord:
    """What the sentences were made from: words, templates or problems, with the digest of their content."""

    name: str
    digest: Sha256


@dataclass(frozen=True)
class ConfigRecord:
    """A config of pairs.

    Attributes:
        description: What it contains, in Markdown.
        split: Its only split.
        columns: Its columns.
        groups: Number of groups.
        labels: Number of pairs by label.
        templates: Number of pairs by template of the premise.
    """

    description: str
    split: str
    columns: tuple[Column, ...]
    groups: int
    labels: dict[str, int]
    templates: dict[str, int]


@dataclass(frozen=True, kw_only=True)
class PairsRecord:
    """The content of `run.json`.

    Attributes:
        format: Version of the file's layout.
        kind: The kind of data set.
        command: The command that made it.
        method_version: Version of the code that made it.
        group_column: The column of the groups.
        label_names: Label names in the order of their numbers.
        options: The options of the command as plain JSON values.
        sources: What the sentences were made from.
        title: Title.
        load_name: The name of the folder in the examples of the card.
        summary: What the data set contains, in Markdown.
        notes: What a user needs to know of its making and its limits, in Markdown.
        terms: License and attribution.
        versions: Versions of Python, this package and the libraries, by name.
        configs: The configs.
        data: The data files.
        published: Where the data set was published; None for the folder of a run.
        card: sha256 of the card; empty before `seal`.
        digest: sha256 of everything else in the record; empty before `seal`.
    """

    format: Literal[1] = 1
    kind: Literal["pairs"] = "pairs"
    command: str
    method_version: str
    group_column: str = GROUP_ID
    label_names: tuple[str, ...] = NLI_LABELS
    options: dict[str, Any]
    sources: tuple[SourceRecord, ...]
    title: str
    load_name: str
    summary: str
    notes: tuple[str, ...]
    terms: TermsRecord
    versions: dict[str, str]
    configs: dict[str, ConfigRecord]
    data: DataRecord
    published: PublishedRecord | None = None
    card: Sha256 = ""
    digest: Sha256 = ""

    def __post_init__(self) -> None:
        """Check the configs, their columns and the label names, without which the data files cannot be read."""
        if not self.configs:
            raise ValueError("configs is empty")
        if len({*self.label_names}) < len(self.label_names):
            raise ValueError("label_names has a name more than once")
        required = (*(column.name for column in PAIR_COLUMNS), self.group_column)
        for name, config in self.configs.items():
            names = {column.name for column in config.columns}
            missing = next((column for column in required if column not in names), None)
            if missing is not None:
                raise ValueError(f"config {name} has no column {missing}")

    @property
    def files(self) -> dict[str, str]:
        """The sha256 of every data file by relative path."""
        return self.data.files

    @property
    def rows(self) -> dict[str, dict[str, int]]:
        """The number of rows by config and split."""
        return self.data.rows

    def columns(self, config: str) -> tuple[Column, ...]:
        """Return the columns of a config."""
        return self.configs[config].columns


def is_pairs(content: bytes) -> bool:
    """Return whether the content of a `run.json` is the record of pairs in groups."""
    try:
        values = from_json(content)
    except ValueError:
        return False
    return isinstance(values, dict) and values.get("kind") == "pairs"


def decode_any(content: bytes) -> Record | PairsRecord:
    """Parse the content of a `run.json` of either kind; raises as `merge_snli.record.decode`."""
    return decode(content, PairsRecord) if is_pairs(content) else decode_record(content)
