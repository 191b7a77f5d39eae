"""Prepares what the caches are to hold, in a folder of its own: one tree a config, and one of the metric."""

from __future__ import annotations

import hashlib
import os
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from merge_snli.errors import InputError
from merge_snli.files import sha256_of_file
from merge_snli.schema import ALL, data_version

if TYPE_CHECKING:
    from merge_snli.dataset import MergeDataset

NAME = "merge_snli"
METRIC_NAME = "pattern_accuracy"
METRICS = Path("evaluate_modules", "metrics", f"evaluate-metric--{METRIC_NAME}")
"""Where `evaluate` keeps the metric's modules, within its cache."""

AHEAD = 2**31 - 86_400
"""The day to which what is registered is dated, in 2038, the last that every file system knows.

The libraries take the latest of what they hold under a name. So dated, no other data set that is loaded from a folder
of the same name comes before the registered one.
"""


def prepare_dataset(source: MergeDataset, cache: Path) -> tuple[Path, ...]:
    """Write each config as `datasets` keeps prepared data.

    Args:
        source: The data set.
        cache: The folder that stands for the library's cache.

    Returns:
        The folder of each config, relative to `cache`.

    Raises:
        InputError: Where a file of the data set is missing or is not the one that its run wrote.
    """
    from datasets import are_progress_bars_disabled, disable_progress_bars, enable_progress_bars

    _check_files(source)
    shown = not are_progress_bars_disabled()
    disable_progress_bars()
    try:
        return tuple(_prepare_config(source, config, cache) for config in source.configs)
    finally:
        if shown:
            enable_progress_bars()


def _check_files(source: MergeDataset) -> None:
    for name, digest in source.record.data.files.items():
        path = source.folder / name
        if not path.is_file() or sha256_of_file(path) != digest:
            raise InputError(f"{path} is not the file that the run wrote: fetch or generate the data set again")


def _prepare_config(source: MergeDataset, config: str, cache: Path) -> Path:
    from merge_snli.builder import MergeSnli

    # A hash of its own for each config: where all have one, the library refuses a bare name without a config.
    hashed = f"registered-{source.digest[:16]}-{config}"
    tree = Path(NAME, config, data_version(source.digest), hashed)
    builder = MergeSnli(
        config_name=config, data_dir=str(source.folder), dataset_name=NAME, cache_dir=str(cache / ".unused")
    )
    builder.download_and_prepare(output_dir=str(cache / tree))
    (cache / tree.with_name(f"{tree.name}_builder.lock")).unlink(missing_ok=True)
    # Of the configs `all` is the latest: it is the one that a name without a config stands for, as in the folder.
    os.utime(cache / tree, (AHEAD + (config == ALL), AHEAD + (config == ALL)))
    return tree


def metric_folder() -> Path:
    """Return where the metric's module lies."""
    return Path(str(files(f"metrics.{METRIC_NAME}")))


def prepare_metric(cache: Path) -> Path:
    """Copy the metric's modules to where `evaluate` keeps those of its own Spaces.

    Args:
        cache: The folder that stands for the cache of modules.

    Returns:
        The metric's folder, relative to `cache`.
    """
    contents = {
        path.name: path.read_bytes() for path in sorted(metric_folder().glob("*.py")) if path.name not in NOT_IMPORTED
    }
    digest = hashlib.sha256()
    for name, content in contents.items():
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    tree = METRICS / digest.hexdigest()
    (cache / tree).mkdir(parents=True)
    for name, content in (contents | {"__init__.py": b""}).items():
        (cache / tree / name).write_bytes(content)
        os.utime(cache / tree / name, (AHEAD, AHEAD))
    return tree


NOT_IMPORTED = frozenset({"__init__.py", "app.py"})
"""Files of the metric's folder that its module does not import."""
