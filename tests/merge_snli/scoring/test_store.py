"""Tests of result files: they round-trip, and invalid files are refused with one sentence."""

import copy
import dataclasses
import hashlib
import json
import logging
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from merge_snli import Result, read_result, read_results, score
from merge_snli.base.errors import InputError
from merge_snli.base.files import sha256_of_json
from merge_snli.leaderboard.boards import make_boards
from merge_snli.leaderboard.write import FORMATS, render_page
from merge_snli.scoring.answer_table import to_bytes
from merge_snli.scoring.measure import source_accuracy
from merge_snli.scoring.scores import SourceScores
from merge_snli.scoring.store import SCHEMA_FILE, file_name, result_schema, safe_name, to_json, write_result
from tests.oracles import both_files


@pytest.fixture(scope="module")
def result(dataset: Path) -> Result:
    return score(lambda pairs: [len(hypothesis) % 3 for _, hypothesis in pairs], dataset, config="noun", name="odd")


def read_json(value: dict[str, Any], folder: Path, result: Result) -> Result:
    """Write a JSON value beside the answers of a result and read it."""
    path, answers = folder / "x.json", to_bytes(result.table)
    if value.get("answers_sha256", "") is None:
        value = value | {"answers_sha256": hashlib.sha256(answers).hexdigest()}
    path.write_text(json.dumps(value), encoding="utf-8")
    path.with_suffix(".parquet").write_bytes(answers)
    return read_result(path)


def test_results_round_trip(result: Result, tmp_path: Path) -> None:
    path = write_result(result, tmp_path / "results")
    assert read_result(path) == read_result(str(path)) == result
    assert read_results(tmp_path / "results") == read_results(str(tmp_path / "results")) == [result]
    assert read_json(to_json(result), tmp_path, result) == result


def test_file_has_one_line_per_field(result: Result, tmp_path: Path) -> None:
    text = write_result(result, tmp_path).read_text(encoding="utf-8")
    assert text.endswith("}\n")
    assert '\n  "quality_threshold": "0.9",\n' in text
    assert json.loads(text) | {"answers_sha256": None} == to_json(result)


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


def test_file_name_has_model_data_and_config(result: Result) -> None:
    digest = sha256_of_json("odd")[:8]
    assert file_name(result) == f"odd-function-{digest}_merge_small-{result.dataset.digest[:8]}-noun.json"


def test_file_names_are_unique_per_function_and_dtype(result: Result) -> None:
    def renamed(name: str, dtype: str | None = None) -> Result:
        model, run = dataclasses.replace(result.model, name=name), dataclasses.replace(result.run, dtype=dtype)
        return dataclasses.replace(result, model=model, run=run)

    long = "long" * 20
    others = [renamed("a b"), renamed("a^b"), renamed("日本"), renamed("…"), renamed(f"{long}1"), renamed(f"{long}2")]
    others += [renamed(long, dtype) for dtype in ("float32", "bfloat16", "int8")]
    assert len({file_name(other) for other in others}) == len(others)


NOT_RESULTS = ("", "{", "[]", "null", '{"schema_version": 8}', '{"schema_version": 8, "model": 3}')


@pytest.mark.parametrize("content", NOT_RESULTS)
def test_other_files_are_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=r"x\.json"):
        read_result(path)


def test_missing_field_is_refused(result: Result, tmp_path: Path) -> None:
    value = to_json(result)
    del value["parts"]
    with pytest.raises(InputError, match=r"x\.json.* parts"):
        read_json(value, tmp_path, result)


def test_other_version_is_refused(result: Result, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"x\.json.* 99.* 8.*import its logs, again"):
        read_json(to_json(result) | {"schema_version": 99}, tmp_path, result)


def test_results_from_before_a_field_existed_and_from_later_are_read(result: Result, tmp_path: Path) -> None:
    value = to_json(result)
    del value["source"], value["run"]["tied"], value["dataset"]["partial"]
    assert read_json(value | {"later": {"number": 1}}, tmp_path, result) == result


def test_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"x\.json: No such file"):
        read_result(tmp_path / "x.json")


def test_results_of_a_folder(result: Result, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=re.escape(str(tmp_path))):
        read_results(tmp_path)
    path = write_result(result, tmp_path)
    assert read_results(tmp_path) == [result]
    for each in both_files(path):
        (tmp_path / f"copy{each.suffix}").write_bytes(each.read_bytes())
    assert read_results(tmp_path) == [result]


