"""Validate a data set: compare its folder, row by row, with the record of its run.

From outside, import the names listed in `__all__`. The command also prints the text of a report.
"""

# ruff: noqa: E402 - the check comes before the imports that need the package
import logging
from pathlib import Path

from merge_snli.base.shadowing import check_not_shadowed

check_not_shadowed("generation")

from merge_snli.base.errors import InputError
from merge_snli.base.progress import step
from merge_snli.dataset.label_names import labels_of_other_task
from merge_snli.dataset.record import Record
from merge_snli.dataset.stored import CARD_FILE, RUN_FILE, find_dataset
from merge_snli.validation.annotation import check_annotation
from merge_snli.validation.card import check_card
from merge_snli.validation.data_files import check_data_files
from merge_snli.validation.findings import Collector, Finding, ValidationReport
from merge_snli.validation.folder import REQUIRED_FILES, check_digests, check_folder, check_repository
from merge_snli.validation.loaded_rows import check_loaded
from merge_snli.validation.pairs import check_pairs
from merge_snli.validation.recorded_run import check_run_toml, read_record, read_run

__all__ = ["Finding", "ValidationReport", "validate"]

logger = logging.getLogger(__name__)

NO_RECORD = f"data and card: there is no valid {RUN_FILE} to compare them with"


def validate(dataset: object, *, tagger: str | None = None) -> ValidationReport:
    """Compare a data set with the record of its run; rows that `datasets` loaded, with those of their folder.

    Args:
        dataset: A folder, the result of `merge_snli.dataset.stored.find_dataset`, or what `load_dataset` returned. Rows
            whose folder is not found are only compared with each other.
        tagger: The spaCy pipeline of the run, if it was a folder. Installed pipelines are found by their name in the
            record.

    Raises:
        InputError: If the folder does not exist, or `tagger` cannot be loaded.
    """
    if isinstance(dataset, str | Path):
        name = str(dataset)
        folder = Path(dataset)
        revision = None
    else:
        opened = find_dataset(dataset)
        name = opened.name
        folder = opened.folder
        revision = opened.revision
        if opened.loaded is not None and not opened.is_stored:
            collector = Collector()
            check_loaded(opened.loaded, collector)
            return collector.report(name)
    if not folder.is_dir():
        raise InputError(f"no data set at {folder}: the folder does not exist")
    if not any((folder / part).exists() for part in (*REQUIRED_FILES, "data")):
        raise InputError(f"no data set at {folder}: the folder has neither {RUN_FILE} nor data")
    collector = Collector()
    record = read_record(folder, collector)
    data_files = frozenset(() if record is None else record.files)
    check_folder(folder, data_files, collector, blobs=None if revision is None else folder.parent.parent / "blobs")
    if revision is not None:
        check_repository(name, revision, data_files, collector)
    if record is None:
        collector.skip(NO_RECORD)
    else:
        other_task = labels_of_other_task(record.label_names)
        if other_task is not None:
            logger.warning("%s: %s", name, other_task)
        _check_content(folder, record, tagger, collector)
    return collector.report(name)


def _check_content(folder: Path, record: Record, tagger: str | None, collector: Collector) -> None:
    """Compare the content of the files with what the record declares."""
    if record.generation is None:
        check_pairs(folder, record, collector)
    else:
        run = read_run(record, collector)
        if run is None:
            collector.skip(NO_RECORD)
            return
        check_run_toml(folder, run.options, collector)
        check_data_files(folder, run, tagger, collector)
    check_digests(folder, record.data.files | {CARD_FILE: record.card}, collector)
    check_annotation(folder, record, collector)
    with step("checking the card", 1, "cards"):
        check_card(folder, record, collector)
