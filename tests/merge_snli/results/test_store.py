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
from merge_snli.results.measure import source_accuracy
from merge_snli.results.scores import SourceScores
from merge_snli.results.store import SCHEMA_FILE, file_name, result_schema, safe_name, to_json, write_result
from tests.oracles import both_files, missing_from, refused, written


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
    text = path.read_text(encoding="utf-8")
    assert text.endswith("}\n") and '\n  "quality_threshold": "0.9",\n' in text
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
    assert other.title == "odd (bfloat16)" and file_name(other).startswith("odd-bfloat16-function-")
    long = "long" * 20
    others = [renamed(result, name) for name in ("a b", "a^b", "日本", "…", f"{long}1", f"{long}2")]
    others += [renamed(result, long, dtype) for dtype in ("float32", "bfloat16", "int8")]
    assert len({file_name(other) for other in others}) == len(others)


def test_results_of_a_removed_dtype_are_read(result: Result, tmp_path: Path) -> None:
    old = renamed(result, "odd", "int8")
    assert old.title == "odd (int8)"
    assert read_result(write_result(old, tmp_path)) == old


NOT_RESULTS = ("", "{", "[]", "null", '{"schema_version": 8}', '{"schema_version": 8, "model": 3}', "[" * 100_000)


@pytest.mark.parametrize("content", NOT_RESULTS)
def test_other_files_are_refused(tmp_path: Path, content: str) -> None:
    path = written(tmp_path / "x.json", content)
    refused(r"x\.json", read_result, path)
    path.unlink()
    refused(r"x\.json: No such file", read_result, path)


def test_missing_and_later_fields_and_other_versions(result: Result, tmp_path: Path) -> None:
    value = to_json(result)
    del value["source"], value["consistency"], value["run"]["tied"], value["dataset"]["partial"]
    assert read_json(value | {"later": {"number": 1}}, tmp_path, result) == result
    value = to_json(result)
    refused(r"x\.json.* 99.* 8.*import its logs, again", read_json, value | {"schema_version": 99}, tmp_path, result)
    del value["parts"]
    refused(r"x\.json.* parts", read_json, value, tmp_path, result)


def test_results_of_a_folder_without_copies_and_invalid_files(
    result: Result, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    refused(re.escape(str(tmp_path)), read_results, tmp_path)
    path = write_result(result, tmp_path)
    for each in both_files(path):
        (tmp_path / f"copy{each.suffix}").write_bytes(each.read_bytes())
    (tmp_path / "a-cut.json").write_text(path.read_text(encoding="utf-8")[:5000], encoding="utf-8")
    (tmp_path / "z-old.json").write_text('{"schema_version": 3}', encoding="utf-8")
    assert read_results(tmp_path) == [result]
    assert not missing_from(caplog.text, f"{tmp_path}/a-cut.json", f"{tmp_path}/z-old.json has format version 3")
    path.unlink()
    (tmp_path / "copy.json").unlink()
    refused(r"2 files.*a-cut\.json", read_results, tmp_path)


def changed(value: Any, path: Sequence[str | int], wrong: object) -> Any:  # noqa: ANN401 - a JSON value
    """Return a copy of a JSON value with another value in one place."""
    copied = copy.deepcopy(value)
    parent = copied
    for step in path[:-1]:
        parent = parent[step]
    parent[path[-1]] = wrong
    return copied


NAMES = ["scores.sample_accuracy", "consistency.seed.sample_accuracy", "parts.word_class.noun.all_rows_accuracy"]


@pytest.mark.parametrize(("name", "shown"), [("scores.qt", "scores: qt"), *zip(NAMES, NAMES, strict=True)])
def test_an_edited_result_beside_good_ones_is_refused(result: Result, tmp_path: Path, name: str, shown: str) -> None:
    path = write_result(result, tmp_path)
    other = write_result(renamed(result, "other", digest="0" * 64), tmp_path)
    assert len(read_results(tmp_path)) == 2
    steps = [*name.split("."), *(["mean"] if name.endswith("sample_accuracy") else [])]
    path.write_text(json.dumps(changed(json.loads(path.read_text(encoding="utf-8")), steps, 0.123)), encoding="utf-8")
    refused(rf"{re.escape(shown)}.* is 0\.123", read_results, tmp_path)
    assert other.exists()


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("scores", "intervals", "pattern_accuracy"), [0.0, 1.0]),
        (("left_out", "groups"), 1),
        (("dataset", "title"), "Another"),
        (("model", "name"), "another/model"),
        (("notes",), ["better than it looks"]),
        (("run",), None),
    ],
)
def test_a_change_that_the_answers_do_not_show_is_refused(
    result: Result, tmp_path: Path, place: tuple[str, ...], value: object
) -> None:
    path = write_result(result, tmp_path)
    entries = json.loads(path.read_text(encoding="utf-8"))
    given = changed(entries, place, value or entries["run"] | {"seconds": entries["run"]["seconds"] + 1})
    assert given != entries
    path.write_text(json.dumps(given), encoding="utf-8")
    refused("an entry was changed after it was written, or removed; score the model again", read_result, path)
    assert read_result(write_result(renamed(result, "other"), tmp_path)).digest != entries["digest"]


