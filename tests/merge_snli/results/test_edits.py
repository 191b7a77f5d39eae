"""A result of which anything was changed is refused: each field, each line, each column of the answers."""

import json
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from merge_snli import read_result
from merge_snli.answers.table import to_bytes
from merge_snli.base.files import read_json, sha256_of_file
from tests.cases import first_fast, slow
from tests.commands import Command
from tests.merge_snli.results.test_format_8 import FOLDER
from tests.merge_snli.results.test_store import changed
from tests.oracles import BUNDLED, both_files, pair_of, refused, rows_of, sealed, write_rows, written

[GROUPED] = FOLDER.glob("*groups.json")
[PROMPTED] = FOLDER.glob("tiny-lm-4*.json")
[PART] = FOLDER.glob("demo-nli-b-f31*.json")
Place = tuple[str | int, ...]


@pytest.fixture(params=first_fast([GROUPED, PROMPTED, PART]), ids=["grouped", "prompted", "part"])
def copied(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A copy of a result, which may be changed."""
    for path in both_files(request.param):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    path = tmp_path / str(request.param.name)
    read_result(path)  # so that the check of the unchanged result is remembered
    return path


def places(value: object, place: Place = ()) -> Iterator[Place]:
    """Yield the place of each value in a JSON value; of a list, only those of its first element."""
    yield place
    inner = []
    if isinstance(value, dict):
        inner = list(value.items())
    elif isinstance(value, list):
        inner = list(enumerate(value[:1]))
    for name, of_name in inner:
        yield from places(of_name, (*place, name))


def other(value: object) -> object:
    """Return another value of the same type."""
    if isinstance(value, bool) or value is None:
        return not value
    if isinstance(value, int | float):
        return value / 2 + 1 / 8
    if isinstance(value, str):
        return f"{value}x"
    return [*value, 1] if isinstance(value, list) else {**value, "more": 1}  # type: ignore[dict-item]


def test_a_change_of_any_field_is_refused(copied: Path) -> None:
    content = copied.read_bytes()
    entries = json.loads(content)
    for place in places(entries):
        value = entries
        for step in place:
            value = value[step]
        given = changed(entries, place, other(value)) if place else other(entries)
        written(copied, json.dumps(given))
        refused(copied.name, read_result, copied)
    written(copied, content)
    read_result(copied)


def test_a_field_that_was_removed_is_refused(copied: Path) -> None:
    entries = read_json(copied)
    for place in places(entries):
        without = read_json(copied)
        parent = without
        for step in place[:-1]:
            parent = parent[step]
        if place and isinstance(parent, dict):
            del parent[place[-1]]
            written(copied.with_name("x.json"), json.dumps(without))
            refused("x.json", read_result, copied.with_name("x.json"))


def other_column(column: pa.ChunkedArray) -> pa.Array:
    """Return a column of the same type with another last value, one of the column if it has another."""
    values = column.to_pylist()
    values[-1] = next(
        (value for value in values if value != values[-1]), "x" if values[-1] is None else other(values[-1])
    )
    return pa.array(values, column.type)


def test_a_change_of_any_column_of_the_answers_is_refused(copied: Path) -> None:
    _, beside = both_files(copied)
    table = pq.read_table(beside)
    for at, name in enumerate(table.column_names):
        beside.write_bytes(to_bytes(table.set_column(at, name, other_column(table[name]))))
        refused(f"{beside.name} is not the file", read_result, copied)


@pytest.mark.parametrize("name", ["group_id", "is_seed", "label", "answer", "subsamples", "word_class"])
def test_answers_that_give_other_numbers_are_refused_with_new_digests(name: str, tmp_path: Path) -> None:
    path, beside = (written(tmp_path / each.name, each.read_bytes()) for each in both_files(PROMPTED))
    table = pq.read_table(beside)
    at = table.column_names.index(name)
    beside.write_bytes(to_bytes(table.set_column(at, name, other_column(table[name]))))
    entries = read_json(path) | {"answers_sha256": sha256_of_file(beside)}
    written(path, json.dumps(sealed(entries)))
    refused(f"{path.name} is not a valid result", read_result, path)


def test_swapped_answers_are_refused_and_renamed_results_are_read(tmp_path: Path) -> None:
    first = GROUPED
    second = PROMPTED
    for path, answers in ((first, second), (second, first)):
        written(tmp_path / path.name, path.read_bytes())
        written(tmp_path / path.with_suffix(".parquet").name, answers.with_suffix(".parquet").read_bytes())
        refused("is not the file of the answers", read_result, tmp_path / path.name)
    for each in both_files(first):
        written(tmp_path / f"renamed{each.suffix}", each.read_bytes())
    assert read_result(tmp_path / "renamed.json") == read_result(first)


@pytest.mark.parametrize("digest", [None, "", "0" * 64, 3])
def test_a_result_without_its_digest_is_refused(digest: object, tmp_path: Path) -> None:
    for each in both_files(GROUPED):
        written(tmp_path / each.name, each.read_bytes())
    path = tmp_path / GROUPED.name
    written(path, json.dumps(read_json(path) | {"digest": digest}))
    refused(f"{path.name} is not a valid result", read_result, path)


COMMANDS = {
    "compare": ["compare", "RESULTS"],
    "power": ["compare", "RESULTS", "--power"],
    "gate": ["compare", "GOOD", "--baseline", "RESULTS"],
    "leaderboard": ["leaderboard", "RESULTS", "--format", "csv"],
    "analyze": ["analyze", "RESULTS", "--dataset", "demo:dataset", "--out", "OUT"],
    "explore": ["explore", "RESULTS", "--dataset", "demo:dataset", "--config", "adj", "--out", "OUT"],
    "import": ["import", "ANSWERS", "--model", "more", "--dataset", "demo:dataset", "--config", "adj", "--partial"],
}

SLOW = ("analyze", "explore")


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in SLOW] + slow(*SLOW))
def test_commands_name_an_edited_result_or_skip_it(
    name: str, tmp_path: Path, command: Command, caplog: pytest.LogCaptureFixture
) -> None:
    places = {"RESULTS": tmp_path / "results", "GOOD": tmp_path / "good", "OUT": tmp_path / "out"}
    for path in FOLDER.glob("*demo-dataset-0d1da94a-adj.*"):
        written(places["RESULTS"] / path.name, path.read_bytes())
        if "nli-a" in path.name:
            written(places["GOOD"] / path.name, path.read_bytes())
            edited = path.read_bytes().replace(b'"demo:nli-a"', b'"better"')
            written(places["RESULTS"] / f"edited{path.suffix}", edited)
    rows = [row for row in rows_of(BUNDLED, "adj") if row["seed_id"] < "demo-2"]
    pairs = {pair_of(row) for row in rows} | {(row["seed_premise"], row["seed_hypothesis"]) for row in rows}
    answers = [{"premise": premise, "hypothesis": hypothesis, "label": "neutral"} for premise, hypothesis in pairs]
    places["ANSWERS"] = write_rows(tmp_path / "answers.jsonl", answers)
    arguments = [places.get(argument, argument) for argument in COMMANDS[name]]
    if name == "import":
        arguments += ["--out", places["RESULTS"]]
    assert "edited.json" in command(*arguments, code=2).err
    command(*arguments, "--skip-invalid")
    assert "skipped: " in caplog.text
    assert "edited.json" in caplog.text
