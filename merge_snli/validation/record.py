"""The record of the run: whether `run.json` has the right shape, and whether its numbers agree with each other."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from pydantic import TypeAdapter, ValidationError

from generation.options import Options
from merge_snli.dataset import RUN_FILE
from merge_snli.files import sha256_of_json
from merge_snli.record import OWN_DIGEST, Record, decode_record, own_digest, validation_errors
from merge_snli.schema import ALL, SEED, TEST, data_file, splits
from merge_snli.validation.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True)
class RecordedRun:
    """A record, and its options as values of their types."""

    record: Record
    options: Options

    @property
    def configs(self) -> tuple[str, ...]:
        """The configs that the data should have, in their order; a class without seeds has none."""
        return tuple(name for name in (ALL, *self.options.classes, SEED) if name in self.record.data.rows)

    @property
    def files(self) -> tuple[str, ...]:
        """The data files that there should be, as relative paths."""
        return tuple(data_file(config, split) for config in self.configs for split in self.splits(config))

    def splits(self, config: str) -> tuple[str, ...]:
        """Return the splits that a config should have."""
        return splits(config, self.options.subsamples)


def read_run(content: bytes) -> tuple[RecordedRun | None, list[Finding]]:
    """Read `run.json`.

    Args:
        content: The file's bytes.

    Returns:
        The run, or None if the record has not the right shape; and what is wrong with the shape.
    """
    try:
        record = decode_record(content)
    except ValidationError as error:
        return None, [_finding((place,) if place else (), message) for place, message in validation_errors(error)]
    try:
        options = TypeAdapter(Options).validate_json(json.dumps(record.options), strict=True)
    except ValidationError as error:
        return None, [
            _finding(("options", place) if place else ("options",), said) for place, said in validation_errors(error)
        ]
    unknown = record.options.keys() - {field.name for field in fields(Options)}
    wrong = [_finding(("options", name), "no option of this version") for name in sorted(unknown)]
    draws = len(record.data.rows.get(ALL, {})) - 1
    if draws != options.subsamples:
        message = f"is {options.subsamples} where config {ALL} has {draws} splits of draws"
        return None, [*wrong, _finding(("options", "subsamples"), message)]
    return RecordedRun(record, options), wrong


def _finding(place: tuple[int | str, ...], message: str) -> Finding:
    return Finding(RUN_FILE, None, ".".join(map(str, place)) or None, message)


def check_record(run: RecordedRun, content: bytes) -> Iterator[Finding]:
    """Yield where the record disagrees with itself.

    Args:
        run: What `read_run` gave.
        content: The bytes of `run.json`.
    """
    record = run.record
    if record.digest != own_digest(json.loads(content)):
        yield _finding((OWN_DIGEST,), "is not the digest of the rest of the record: it was changed since the run")
    if record.data.digest != sha256_of_json(record.data.files):
        yield _finding(("data", "digest"), "is not the digest of data.files")
    names = tuple(mlm.name for mlm in record.masked_lms)
    if len(set(names)) != len(names) or len(names) != len(run.options.mlm):
        yield _finding(("masked_lms",), f"has {', '.join(names)} where options.mlm has {', '.join(run.options.mlm)}")
    yield from _check_layout(run)
    yield from _check_composition(run)


def _check_layout(run: RecordedRun) -> Iterator[Finding]:
    """Yield where the files and rows are not those of the configs and splits that the options give."""
    data = run.record.data
    for config in (ALL, SEED):
        if config not in data.rows:
            yield _finding(("data", "rows"), f"has no config {config}")
    for config in sorted(data.rows.keys() - set(run.configs)):
        yield _finding(("data", "rows", config), "no config of a run with these options")
    for config in run.configs:
        if tuple(data.rows[config]) != run.splits(config):
            yield _finding(("data", "rows", config), f"its splits should be {', '.join(run.splits(config))}")
    for name in sorted(data.files.keys() ^ set(run.files)):
        there = "has no such config and split" if name in data.files else "lacks this file"
        yield _finding(("data", "files", name), f"the record {there}")


def _check_composition(run: RecordedRun) -> Iterator[Finding]:
    record = run.record
    labels = set(record.problems.label_names)
    if len(labels) < len(record.problems.label_names) or not labels:
        yield _finding(("problems", "label_names"), "names a label twice, or none")
    if set(record.composition) != set(run.configs) - {SEED}:
        yield _finding(("composition",), f"has the configs {', '.join(record.composition)}")
    for config, of in record.composition.items():
        rows = record.data.rows.get(config, {}).get(TEST)
        if of.variants != rows:
            yield _finding(("composition", config, "variants"), f"is {of.variants} where the split {TEST} has {rows}")
        if set(of.labels) != labels or sum(of.labels.values()) != of.seeds:
            yield _finding(("composition", config, "labels"), f"are not the labels of {of.seeds} seeds")
