"""Read and write results as JSON files, and check the folder of such files."""

import json
import logging
import re
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError
from pydantic.json_schema import GenerateJsonSchema

from merge_snli.base.errors import InputError, param
from merge_snli.base.files import sha256_of_json, write_text
from merge_snli.base.table import count
from merge_snli.dataset.folders import check_out
from merge_snli.scoring.results.records import SCHEMA_VERSION
from merge_snli.scoring.results.result import Result

logger = logging.getLogger(__name__)


RESULT: TypeAdapter[Result] = TypeAdapter(Result)


def to_json(result: Result) -> dict[str, Any]:
    """Return a result as JSON values."""
    value: dict[str, Any] = RESULT.dump_python(result, mode="json")
    return value


def file_name(result: Result) -> str:
    """Return the file name of a result, unique per model, dtype, prompt, data and config.

    A function without a digest is identified by its name, because `safe_name` may drop most of it.
    """
    dtype = "" if result.run.dtype in (None, "float32") else f"-{result.run.dtype}"
    digest = result.model.digest
    suffix = f"function-{sha256_of_json(result.model.name)[:8]}" if digest is None else digest[:8]
    model = f"{safe_name(result.model.name)}{dtype}-{suffix}"
    data = result.dataset
    return f"{model}_{safe_name(data.name)}-{data.digest[:8]}-{safe_name(data.config or 'groups')}.json"


def write_result(result: Result, folder: Path) -> Path:
    """Write a result's JSON file into `folder`, atomically, and return its path."""
    path = folder / file_name(result)
    write_text(path, _indented(to_json(result)) + "\n")
    return path


def read_result(path: str | Path) -> Result:
    """Read the JSON file of a result.

    Raises:
        InputError: If the file cannot be read, is not a valid result, or has another format version.
    """
    path = Path(path)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
    return parse_result(content, path)


def read_results(*folders: str | Path) -> list[Result]:
    """Read all results in some folders, in the order of the folders, sorted by file name.

    Invalid files are skipped with a warning. Copies of a result count once.

    Raises:
        InputError: If a folder does not exist or has no valid result.
    """
    results: list[Result] = []
    for folder in folders:
        for result in _read_folder(folder):
            if result not in results:
                results.append(result)
    return results


def _read_folder(folder: str | Path) -> list[Result]:
    paths = sorted(Path(folder).glob("*.json"))
    if not paths:
        raise InputError(f"no results in {folder}: pass the {param('out')} folder of merge-snli score")
    results, errors = [], []
    for path in paths:
        try:
            results.append(read_result(path))
        except InputError as error:
            errors.append(error.message)
    if not results:
        raise InputError(f"no valid result in {folder} ({count(len(errors), 'file')} read); {errors[0].marked}")
    for message in errors:
        logger.warning("skipped: %s", message)
    return results


def parse_result(content: bytes, name: str | Path) -> Result:
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
    if version is None:
        return "is not a result of merge-snli score: leave it out"
    field = ".".join(map(str, first["loc"]))
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


def check_results_folder(out: Path) -> None:
    """Check that results can be written to a folder.

    Raises:
        InputError: If `check_out` refuses the folder, or it has files but no result.
    """
    check_out(out, "a results folder", _find_other)


def _find_other(folder: Path) -> str | None:
    """Return the first name in a folder without results; hidden files do not count."""
    names = sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))
    return None if any(is_result(folder / name) for name in names) else next(iter(names), None)


def is_result(path: Path) -> bool:
    """Return whether a file is a result, of any schema version."""
    if path.suffix != ".json":
        return False
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(value, dict) and {"schema_version", "model", "dataset"} <= value.keys()


SCHEMA_FILE = Path(__file__).parents[1] / "result.schema.json"


class _WithoutTitles(GenerateJsonSchema):
    """Leave out the titles that repeat the name of each field."""

    def field_title_should_be_set(self, schema: object) -> bool:
        return False


def result_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of result files."""
    return {
        "$schema": GenerateJsonSchema.schema_dialect,
        "$id": f"urn:merge-snli:result:{SCHEMA_VERSION}",
        **RESULT.json_schema(schema_generator=_WithoutTitles),
    }


if __name__ == "__main__":
    SCHEMA_FILE.write_text(json.dumps(result_schema(), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
