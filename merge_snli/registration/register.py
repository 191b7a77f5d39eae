"""Writes a data set and the metric into the libraries' caches, remembers what it wrote, and takes it away again."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from merge_snli.dataset import RUN_FILE, find_dataset
from merge_snli.errors import InputError
from merge_snli.files import disk_errors_as_input_errors, write_json
from merge_snli.registration.caches import Caches, find_caches
from merge_snli.registration.check import check_loading
from merge_snli.registration.lock import held
from merge_snli.registration.places import make_places, missing_folders, missing_inits
from merge_snli.registration.prepare import NAME, prepare_dataset, prepare_metric
from merge_snli.registration.record import Registration, read_record, record_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from merge_snli.dataset import MergeDataset

STAGE = f".{NAME}-registering"
LOCK = f"{STAGE}.lock"


def registered() -> Registration | None:
    """Return what is registered in the caches that the environment names, or None.

    Raises:
        InputError: Where the record of it cannot be read.
    """
    return read_record(find_caches())


def register(name: str) -> Registration:
    """Make `load_dataset("merge_snli", CONFIG)` and `evaluate.load("pattern_accuracy")` work from any folder.

    An older registration is replaced, one that is under way is waited for. Nothing is written before another process
    has loaded it all from a copy.

    Args:
        name: The folder or the Hub id of a MERGE data set.

    Returns:
        What was written where.

    Raises:
        InputError: Where that is no whole data set, the libraries do not find what they are given, or a cache may not
            be written.
    """
    source, caches = find_dataset(name), find_caches()
    _check_record(source)
    with disk_errors_as_input_errors(caches.datasets), held(caches.datasets / LOCK) as around, _stage(caches) as stage:
        data = prepare_dataset(source, stage / "datasets")
        metric = prepare_metric(stage / "modules")
        check_loading(source, stage)
        moves = {stage / "datasets" / tree: caches.datasets / tree for tree in data}
        moves[stage / "modules" / metric] = caches.modules / metric
        return _put_in_place(source, caches, moves, around)


def _check_record(source: MergeDataset) -> None:
    """Refuse a data set whose record no run wrote: the builder reads it.

    Raises:
        InputError: Names the first thing that is wrong with it.
    """
    from merge_snli.validation import record

    _, wrong = record.read_run((source.folder / RUN_FILE).read_bytes())
    if wrong:
        raise InputError(
            f"{source.name} cannot be registered ({wrong[0]}): see merge-snli validate {source.name}, and generate it "
            "again"
        )


def undo(name: str | None = None) -> Registration | None:
    """Leave the caches as they were before the registration.

    Args:
        name: The data set that is meant; None for whatever is registered.

    Returns:
        What was taken away, or None where nothing was registered.

    Raises:
        InputError: Where another data set is registered than the one that is named.
    """
    caches = find_caches()
    if read_record(caches) is None:
        return None
    with disk_errors_as_input_errors(caches.datasets), held(caches.datasets / LOCK) as around:
        there = read_record(caches)
        if there is not None:
            if name is not None and not _is_named(there, name):
                raise InputError(f"{name} is not registered, {there.data_set} is: undo that, or leave the folder out")
            _remove(there, caches)
            around += there.places
    return there


def _is_named(there: Registration, name: str) -> bool:
    return there.data_set in {name, str(Path(name).resolve())} or there.data_set.startswith(f"{name}@")


@contextmanager
def _stage(caches: Caches) -> Iterator[Path]:
    """Make a folder to prepare in, on the cache's disk."""
    stage = caches.datasets / STAGE
    shutil.rmtree(stage, ignore_errors=True)
    try:
        stage.mkdir()
        yield stage
    finally:
        shutil.rmtree(stage, ignore_errors=True)


def _put_in_place(source: MergeDataset, caches: Caches, moves: dict[Path, Path], around: list[str]) -> Registration:
    """Move what was prepared into the caches; the record comes first, so that what a kill leaves can be undone."""
    older = read_record(caches)
    (metric,) = (target for target in moves.values() if target.is_relative_to(caches.modules))
    missing = [place for target in moves.values() for place in missing_folders(target.parent)]
    missing += missing_inits(caches.modules, metric.parent)
    trees = tuple(str(target) for target in moves.values())
    made = Registration(
        data_set=str(source.folder.resolve()) if source.revision is None else f"{source.name}@{source.revision}",
        digest=source.digest,
        configs=source.configs,
        trees=trees,
        places=tuple(dict.fromkeys([*(older.places if older else ()), *around, *missing])),
    )
    if older is not None:
        _remove_trees(older, caches)
    write_json(record_file(caches), asdict(made))
    try:
        make_places(made.places)
        for prepared, target in moves.items():
            shutil.rmtree(target, ignore_errors=True)
            shutil.move(prepared, target)
    except BaseException:
        _remove(made, caches)
        around += made.places
        raise
    return made


def _remove(there: Registration, caches: Caches) -> None:
    """Take away all of a registration but the places around it, its record last."""
    _remove_trees(there, caches)
    record_file(caches).unlink()


def _remove_trees(there: Registration, caches: Caches) -> None:
    for tree in there.trees:
        shutil.rmtree(tree, ignore_errors=True)
        # The library names the lock of a folder in its cache so.
        (caches.datasets / f"{Path(tree).as_posix().replace('/', '_')}.lock").unlink(missing_ok=True)
