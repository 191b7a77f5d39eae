"""Rows of a data set that the `datasets` library loads, from a folder or from the Hub."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from merge_snli.base.errors import InputError, param, reason
from merge_snli.base.hub_ids import split_revision
from merge_snli.problems.known_datasets import known_dataset
from merge_snli.problems.rows import SourceRow

if TYPE_CHECKING:
    from pathlib import Path

    import datasets

    from merge_snli.problems.options import ProblemOptions

SAVED_TO_DISK = frozenset({"dataset_info.json", "dataset_dict.json"})
"""A folder that `save_to_disk` wrote holds one of these files."""

UNKNOWN_SPLIT = re.compile(r"Unknown split .* Should be one of \[(.*)\]")
"""What `datasets` says of a split that a data set does not have."""


def dataset_rows(dataset: datasets.Dataset, name: str) -> Iterator[SourceRow]:
    """Yield the rows of a data set.

    Args:
        dataset: One split.
        name: The data set's name in messages.
    """
    for number, values in enumerate(dataset, start=1):
        yield SourceRow(f"{name} row {number}", values)


def class_label_names(dataset: datasets.Dataset, column: str) -> tuple[str, ...] | None:
    """Return the names of a ClassLabel column, or None if the column has another type."""
    names = getattr((dataset.features or {}).get(column), "names", None)
    return None if names is None else tuple(names)


def load_folder(folder: Path, options: ProblemOptions) -> datasets.Dataset:
    """Load a split of the data set in a folder.

    Args:
        folder: A folder that `save_to_disk` wrote, or one of data files.
        options: `config` and `split` are read.

    Raises:
        InputError: If the folder is not a data set or has no such split.
    """
    import datasets

    if not SAVED_TO_DISK & {path.name for path in folder.iterdir()}:
        # In its usual cache the library would keep the old rows of a folder that has changed. The files of the
        # temporary cache are memory-mapped: the rows stay readable after the cache is deleted.
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as cache:
            return _load(options, str(folder.resolve()), cache_dir=cache)
    try:
        loaded = datasets.load_from_disk(folder)
    except (OSError, ValueError) as error:
        raise InputError(f"the data set in {folder} cannot be read: {reason(error)}") from error
    if not isinstance(loaded, datasets.DatasetDict):
        return loaded
    if options.split is None or options.split not in loaded:
        raise _no_split(options, ", ".join(map(repr, loaded)))
    return loaded[options.split]


def load_from_hub(options: ProblemOptions) -> datasets.Dataset:
    """Load a split of a data set on the Hub.

    Args:
        options: `problems` (`ORG/NAME` or `ORG/NAME@REVISION`), `config` and `split` are read.

    Raises:
        InputError: If the data set cannot be loaded.
    """
    hub_id, revision = split_revision(options.problems)
    return _load(options, hub_id, revision=revision)


def _load(options: ProblemOptions, path: str, **arguments: Any) -> datasets.Dataset:  # noqa: ANN401 - as load_dataset
    import datasets

    try:
        return datasets.load_dataset(path, options.config, split=options.split, **arguments)
    except (OSError, ValueError, RuntimeError, datasets.exceptions.DatasetsError) as error:
        if found := UNKNOWN_SPLIT.match(str(error)):
            raise _no_split(options, found[1]) from error
        # `datasets` puts a general sentence around the error of a file.
        cause = error.__cause__ if isinstance(error, datasets.exceptions.DatasetGenerationError) else None
        config = "" if options.config is None else f", config {options.config}"
        known = known_dataset(options.problems)
        advice = (known and known.note) or "give a file, a folder or a Hub id that you have access to"
        raise InputError(
            f"cannot load data set {options.problems}{config}, split {options.split}: "
            f"{reason(cause or error)}; {advice}"
        ) from error


def _no_split(options: ProblemOptions, splits: str) -> InputError:
    return InputError(
        f"{options.problems} has no split {options.split!r} (splits: {splits}); choose one with {param('split')}"
    )
