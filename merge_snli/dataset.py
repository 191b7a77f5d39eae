"""Reads a MERGE data set from its Parquet files: a folder, or a data set repository of the Hub."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from merge_snli.errors import InputError, reason
from merge_snli.files import is_path, sha256_of_file
from merge_snli.hub import fetch, split_revision
from merge_snli.schema import ALL, SEED, TEST, WORD_CLASSES, data_file

if TYPE_CHECKING:
    import pyarrow as pa

    from merge_snli.record import Record

RUN_FILE = "run.json"
"""What a run writes beside the data: options, versions, digests, counts."""

CARD_FILE = "README.md"


@dataclass(frozen=True)
class MergeDataset:
    """A data set that was found.

    Attributes:
        name: What the user typed; a Hub id without its revision.
        folder: Where its `README.md`, `data/` and `run.json` lie.
        revision: The commit on the Hub, or None for a folder.
        record: The content of `run.json`.
    """

    name: str
    folder: Path
    revision: str | None
    record: Record

    @property
    def digest(self) -> str:
        """The sha256 of the data, as the run recorded it."""
        return self.record.data.digest

    @property
    def configs(self) -> tuple[str, ...]:
        """The configs that have rows, in the order all, noun, verb, adj, adv, seed."""
        return tuple(name for name in (ALL, *WORD_CLASSES, SEED) if (self.folder / data_file(name, TEST)).is_file())


def find_dataset(name: str, *, revision: str | None = None) -> MergeDataset:
    """Find a MERGE data set, fetching it from the Hub where `name` is no folder.

    Args:
        name: A folder, the Hub id of a data set, or `ORG/NAME@REVISION`.
        revision: Branch, tag or commit on the Hub.

    Raises:
        InputError: Where nothing is found, or what is found is no MERGE data set.
    """
    if Path(name).is_dir():
        return _from_folder(name, Path(name), None)
    if is_path(name):
        raise InputError(f"no data set at {name}: the folder does not exist")
    repo_id, named = split_revision(name)
    patterns = [CARD_FILE, RUN_FILE, "data/*.parquet"]
    instead = "the folder of a finished run"
    folder = fetch(repo_id, repo_type="dataset", revision=revision or named, patterns=patterns, instead=instead)
    return _from_folder(repo_id, folder, folder.name)


def _from_folder(name: str, folder: Path, revision: str | None) -> MergeDataset:
    from merge_snli.record import read_record

    return MergeDataset(name, folder, revision, read_record(folder / RUN_FILE))


def read_split(source: MergeDataset, config: str, split: str = TEST) -> pa.Table:
    """Read one split of one config.

    Args:
        source: The data set.
        config: `all`, a word class or `seed`.
        split: `test` or `subsample_K`.

    Returns:
        The rows, with the columns of `merge_snli.schema.columns(config)`.

    Raises:
        InputError: Where the data set has no such config or split, or the file is damaged.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = source.folder / data_file(config, split)
    if not path.is_file():
        available = ", ".join(source.configs) or "none"
        raise InputError(f"{source.folder} has no split {split} of config {config}; configs with rows: {available}")
    recorded = source.record.data.files.get(data_file(config, split))
    if recorded is not None and sha256_of_file(path) != recorded:
        raise InputError(f"{path} is not the file that the run wrote: fetch or generate the data set again")
    try:
        return pq.read_table(path)
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{path} cannot be read as Parquet: {reason(error)}") from error


def label_names(table: pa.Table) -> tuple[str, ...]:
    """Return the names of the labels of a table that `read_split` gave, in the order of their numbers.

    Raises:
        InputError: Where the Parquet file no longer says them: they are never guessed.
    """
    metadata = (table.schema.metadata or {}).get(b"huggingface")
    if metadata is None:
        raise InputError("the data set's Parquet files have lost the names of their labels: generate it again")
    return tuple(json.loads(metadata)["info"]["features"]["label"]["names"])
