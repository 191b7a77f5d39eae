"""Results on disk: the same when read back, and refused in one sentence where they are not ours."""

import copy
import dataclasses
import json
import logging
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from merge_snli.errors import InputError
from merge_snli.files import sha256_of_json
from scoring import Result, read_result, read_results, score
from scoring.reports.leaderboard.boards import make_boards
from scoring.reports.leaderboard.formats import FORMATS
from scoring.reports.leaderboard.page import render_page
from scoring.results import result as results
from scoring.results.files import file_name, from_json, result_schema, safe_name, to_json, write_result


@pytest.fixture(scope="module")
def result(dataset: Path) -> Result:
    return score(lambda pairs: [len(hypothesis) % 3 for _, hypothesis in pairs], dataset, config="noun", name="odd")


def test_json_says_all(result: Result) -> None:
    assert from_json(json.loads(json.dumps(to_json(result)))) == result


def test_file_is_readable_line_by_line(result: Result, tmp_path: Path) -> None:
    text = write_result(result, tmp_path).read_text(encoding="utf-8")
    assert text.endswith("}\n")
    assert '\n  "quality_threshold": "0.9",\n' in text
    assert json.loads(text) == to_json(result)


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
def test_names_are_safe_in_a_file_system(name: str, safe: str) -> None:
    assert safe_name(name) == safe


def test_file_name_tells_model_data_and_config(result: Result) -> None:
    digest = sha256_of_json("odd")[:8]
    assert file_name(result) == f"odd-function-{digest}_merge_small-{result.dataset.digest[:8]}-noun.json"


def test_no_other_function_and_no_other_type_takes_the_file(result: Result) -> None:
    def called(name: str, dtype: str | None = None) -> Result:
        model, run = dataclasses.replace(result.model, name=name), dataclasses.replace(result.run, dtype=dtype)
        return dataclasses.replace(result, model=model, run=run)

    long = "long" * 20
    others = [called("a b"), called("a^b"), called("日本"), called("…"), called(f"{long}1"), called(f"{long}2")]
    others += [called(long, dtype) for dtype in ("float32", "bfloat16", "int8")]
    assert len({file_name(other) for other in others}) == len(others)


def damaged(value: dict[str, Any], field: str) -> dict[str, Any]:
    return {name: inner for name, inner in value.items() if name != field}


NO_RESULTS = ("", "{", "[]", "null", '{"schema_version": 2}', '{"schema_version": 2, "model": 3}')


@pytest.mark.parametrize("content", NO_RESULTS)
def test_what_is_no_result_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=r"x\.json is no result of merge-snli score, or is damaged \("):
        read_result(path)


def test_missing_part_is_refused(result: Result, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps(damaged(to_json(result), "seeds")), encoding="utf-8")
    with pytest.raises(InputError, match="seeds"):
        read_result(path)


def test_other_version_is_refused(result: Result, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps(to_json(result) | {"schema_version": 99}), encoding="utf-8")
    with pytest.raises(InputError, match=r"x\.json: this result has the form 99 and 2 is read here: score"):
        read_result(path)


def test_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"x\.json cannot be read: No such file"):
        read_result(tmp_path / "x.json")


