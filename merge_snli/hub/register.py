"""Register a data set and the metric in the caches of `datasets` and `evaluate`, and undo it."""

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from merge_snli.base.errors import InputError, explained
from merge_snli.base.files import disk_errors_as_input_errors, write_json
from merge_snli.dataset.stored import MergeDataset, find_dataset
from merge_snli.hub.prepare import METRICS, NAME, check_loading, prepare_dataset, prepare_metric

# Pattern of the names to load a data set by, which are names of folders in the cache.
LOAD_NAME = re.compile("[a-z][a-z0-9_]*")

REGISTERED = """\
registered: {{ registration.dataset }} (sha256 {{ registration.digest[:12] }}…)
folders:
{% for folder in registration.folders %}
  {{ folder }}
{% endfor %}
load from any folder that has no {{ registration.name }} (register again if one was loaded since):
{% for config in registration.configs %}
  load_dataset("{{ registration.name }}", "{{ config }}")
{% endfor %}
  evaluate.load("pattern_accuracy")
{% if not registration.is_complete %}
some folders are missing: register again, or remove the rest with --undo
{% endif %}
"""

REMOVED = """\
no longer registered: {{ registration.dataset }}
removed:
{% for folder in registration.folders %}
  {{ folder }}
{% endfor %}
"""


def datasets_cache() -> Path:
    """Return the cache of prepared data sets, `NAME/CONFIG/VERSION/HASH/`, which environment variables define."""
    return _cache("HF_DATASETS_CACHE")


def modules_cache() -> Path:
    """Return the cache of Python modules, with `evaluate_modules/metrics/evaluate-metric--NAME/HASH/`.

    `datasets` knows it. `evaluate` reads the same variables, but importing it already writes to its cache.
    """
    return _cache("HF_MODULES_CACHE")


def _cache(variable: str) -> Path:
    from datasets import config

    path = Path(getattr(config, variable)).expanduser()
    if not path.is_absolute():
        raise InputError(f"the cache {path} is a relative path: set HF_HOME or {variable} to an absolute one")
    return path


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


def registered() -> Registration | None:
    """Return what is registered in the caches, or None.

    Raises:
        InputError: If the record is malformed, or names folders that `register` does not write.
    """
    path = record_file()
    if not path.exists():
        return None
    with explained(ValidationError, f"{path} was not written by merge-snli register: delete it"):
        registration = TypeAdapter(Registration).validate_json(path.read_bytes())
    # `undo` deletes these folders.
    parents = (datasets_cache() / check_name(registration.name), modules_cache() / METRICS)
    for folder in map(Path, registration.folders):
        if ".." in folder.parts or not any(parent in folder.parents for parent in parents):
            raise InputError(f"{path} names {folder}, which merge-snli register does not write: delete {path}")
    return registration


def record_file() -> Path:
    """Return the path of the record."""
    return datasets_cache() / NAME / "registered.json"


def check_name(name: str) -> str:
    """Return a name to load a data set by, after checking that it is valid."""
    if not LOAD_NAME.fullmatch(name):
        raise InputError(
            f"{name!r} is not a valid name to load by: use lower-case letters, digits and _, such as merge_sick"
        )
    return name


def register(name: str, *, load_name: str = NAME) -> Registration:
    """Make `load_dataset(NAME, CONFIG)` and `evaluate.load("pattern_accuracy")` work from any folder.

    The files are prepared in a temporary folder and loaded from there in another process. Only then are they moved to
    the caches. An older registration is replaced.

    Args:
        name: The folder or the Hub id of a data set.
        load_name: The name to load it by.

    Returns:
        The record of the registration.

    Raises:
        InputError: If the data set is invalid, the libraries do not load the prepared files, or a cache cannot be
            written.
    """
    check_name(load_name)
    dataset = find_dataset(name)
    cache = datasets_cache()
    modules = modules_cache()
    with _locked(), _stage() as stage:
        configs = prepare_dataset(dataset, stage / "datasets", load_name)
        metric = prepare_metric(stage / "modules")
        check_loading(dataset, stage, load_name)
        moves = {stage / "datasets" / folder: cache / folder for folder in configs}
        moves[stage / "modules" / metric] = modules / metric
        return _install(dataset, moves, load_name)


def undo(name: str | None = None) -> Registration | None:
    """Remove what `register` wrote.

    Args:
        name: The registered data set; None for any.

    Returns:
        The record of the removed registration; None if nothing is registered.

    Raises:
        InputError: If another data set is registered.
    """
    if registered() is None:
        return None
    with _locked():
        registration = registered()
        if registration is not None:
            if name is not None and not _is_named(registration, name):
                raise InputError(f"{name} is not registered, {registration.dataset} is: name that one or none")
            _remove(registration)
    return registration


def _is_named(registration: Registration, name: str) -> bool:
    return registration.dataset in {name, str(Path(name).resolve())} or registration.dataset.startswith(f"{name}@")


@contextmanager
def _locked() -> Iterator[None]:
    """Wait until no other process registers, and hold the lock; the system releases it if the process dies."""
    from filelock import FileLock

    folder = datasets_cache()
    with disk_errors_as_input_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / ".merge_snli.lock"):
            yield


@contextmanager
def _stage() -> Iterator[Path]:
    """Create a temporary folder on the cache's disk; it replaces one that a killed process left."""
    stage = datasets_cache() / f".{NAME}-registering"
    shutil.rmtree(stage, ignore_errors=True)
    try:
        stage.mkdir()
        yield stage
    finally:
        shutil.rmtree(stage, ignore_errors=True)


def _install(dataset: MergeDataset, moves: dict[Path, Path], load_name: str) -> Registration:
    """Move prepared folders to the caches. The record is written first, so that `undo` works after a kill."""
    older = registered()
    for target in moves.values():
        if target.exists() and (older is None or str(target) not in older.folders):
            raise InputError(f"{target} exists and was not written by merge-snli register: delete it first")
    registration = Registration(
        dataset=str(dataset.folder.resolve()) if dataset.revision is None else f"{dataset.name}@{dataset.revision}",
        digest=dataset.digest,
        configs=tuple(dataset.record.rows),
        folders=tuple(map(str, moves.values())),
        name=load_name,
    )
    if older is not None:
        _remove(older)
    write_json(record_file(), asdict(registration))
    try:
        for prepared, target in moves.items():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.move(prepared, target)
    except BaseException:
        _remove(registration)
        raise
    return registration


def _remove(registration: Registration) -> None:
    """Delete the folders of a registration, then its record, then their parents within the caches if empty."""
    for folder in registration.folders:
        shutil.rmtree(folder, ignore_errors=True)
    record_file().unlink()
    for path in (*map(Path, registration.folders), record_file()):
        for parent in path.parents:
            if parent in {datasets_cache(), modules_cache()}:
                break
            with suppress(OSError):  # not empty, or removed before
                parent.rmdir()
