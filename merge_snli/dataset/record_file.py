"""The file of a record: its JSON values and digest, written and read."""

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path

from pydantic import TypeAdapter, ValidationError
from pydantic_core import to_jsonable_python

from merge_snli.base.errors import REASON, InputError
from merge_snli.base.files import JsonObject, sha256_of_json
from merge_snli.dataset.record import Record, generation_of
from merge_snli.schema import ANNOTATION

# Messages that replace pydantic's, by type of error: its own speak of Python.
PLAIN_MESSAGES = {
    "missing": "is missing",
    "extra_forbidden": "is not a known entry",
    "tuple_type": "must be a list",
    "model_type": "must be a table",
}

# The key of `run.json` that holds the sha256 of all other keys.
OWN_DIGEST = "digest"

# What the rows of a generated data set depend on: fields of `Record` and of `GenerationRecord`.
INPUTS = (
    *("format", "method_version", "options", "sources", "label_names"),
    *("problems", "masked_lms", "tagger", "seeds", "wordnet", "judgments", "invalid_rows"),
)

# Fields that are in JSON only if they are set, so that the records of other data sets stay as they are.
ONLY_IF_SET = (ANNOTATION, "judgments", "judged", "invalid_rows")


@cache
def _adapter() -> TypeAdapter[Record]:
    return TypeAdapter(Record)


def as_json(record: object) -> JsonObject:
    """Return a record, or a dict of its fields, as plain JSON values; those of `ONLY_IF_SET` only if they are set."""
    values: JsonObject = to_jsonable_python(record)
    for fields_of in (values, values.get("generation") or {}):
        for name in ONLY_IF_SET:
            if fields_of.get(name, 0) is None:
                del fields_of[name]
    return values


def inputs_of(record: Record) -> JsonObject:
    """Return the fields of a record that two runs share if they give the same rows, as JSON values."""
    values = vars(record) | vars(generation_of(record))
    return as_json({name: values[name] for name in INPUTS})


def own_digest(values: JsonObject) -> str:
    """Return the sha256 of the JSON values of a record or result without the digest itself."""
    return sha256_of_json({name: value for name, value in values.items() if name != OWN_DIGEST})


def seal(record: Record, card: bytes) -> Record:
    """Return the record with the sha256 of its card and of itself.

    Args:
        record: The record; its `card` and `digest` are ignored.
        card: The content of the card.
    """
    with_card = replace(record, card=hashlib.sha256(card).hexdigest())
    return replace(with_card, digest=own_digest(as_json(with_card)))


def encode_record(record: Record) -> bytes:
    """Return the content of `run.json`."""
    return (json.dumps(as_json(record), indent=2, ensure_ascii=False) + "\n").encode()


def decode_record(content: bytes) -> Record:
    """Parse the content of `run.json`.

    Raises:
        ValidationError: If it is not JSON, a field is missing or has another type, or it has an older format.
    """
    return _adapter().validate_json(content, strict=True)


def read_record(path: Path) -> Record:
    """Read the record of a data set.

    Args:
        path: Its `run.json`.
    """
    try:
        with valid(f"{path} is not a valid record of a MERGE run (⟦reason⟧): generate the data set again"):
            return decode_record(path.read_bytes())
    except FileNotFoundError:
        raise InputError(f"{path.parent} is not a MERGE data set: {path.name} is missing") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error


@contextmanager
def valid(message: str) -> Iterator[None]:
    """Convert the errors of pydantic to an `InputError`; `⟦reason⟧` becomes the first field that is wrong, and why."""
    try:
        yield
    except ValidationError as error:
        field_and_message = filter(None, validation_errors(error)[0])
        raise InputError(message.replace(REASON, ": ".join(field_and_message))) from error


def validation_errors(error: ValidationError) -> list[tuple[str, str]]:
    """Return the dotted path of each invalid field and a message; only the format if that is another one."""
    errors = []
    for details in error.errors(include_url=False):
        name = ".".join(map(str, details["loc"]))
        errors.append((name, PLAIN_MESSAGES.get(details["type"], details["msg"])))
        if name == "format":
            return errors[-1:]
    return errors