def test_results_of_a_folder(result: Result, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no results: give the folder that merge-snli score wrote"):
        read_results(tmp_path)
    write_result(result, tmp_path)
    assert read_results(tmp_path) == [result]


def test_damaged_files_are_named_and_left_out(result: Result, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    whole = write_result(result, tmp_path)
    (tmp_path / "a-cut.json").write_text(whole.read_text(encoding="utf-8")[:5000], encoding="utf-8")
    (tmp_path / "z-old.json").write_text('{"schema_version": 1}', encoding="utf-8")
    with caplog.at_level(logging.WARNING):
        assert read_results(tmp_path) == [result]
    assert f"left out: {tmp_path}/a-cut.json is no result of merge-snli score, or is damaged" in caplog.text
    assert f"left out: {tmp_path}/z-old.json: this result has the form 1" in caplog.text
    whole.unlink()
    with pytest.raises(InputError, match=r"none of the 2 files in .* is a result that can be read; .*a-cut"):
        read_results(tmp_path)


def leaves(value: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The paths to a result's texts, numbers and lists."""
    if path:
        yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, part in inner:
        yield from leaves(part, (*path, name))


WRONG: tuple[Any, ...] = (None, -1, 10**9, 0.5, float("nan"), "x", "", [], {}, [1], {"a": 1}, True, 10**400)


@pytest.mark.parametrize("chance", range(4))
def test_a_result_with_a_wrong_part_is_refused_or_can_be_shown(result: Result, chance: int) -> None:
    """Whatever is read can be put on the page, so that one damaged file never costs the others their place."""
    rng = random.Random(chance)
    value = to_json(result)
    paths = list(leaves(value))
    tops = [path for path in paths if len(path) < 4]
    for path in rng.sample(tops, 30) + rng.sample(paths, 20):
        damaged = copy.deepcopy(value)
        place: Any = damaged
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = rng.choice(WRONG)
        try:
            read = from_json(damaged)
        except (InputError, AttributeError, KeyError, TypeError, ValueError, OverflowError):
            continue
        boards = make_boards([read, result])
        render_page(boards)
        for _, write in FORMATS.values():
            write(boards)


DAMAGES: dict[str, tuple[tuple[str, ...], Any]] = {
    "no subsample": (("seeds", "sizes"), []),
    "a seed twice": (("seeds", "seed_id"), None),
    "a curve above 1": (("scores", "on_variants", "curve", "mean"), [7] * 101),
    "QT above 1": (("scores", "qt"), 99),
    "MT above 1": (("scores", "mt"), "99"),
    "a text for a list": (("model", "training_data"), "snli"),
    "half a character": (("model", "name"), "\ud800"),
}


@pytest.mark.parametrize("kind", DAMAGES)
def test_a_result_that_could_not_be_shown_or_compared_is_refused(result: Result, tmp_path: Path, kind: str) -> None:
    (*path, last), wrong = DAMAGES[kind]
    value = to_json(result)
    place: Any = value
    for step in path:
        place = place[step]
    place[last] = [place[last][0]] * len(place[last]) if wrong is None else wrong
    if kind == "no subsample":
        place["correct"] = []
    file = tmp_path / "x.json"
    file.write_text(json.dumps(value), encoding="utf-8")
    with pytest.raises(InputError, match=r"x\.json is no result of merge-snli score, or is damaged \("):
        read_result(file)


def test_a_file_nested_without_end_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text("[" * 100_000, encoding="utf-8")
    with pytest.raises(InputError, match=r"x\.json is no result of merge-snli score"):
        read_result(path)


def test_every_result_fits_the_published_schema(result: Result, tmp_path: Path) -> None:
    validator = jsonschema.Draft202012Validator(result_schema())
    validator.check_schema(result_schema())
    path = write_result(result, tmp_path)
    validator.validate(json.loads(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    ("part", "value"),
    [("compared", ["entailment"]), ("quality_threshold", 0.9), ("schema_version", 1), ("extra", 1), ("notes", [1])],
)
def test_the_schema_refuses_what_the_form_does_not_have(result: Result, part: str, value: object) -> None:
    wrong = to_json(result) | {part: value}
    assert not jsonschema.Draft202012Validator(result_schema()).is_valid(wrong)


@pytest.mark.parametrize(
    "kind",
    [
        results.ModelRecord,
        results.DatasetRecord,
        results.RunRecord,
        results.LeftOut,
        results.Spread,
        results.Curve,
        results.VariantScores,
        results.Intervals,
        results.Scores,
        results.SeedTable,
    ],
)
def test_the_schema_has_the_fields_of_each_value(kind: type) -> None:
    name = re.sub(r"(?<!^)([A-Z])", r"_\1", kind.__name__).lower().removesuffix("_record")
    properties = result_schema()["$defs"][name]["properties"]
    assert list(properties) == [field.name for field in dataclasses.fields(kind)]
    assert "schema_version" in result_schema()["properties"]
    assert list(result_schema()["properties"])[1:] == [field.name for field in dataclasses.fields(Result)]


def test_types_of_numbers_have_files_of_their_own(result: Result) -> None:
    run = dataclasses.replace(result.run, dtype="bfloat16")
    other = dataclasses.replace(result, run=run)
    assert other.title == "odd (bfloat16)"
    assert file_name(other).startswith("odd-bfloat16-function-")
