"""Tests of result files: they round-trip, and invalid files are refused with one sentence."""

import copy
import dataclasses
import hashlib
import json
import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from merge_snli import InputError, Result, read_result, read_results, score
from merge_snli.answers.table import to_bytes
from merge_snli.base.files import sha256_of_json
from merge_snli.leaderboard.boards import make_boards
from merge_snli.leaderboard.render import render_page
from merge_snli.leaderboard.tables import FORMATS
from merge_snli.results.naming import file_name, safe_name
from merge_snli.results.store import check_results_folder, to_json, write_result
from tests.cases import first_fast
from tests.oracles import both_files, by_premise, missing_from, refused, sealed, written
from tests.result_schema import SCHEMA_FILE, result_schema


@pytest.fixture(scope="module")
def result(dataset: Path) -> Result:
    return score(by_premise(), dataset, config="noun", name="odd")


def read_json(value: dict[str, Any], folder: Path, result: Result) -> Result:
    """Write a JSON value with its digest beside the answers of a result and read it."""
    path = folder / "x.json"
    answers = to_bytes(result.table)
    value = value | {"answers_sha256": hashlib.sha256(answers).hexdigest()}
    path.write_text(json.dumps(sealed(value)), encoding="utf-8")
    path.with_suffix(".parquet").write_bytes(answers)
    return read_result(path)


def test_results_round_trip(result: Result, tmp_path: Path) -> None:
    path = write_result(result, tmp_path / "results")
    assert read_result(path) == read_result(str(path)) == result
    assert read_results(tmp_path / "results") == read_results(str(tmp_path / "results")) == [result]
    assert read_json(to_json(result), tmp_path, result) == result
    text = path.read_text(encoding="utf-8")
    assert text.endswith("}\n")
    assert '\n  "quality_threshold": "0.9",\n' in text
    assert json.loads(text) | {"answers_sha256": None, "digest": None} == to_json(result)


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("ynie/roberta-large-snli", "ynie-roberta-large-snli"),
        ("demo:nli-a", "demo-nli-a"),
        ("../../etc/passwd", "etc-passwd"),
        ("<script>alert(1)</script>", "script-alert-1-script"),
        ("…", "model"),
        ("a" * 300, "a" * 60),
    ],
)
def test_safe_names(name: str, safe: str) -> None:
    assert safe_name(name) == safe


def renamed(result: Result, name: str, dtype: str | None = None, **changes: Any) -> Result:  # noqa: ANN401 - fields
    """Return the result of a model with another name, and dtype."""
    model = dataclasses.replace(result.model, name=name, **changes)
    return dataclasses.replace(result, model=model, run=dataclasses.replace(result.run, dtype=dtype))


def test_file_names_have_model_data_and_config_and_are_unique_per_function_and_dtype(result: Result) -> None:
    digest = sha256_of_json("odd")[:8]
    assert file_name(result) == f"odd-function-{digest}_merge_small-{result.dataset.digest[:8]}-noun.json"
    other = renamed(result, "odd", "bfloat16")
    assert other.title == "odd (bfloat16)"
    assert file_name(other).startswith("odd-bfloat16-function-")
    long = "long" * 20
    others = [renamed(result, name) for name in ("a b", "a^b", "日本", "…", f"{long}1", f"{long}2")]
    others += [renamed(result, long, dtype) for dtype in ("float32", "bfloat16", "int8")]
    assert len({file_name(other) for other in others}) == len(others)


def test_results_of_a_removed_dtype_are_read(result: Result, tmp_path: Path) -> None:
    old = renamed(result, "odd", "int8")
    assert old.title == "odd (int8)"
    assert read_result(write_result(old, tmp_path)) == old


NOT_RESULTS = ("", "{", "[]", "null", '{"schema_version": 8}', '{"schema_version": 8, "model": 3}', "[" * 100_000)


@pytest.mark.parametrize("more", [{"notes": ["\ud800"]}, {"later": "\ud800"}], ids=["notes", "later"])
def test_half_a_character_is_refused(result: Result, tmp_path: Path, more: dict[str, Any]) -> None:
    path = write_result(result, tmp_path)
    written(path, json.dumps(json.loads(path.read_bytes()) | more))
    refused(path.name, read_result, path)


@pytest.mark.parametrize("content", NOT_RESULTS)
def test_other_files_are_refused(tmp_path: Path, content: str) -> None:
    path = written(tmp_path / "x.json", content)
    refused(r"x\.json", read_result, path)
    path.unlink()
    refused(r"x\.json: No such file", read_result, path)


def test_results_are_written_beside_results_and_hidden_files_only(result: Result, tmp_path: Path) -> None:
    check_results_folder(tmp_path / "new")
    written(tmp_path / ".hidden", "")
    check_results_folder(tmp_path)
    written(tmp_path / "other.txt", "")
    refused(r"not a results folder \(it has other\.txt\)", check_results_folder, tmp_path)
    write_result(result, tmp_path)
    check_results_folder(tmp_path)


def test_missing_and_later_fields_and_other_versions(result: Result, tmp_path: Path) -> None:
    value = to_json(result)
    del value["source"], value["consistency"], value["run"]["tied"], value["dataset"]["partial"]
    without = dataclasses.replace(result, consistency=None)
    assert read_json(value | {"later": {"number": 1}}, tmp_path, result) == without
    value = to_json(result)
    refused(r"x\.json.* 99.* 8.*import its answers, again", read_json, value | {"schema_version": 99}, tmp_path, result)
    del value["parts"]
    refused(r"x\.json.* parts", read_json, value, tmp_path, result)


