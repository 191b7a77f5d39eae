"""Read and write results: `NAME.json` with the numbers, and `NAME.parquet` with the answers."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, replace
from hashlib import sha256
from inspect import cleandoc
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, ValidationError
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core.core_schema import DataclassSchema

from merge_snli.answers.data import ScoredData
from merge_snli.answers.table import from_bytes, from_table, to_bytes, with_data
from merge_snli.base.errors import REASON, EditedError, InputError, Message, explained, param
from merge_snli.base.files import sha256_of_json, write_bytes
from merge_snli.base.table import count
from merge_snli.dataset.record import OWN_DIGEST, own_digest
from merge_snli.dataset.stored import check_out
from merge_snli.results.calibration import calibration_of
from merge_snli.results.grouping import names_of
from merge_snli.results.measure import consistency
from merge_snli.results.recompute import wrong_entries
from merge_snli.results.records import SCHEMA_VERSION
from merge_snli.results.result import Result, ResultFile
from merge_snli.results.whole import open_whole

if TYPE_CHECKING:
    import pandas as pd

logger = logging.getLogger(__name__)

# What is wrong with a result of which an entry was changed that its answers do not give, such as a name.
CHANGED = "an entry was changed after it was written, or removed"

FILE: TypeAdapter[ResultFile] = TypeAdapter(ResultFile)


def to_json(result: Result) -> dict[str, Any]:
    """Return a result as JSON values, without its answers."""
    return dict(FILE.dump_python(result, mode="json"))


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


def answers_name(name: str) -> str:
    """Return the name of the file of the answers of a result file."""
    return f"{name.removesuffix('.json')}.parquet"


def to_files(result: Result) -> dict[str, bytes]:
    """Return the two files of a result by name: first the answers, then the numbers with the digests of both."""
    name, answers = file_name(result), to_bytes(result.table)
    entries = to_json(replace(result, answers_sha256=sha256(answers).hexdigest()))
    return {
        answers_name(name): answers,
        name: (_indented(entries | {OWN_DIGEST: own_digest(entries)}) + "\n").encode(),
    }


def write_result(result: Result, folder: Path) -> Path:
    """Write the files of a result into `folder`, each atomically, and return the path of the JSON file.

    The answers come first, so that a run that is killed between the two leaves no result with other answers.
    """
    for name, content in to_files(result).items():
        write_bytes(folder / name, content)
    return folder / file_name(result)


def store_result(result: Result, folder: Path) -> Result:
    """Write the files of a result as `write_result` does, and return it with the digests in them."""
    entries = _entries(write_result(result, folder).read_bytes())
    return replace(result, answers_sha256=entries["answers_sha256"], digest=entries[OWN_DIGEST])


def read_result(path: str | Path) -> Result:
    """Read a result, of which the file of the answers is beside the JSON file.

    Raises:
        InputError: If a file cannot be read or is not valid, the two do not fit together, or the result has another
            format version.
    """
    path = Path(path)
    with explained(OSError, f"cannot read {path}: {REASON}"):
        content = path.read_bytes()
    beside = path.with_name(answers_name(path.name))
    return parse_result(content, beside.read_bytes() if beside.is_file() else None, path)


def read_answers(
    *folders: str | Path, data: object = None, config: str | None = None, with_text: bool = False
) -> pd.DataFrame:
    """Read the answers of all results in some folders, on the same data or not, as one table.

    Args:
        folders: Folders of results.
        data: The data set of the results, to join the answers with it; None for the answers as they are stored.
        config: Only the results on this config.
        with_text: Whether to add the sentences of the data, whose terms apply.

    Returns:
        The tables of the results one after another, with the name of the model in the first column, `model`.

    Raises:
        InputError: If a folder has no valid result, or one is on other data.
    """
    import pandas as pd

    if with_text and data is None:
        raise InputError(f"{param('with_text', True)} needs the data: name the data set")
    results = [result for result in read_results(*folders) if config in (None, result.dataset.config)]
    if not results:
        raise InputError(f"no result in {', '.join(map(str, folders))} is on config {config}")
    wholes: dict[str, ScoredData] = {}
    frames = []
    for name, result in zip(names_of(results), results, strict=True):
        table = result.table
        if data is not None:
            key = str(result.dataset.config)
            wholes[key] = wholes.get(key) or open_whole(data, result.dataset)
            table = with_data(table, open_whole(wholes[key], result.dataset), with_text=with_text)
        frame = table.to_pandas()
        frame.insert(0, "model", name)
        frames.append(frame)
    joined: pd.DataFrame = pd.concat(frames, ignore_index=True)
    return joined


def read_results(*folders: str | Path) -> list[Result]:
    """Read all results in some folders, in the order of the folders, sorted by file name.

    Invalid files are skipped with a warning. Copies of a result count once.

    Raises:
        InputError: If a folder does not exist or has no valid result, or a result states other numbers than its answers
            give.
    """
    if not folders:
        raise InputError(f"no results: name the {param('out')} folder of merge-snli score")
    results: list[Result] = []
    for folder in folders:
        for result in _read_folder(folder):
            if result not in results:
                results.append(result)
    return results


def as_results(results: object) -> list[Result]:
    """Return results, or those in results folders.

    Args:
        results: A results folder, or any number of results and results folders.

    Raises:
        InputError: If something else is given, or a folder has no valid result.
    """
    listed = [results] if isinstance(results, str | Path | Result) else results
    if not isinstance(listed, Iterable):
        raise InputError(f"results has the type {type(results).__name__}: give results, or folders of results")
    chosen: list[Result] = []
    for given in listed:
        if not isinstance(given, str | Path | Result):
            raise InputError(f"results has a {type(given).__name__}: give results, or folders of results")
        chosen += [given] if isinstance(given, Result) else read_results(given)
    return chosen


def require_folder(folder: str | Path) -> None:
    """Check that a folder of results exists."""
    if not Path(folder).is_dir():
        raise InputError(f"{folder} is not a folder: pass the {param('out')} folder of merge-snli score")


def _read_folder(folder: str | Path) -> list[Result]:
    require_folder(folder)
    paths = sorted(Path(folder).glob("*.json"))
    if not paths:
        raise InputError(f"no results in {folder}: pass the {param('out')} folder of merge-snli score")
    with ThreadPoolExecutor() as pool:  # most of the time is in libraries that release the lock
        read = list(pool.map(_read_or_message, paths))
    results = [result for result in read if isinstance(result, Result)]
    errors = [message for message in read if not isinstance(message, Result)]
    if not results:
        raise InputError(f"no valid result in {folder} ({count(len(errors), 'file')} read); {errors[0].marked}")
    for message in errors:
        logger.warning("skipped: %s", message)
    return results


def _read_or_message(path: Path) -> Result | Message:
    try:
        return read_result(path)
    except EditedError:
        raise
    except InputError as error:
        return error.message


def parse_result(content: bytes, answers: bytes | None, name: str | Path) -> Result:
    """Parse the two files of a result.

    Args:
        content: The bytes of the JSON file.
        answers: The bytes of the file of the answers; None if it is missing.
        name: Name of the JSON file, for messages.

    Raises:
        InputError: If they are not a valid result, do not fit together, or have another format version.
    """
    try:
        file = FILE.validate_json(content)
    except ValidationError as error:
        # Only our own checks, such as that of QT, raise `ValueError`s: the file is whole, and its values contradict.
        kind = EditedError if error.errors()[0]["type"] == "value_error" else InputError
        raise kind(f"{name} {_reason(error, content)}") from error
    beside = answers_name(Path(name).name)
    if answers is None:
        raise InputError(f"{name} has no answers: {beside} is not beside it; copy both files, or score the model again")
    if sha256(answers).hexdigest() != file.answers_sha256:
        raise EditedError(f"{beside} is not the file of the answers of {name}: score the model again")
    try:
        given = from_table(from_bytes(answers), file.compared_labels, file.subsamples)
        given = replace(given, drawn_only=file.left_out.undrawn > 0)
        # A file of an earlier release may lack entries that the answers give.
        computed: dict[str, Any] = {"consistency": consistency(given), "calibration": calibration_of(given)}
        entries = _entries(content)
        file = replace(file, **{field: computed[field] for field in computed.keys() - entries.keys()})
        wrong = next(wrong_entries(file, given), None if file.digest in (None, own_digest(entries)) else CHANGED)
    except ValueError as error:
        raise InputError(f"{name} is not a valid result: {error}; score the model again") from error
    if wrong is not None:
        raise EditedError(f"{name} is not a valid result: {wrong}; score the model again")
    return Result(**{field.name: getattr(file, field.name) for field in fields(ResultFile)}, answers=given)


def work_folder(out: Path) -> Path:
    """Return the work folder of an output folder: `OUT.work`."""
    return out.resolve().with_name(f"{out.resolve().name}.work")


def safe_name(name: str) -> str:
    """Return a name that is safe as a part of a file name."""
    return re.sub(r"[^A-Za-z0-9._]+", "-", name).strip("-.")[:60] or "model"


def _reason(error: ValidationError, content: bytes) -> str:
    """Describe the first error of a file: another version, or its field and what is wrong with it."""
    version = _entries(content).get("schema_version")
    if version not in (None, SCHEMA_VERSION):
        return (
            f"has format version {version!r:.20}, expected {SCHEMA_VERSION}: score the model, or import its logs, again"
        )
    first = error.errors(include_url=False)[0]
    if first["type"] == "json_invalid":
        return f"is damaged ({first['msg']}): score the model, or import its logs, again"
    if version is None:
        return "is not a result of merge-snli score: leave it out"
    field = ".".join(map(str, first["loc"]))
    message = first["msg"].removeprefix("Value error, ")
    return f"is not a valid result{f', field {field}' if field else ''}: {message}; score the model again"


def _entries(content: bytes) -> dict[str, Any]:
    """Return the entries of the JSON object in a file; none if it has something else."""
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


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
    names = {"schema_version", "model", "dataset"}
    return path.suffix == ".json" and path.is_file() and names <= _entries(path.read_bytes()).keys()


SCHEMA_FILE = Path(__file__).with_name("result.schema.json")

# A field in a docstring, and what is said about it.
FIELD = re.compile(r"^    (\w+): (.*(?:\n {8}.*)*)", re.MULTILINE)


class _Described(GenerateJsonSchema):
    """Describes each field as `Attributes:` of its class does, without titles that repeat the names of the fields."""

    def field_title_should_be_set(self, schema: object) -> bool:
        return False

    def dataclass_schema(self, schema: DataclassSchema) -> JsonSchemaValue:
        value = super().dataclass_schema(schema)
        value["description"], _, _ = cleandoc(schema["cls"].__doc__ or "").partition("\n\nAttributes:")
        for base in reversed(schema["cls"].__mro__):
            for name, text in FIELD.findall(cleandoc(base.__doc__ or "").partition("\n\nAttributes:\n")[2]):
                value["properties"][name]["description"] = " ".join(text.split())
        return value


def result_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of result files."""
    return {
        "$schema": GenerateJsonSchema.schema_dialect,
        "$id": f"urn:merge-snli:result:{SCHEMA_VERSION}",
        **FILE.json_schema(schema_generator=_Described),
    }


if __name__ == "__main__":
    SCHEMA_FILE.write_text(json.dumps(result_schema(), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
