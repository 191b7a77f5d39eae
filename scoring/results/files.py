"""Read and write results as JSON files, one per model, data set and config."""

from __future__ import annotations

import json
import logging
import re
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from merge_snli.errors import InputError
from merge_snli.files import sha256_of_json, write_text
from scoring.results.result import SCHEMA_VERSION, Result

RESULT = TypeAdapter(Result)

logger = logging.getLogger(__name__)


def to_json(result: Result) -> dict[str, Any]:
    """Return a result as JSON values."""
    value: dict[str, Any] = RESULT.dump_python(result, mode="json")
    return value


def file_name(result: Result) -> str:
    """Return the file name of a result, unique per model, dtype, data and config.

    A function without a digest is identified by its name, because `safe_name` may drop most of it.
    """
    dtype = "" if result.title == result.model.name else f"-{result.run.dtype}"
    digest = result.model.digest
    suffix = f"function-{sha256_of_json(result.model.name)[:8]}" if digest is None else digest[:8]
    model = f"{safe_name(result.model.name)}{dtype}-{suffix}"
    return f"{model}_{safe_name(result.dataset.name)}-{result.dataset.digest[:8]}-{result.dataset.config}.json"


def write_result(result: Result, folder: Path) -> Path:
    """Write a result's JSON file into `folder`, atomically, and return its path."""
    path = folder / file_name(result)
    write_text(path, _indented(to_json(result)) + "\n")
    return path


def read_result(path: str | Path) -> Result:
    """Read a result's JSON file.

    Raises:
        InputError: If the file cannot be read, is not a valid result, or has another format version.
    """
    path = Path(path)
    try:
        return RESULT.validate_json(path.read_bytes())
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
    except ValidationError as error:
        raise InputError(f"{path} {_reason(error)}") from error


def read_results(folder: str | Path) -> list[Result]:
    """Read all results in `folder`, sorted by file name.

    Invalid files are skipped with a warning.

    Raises:
        InputError: If the folder does not exist or has no valid result.
    """
    paths = sorted(Path(folder).glob("*.json"))
    if not paths:
        raise InputError(f"no results in {folder}: pass the --out folder of merge-snli score")
    results, errors = [], []
    for path in paths:
        try:
            results.append(read_result(path))
        except InputError as error:
            errors.append(str(error))
    if not results:
        raise InputError(f"no valid result in {folder} ({len(errors)} files read); {errors[0]}")
    for message in errors:
        logger.warning("skipped: %s", message)
    return results


def work_folder(out: Path) -> Path:
    """Return the work folder of an output folder: `OUT.work`."""
    return out.resolve().with_name(f"{out.resolve().name}.work")


def safe_name(name: str) -> str:
    """Return a name that is safe as a part of a file name."""
    return re.sub(r"[^A-Za-z0-9._]+", "-", name).strip("-.")[:60] or "model"


def _reason(error: ValidationError) -> str:
    """Describe the first error of a file: its field and what is wrong with it."""
    errors = error.errors(include_url=False)
    for each in errors:
        if each["loc"] == ("schema_version",) and each["type"] == "literal_error":
            return f"has format version {each['input']!r:.20}, expected {SCHEMA_VERSION}: score the model again"
    field = ".".join(map(str, errors[0]["loc"]))
    message = errors[0]["msg"].removeprefix("Value error, ")
    return f"is not a valid result{f', field {field}' if field else ''}: {message}; score the model again"


def _indented(value: Any, indent: int = 0) -> str:  # noqa: ANN401 - any JSON value
    """Format JSON with one line per object entry and per list of numbers or strings."""
    before, after = "\n" + " " * (indent + 2), "\n" + " " * indent
    if isinstance(value, dict) and value:
        entries = (f"{json.dumps(name)}: {_indented(entry, indent + 2)}" for name, entry in value.items())
        return "{" + before + f",{before}".join(entries) + after + "}"
    if isinstance(value, list) and value and isinstance(value[0], list):
        return "[" + before + f",{before}".join(map(_indented, value)) + after + "]"
    return json.dumps(value, ensure_ascii=False)
