"""Tables that the `datasets` library reads: data sets in folders and on the Hub, Parquet files, tables in memory."""

from __future__ import annotations

import glob
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from merge_snli.base.errors import REASON, InputError, explained, param, reason
from merge_snli.base.hub_ids import split_revision
from merge_snli.problems.known_datasets import known_dataset
from merge_snli.problems.rows import Rows, SourceRow

if TYPE_CHECKING:
    import datasets

# A folder that `save_to_disk` wrote holds one of these files.
SAVED_TO_DISK = frozenset({"dataset_info.json", "dataset_dict.json"})

# What `datasets` says of a split that a data set does not have.
UNKNOWN_SPLIT = re.compile(r"Unknown split .* Should be one of \[(.*)\]")


def table_rows(table: datasets.Dataset | list[Mapping[str, Any]], name: str) -> Rows:
    """Return the rows of a table.

    Args:
        table: A data set, or a list of dicts.
        name: The table's name in messages.
    """
    features = getattr(table, "features", None) or {}

    def read() -> Iterator[SourceRow]:
        for number, values in enumerate(table, start=1):
            yield SourceRow(f"{name} row {number}", values)

    return Rows(read, {column: tuple(of.names) for column, of in features.items() if getattr(of, "names", None)})


def table_in_memory(data: object) -> datasets.Dataset | list[Mapping[str, Any]]:
    """Return problems in memory as a table.

    Args:
        data: A `datasets.Dataset`, a pandas or Polars frame, an Arrow table, or a list of dicts. A list is returned as
            it is, since its values need not have one type per column.
    """
    kind = type(data).__name__
    if isinstance(data, list) and all(isinstance(row, Mapping) for row in data):
        return data
    if "datasets" in sys.modules and isinstance(data, sys.modules["datasets"].Dataset):
        return data.with_format(None)
    if not hasattr(data, "__arrow_c_stream__"):
        raise InputError(
            f"{param('problems')} has the type {kind}: give a file, a folder, a Hub id, or in Python one split as a "
            "datasets.Dataset, a pandas or Polars frame, an Arrow table or a list of dicts"
        )
    import datasets
    import pyarrow as pa

    errors = (pa.ArrowException, TypeError, ValueError)
    with explained(errors, f"{param('problems')}: {kind} cannot be converted to Arrow: {REASON}"):
        return datasets.Dataset(pa.table(data))


def load_parquet(path: Path) -> datasets.Dataset:
    """Load a Parquet file, which must have a row."""
    import datasets
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        if pq.read_metadata(path).num_rows:
            return _load_files("parquet", split="train", data_files=glob.escape(str(path)))
    except (OSError, ValueError, pa.ArrowException, datasets.exceptions.DatasetsError) as error:
        raise InputError(f"{path} cannot be read as Parquet: {_cause(error)}") from error
    raise InputError(f"{path} has no rows")


def load_dataset(name: str, config: str | None, split: str | None) -> datasets.Dataset:
    """Load a split of a data set.

    Args:
        name: A folder that `save_to_disk` wrote, one of data files, or a Hub id, `ORG/NAME` or `ORG/NAME@REVISION`.
        config: The config; None if there is only one.
        split: The split.
    """
    import datasets

    folder, (hub_id, revision) = Path(name), split_revision(name)
    try:
        if not folder.is_dir():
            loaded = datasets.load_dataset(hub_id, config, split=split, revision=revision)
        elif SAVED_TO_DISK & {path.name for path in folder.iterdir()}:
            loaded = datasets.load_from_disk(folder)  # all splits if they were saved together
        else:
            loaded = _load_files(str(folder.resolve()), name=config, split=split)
    except (OSError, ValueError, RuntimeError, datasets.exceptions.DatasetsError) as error:
        if splits := UNKNOWN_SPLIT.match(str(error)):
            raise _no_split(name, split, splits[1]) from error
        of_config, known = "" if config is None else f", config {config}", known_dataset(name, config)
        advice = (known and known.note) or "give a file, a folder or a Hub id that you have access to"
        raise InputError(f"cannot load data set {name}{of_config}, split {split}: {_cause(error)}; {advice}") from error
    if not isinstance(loaded, datasets.DatasetDict):
        return loaded
    if split not in loaded:
        raise _no_split(name, split, ", ".join(map(repr, loaded)))
    return loaded[split]


def _load_files(path: str, **arguments: Any) -> datasets.Dataset:  # noqa: ANN401 - as `datasets.load_dataset`
    """Load data files; takes the arguments of `datasets.load_dataset`.

    In its usual cache the library would keep the old rows of files that have changed. The files of the temporary cache
    are memory-mapped: the rows stay readable after the cache is deleted.
    """
    import datasets

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as cache:
        return datasets.load_dataset(path, cache_dir=cache, **arguments)


def _no_split(name: str, split: str | None, splits: str) -> InputError:
    return InputError(f"{name} has no split {split!r}: choose from its splits, {splits}")


def _cause(error: Exception) -> str:
    """Return the reason of an error; `datasets` puts a general sentence around the error of a file."""
    is_general = type(error).__name__.startswith("DatasetGeneration")
    return reason(error.__cause__ if is_general and error.__cause__ is not None else error)
