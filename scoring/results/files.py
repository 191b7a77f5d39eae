"""Read and write results as JSON files, one per model, data set and config."""

from __future__ import annotations

import json
import logging
import re
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError

from merge_snli.errors import InputError, param
from merge_snli.files import sha256_of_json, write_text
from scoring.results.fields import SCHEMA_VERSION
from scoring.results.grouped_result import GroupedResult
from scoring.results.result import Result

RESULT: TypeAdapter[Result | GroupedResult] = TypeAdapter(
    Annotated[Result | GroupedResult, Field(discriminator="kind")]
)

KINDS = ("merge", "groups")
"""The values of `kind`, by which the place of an error in a file begins."""

logger = logging.getLogger(__name__)


def to_json(result: Result | GroupedResult) -> dict[str, Any]:
    """Return a result as JSON values."""
    value: dict[str, Any] = RESULT.dump_python(result, mode="json")
    return value


def file_name(result: Result | GroupedResult) -> str:
    """Return the file name of a result, unique per model, dtype, prompt, data and config.

    A function without a digest is identified by its name, because `safe_name` may drop most of it.
    """
    dtype = "" if result.run.dtype in (None, "float32") else f"-{result.run.dtype}"
    digest = result.model.digest
    suffix = f"function-{sha256_of_json(result.model.name)[:8]}" if digest is None else digest[:8]
    model = f"{safe_name(result.model.name)}{dtype}-{suffix}"
    part = result.dataset.config if isinstance(result, Result) else result.dataset.config or "groups"
    return f"{model}_{safe_name(result.dataset.name)}-{result.dataset.digest[:8]}-{safe_name(part)}.json"


def write_result(result: Result | GroupedResult, folder: Path) -> Path:
    """Write a result's JSON file into `folder`, atomically, and return its path."""
    path = folder / file_name(result)
    write_text(path, _indented(to_json(result)) + "\n")
    return path


def read_result(path: str | Path) -> Result:
    """Read the JSON file of a result on a MERGE data set.

    Raises:
        InputError: If the file cannot be read, is not a valid result, has another format version, or is a result on
            pairs in groups.
    """
    result = _read(Path(path))
    if not isinstance(result, Result):
        raise InputError(f"{path} is a result on pairs in groups; this needs a result on a MERGE data set")
    return result


def read_grouped_result(path: str | Path) -> GroupedResult:
    """Read the JSON file of a result on pairs in groups.

    Raises:
        InputError: If the file cannot be read, is not a valid result, has another format version, or is a result on a
            MERGE data set.
    """
    result = _read(Path(path))
    if not isinstance(result, GroupedResult):
        raise InputError(f"{path} is a result on a MERGE data set; this needs a result on pairs in groups")
    return result


def read_results(folder: str | Path) -> list[Result]:
    """Read all results on MERGE data sets in `folder`, sorted by file name.

    Invalid files are skipped with a warning.

    Raises:
        InputError: If the folder does not exist or has no such result.
    """
    results, grouped = read_all_results(folder)
    if not results:
        raise InputError(
            f"all results in {folder} are on pairs in groups, such as {grouped[0].dataset.title}; this "
            "needs results on a MERGE data set"
        )
    return results


def read_grouped_results(folder: str | Path) -> list[GroupedResult]:
    """Read all results on pairs in groups in `folder`, sorted by file name.

    Invalid files are skipped with a warning.

    Raises:
        InputError: If the folder does not exist or has no such result.
    """
    _, grouped = read_all_results(folder)
    if not grouped:
        raise InputError(
            f"all results in {folder} are on MERGE data sets; this needs results on pairs in groups: score a model "
            f"with {param('group_column')}"
        )
    return grouped


def read_all_results(*folders: str | Path) -> tuple[list[Result], list[GroupedResult]]:
    """Read all results in some folders: those on MERGE data sets, and those on pairs in groups.

    They are in the order of the folders, sorted by file name. Invalid files are skipped with a warning. Copies of a
    result count once.

    Raises:
        InputError: If a folder does not exist or has no valid result.
    """
    results: list[Result | GroupedResult] = []
    for folder in folders:
        for result in _read_folder(folder):
            if result not in results:
                results.append(result)
    on_merge = [result for result in results if isinstance(result, Result)]
    return on_merge, [result for result in results if isinstance(result, GroupedResult)]


def _read_folder(folder: str | Path) -> list[Result | GroupedResult]:
    paths = sorted(Path(folder).glob("*.json"))
    if not paths:
        raise InputError(f"no results in {folder}: pass the {param('out')} folder of merge-snli score")
    results, errors = [], []
    for path in paths:
        try:
            results.append(_read(path))
        except InputError as error:
            errors.append(error.message)
    if not results:
        raise InputError(f"no valid result in {folder} ({len(errors)} files read); {errors[0].marked}")
    for message in errors:
        logger.warning("skipped: %s", message)
    return results


def _read(path: Path) -> Result | GroupedResult:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
    return parse_result(content, path)


def parse_result(content: bytes, name: str | Path) -> Result | GroupedResult:
    """Parse the content of a result file.

    Args:
        content: The bytes of the file.
        name: Name of the file, for messages.

    Raises:
        InputError: If it is not a valid result, or has another format version.
    """
    try:
        return RESULT.validate_json(content)
    except ValidationError as error:
        raise InputError(f"{name} {_reason(error, content)}") from error


def work_folder(out: Path) -> Path:
    """Return the work folder of an output folder: `OUT.work`."""
    return out.resolve().with_name(f"{out.resolve().name}.work")


def safe_name(name: str) -> str:
    """Return a name that is safe as a part of a file name."""
    return re.sub(r"[^A-Za-z0-9._]+", "-", name).strip("-.")[:60] or "model"


def _reason(error: ValidationError, content: bytes) -> str:
    """Describe the first error of a file: another version, or its field and what is wrong with it."""
    version = _version(content)
    if version not in (None, SCHEMA_VERSION):
        return f"has format version {version!r:.20}, expected {SCHEMA_VERSION}: score the model again"
    first = error.errors(include_url=False)[0]
    if first["type"] == "union_tag_not_found":
        return "is not a result of merge-snli score: leave it out"
    place = first["loc"][1:] if first["loc"][:1] in {(kind,) for kind in KINDS} else first["loc"]
    field = ".".join(map(str, place))
    message = first["msg"].removeprefix("Value error, ")
    return f"is not a valid result{f', field {field}' if field else ''}: {message}; score the model again"


def _version(content: bytes) -> object:
    """Return the format version that a file names, or None if it names none."""
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        return None
    return value.get("schema_version") if isinstance(value, dict) else None


def _indented(value: Any, indent: int = 0) -> str:  # noqa: ANN401 - any JSON value
    """Format JSON with one line per object entry and per list of numbers or strings."""
    before, after = "\n" + " " * (indent + 2), "\n" + " " * indent
    if isinstance(value, dict) and value:
        entries = (f"{json.dumps(name)}: {_indented(entry, indent + 2)}" for name, entry in value.items())
        return "{" + before + f",{before}".join(entries) + after + "}"
    if isinstance(value, list) and value and isinstance(value[0], list):
        return "[" + before + f",{before}".join(map(_indented, value)) + after + "]"
    return json.dumps(value, ensure_ascii=False)
