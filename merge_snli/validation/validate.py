"""The checks of a data set in their order."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from generation.sentences.whole_words import METHOD_VERSION
from merge_snli.dataset import CARD_FILE, RUN_FILE, MergeDataset
from merge_snli.errors import InputError
from merge_snli.validation.card import check_card, is_ours
from merge_snli.validation.finding import Finding, Report, few
from merge_snli.validation.folder import check_digests, check_folder
from merge_snli.validation.hub_files import check_repository
from merge_snli.validation.record import RecordedRun, check_record, read_run
from merge_snli.validation.resources import find_resources
from merge_snli.validation.rows import BYTES, check_rows, is_same_writer
from merge_snli.validation.run_toml import check_run_toml

if TYPE_CHECKING:
    from collections.abc import Iterator


def validate(source: MergeDataset | Path, *, tagger: str | None = None) -> Report:
    """Check a data set against what its run recorded.

    Args:
        source: What `merge_snli.dataset.find_dataset` gave, or a folder.
        tagger: The spaCy pipeline of the run, where it was given as a folder; pipelines that are installed as
            packages are found by the record.

    Returns:
        The findings, what was checked and what could not be.

    Raises:
        InputError: Where `source` is no folder, or the tagger that is named cannot be loaded.
    """
    name, folder = (str(source), source) if isinstance(source, Path) else (source.name, source.folder)
    if not folder.is_dir():
        raise InputError(f"no data set at {folder}: the folder does not exist")
    checked: Counter[str] = Counter()
    not_checked: list[str] = []
    findings = tuple(few(_findings(source, folder, tagger, checked, not_checked)))
    return Report(name, findings, dict(checked), tuple(not_checked))


def _findings(
    source: MergeDataset | Path, folder: Path, tagger: str | None, checked: Counter[str], not_checked: list[str]
) -> Iterator[Finding]:
    content, wrong = _content(folder)
    run = None
    if content is not None:
        run, wrong = read_run(content)
    yield from wrong
    from_hub = isinstance(source, MergeDataset) and source.revision is not None
    blobs = folder.parent.parent / "blobs" if from_hub else None
    data_files = frozenset(run.files if run else ())
    yield from check_folder(folder, data_files, blobs=blobs)
    if isinstance(source, MergeDataset) and source.revision is not None:
        yield from check_repository(source.name, source.revision, data_files, not_checked)
    if content is None or run is None:
        not_checked.append(f"data and card: without a sound {RUN_FILE} nothing says what they should be")
        return
    record = run.record
    yield from check_record(run, content)
    yield from check_digests(folder, {name: record.data.files.get(name, "") for name in run.files})
    yield from check_digests(folder, {CARD_FILE: record.card})
    yield from check_run_toml(folder, run.options)
    if record.method_version == METHOD_VERSION:
        at_hand, reasons = find_resources(run, tagger)
        not_checked += [*reasons, *_left_out(run)]
        yield from check_rows(folder, run, at_hand, checked, not_checked)
    else:
        not_checked.append(
            f"the rows: version {record.method_version} of the method made them, this is {METHOD_VERSION}"
        )
    if not is_ours(record):
        not_checked.append(f"the card's text: merge_snli {record.versions.get('merge_snli')} wrote it")
    yield from check_card(folder, record, whole=is_ours(record))


def _content(folder: Path) -> tuple[bytes | None, list[Finding]]:
    """Read the bytes of `run.json`; a missing file is reported elsewhere."""
    path = folder / RUN_FILE
    if not path.is_file():
        return None, []
    try:
        return path.read_bytes(), []
    except OSError as error:
        return None, [Finding(RUN_FILE, None, None, f"cannot be read: {error.strerror}")]


def _left_out(run: RecordedRun) -> Iterator[str]:
    """Yield what this run cannot be asked, and why."""
    if not is_same_writer(run):
        yield f"{BYTES}: pyarrow {run.record.versions.get('pyarrow')} wrote them"
    if run.options.scramble:
        yield "word classes and relations of replacements: they were asked before their letters were shuffled"
