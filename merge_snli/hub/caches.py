"""The caches of `datasets` and `evaluate`, and the record of which folders a registration wrote there."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from merge_snli.base.errors import InputError
from merge_snli.hub.prepare import METRIC_NAME, METRICS, NAME

# Pattern of the names to load a data set by, which are names of folders in the cache.
LOAD_NAME = re.compile("[a-z][a-z0-9_]*")


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
    from filelock import FileLock

    caches.datasets.mkdir(parents=True, exist_ok=True)
    with FileLock(caches.datasets / ".merge_snli.lock"):
        yield


@dataclass(frozen=True)
class Registration:
    """The record of a registration.

    Attributes:
        dataset: The folder of the data set, or `ORG/NAME@COMMIT`.
        digest: sha256 of the data.
        configs: The configs that load by bare name.
        folders: The folders that the registration wrote.
        name: The name that the data set loads by.
    """

    dataset: str
    digest: str
    configs: tuple[str, ...]
    folders: tuple[str, ...]
    name: str = NAME

    @property
    def is_complete(self) -> bool:
        """Whether all folders still exist."""
        return all(Path(folder).is_dir() for folder in self.folders)


def check_name(name: str) -> str:
    """Return a name to load a data set by.

    Raises:
        InputError: If it is not valid.
    """
    if not LOAD_NAME.fullmatch(name):
        raise InputError(
            f"{name!r} is not a valid name to load by: use lower-case letters, digits and _, such as merge_sick"
        )
    return name


def record_file(caches: Caches) -> Path:
    """Return the path of the record."""
    return caches.datasets / NAME / "registered.json"


def read_registration(caches: Caches) -> Registration | None:
    """Return the record of the registration in the caches, or None.

    Raises:
        InputError: If the record is malformed, or names folders that `register` does not write.
    """
    path = record_file(caches)
    if not path.exists():
        return None
    try:
        registration = TypeAdapter(Registration).validate_json(path.read_bytes())
    except ValidationError as error:
        raise InputError(f"{path} was not written by merge-snli register: delete it") from error
    # `undo` deletes these folders.
    parents = (caches.datasets / check_name(registration.name), caches.modules / METRICS)
    for folder in map(Path, registration.folders):
        if ".." in folder.parts or not any(parent in folder.parents for parent in parents):
            raise InputError(f"{path} names {folder}, which merge-snli register does not write: delete {path}")
    return registration


def registered_text(registration: Registration) -> str:
    """Return what is registered, the folders, and how to load it."""
    hint = "some folders are missing: register again, or remove the rest with --undo"
    lines = [
        f"registered: {registration.dataset} (sha256 {registration.digest[:12]}…)",
        "folders:",
        *(f"  {folder}" for folder in registration.folders),
        f"load from any folder that has no {registration.name}:",
        *(f'  load_dataset("{registration.name}", "{config}")' for config in registration.configs),
        f'  evaluate.load("{METRIC_NAME}")',
        *([] if registration.is_complete else [hint]),
    ]
    return "\n".join([*lines, ""])


def removed_text(registration: Registration) -> str:
    """Return what `undo` removed."""
    folders = [f"  {folder}" for folder in registration.folders]
    return "\n".join([f"no longer registered: {registration.dataset}", "removed:", *folders, ""])