def test_invalid_files_are_named_and_skipped(result: Result, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    whole = write_result(result, tmp_path)
    (tmp_path / "a-cut.json").write_text(whole.read_text(encoding="utf-8")[:5000], encoding="utf-8")
    (tmp_path / "z-old.json").write_text('{"schema_version": 3}', encoding="utf-8")
    with caplog.at_level(logging.WARNING):
        assert read_results(tmp_path) == [result]
    assert f"{tmp_path}/a-cut.json" in caplog.text
    assert f"{tmp_path}/z-old.json has format version 3" in caplog.text
    whole.unlink()
    with pytest.raises(InputError, match=r"2 files.*a-cut\.json"):
        read_results(tmp_path)


NAMES = ["scores.sample_accuracy", "consistency.seed.sample_accuracy", "parts.word_class.noun.all_rows_accuracy"]


@pytest.mark.parametrize("name", NAMES)
def test_an_edited_result_beside_good_ones_is_refused(result: Result, tmp_path: Path, name: str) -> None:
    path = write_result(result, tmp_path)
    other = write_result(
        dataclasses.replace(result, model=dataclasses.replace(result.model, name="other", digest="0" * 64)), tmp_path
    )
    assert len(read_results(tmp_path)) == 2
    value = to_json(result) | {"answers_sha256": json.loads(path.read_text(encoding="utf-8"))["answers_sha256"]}
    *outer, last = name.split(".")
    inner = value
    for key in outer:
        inner = inner[key]
    if isinstance(inner[last], dict):
        inner, last = inner[last], "mean"
    inner[last] = 0.123
    path.write_text(json.dumps(value), encoding="utf-8")
    with pytest.raises(InputError, match=rf"{re.escape(name)}.* is 0\.123"):
        read_results(tmp_path)
    assert other.exists()


@pytest.mark.parametrize("name", ["consistency", "calibration"])
def test_null_is_refused_where_the_answers_give_a_value(dataset: Path, tmp_path: Path, name: str) -> None:
    result = score("demo:nli-a", dataset, config="noun", limit_seeds=3)
    value = to_json(result)
    assert value[name]
    with pytest.raises(InputError, match=f"{name} is None, and the answers give"):
        read_json(value | {name: None}, tmp_path, result)
    del value[name]
    with pytest.raises(InputError, match=f"{name} is None, and the answers give"):
        read_json(value, tmp_path, result)


def leaves(value: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield the paths to all values in a JSON value."""
    if path:
        yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, part in inner:
        yield from leaves(part, (*path, name))


WRONG: tuple[Any, ...] = (None, -1, 10**9, 0.5, float("nan"), "x", "", [], {}, [1], {"a": 1}, True, 10**400)


@pytest.mark.parametrize("seed", range(4))
def test_wrong_values_are_refused_or_can_be_shown(result: Result, tmp_path: Path, seed: int) -> None:
    """Every result that is read can be rendered, so that one damaged file does not break the leaderboard."""
    rng = random.Random(seed)
    value = to_json(result)
    other = dataclasses.replace(result, model=dataclasses.replace(result.model, name="other"))
    paths = list(leaves(value))
    tops = [path for path in paths if len(path) < 4]
    for path in rng.sample(tops, 30) + rng.sample(paths, 20):
        damaged = copy.deepcopy(value)
        parent: Any = damaged
        for step in path[:-1]:
            parent = parent[step]
        parent[path[-1]] = rng.choice(WRONG)
        try:
            read = read_json(damaged, tmp_path, result)
        except InputError:
            continue
        boards = make_boards([read, other])
        render_page(boards)
        for _, write in FORMATS.values():
            write(boards)


SOURCE = SourceScores("x", "0" * 64, 0, 0, source_accuracy(5, 9), {"neutral": source_accuracy(5, 9)})

EDITED: dict[str, tuple[tuple[str, ...], Any]] = {
    "sample accuracy": (("scores", "sample_accuracy", "mean"), 0.99),
    "curve": (("scores", "curve", "mean"), [0.5] * 101),
    "QT": (("scores", "qt"), 0.5),
    "QT of a part": (("parts", "word_class", "noun", "qt"), 0.5),
    "an interval that does not hold PA": (("scores", "intervals", "pattern_accuracy"), [0.98, 0.99]),
    "an interval without its score": (("scores", "intervals", "qt"), None),
    "rows": (("scores", "rows"), 10_000),
    "an interval that does not hold SA": (("scores", "intervals", "sample_accuracy"), [0.98, 0.99]),
    "an interval of a part": (("parts", "word_class", "noun", "intervals", "qt"), [0.98, 0.99]),
    "the level of the intervals": (("scores", "intervals", "level"), 0.99),
    "the methods of the intervals": (("scores", "intervals", "methods"), {}),
    "no intervals": (("scores", "intervals"), None),
    "a part by label": (("parts", "label", "neutral", "rows"), 10_000),
    "parts by a column that is not in the table": (("parts", "genre"), {}),
    "pairs without an answer": (("run", "no_answers"), 3),
    "the quality threshold": (("quality_threshold",), "0.5"),
    "labels of another model": (("model", "labels"), ["entailment", "not_entailment"]),
    "accuracy on the source": (("source", "overall", "sample_accuracy"), 0.99),
    "accuracy on a label of the source": (("source", "labels", "neutral", "interval"), [0.1, 0.2]),
}


@pytest.mark.parametrize("kind", EDITED)
def test_numbers_that_the_answers_do_not_give_are_refused(result: Result, tmp_path: Path, kind: str) -> None:
    (*path, last), wrong = EDITED[kind]
    source = SOURCE if "source" in path else None
    value = to_json(dataclasses.replace(result, source=source))
    assert read_json(value, tmp_path, result).source == source
    parent: Any = value
    for step in path:
        parent = parent[step]
    parent[last] = wrong
    with pytest.raises(InputError, match=r"x\.json is not a valid result.*score the model again") as error:
        read_json(value, tmp_path, result)
    assert last in str(error.value) or path[-1] in str(error.value)


def test_the_digest_of_a_part_follows_from_the_part(dataset: Path, tmp_path: Path) -> None:
    part = score("demo:nli-a", dataset, config="noun", limit_seeds=3)
    value = to_json(part)
    assert read_json(value, tmp_path, part) == part
    value["dataset"]["partial"]["limit_seeds"] = 2
    with pytest.raises(InputError, match=r"dataset\.digest is"):
        read_json(value, tmp_path, part)


DAMAGES: dict[str, tuple[tuple[str, ...], Any]] = {
    "a curve above 1": (("scores", "curve", "mean"), [7] * 101),
    "QT above 1": (("scores", "qt"), 99),
    "MT above 1": (("scores", "mt"), "99"),
    "a string instead of a list": (("model", "training_data"), "snli"),
    "half a character": (("model", "name"), "\ud800"),
}


@pytest.mark.parametrize("kind", DAMAGES)
def test_contradictory_results_are_refused(result: Result, tmp_path: Path, kind: str) -> None:
    (*path, last), wrong = DAMAGES[kind]
    value = to_json(result)
    parent: Any = value
    for step in path:
        parent = parent[step]
    parent[last] = wrong
    with pytest.raises(InputError, match=r"x\.json") as error:
        read_json(value, tmp_path, result)
    if kind != "half a character":
        assert ".".join(path) in str(error.value)


def test_deeply_nested_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text("[" * 100_000, encoding="utf-8")
    with pytest.raises(InputError, match=r"x\.json"):
        read_result(path)


def test_results_fit_the_schema(result: Result, tmp_path: Path) -> None:
    validator = jsonschema.Draft202012Validator(result_schema())
    validator.check_schema(result_schema())
    path = write_result(result, tmp_path)
    validator.validate(json.loads(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("compared_labels", ["entailment"]),
        ("quality_threshold", 0.9),
        ("schema_version", 1),
        ("notes", [1]),
    ],
)
def test_schema_refuses_wrong_fields(result: Result, part: str, value: object) -> None:
    wrong = to_json(result) | {part: value}
    assert not jsonschema.Draft202012Validator(result_schema()).is_valid(wrong)


def test_published_schema_is_up_to_date() -> None:
    """If this fails, run `python -m merge_snli.scoring.store`."""
    assert json.loads(SCHEMA_FILE.read_text(encoding="utf-8")) == result_schema()


def test_each_dtype_has_its_own_file(result: Result) -> None:
    run = dataclasses.replace(result.run, dtype="bfloat16")
    other = dataclasses.replace(result, run=run)
    assert other.title == "odd (bfloat16)"
    assert file_name(other).startswith("odd-bfloat16-function-")
