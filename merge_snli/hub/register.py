"""Register a data set and the metric in the libraries' caches, and undo it."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path

from merge_snli.base.errors import InputError
from merge_snli.base.files import disk_errors_as_input_errors, write_json
from merge_snli.dataset.stored import MergeDataset, find_dataset
from merge_snli.hub.caches import Caches, Registration, check_name, find_caches, locked, read_registration, record_file
from merge_snli.hub.prepare import NAME, check_loading, prepare_dataset, prepare_metric


def registered() -> Registration | None:
    """Return what is registered in the caches, or None.

    Raises:
        InputError: If the record is malformed.
    """
    return read_registration(find_caches())


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
    dataset, caches = find_dataset(name), find_caches()
    with disk_errors_as_input_errors(caches.datasets), locked(caches), _stage(caches) as stage:
        configs = prepare_dataset(dataset, stage / "datasets", load_name)
        metric = prepare_metric(stage / "modules")
        check_loading(dataset, stage, load_name)
        moves = {stage / "datasets" / folder: caches.datasets / folder for folder in configs}
        moves[stage / "modules" / metric] = caches.modules / metric
        return _install(dataset, caches, moves, load_name)


def undo(name: str | None = None) -> Registration | None:
    """Remove what `register` wrote.

    Args:
        name: The registered data set; None for any.

    Returns:
        The record of the removed registration; None if nothing is registered.

    Raises:
        InputError: If another data set is registered.
    """
    caches = find_caches()
    if read_registration(caches) is None:
        return None
    with disk_errors_as_input_errors(caches.datasets), locked(caches):
        registration = read_registration(caches)
        if registration is not None:
            if name is not None and not _is_named(registration, name):
                raise InputError(f"{name} is not registered, {registration.dataset} is: name that one or none")
            _remove(registration, caches)
    return registration


def _is_named(registration: Registration, name: str) -> bool:
    folder = str(Path(name).resolve())
    return registration.dataset in {name, folder} or registration.dataset.startswith(f"{name}@")


@contextmanager
def _stage(caches: Caches) -> Iterator[Path]:
    """Create a temporary folder on the cache's disk; it replaces one that a killed process left."""
    stage = caches.datasets / f".{NAME}-registering"
    shutil.rmtree(stage, ignore_errors=True)
    try:
        stage.mkdir()
        yield stage
    finally:
        shutil.rmtree(stage, ignore_errors=True)


def _install(dataset: MergeDataset, caches: Caches, moves: dict[Path, Path], load_name: str) -> Registration:
    """Move prepared folders to the caches. The record is written first, so that `undo` works after a kill."""
    older = read_registration(caches)
    for target in moves.values():
        if target.exists() and (older is None or str(target) not in older.folders):
            raise InputError(f"{target} exists and was not written by merge-snli register: delete it first")
    registration = Registration(
        dataset=str(dataset.folder.resolve()) if dataset.revision is None else f"{dataset.name}@{dataset.revision}",
        digest=dataset.digest,
        configs=dataset.configs,
        folders=tuple(map(str, moves.values())),
        name=load_name,
    )
    if older is not None:
        _remove(older, caches)
    write_json(record_file(caches), asdict(registration))
    try:
        for prepared, target in moves.items():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.move(prepared, target)
    except BaseException:
        _remove(registration, caches)
        raise
    return registration


def _remove(registration: Registration, caches: Caches) -> None:
    """Delete the folders of a registration, then its record, then their parents within the caches if empty."""
    for folder in registration.folders:
        shutil.rmtree(folder, ignore_errors=True)
    record_file(caches).unlink()
    for path in (*map(Path, registration.folders), record_file(caches)):
        for parent in path.parents:
            if parent in {caches.datasets, caches.modules}:
                break
            with suppress(OSError):  # not empty, or removed before
                parent.rmdir()
