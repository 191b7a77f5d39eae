"""Check the record of a data set: its options, also in `run.toml`, and whether its numbers agree with each other."""

import json
from dataclasses import dataclass, fields
from functools import cached_property, partial
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from generation.filters.definitions import applied_filters
from generation.filters.filter import Applied
from generation.options import RUN_TOML, Options, read_run_file
from generation.output.write_data import GROUP_COLUMN
from merge_snli.base.errors import InputError
from merge_snli.base.files import sha256_of_json
from merge_snli.dataset.record import Record, generation_of
from merge_snli.dataset.record_file import OWN_DIGEST, decode_record, own_digest, validation_errors
from merge_snli.dataset.stored import RUN_FILE
from merge_snli.dataset.variants import masked_lm_names
from merge_snli.schema import ALL, ANNOTATION, SEED, TEST, data_file
from merge_snli.validation.findings import Collector, quoted

VARIANTS = data_file(ALL, TEST)
# The data files that all others can be derived from.
SEEDS = data_file(SEED, TEST)
# The scores of annotators.
ANNOTATED = data_file(ANNOTATION, TEST)


@dataclass(frozen=True)
class RecordedRun:
    """A record with typed options."""

    record: Record
    options: Options

    @cached_property
    def filters(self) -> tuple[Applied, ...]:
        """The filters of the run, in order."""
        return applied_filters(self.options)

    @cached_property
    def masked_lms(self) -> tuple[str, ...]:
        """The names of the masked LMs, in order."""
        return masked_lm_names(self.record)


def read_record(folder: Path, collector: Collector) -> Record | None:
    """Read `run.json` and report contradictions within it; None if it is missing or malformed.

    Args:
        folder: The data set's folder. `merge_snli.validation.folder.check_folder` reports a missing file.
        collector: Gets the findings.
    """
    path = folder / RUN_FILE
    if not path.is_file():
        return None
    try:
        content = path.read_bytes()
        record = decode_record(content)
    except OSError as error:
        collector.find(RUN_FILE, None, "", f"cannot be read: {error.strerror}")
        return None
    except ValidationError as error:
        for field, message in validation_errors(error):
            collector.find(RUN_FILE, None, field, message)
        return None
    if record.digest != own_digest(json.loads(content)):
        collector.find(RUN_FILE, None, OWN_DIGEST, "is not the digest of the record: it was changed after the run")
    if record.data.digest != sha256_of_json(record.data.files):
        collector.find(RUN_FILE, None, "data.digest", "is not the digest of data.files")
    for name in sorted(record.data.files.keys() ^ {*record.data_files}):
        message = "is not a config and split of the record" if name in record.data.files else "is missing in the record"
        collector.find(RUN_FILE, None, f"data.files.{name}", message)
    return record


def read_run(record: Record, collector: Collector) -> RecordedRun | None:
    """Return a record of generated variants with typed options; None if one is malformed or contradicts the configs.

    Args:
        record: The result of `read_record`, with its field `generation`.
        collector: Gets the findings, also of contradictions between the options and the rest of the record.
    """
    find = partial(collector.find, RUN_FILE, None)
    try:
        options = TypeAdapter(Options).validate_json(json.dumps(record.options), strict=True)
    except ValidationError as error:
        for name, message in validation_errors(error):
            find(f"options.{name}".rstrip("."), message)
        return None
    for name in sorted(record.options.keys() - {field.name for field in fields(Options)}):
        find(f"options.{name}", "is not an option of this version")
    subsamples = len(record.data_rows.get(ALL, {})) - 1
    for name, number in (("options.subsamples", options.subsamples), ("subsamples", record.subsamples)):
        if subsamples != number:
            find(name, f"is {number}; config {ALL} has {subsamples} splits of subsamples")
            return None
    for name in options.classes:
        if SEED in record.configs and f"{name}_words" not in {column.name for column in record.columns(SEED)}:
            find("options.classes", f"has {name}; config {SEED} has no column {name}_words")
            return None
    if not record.has_seeds or record.group_column != GROUP_COLUMN:
        find("has_seeds", f"is {record.has_seeds}, and group_column {record.group_column}; variants have seeds")
    if options.title not in {None, record.title}:
        find("title", f"is {quoted(record.title)}; options.title is {quoted(options.title)}")
    is_judged = generation_of(record).judgments is not None
    if is_judged != bool(options.judgments):
        has = "set" if is_judged else "missing"
        find("generation.judgments", f"is {has}; options.judgments is {options.judgments}")
    names = masked_lm_names(record)
    if len({*names}) != len(names) or len(names) != len(options.mlm):
        find("generation.masked_lms", f"has {', '.join(names)}; options.mlm has {', '.join(options.mlm)}")
    return RecordedRun(record, options)


def check_run_toml(folder: Path, options: Options, collector: Collector) -> None:
    """Report options in `run.toml` that differ from the record; the file is optional.

    Args:
        folder: The data set's folder.
        options: The recorded options.
        collector: Gets the findings.
    """
    if not (folder / RUN_TOML).is_file():
        return
    try:
        chosen = Options(**read_run_file(folder / RUN_TOML))
    except (InputError, TypeError, RecursionError) as error:
        collector.find(RUN_TOML, None, None, f"is not a valid run file: {error}")
        return
    collector.compare(RUN_TOML, "", chosen.as_dict(), options.as_dict(), "the record has")