@pytest.fixture
def with_invalid(result: Result, tmp_path: Path) -> Path:
    """A folder with a result, its copy, a damaged file, a result of another version, and files that are no results."""
    path = write_result(result, tmp_path)
    for each in both_files(path):
        (tmp_path / f"copy{each.suffix}").write_bytes(each.read_bytes())
    written(tmp_path / "a-cut.json", path.read_bytes()[:5000])
    written(tmp_path / "z-old.json", '{"schema_version": 3}')
    for name, content in (("other.json", '{"digest": "1"}'), ("list.json", "[]"), ("notes.txt", "notes")):
        written(tmp_path / name, content)
    return tmp_path


def test_copies_count_once_and_invalid_results_are_named_or_skipped(
    result: Result, with_invalid: Path, caplog: pytest.LogCaptureFixture
) -> None:
    error = str(refused("skip_invalid", read_results, with_invalid))
    assert not missing_from(error, f"{with_invalid}/a-cut.json", f"{with_invalid}/z-old.json has format version 3")
    assert read_results(with_invalid, skip_invalid=True) == [result]
    assert not missing_from(caplog.text, "skipped: ", f"{with_invalid}/a-cut.json", f"{with_invalid}/z-old.json")
    assert "other.json" not in caplog.text + error


def test_a_folder_without_a_valid_result_is_named(with_invalid: Path, tmp_path: Path) -> None:
    for path in with_invalid.glob("*_*.json"):
        path.unlink()
    (with_invalid / "copy.json").unlink()
    refused(re.escape(f"no results in {with_invalid}"), read_results, with_invalid, skip_invalid=True)
    refused(re.escape(str(tmp_path / "none")), read_results, tmp_path / "none")


def changed(value: Any, path: Sequence[str | int], wrong: object) -> Any:  # noqa: ANN401 - a JSON value
    """Return a copy of a JSON value with another value in one place."""
    copied = copy.deepcopy(value)
    parent = copied
    for step in path[:-1]:
        parent = parent[step]
    parent[path[-1]] = wrong
    return copied


@pytest.mark.parametrize("name", ["consistency", "calibration"])
def test_null_is_refused_where_the_answers_give_a_value(bert: Path, dataset: Path, tmp_path: Path, name: str) -> None:
    result = score(bert, dataset, config="noun", limit_seeds=3)
    value = to_json(result)
    assert value[name]
    refused(f"{name} is None, and the answers give", read_json, value | {name: None}, tmp_path, result)
    del value[name]  # as in a file written before the field existed
    assert getattr(read_json(value, tmp_path, result), name) is None


def leaves(value: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield the paths to all values in a JSON value."""
    if path:
        yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, part in inner:
        yield from leaves(part, (*path, name))


WRONG: tuple[Any, ...] = (None, -1, 10**9, 0.5, float("nan"), "x", "", [], {}, [1], {"a": 1}, True, 10**400)


@pytest.mark.parametrize("seed", first_fast(range(4)))
def test_wrong_values_are_refused_or_can_be_shown(result: Result, tmp_path: Path, seed: int) -> None:
    """Every result that is read can be rendered, so that one damaged file does not break the leaderboard."""
    rng = random.Random(seed)
    value = to_json(result)
    other = renamed(result, "other")
    paths = list(leaves(value))
    for path in rng.sample([path for path in paths if len(path) < 4], 30) + rng.sample(paths, 20):
        try:
            read = read_json(changed(value, path, rng.choice(WRONG)), tmp_path, result)
        except InputError:
            continue
        boards = make_boards([read, other])
        render_page(boards, {})
        for _, write in FORMATS.values():
            write(boards)


AGAIN = r"x\.json is not a valid result.*score the model"
# Places of a result file, and values that its answers do not give. The digest is that of the edited file.
EDITED = {
    "scores.sample_accuracy.mean": 0.99,
    "scores.curve.mean": [0.5] * 101,
    "scores.intervals.qt": None,
    "scores.rows": 10_000,
    "scores.predicted": {"neutral": {"neutral": 1}},
    "parts.word_class.noun.qt": 0.5,
    "parts.word_class.adv": {},
    "consistency.seed.sample_accuracy.mean": 0.123,
    "quality_threshold": "0.5",
    "model.labels": ["entailment", "not_entailment"],
}


@pytest.mark.parametrize("place", EDITED)
def test_numbers_that_contradict_the_answers_are_refused(result: Result, tmp_path: Path, place: str) -> None:
    edited = changed(to_json(result), place.split("."), EDITED[place])
    error = str(refused(AGAIN, read_json, edited, tmp_path, result))
    assert place.rpartition(".")[2] in error


INVALID = {"scores.curve.mean": [7] * 101, "scores.qt": 99, "scores.mt": "99", "model.training_data": "snli"}


@pytest.mark.parametrize("place", INVALID)
def test_values_that_are_not_those_of_a_field_are_refused(result: Result, tmp_path: Path, place: str) -> None:
    edited = changed(to_json(result), place.split("."), INVALID[place])
    refused(rf"x\.json.*{place.partition('.')[0]}", read_json, edited, tmp_path, result)


WRONG_FIELDS = {
    "compared_labels": ["entailment"],
    "quality_threshold": 0.9,
    "schema_version": 1,
    "notes": [1],
}


def test_results_fit_the_published_schema_and_wrong_fields_do_not(result: Result, tmp_path: Path) -> None:
    """If the published one is not up to date, run `python -m tests.result_schema`."""
    schema = result_schema()
    assert json.loads(SCHEMA_FILE.read_text(encoding="utf-8")) == schema
    validator = jsonschema.Draft202012Validator(schema)
    validator.check_schema(schema)
    written = json.loads(write_result(result, tmp_path).read_text(encoding="utf-8"))
    validator.validate(written)
    for part, value in WRONG_FIELDS.items():
        assert not validator.is_valid(written | {part: value}), part
