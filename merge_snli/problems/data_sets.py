"""Rows of data sets in folders and on the Hub."""

from __future__ import annotations

import re
import tempfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import BadZipFile

from merge_snli.base.errors import InputError, brief, reason
from merge_snli.base.hub_ids import split_revision
from merge_snli.base.limits import open_parquet
from merge_snli.base.progress import without_library_bars
from merge_snli.problems.delimited import COMMA
from merge_snli.problems.formats import FILE_TYPES, PARQUET, file_type, open_file
from merge_snli.problems.known_datasets import known_dataset
from merge_snli.problems.rows import Rows
from merge_snli.problems.tables import data_set_rows

if TYPE_CHECKING:
    import datasets

# A folder that `save_to_disk` wrote holds one of these files.
SAVED_TO_DISK = frozenset({"dataset_info.json", "dataset_dict.json"})

# What `datasets` raises for data that it cannot load, also damaged archives, which it reads as data.
LOADING_ERRORS = (OSError, ValueError, RuntimeError, EOFError, BadZipFile, zlib.error)

# What `datasets` says of a split that a data set does not have.
UNKNOWN_SPLIT = re.compile(r"Unknown split .* Should be one of \[(.*)\]")

# What the config of a folder has without options in its card.
OF_FILES = frozenset({"name", "version", "data_dir", "data_files", "description", "sep", "delimiter"})


def data_set_files(name: str, config: str | None, split: str | None) -> Mapping[str, Rows]:
    """Return the rows of a split of a data set, by their name in messages.

    The files of a folder are found as `datasets` does, and read like files that are named one by one.

    Args:
        name: A folder that `save_to_disk` wrote, one of data files, or a Hub id, `ORG/NAME` or `ORG/NAME@REVISION`.
        config: The config; None if there is only one.
        split: The split.
    """
    import datasets

    folder = Path(name)
    title = f"{name} split {split}"
    with _loading_errors(name, config, split):
        if not folder.is_dir():
            hub_id, revision = split_revision(name)
            loaded = datasets.load_dataset(hub_id, config, split=split, revision=revision)
        elif SAVED_TO_DISK & {path.name for path in folder.iterdir()}:
            loaded = datasets.load_from_disk(folder)  # all splits if they were saved together
        else:
            return _folder_files(folder, config, split, title)
    if isinstance(loaded, datasets.DatasetDict):
        if split not in loaded:
            raise _no_split(name, split, ", ".join(map(repr, loaded)))
        loaded = loaded[split]
    return {title: data_set_rows(loaded, title)}


def _folder_files(folder: Path, config: str | None, split: str | None, title: str) -> Mapping[str, Rows]:
    """Return the rows of a folder of data files.

    In its usual cache `datasets` would keep the old rows of files that have changed. The files of the temporary cache
    are memory-mapped: the rows stay readable after the cache is deleted.
    """
    import datasets

    for file in folder.rglob(f"*{PARQUET}"):
        open_parquet(file).close()  # too large a file is not read
    path = str(folder.resolve())
    with without_library_bars(), tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as cache:
        builder = datasets.load_dataset_builder(path, name=config, cache_dir=cache)
        of_splits = {str(of_split): files for of_split, files in (builder.config.data_files or {}).items()}
        if of_splits and split not in of_splits:
            raise _no_split(str(folder), split, ", ".join(map(repr, of_splits)))
        files = [Path(file) for file in of_splits.get(str(split), ())]
        if not files or _has_options(builder) or not all(file_type(file) in FILE_TYPES for file in files):
            return {title: data_set_rows(datasets.load_dataset(path, name=config, split=split, cache_dir=cache), title)}
        delimiter = getattr(builder.config, "sep", COMMA)
    return {str(file): open_file(file, None if delimiter in (None, COMMA) else delimiter) for file in files}


def _has_options(builder: datasets.DatasetBuilder) -> bool:
    """Return whether the card of a folder says how to read its files, or which types their columns have."""
    own = builder.config
    default = type(builder.config)()
    names = {field.name for field in fields(own)} - OF_FILES
    return builder.info.features is not None or any(getattr(own, name) != getattr(default, name) for name in names)


@contextmanager
def _loading_errors(name: str, config: str | None, split: str | None) -> Iterator[None]:
    """Convert the errors of `datasets`."""
    import datasets

    try:
        yield
    except InputError:
        raise
    except (*LOADING_ERRORS, datasets.exceptions.DatasetsError) as error:
        if splits := UNKNOWN_SPLIT.match(str(error)):
            raise _no_split(name, split, splits[1]) from error
        of_config = "" if config is None else f", config {config}"
        known = known_dataset(name, config)
        advice = "give a file, a folder or a Hub id that you have access to"
        if known is not None and known.note:
            advice = known.note
        # `datasets` puts a general sentence around the error of a file.
        is_general = type(error).__name__.startswith("DatasetGeneration")
        why = brief(reason((is_general and error.__cause__) or error), 400)
        raise InputError(f"cannot load data set {name}{of_config}, split {split}: {why}; {advice}") from error


def _no_split(name: str, split: str | None, splits: str) -> InputError:
    return InputError(f"{name} has no split {split!r}: choose from its splits, {splits}")
