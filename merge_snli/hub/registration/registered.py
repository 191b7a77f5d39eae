"""Read the record of a registration: which folders it wrote."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import TypeAdapter, ValidationError

from merge_snli.base.errors import InputError
from merge_snli.hub.registration.prepare import METRIC_NAME, METRICS, NAME

if TYPE_CHECKING:
    from merge_snli.hub.registration.caches import Caches

RECORD = "registered.json"

LOAD_NAME = re.compile("[a-z][a-z0-9_]*")
"""Pattern of the names to load a data set by, which are names of folders in the cache."""


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
    return caches.datasets / NAME / RECORD


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
    lines = [f"registered: {registration.dataset} (sha256 {registration.digest[:12]}…)", "folders:"]
    lines += [f"  {folder}" for folder in registration.folders]
    lines += [f"load from any folder that has no {registration.name}:"]
    lines += [f'  load_dataset("{registration.name}", "{config}")' for config in registration.configs]
    lines += [f'  evaluate.load("{METRIC_NAME}")']
    if not registration.is_complete:
        lines += ["some folders are missing: register again, or remove the rest with --undo"]
    return "\n".join([*lines, ""])


def removed_text(registration: Registration) -> str:
    """Return what `undo` removed."""
    folders = [f"  {folder}" for folder in registration.folders]
    return "\n".join([f"no longer registered: {registration.dataset}", "removed:", *folders, ""])
