"""Find and lock the caches of `datasets` and `evaluate`."""

from __future__ import annotations

import fcntl
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from merge_snli.base.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True)
class Caches:
    """The two caches that a registration writes to.

    Attributes:
        datasets: Prepared data sets: `NAME/CONFIG/VERSION/HASH/`.
        modules: Python modules: `evaluate_modules/metrics/evaluate-metric--NAME/HASH/`.
    """

    datasets: Path
    modules: Path


def find_caches() -> Caches:
    """Return the caches that HF_HOME, HF_DATASETS_CACHE, HF_MODULES_CACHE and XDG_CACHE_HOME define.

    `datasets` knows both. `evaluate` reads the same variables, but importing it already writes to its cache.

    Raises:
        InputError: If the path of a cache is relative.
    """
    from datasets import config

    return Caches(
        datasets=_absolute(Path(config.HF_DATASETS_CACHE).expanduser(), "HF_DATASETS_CACHE"),
        modules=_absolute(Path(config.HF_MODULES_CACHE), "HF_MODULES_CACHE"),
    )


def _absolute(path: Path, variable: str) -> Path:
    if not path.is_absolute():
        raise InputError(f"the cache {path} is a relative path: set HF_HOME or {variable} to an absolute one")
    return path


@contextmanager
def locked(caches: Caches) -> Iterator[None]:
    """Wait until no other process registers, and hold the lock; the system releases it if the process dies."""
    caches.datasets.mkdir(parents=True, exist_ok=True)
    with (caches.datasets / ".merge_snli.lock").open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
