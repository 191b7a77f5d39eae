"""Results as JSON files, one a model, data set and config: what tables, figures and comparisons read."""

from __future__ import annotations

import dataclasses
import json
import logging
import math
import re
import types
import typing
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from merge_snli.errors import InputError
from merge_snli.files import sha256_of_json, write_text
from scoring.results.checks import check_result
from scoring.results.result import Result

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA_VERSION = 2
"""The version of `result.schema.json`: raised when a reader of the files written before would misread the new ones."""

SCHEMA_FILE = "result.schema.json"

logger = logging.getLogger(__name__)

THRESHOLD_FIELDS = frozenset({"mt", "quality_threshold", "thresholds"})
"""Fields that hold thresholds: floats in Python, decimal strings in JSON."""


def result_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) that every result file fits."""
    text = (files("scoring") / SCHEMA_FILE).read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


def to_json(result: Result) -> dict[str, Any]:
    """Return a result as JSON values, with the version of their form."""
    return {"schema_version": SCHEMA_VERSION, **_encoded(result)}


def from_json(value: dict[str, Any]) -> Result:
    """Build a result from what `to_json` gave.

    Raises:
        InputError: Where the form is another version's.
        AttributeError, KeyError, TypeError, ValueError, OverflowError: Where something is missing, of another type,
            or contradicts another part.
    """
    version = value["schema_version"]
    if version != SCHEMA_VERSION:
        raise InputError(
            f"this result has the form {version} and {SCHEMA_VERSION} is read here: score the model again, which takes "
            "seconds where its predictions are kept, or read it with the version of merge-snli that wrote it"
        )
    result = _decoded(Result, {name: inner for name, inner in value.items() if name != "schema_version"})
    assert isinstance(result, Result)
    check_result(result)
    return result


def file_name(result: Result) -> str:
    """Return the name of a result's file: the same for the same model, type of numbers, data and config.

    A function that has no digest goes by its name, of which `safe_name` may leave little.
    """
    dtype = "" if result.title == result.model.name else f"-{result.run.dtype}"
    digest = result.model.digest
    which = f"function-{sha256_of_json(result.model.name)[:8]}" if digest is None else digest[:8]
    model = f"{safe_name(result.model.name)}{dtype}-{which}"
    return f"{model}_{safe_name(result.dataset.name)}-{result.dataset.digest[:8]}-{result.dataset.config}.json"


def write_result(result: Result, folder: Path) -> Path:
    """Write a result's JSON file into `folder`, atomically, and return its path."""
    path = folder / file_name(result)
    write_text(path, _dumps(to_json(result)) + "\n")
    return path


def read_result(path: Path) -> Result:
    """Read a result's JSON file.

    Raises:
        InputError: Where it cannot be read, is no result, or has the form of another version.
    """
    try:
        return from_json(json.loads(path.read_text(encoding="utf-8")))
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
        raise InputError(f"{path} is no result of merge-snli score, or is damaged ({error}): score again") from error


def read_results(folder: Path) -> list[Result]:
    """Read all results in `folder`, in the order of their names.

    A file that cannot be read is left out, with a warning that names it.

    Raises:
        InputError: Where there is no such folder, or no result in it that can be read.
    """
    paths = sorted(folder.glob("*.json"))
    if not paths:
        raise InputError(f"{folder} holds no results: give the folder that merge-snli score wrote with --out")
    results, unread = [], []
    for path in paths:
        try:
            results.append(read_result(path))
        except InputError as error:
            unread.append(str(error))
    if not results:
        raise InputError(f"none of the {len(unread)} files in {folder} is a result that can be read; {unread[0]}")
    for message in unread:
        logger.warning("left out: %s", message)
    return results


def threshold_text(threshold: float) -> str:
    """Write a threshold as a decimal.

    Examples:
        >>> threshold_text(29 * 0.01)
        '0.29'
    """
    return f"{threshold:.9g}"


def safe_name(name: str) -> str:
    """Return a name with nothing in it that a file system could take amiss."""
    return re.sub(r"[^A-Za-z0-9._]+", "-", name).strip("-.")[:60] or "model"


def _encoded(value: Any, *, threshold: bool = False) -> Any:  # noqa: ANN401 - any value of a result
    if dataclasses.is_dataclass(value):
        fields = dataclasses.fields(value)
        return {
            field.name: _encoded(getattr(value, field.name), threshold=field.name in THRESHOLD_FIELDS)
            for field in fields
        }
    if isinstance(value, dict):
        return {key: _encoded(inner) for key, inner in value.items()}
    if isinstance(value, tuple):
        return [_encoded(inner, threshold=threshold) for inner in value]
    return threshold_text(value) if threshold and value is not None else value


def _decoded(kind: Any, value: Any) -> Any:  # noqa: ANN401 - any type and value of a result
    if dataclasses.is_dataclass(kind):
        hints = typing.get_type_hints(kind)
        return kind(**{name: _decoded(hints[name], inner) for name, inner in value.items()})  # type: ignore[operator]
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin is types.UnionType:
        return None if value is None else _decoded(arguments[0], value)
    if origin is tuple:
        if not isinstance(value, list):
            raise TypeError(f"{str(value)[:40]!r} stands where a list belongs")
        return tuple(_decoded(arguments[0], inner) for inner in value)
    if origin is dict:
        return {key: _decoded(arguments[1], inner) for key, inner in value.items()}
    return _leaf(kind, value)


def _leaf(kind: type, value: Any) -> Any:  # noqa: ANN401 - a text or a number
    """Read a text or a finite number; a threshold stands as a decimal text."""
    fits = {str: isinstance(value, str), int: type(value) is int, float: type(value) in (int, float, str)}
    if not fits[kind]:
        raise TypeError(f"{str(value)[:40]!r} stands where {kind.__name__} belongs")
    if kind is str:
        value.encode()  # half of a character of two halves, which JSON can escape, cannot be written anywhere
    if kind is float and not math.isfinite(float(value)):
        raise ValueError(f"{value!r} is no finite number")
    return kind(value)


def _dumps(value: Any, indent: int = 0) -> str:  # noqa: ANN401 - any JSON value
    """Write JSON with an object's entries one a line, and a list of numbers or strings on one line."""
    before, after = "\n" + " " * (indent + 2), "\n" + " " * indent
    if isinstance(value, dict) and value:
        entries = (f"{json.dumps(name)}: {_dumps(entry, indent + 2)}" for name, entry in value.items())
        return "{" + before + f",{before}".join(entries) + after + "}"
    if isinstance(value, list) and value and isinstance(value[0], list):
        return "[" + before + f",{before}".join(map(_dumps, value)) + after + "]"
    return json.dumps(value, ensure_ascii=False)
