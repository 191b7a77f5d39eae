"""Read and write results: `NAME.json` with the numbers, and `NAME.parquet` with the answers."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

from merge_snli.answers.stored import stored_content
from merge_snli.answers.table import check_table, from_bytes, to_bytes
from merge_snli.base import __version__
from merge_snli.base.errors import InputError, explained
from merge_snli.base.files import JsonObject, sha256_of_json, write_bytes
from merge_snli.base.progress import SHOWN_AFTER, Progress
from merge_snli.dataset.out_folder import check_out
from merge_snli.dataset.record_file import OWN_DIGEST, own_digest, valid
from merge_snli.results.check import AGAIN, check_entries, check_numbers
from merge_snli.results.grouping import names_of
from merge_snli.results.naming import answers_name, file_name
from merge_snli.results.records import SCHEMA_VERSION
from merge_snli.results.result import Result
from merge_snli.results.result_file import ResultFile
from merge_snli.results.whole import open_whole

if TYPE_CHECKING:
    import pandas as pd

logger = logging.getLogger(__name__)

FILE: TypeAdapter[ResultFile] = TypeAdapter(ResultFile)

# A list of numbers or strings in indented JSON, in which no text has a line break.
SIMPLE_LIST = re.compile(r"\[\n\s+([^\s\[{].*?)\n\s*\]", re.DOTALL)

# Raise it if the check finds more in the same files.
CHECK_VERSION = 1


def to_json(result: Result) -> JsonObject:
    """Return a result as JSON values, without its answers."""
    return dict(FILE.dump_python(result, mode="json"))


def to_files(result: Result) -> dict[str, bytes]:
    """Return the two files of a result by name: first the answers, then the numbers with the digests of both."""
    name = file_name(result)
    answers = to_bytes(result.table)
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
    """Read and check a result, of which the file of the answers is beside the JSON file.

    The answers are read from their file when they are needed. A check is remembered by the digests of both files.

    Raises:
        InputError: If a file cannot be read or is not valid, the two do not fit together, or the result has another
            format version.
    """
    path = Path(path)
    with explained(OSError, f"cannot read {path}: ⟦reason⟧"):
        content = path.read_bytes()
    entries = _entries(content)
    version = entries.get("schema_version")
    if version is None:
        raise InputError(f"{path} is damaged, or not a result: {AGAIN}, or remove it")
    if version != SCHEMA_VERSION:
        raise InputError(f"{path} has format version {version!r:.20}, expected {SCHEMA_VERSION}: {AGAIN}")
    not_valid = f"{path} is not a valid result: ⟦reason⟧; {AGAIN}"
    with valid(not_valid):
        file = FILE.validate_json(content)
    with explained(ValueError, not_valid):
        check_entries(entries)
    beside = path.with_name(answers_name(path.name))
    if not beside.is_file():
        raise InputError(f"{path} has no answers: {beside.name} is not beside it; copy both files, or {AGAIN}")
    result = Result(**vars(file), stored=beside)
    answers = stored_content(beside, file.answers_sha256)
    mark = _check_mark(content, answers)
    if not mark.exists():
        with explained(ValueError, not_valid):
            table = from_bytes(answers, name=beside)
            check_table(table, file.subsamples)
            check_numbers(file, entries, result.answers_in(table))
        with suppress(OSError):  # without a cache that can be written, a result is checked each time
            mark.parent.mkdir(parents=True, exist_ok=True)
            mark.touch()
    return result


def _check_mark(*contents: bytes) -> Path:
    """Return the empty file that is in the cache if a result with these two files was checked."""
    from huggingface_hub.constants import HF_ASSETS_CACHE

    digests = [sha256(content).hexdigest() for content in contents]
    name = sha256_of_json([__version__, CHECK_VERSION, *digests])
    return Path(HF_ASSETS_CACHE, "merge_snli", "checked", name)


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
        raise InputError("⟦with_text=True⟧ needs the data: name the data set")
    results = [result for result in read_results(*folders) if config in (None, result.dataset.config)]
    if not results:
        raise InputError(f"no result in {', '.join(map(str, folders))} is on config {config}")
    wholes: dict[str | None, object] = {}
    frames = []
    for name, result in zip(names_of(results), results, strict=True):
        own_config = result.dataset.config
        if data is None:
            frame = result.table.to_pandas()
        else:
            wholes[own_config] = open_whole(wholes.get(own_config, data), result.dataset)
            frame = result.to_pandas(wholes[own_config], with_text=with_text)
        frame.insert(0, "model", name)
        frames.append(frame)
    return pd.DataFrame(pd.concat(frames, ignore_index=True))


def read_results(*folders: str | Path, skip_invalid: bool = False) -> list[Result]:
    """Read all results in some folders, in the order of the folders, sorted by file name.

    JSON files that are not results are ignored. Copies of a result count once.

    Args:
        folders: The folders.
        skip_invalid: Whether to leave out results that are damaged, edited, or of another version, with a warning.

    Raises:
        InputError: If a folder does not exist or has no valid result, or has another one.
    """
    if not folders:
        raise InputError("no results: name the ⟦out⟧ folder of merge-snli score")
    results = []
    for folder in folders:
        for result in _read_folder(folder, skip_invalid=skip_invalid):
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
    chosen = []
    is_list = isinstance(results, Iterable) and not isinstance(results, str)
    for given in results if is_list else [results]:  # type: ignore[attr-defined]
        if isinstance(given, Result):
            chosen.append(given)
        elif isinstance(given, str | Path):
            chosen += read_results(given)
        else:
            raise InputError(f"results has a value of type {type(given).__name__}: give results, or folders of results")
    return chosen


def require_folder(folder: str | Path) -> None:
    """Check that a folder of results exists."""
    if not Path(folder).is_dir():
        raise InputError(f"{folder} is not a folder: pass the ⟦out⟧ folder of merge-snli score")


def _read_folder(folder: str | Path, *, skip_invalid: bool) -> list[Result]:
    require_folder(folder)
    paths = [path for path in sorted(Path(folder).glob("*.json")) if _may_be_result(path)]
    results = []
    invalid = []
    with Progress(after=SHOWN_AFTER).stage(f"reading {folder}", unit="results", total=len(paths)) as stage:
        for path in paths:
            try:
                results.append(read_result(path))
            except InputError as error:
                invalid.append(error.message)
            stage.advance(1)
    if invalid and not skip_invalid:
        reasons = "; ".join(message.marked for message in invalid)
        raise InputError(f"{reasons}; or add ⟦skip_invalid=True⟧")
    for message in invalid:
        logger.warning("skipped: %s", message)
    if not results:
        raise InputError(f"no results in {folder}: pass the ⟦out⟧ folder of merge-snli score")
    return results


def _entries(content: bytes) -> JsonObject:
    """Return the entries of the JSON object in a file; none if it has something else."""
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _indented(value: Any) -> str:  # noqa: ANN401 - any JSON value
    """Format JSON with one line per object entry and per list of numbers or strings."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    return SIMPLE_LIST.sub(lambda found: "[" + re.sub(r",\n\s+", ", ", found[1]) + "]", text)


def check_results_folder(out: Path) -> None:
    """Check that results can be written to a folder.

    Raises:
        InputError: If `check_out` refuses the folder, or it has files but no result.
    """
    folder = check_out(out)
    paths = [*folder.iterdir()] if folder.is_dir() else []
    if not any(map(is_result, paths)):
        check_out(folder, "a results folder", [path.name for path in paths if path.name.startswith(".")])


def is_result(path: Path) -> bool:
    """Return whether a file is a result, of any schema version."""
    return path.suffix == ".json" and path.is_file() and _has_result(_entries(path.read_bytes()))


def _has_result(entries: JsonObject) -> bool:
    """Return whether a file has the entries of a result, one of which may have been removed."""
    return "schema_version" in entries or {"model", "dataset"} <= entries.keys()


def _may_be_result(path: Path) -> bool:
    """Return whether a JSON file is a result or damaged."""
    try:
        value = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return True
    return isinstance(value, dict) and _has_result(value)