@pytest.mark.parametrize("name", ["consistency", "calibration"])
def test_null_is_refused_where_the_answers_give_a_value(dataset: Path, tmp_path: Path, name: str) -> None:
    result = score("demo:nli-a", dataset, config="noun", limit_seeds=3)
    value = to_json(result)
    assert value[name]
    refused(f"{name} is None, and the answers give", read_json, value | {name: None}, tmp_path, result)
    del value[name]  # as in a file written before the field existed
    assert getattr(read_json(value, tmp_path, result), name) == getattr(result, name)


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
    other = renamed(result, "other")
    paths = list(leaves(value))
    for path in rng.sample([path for path in paths if len(path) < 4], 30) + rng.sample(paths, 20):
        try:
            read = read_json(changed(value, path, rng.choice(WRONG)), tmp_path, result)
        except InputError:
            continue
        boards = make_boards([read, other])
        render_page(boards)
        for _, write in FORMATS.values():
            write(boards)


SOURCE = SourceScores("x", "0" * 64, 0, 0, source_accuracy(5, 9), {"neutral": source_accuracy(5, 9)})
AGAIN = r"x\.json is not a valid result.*score the model again"
# The place of a wrong value, the value, and what the error must say.
EDITED: dict[str, tuple[tuple[str, ...], Any, str, str]] = {
    "sample accuracy": (("scores", "sample_accuracy", "mean"), 0.99, AGAIN, "sample_accuracy"),
    "curve": (("scores", "curve", "mean"), [0.5] * 101, AGAIN, "curve"),
    "QT": (("scores", "qt"), 0.5, AGAIN, "qt"),
    "QT of a part": (("parts", "word_class", "noun", "qt"), 0.5, AGAIN, "qt"),
    "an interval without PA": (("scores", "intervals", "pattern_accuracy"), [0.98, 0.99], AGAIN, "pattern_accuracy"),
    "an interval without its score": (("scores", "intervals", "qt"), None, AGAIN, "qt"),
    "an interval without SA": (
        ("scores", "intervals", "sample_accuracy"),
        [0.98, 0.99],
        AGAIN,
        "sample_accuracy",
    ),
    "an interval of a part": (("parts", "word_class", "noun", "intervals", "qt"), [0.98, 0.99], AGAIN, "qt"),
    "the level of the intervals": (("scores", "intervals", "level"), 0.99, AGAIN, "level"),
    "the methods of the intervals": (("scores", "intervals", "methods"), {}, AGAIN, "methods"),
    "a part by label": (("parts", "label", "neutral", "rows"), 10_000, AGAIN, "rows"),
    "parts by a column that is not in the table": (("parts", "genre"), {}, AGAIN, "parts is"),
    "pairs without an answer": (("run", "no_answers"), 3, AGAIN, "no_answers"),
    "the quality threshold": (("quality_threshold",), "0.5", AGAIN, "quality_threshold"),
    "labels of another model": (("model", "labels"), ["entailment", "not_entailment"], AGAIN, "labels"),
    "accuracy on the source": (("source", "overall", "sample_accuracy"), 0.99, AGAIN, "sample_accuracy"),
    "accuracy on a label of the source": (("source", "labels", "neutral", "interval"), [0.1, 0.2], AGAIN, "interval"),
    "rows": (("scores", "rows"), 10_000, AGAIN, "rows"),
    "fewer rows": (("scores", "rows"), 3, r"x\.json is not a valid result", ""),
    "fewer groups": (("scores", "groups"), 3, r"x\.json is not a valid result", ""),
    "a confusion table": (("scores", "predicted"), {"neutral": {"neutral": 1}}, r"x\.json is not a valid result", ""),
    "a curve above 1": (("scores", "curve", "mean"), [7] * 101, r"x\.json", "scores.curve"),
    "QT above 1": (("scores", "qt"), 99, r"x\.json", "scores"),
    "MT above 1": (("scores", "mt"), "99", r"x\.json", "scores"),
    "a string instead of a list": (("model", "training_data"), "snli", r"x\.json", "model"),
    "half a character": (("model", "name"), "\ud800", r"x\.json", ""),
}


@pytest.mark.parametrize("kind", EDITED)
def test_numbers_that_contradict_the_answers_or_each_other_are_refused(
    result: Result, tmp_path: Path, kind: str
) -> None:
    path, wrong, message, named = EDITED[kind]
    value = to_json(dataclasses.replace(result, source=SOURCE if "source" in path else None))
    assert named in str(refused(message, read_json, changed(value, path, wrong), tmp_path, result))


def test_the_digest_of_a_part_follows_from_the_part(dataset: Path, tmp_path: Path) -> None:
    part = score("demo:nli-a", dataset, config="noun", limit_seeds=3)
    value = to_json(part)
    assert read_json(value, tmp_path, part) == part
    value["dataset"]["partial"]["limit_seeds"] = 2
    refused(r"dataset\.digest is", read_json, value, tmp_path, part)


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("compared_labels", ["entailment"]),
        ("quality_threshold", 0.9),
        ("schema_version", 1),
        ("notes", [1]),
    ],
)
def test_results_fit_the_published_schema_and_wrong_fields_do_not(
    result: Result, tmp_path: Path, part: str, value: object
) -> None:
    """If the published one is not up to date, run `python -m merge_snli.results.store`."""
    validator = jsonschema.Draft202012Validator(result_schema())
    validator.check_schema(result_schema())
    assert json.loads(SCHEMA_FILE.read_text(encoding="utf-8")) == result_schema()
    validator.validate(json.loads(write_result(result, tmp_path).read_text(encoding="utf-8")))
    assert not validator.is_valid(to_json(result) | {part: value})
