"""The record of the run: `run.json` read into typed values, and whether its numbers agree among themselves."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import StringConstraints, TypeAdapter, ValidationError

from generation.options import Options
from merge_snli.dataset import OWN_DIGEST, RUN_FILE, own_digest
from merge_snli.files import sha256_of_json
from merge_snli.schema import ALL, SEED, TEST, data_file, splits
from merge_snli.validation.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

Sha256 = Annotated[str, StringConstraints(pattern="^[0-9a-f]{64}$")]


@dataclass(frozen=True)
class ProblemsRecord:
    """What is recorded of the problems."""

    digest: Sha256
    with_label: int
    without_label: int
    label_names: tuple[str, ...]


@dataclass(frozen=True)
class ModelRecord:
    """What is recorded of a masked LM."""

    name: str
    digest: Sha256
    revision: str | None = None


@dataclass(frozen=True)
class TaggerRecord:
    """What is recorded of the tagger."""

    name: str
    version: str
    digest: Sha256


@dataclass(frozen=True)
class WordNetRecord:
    """What is recorded of WordNet."""

    version: str
    digest: Sha256


@dataclass(frozen=True)
class SeedsRecord:
    """What is recorded of the data set whose seeds the run was restricted to."""

    digest: Sha256
    problems: int


@dataclass(frozen=True)
class Composition:
    """Seeds, variants and the labels of the seeds of one config."""

    seeds: int
    variants: int
    labels: dict[str, int]


@dataclass(frozen=True)
class DataRecord:
    """The digests and row counts of the files."""

    digest: Sha256
    files: dict[str, Sha256]
    rows: dict[str, dict[str, int]]


@dataclass(frozen=True)
class Record:
    """The parts of `run.json` that the data is checked against."""

    method_version: str
    options: Options
    problems: ProblemsRecord
    masked_lms: tuple[ModelRecord, ...]
    tagger: TaggerRecord
    versions: dict[str, str]
    composition: dict[str, Composition]
    data: DataRecord
    card: Sha256
    wordnet: WordNetRecord | None = None
    seeds: SeedsRecord | None = None

    @property
    def configs(self) -> tuple[str, ...]:
        """The configs that the data should have, in their order: a class that no problem reaches has none."""
        return tuple(name for name in (ALL, *self.options.classes, SEED) if name in self.data.rows)

    @property
    def files(self) -> tuple[str, ...]:
        """The data files that there should be, as relative paths."""
        return tuple(data_file(config, split) for config in self.configs for split in self.splits(config))

    def splits(self, config: str) -> tuple[str, ...]:
        """Return the splits that a config should have."""
        return splits(config, self.options.subsamples)


def read_record(content: bytes) -> tuple[Record | None, dict[str, Any], list[Finding]]:
    """Read `run.json`.

    Args:
        content: The file's bytes.

    Returns:
        The record, the whole JSON object, and what is wrong with their shape; where something is, there is no record.
    """
    try:
        record = TypeAdapter(Record).validate_json(content, strict=True)
        run = json.loads(content)
    except ValidationError as error:
        return None, {}, [_finding(problem["loc"], problem["msg"]) for problem in error.errors(include_url=False)]
    except (ValueError, RecursionError) as error:
        return None, {}, [_finding((), str(error))]
    unknown = run["options"].keys() - {field.name for field in fields(Options)}
    wrong = [_finding(("options", name), "no option of this version") for name in sorted(unknown)]
    draws = len(record.data.rows.get(ALL, {})) - 1
    if draws != record.options.subsamples:
        message = f"is {record.options.subsamples} where config {ALL} has {draws} splits of draws"
        return None, {}, [*wrong, _finding(("options", "subsamples"), message)]
    return record, run, wrong


def _finding(place: tuple[int | str, ...], message: str) -> Finding:
    return Finding(RUN_FILE, None, ".".join(map(str, place)) or None, message)


def check_record(record: Record, run: dict[str, Any]) -> Iterator[Finding]:
    """Yield where the record disagrees with itself.

    Args:
        record: What `read_record` gave.
        run: The whole JSON object.
    """
    if run.get(OWN_DIGEST) != own_digest(run):
        yield _finding((OWN_DIGEST,), "is not the digest of the rest of the record: it was changed since the run")
    if record.data.digest != sha256_of_json(record.data.files):
        yield _finding(("data", "digest"), "is not the digest of data.files")
    names = tuple(mlm.name for mlm in record.masked_lms)
    if len(set(names)) != len(names) or len(names) != len(record.options.mlm):
        yield _finding(("masked_lms",), f"has {', '.join(names)} where options.mlm has {', '.join(record.options.mlm)}")
    yield from _check_layout(record)
    yield from _check_composition(record)


def _check_layout(record: Record) -> Iterator[Finding]:
    """Yield where the files and rows are not those of the configs and splits that the options give."""
    for config in (ALL, SEED):
        if config not in record.data.rows:
            yield _finding(("data", "rows"), f"has no config {config}")
    for config in sorted(record.data.rows.keys() - set(record.configs)):
        yield _finding(("data", "rows", config), "no config of a run with these options")
    for config in record.configs:
        if tuple(record.data.rows[config]) != record.splits(config):
            yield _finding(("data", "rows", config), f"its splits should be {', '.join(record.splits(config))}")
    for name in sorted(record.data.files.keys() ^ set(record.files)):
        there = "has no such config and split" if name in record.data.files else "lacks this file"
        yield _finding(("data", "files", name), f"the record {there}")


def _check_composition(record: Record) -> Iterator[Finding]:
    labels = set(record.problems.label_names)
    if len(labels) < len(record.problems.label_names) or not labels:
        yield _finding(("problems", "label_names"), "names a label twice, or none")
    if set(record.composition) != set(record.configs) - {SEED}:
        yield _finding(("composition",), f"has the configs {', '.join(record.composition)}")
    for config, of in record.composition.items():
        rows = record.data.rows.get(config, {}).get(TEST)
        if of.variants != rows:
            yield _finding(("composition", config, "variants"), f"is {of.variants} where the split {TEST} has {rows}")
        if set(of.labels) != labels or sum(of.labels.values()) != of.seeds:
            yield _finding(("composition", config, "labels"), f"are not the labels of {of.seeds} seeds")
