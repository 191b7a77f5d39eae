"""Typed values for `run.json`, the record of a run: read, validate, and write it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, cast

from pydantic import StringConstraints, TypeAdapter, ValidationError

from merge_snli.errors import InputError
from merge_snli.files import sha256_of_json
from merge_snli.schema import ANNOTATION, TEST, columns, data_file

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable
    from pathlib import Path

    from merge_snli.schema import Column

PLAIN_MESSAGES = {"missing": "is missing", "extra_forbidden": "is not a known entry", "tuple_type": "must be a list"}
"""Messages that replace pydantic's, by type of error: its own speak of Python."""

OWN_DIGEST = "digest"
"""The key of `run.json` that holds the sha256 of all other keys."""

Sha256 = Annotated[str, StringConstraints(pattern="^[0-9a-f]{64}$")]


@dataclass(frozen=True)
class ProblemsRecord:
    """The problems of a run: their digest, counts by gold label, and label names in the order of their numbers."""

    digest: Sha256
    with_label: int
    without_label: int
    label_names: tuple[str, ...]


@dataclass(frozen=True)
class ModelRecord:
    """A masked LM: its name, its revision on the Hub (None for a folder), and the digest of its files."""

    name: str
    revision: str | None
    digest: Sha256


@dataclass(frozen=True)
class TaggerRecord:
    """The tagger: a spaCy pipeline and the digest of its files."""

    name: str
    version: str
    digest: Sha256


@dataclass(frozen=True)
class SeedsRecord:
    """The seeds of another data set that a run was restricted to."""

    digest: Sha256
    problems: int


@dataclass(frozen=True)
class WordNetRecord:
    """The WordNet that related words were looked up in."""

    version: str
    digest: Sha256


@dataclass(frozen=True)
class TermsRecord:
    """The license of the problems as a Hub id, and whom to attribute them to; None if unknown."""

    license: str | None
    attribution: str | None


@dataclass(frozen=True)
class WordCounts:
    """Problems that share a word of one class.

    Attributes:
        problems: Problems that share a word.
        labels: These problems by label.
        words: Shared words.
        left_out: Words that cannot be replaced, by reason.
        problems_after: Problems that share a word that can be replaced.
        words_after: Words that can be replaced.
    """

    problems: int
    labels: dict[str, int]
    words: int
    left_out: dict[str, int]
    problems_after: int
    words_after: int


@dataclass(frozen=True)
class FilterRecord:
    """What the filters dropped of one masked LM's suggestions for one word class and sentence (`side`)."""

    word_class: str
    masked_lm: str
    side: str
    counts: dict[str, int]


@dataclass(frozen=True)
class Composition:
    """Seeds, variants, and the seeds by label of one config."""

    seeds: int
    variants: int
    labels: dict[str, int]


@dataclass(frozen=True)
class DataRecord:
    """The data files: sha256 by relative path, number of rows by config and split, and the digest of `files`."""

    digest: Sha256
    files: dict[str, Sha256]
    rows: dict[str, dict[str, int]]


@dataclass(frozen=True)
class AnnotationRecord:
    """The scores of annotators, in the data file of config `annotation`.

    Attributes:
        digest: sha256 of the file.
        rows: Number of rows, one per variant and annotator.
        annotators: Names of the annotators, sorted.
    """

    digest: Sha256
    rows: int
    annotators: tuple[str, ...]


@dataclass(frozen=True)
class PublishedRecord:
    """The Hub ids under which the data set, and the metric if any, were published."""

    dataset: str
    metric: str | None


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """Everything that the rows of a data set depend on.

    Attributes:
        format: Version of the file's layout.
        method_version: Version of the method.
        options: The options of the run as plain JSON values, by field of `generation.Options`.
        problems: The problems.
        masked_lms: The masked LMs, in the order of the option `mlm`.
        tagger: The tagger.
        seeds: The seeds that the run was restricted to, if any.
        wordnet: WordNet, if suggestions related to other words were dropped.
    """

    format: Literal[1] = 1
    method_version: str
    options: dict[str, Any]
    problems: ProblemsRecord
    masked_lms: tuple[ModelRecord, ...]
    tagger: TaggerRecord
    seeds: SeedsRecord | None
    wordnet: WordNetRecord | None


