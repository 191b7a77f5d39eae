"""Rows of JSON: objects one per line or over several lines, arrays, and objects that hold the rows."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any

from merge_snli.base.errors import InputError, brief, listed, reason
from merge_snli.base.files import JsonObject
from merge_snli.problems.column_names import has_usual_name
from merge_snli.problems.rows import SourceRow
from merge_snli.problems.text_files import numbered_lines

NOT_BLANK = re.compile(r"\S")
EXPECTED = "expected one JSON object per line, or an array of objects"


def json_rows(path: Path) -> Iterator[SourceRow]:
    """Yield the rows of a JSON file, of which each is an object.

    A file with one value may also be an array of objects, an object with one such array, rows by id, columns as pandas
    writes them, or one row.
    """
    values = _values(path)
    first = list(islice(values, 1))
    if any(_may_hold_rows(value) for _, value in first):
        first += islice(values, 1)
    if len(first) == 1 and _may_hold_rows(first[0][1]):
        [(_, value)] = first
        rows = _rows_in(value, path) if isinstance(value, dict) else value
        if rows is not None:
            first = [(f"{path} item {number}", row) for number, row in enumerate(rows, start=1)]
    for location, value in chain(first, values):
        if not isinstance(value, dict):
            raise InputError(f"{location} is not a JSON object: {brief(json.dumps(value, ensure_ascii=False))}")
        yield SourceRow(location, value)


def _may_hold_rows(value: object) -> bool:
    """Return whether a value is an array, or an object that holds arrays or objects."""
    if isinstance(value, dict):
        return any(isinstance(of_name, list | dict) for of_name in value.values())
    return isinstance(value, list)


def _values(path: Path) -> Iterator[tuple[str, Any]]:
    """Yield the JSON values of a file with their locations; one that is not in a line is read with all after it."""
    lines = numbered_lines(path, lenient=True)
    for number, line in lines:
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            yield from _values_of(line + "".join(text for _, text in lines), path, number)
            return
        yield f"{path} line {number}", value


def _values_of(text: str, path: Path, line: int) -> Iterator[tuple[str, Any]]:
    """Yield the values of a text that begins at a line."""
    decoder = json.JSONDecoder()
    end = 0
    while (found := NOT_BLANK.search(text, end)) is not None:
        start = found.start()
        line += text.count("\n", end, start)
        location = f"{path} line {line}"
        try:
            value, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError) as error:
            at = line + text.count("\n", start, getattr(error, "pos", start))
            why = getattr(error, "msg", reason(error))
            where = f" at line {at}" if at > line else ""
            raise InputError(f"{location} is not valid JSON ({why}{where}); {EXPECTED}") from error
        line += text.count("\n", start, end)
        yield location, value


def _rows_in(value: JsonObject, path: Path) -> Sequence[object] | None:
    """Return the rows that an object holds; None if it is one row."""
    kinds = {type(of_name) for of_name in value.values()}
    if kinds == {dict}:
        return _rows_of_objects(value)
    if kinds == {list} and has_usual_name(value):
        return _rows_of_columns(value, path)
    if isinstance(value.get("data"), list) and isinstance(value.get("columns"), list):  # the orient "split" of pandas
        return [dict(zip(value["columns"], row, strict=False)) for row in value["data"]]
    if has_usual_name(value):
        return None
    lists = {name: of_name for name, of_name in value.items() if of_name and isinstance(of_name, list)}
    arrays = [name for name, of_name in lists.items() if isinstance(of_name[0], dict)]
    if len(arrays) > 1:
        raise InputError(f"{path} is an object with several arrays of objects ({listed(arrays)}): give one as a file")
    return value[arrays[0]] if arrays else None


def _rows_of_objects(value: Mapping[str, JsonObject]) -> list[JsonObject]:
    """Return the rows of an object of objects: rows by id, or columns whose values have the numbers of the rows."""
    first = next(iter(value.values()))
    if has_usual_name(first) or not (has_usual_name(value) or all(map(str.isdigit, first))):
        return [{"id": name, **row} for name, row in value.items()]
    return [{name: column.get(key) for name, column in value.items()} for key in first]


def _rows_of_columns(value: Mapping[str, Sequence[Any]], path: Path) -> list[JsonObject]:
    """Return the rows of an object with a list for each column."""
    lengths = {len(column) for column in value.values()}
    if len(lengths) > 1:
        raise InputError(f"{path} is an object whose lists have different lengths: give an array of objects")
    return [dict(zip(value, row, strict=True)) for row in zip(*value.values(), strict=True)]
