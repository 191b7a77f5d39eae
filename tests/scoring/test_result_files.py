"""Results on disk: the same when read back, and refused in one sentence where they are not ours."""

import json
from pathlib import Path
from typing import Any

import pytest

from merge_snli.errors import InputError
from scoring import Result, read_result, read_results, score
from scoring.result_files import file_name, from_json, safe_name, to_json, write_result


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
    assert file_name(result) == f"odd-function_merge_small-{result.dataset.digest[:8]}-noun.json"


def damaged(value: dict[str, Any], field: str) -> dict[str, Any]:
    return {name: inner for name, inner in value.items() if name != field}


NO_RESULTS = ("", "{", "[]", "null", '{"schema_version": 1}', '{"schema_version": 1, "model": 3}')


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
    with pytest.raises(InputError, match=r"x\.json: this result has the form 99 and 1 is read here: score"):
        read_result(path)


def test_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"x\.json cannot be read: No such file"):
        read_result(tmp_path / "x.json")


def test_results_of_a_folder(result: Result, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no results: give the folder that merge-snli score wrote"):
        read_results(tmp_path)
    write_result(result, tmp_path)
    assert read_results(tmp_path) == [result]