@dataclass(frozen=True, kw_only=True)
class Record(Inputs):
    """The content of `run.json`.

    Attributes:
        title: The title of the data set.
        terms: License and attribution of the problems.
        versions: Versions of Python, this package and the libraries, by name.
        device: The kind of device that the masked LMs ran on.
        words: Shared words by word class.
        filters: What the filters dropped when applied in their order.
        standalone_filters: What each filter drops when it is the only one.
        composition: Seeds and variants by config.
        data: The data files that the run wrote.
        annotation: The scores of annotators; None if there are none. They are not part of the run, and leave the digest
            of the data unchanged.
        published: Where the data set was published; None for the folder of a run.
        card: sha256 of the card; empty before `seal`.
        digest: sha256 of everything else in the record; empty before `seal`.
    """

    title: str
    terms: TermsRecord
    versions: dict[str, str]
    device: str
    words: dict[str, WordCounts]
    filters: tuple[FilterRecord, ...]
    standalone_filters: tuple[FilterRecord, ...]
    composition: dict[str, Composition]
    data: DataRecord
    annotation: AnnotationRecord | None = None
    published: PublishedRecord | None
    card: Sha256
    digest: Sha256

    @property
    def files(self) -> dict[str, str]:
        """The sha256 of every data file by relative path, including the scores of annotators."""
        if self.annotation is None:
            return self.data.files
        return {**self.data.files, data_file(ANNOTATION, TEST): self.annotation.digest}

    @property
    def rows(self) -> dict[str, dict[str, int]]:
        """The number of rows by config and split, including the scores of annotators."""
        if self.annotation is None:
            return self.data.rows
        return {**self.data.rows, ANNOTATION: {TEST: self.annotation.rows}}

    @property
    def label_names(self) -> tuple[str, ...]:
        """The label names in the order of their numbers."""
        return self.problems.label_names

    def columns(self, config: str) -> tuple[Column, ...]:
        """Return the columns of a config."""
        return columns(config, self.options["classes"], self.options["keep_column"])


AnyRecord = TypeVar("AnyRecord")
"""`Record`, or the record of another kind of data set: a frozen dataclass with the fields `card` and `digest`."""


@cache
def _adapter(kind: Hashable) -> TypeAdapter[Any]:
    return TypeAdapter(cast(Any, kind))


def as_json(record: object) -> dict[str, Any]:
    """Return a record, or the inputs of a run, as plain JSON values; without `annotation` if there is none."""
    values: dict[str, Any] = _adapter(cast("Hashable", type(record))).dump_python(record, mode="json")
    if values.get(ANNOTATION) is None:
        values.pop(ANNOTATION, None)
    return values


def inputs_of(record: Record) -> Inputs:
    """Return the part of a record that two runs share if they give the same rows."""
    return Inputs(**{field.name: getattr(record, field.name) for field in fields(Inputs)})


def own_digest(values: dict[str, Any]) -> str:
    """Return the sha256 of a record's JSON values without the digest itself."""
    return sha256_of_json({name: value for name, value in values.items() if name != OWN_DIGEST})


def seal(record: AnyRecord, card: bytes) -> AnyRecord:
    """Return the record with the sha256 of its card and of itself.

    Args:
        record: The record; its `card` and `digest` are ignored.
        card: The content of the card.
    """
    with_card = replace(cast(Any, record), card=hashlib.sha256(card).hexdigest())
    sealed: AnyRecord = replace(with_card, digest=own_digest(as_json(with_card)))
    return sealed


def encode_record(record: object) -> bytes:
    """Return the content of `run.json`."""
    return (json.dumps(as_json(record), indent=2, ensure_ascii=False) + "\n").encode()


def decode(content: bytes, kind: type[AnyRecord]) -> AnyRecord:
    """Parse the content of `run.json`.

    Args:
        content: The bytes of the file.
        kind: `Record`, or the class of another kind of data set.

    Raises:
        ValidationError: If it is not JSON, a field is missing or has another type.
    """
    record: AnyRecord = _adapter(cast("Hashable", kind)).validate_json(content, strict=True)
    return record


def decode_record(content: bytes) -> Record:
    """Parse the `run.json` of a MERGE data set; raises as `decode`."""
    return decode(content, Record)


def read_record(path: Path) -> Record:
    """Read the `run.json` of a MERGE data set; raises as `read_run_file`."""
    return read_run_file(path, decode_record)


def read_run_file(path: Path, decode_content: Callable[[bytes], AnyRecord]) -> AnyRecord:
    """Read `run.json`.

    Args:
        path: The file.
        decode_content: Parses its content, as `decode_record` does.

    Raises:
        InputError: If the file is missing, cannot be read, or is not the record of a run; names the first bad field.
    """
    try:
        return decode_content(path.read_bytes())
    except FileNotFoundError:
        raise InputError(f"{path.parent} is not a MERGE data set: {path.name} is missing") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error
    except ValidationError as error:
        place, message = validation_errors(error)[0]
        field = f"{place}: " if place else ""
        raise InputError(
            f"{path} is not a valid record of a MERGE run ({field}{message}): generate the data set again"
        ) from error


def validation_errors(error: ValidationError) -> list[tuple[str, str]]:
    """Return the dotted path of each invalid field and a message."""
    return [
        (".".join(map(str, each["loc"])), PLAIN_MESSAGES.get(each["type"], each["msg"]))
        for each in error.errors(include_url=False)
    ]
