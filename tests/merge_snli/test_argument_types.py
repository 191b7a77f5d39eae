"""Tests of wrong arguments of the public functions: each is refused in one sentence, before any work."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import merge_snli as merge
from merge_snli import InputError, Result
from merge_snli.base.typed import typed
from merge_snli.dataset.stored import as_datasets

DATA = "demo:dataset"


def model(pairs: list[tuple[str, str]]) -> list[int]:
    return [0] * len(pairs)


def by_length(shift: int, pairs: list[tuple[str, str]]) -> list[int]:
    return [(len(hypothesis) + shift) % 3 for _, hypothesis in pairs]


@pytest.fixture(scope="module")
def result() -> Result:
    found: Result = merge.score(model, DATA, name="zero", limit_seeds=5)
    return found


WRONG: dict[str, tuple[Callable[[Any, Any], object], str]] = {
    "a fraction of seeds": (lambda call, _: call.score(model, DATA, limit_seeds=2.5), "limit_seeds is 2.5"),
    "a text for seeds": (lambda call, _: call.score(model, DATA, limit_seeds="5"), "limit_seeds is '5'"),
    "True for seeds": (lambda call, _: call.score(model, DATA, limit_seeds=True), "limit_seeds is True"),
    "a fraction for a subsample": (lambda call, _: call.score(model, DATA, subsample=1.5), "subsample is 1.5"),
    "a number for a folder": (lambda call, _: call.score(model, DATA, out=3), "out is 3, of type int"),
    "a text for a switch": (lambda call, _: call.score(model, DATA, drawn="yes"), "give True or False"),
    "an empty name": (lambda call, _: call.score(model, DATA, name=" "), "name is ' '"),
    "a number for a name": (lambda call, _: call.score(model, DATA, name=3), "name is 3"),
    "a number for columns": (lambda call, _: call.score(model, DATA, by=3), "by is 3"),
    "a text for a share": (lambda call, _: call.score(model, DATA, min_agreement="a"), "min_agreement is 'a'"),
    "a function of two arguments": (lambda call, _: call.score(lambda a, b: a, DATA), "list of .premise, hypothesis."),
    "labels that are lists": (lambda call, _: call.score(lambda pairs: [[0]] * len(pairs), DATA), "returned"),
    "no labels": (lambda call, _: call.score(lambda pairs: None, DATA), "returned"),
    "no model": (lambda call, _: call.score(None, DATA), "cannot score a NoneType"),
    "no data": (lambda call, _: call.score(model, None), "NoneType"),
    "alpha above 1": (lambda call, one: call.compare([one, one], alpha=2), "alpha"),
    "a number for results": (lambda call, _: call.compare(3), "results is 3"),
    "numbers as results": (lambda call, _: call.compare([3]), "results is .3."),
    "a folder without results": (lambda call, _: call.compare("nowhere"), "nowhere is not a folder"),
    "no data sets": (lambda call, one: call.analyze([one], None), "datasets is None"),
    "numbers as data sets": (lambda call, one: call.analyze([one], [3]), "datasets is .3.*give .*a list of"),
    "a number to compare on": (lambda call, one: call.compare([one, one], datasets=3), "datasets is 3"),
    "numbers to compare on": (lambda call, one: call.compare([one, one], datasets=[3]), "datasets is .3."),
    "data that does not exist": (lambda call, one: call.compare([one, one], datasets="nowhere"), "nowhere"),
    "texts for thresholds": (lambda call, one: call.compare([one, one], thresholds=["0.9"]), "thresholds is ..0.9.."),
    "a number for thresholds": (lambda call, one: call.compare([one, one], thresholds=0.9), "thresholds is 0.9"),
    "a list for a dict": (lambda call, one: call.analyze([one], DATA, fine_tuned_from=["a"]), "give a dict"),
    "numbers for columns": (lambda call, _: call.score(model, DATA, by=[3]), "by is .3."),
    "a NUL in a name": (lambda call, _: call.load("a\0b"), "name is"),
    "a number for a file": (lambda call, _: call.read_result(3), "path is 3"),
    "no folder": (lambda call, _: call.read_results(), "no results"),
    "a number for a folder of results": (lambda call, _: call.read_results(3), "folders is 3"),
    "no data set to load": (lambda call, _: call.load(None), "name is None"),
    "an empty data set to load": (lambda call, _: call.load(""), "name is ''"),
    "a number to validate": (lambda call, _: call.validate(3), "dataset is 3"),
    "a number to publish": (lambda call, _: call.publish(3, "org/name"), "data is 3"),
    "a number for logs": (lambda call, _: call.import_files(3, DATA), "files is 3"),
    "no logs": (lambda call, _: call.import_files([], DATA), "no files"),
    "a number to draw": (lambda call, _: call.draw_curves(3, "curves"), "results is 3"),
    "a number for a table": (lambda call, _: call.score_table(3), "results is 3"),
    "a number for pairs": (lambda call, _: call.simple_pair(3), "out is 3"),
    "a number for an output": (lambda call, _: call.generate("demo:problems", preset="demo", out=3), "out is 3"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_arguments_are_refused_in_one_sentence(
    case: str, result: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    call, message = WRONG[case]
    with pytest.raises(InputError, match=message) as error:
        call(merge, result)
    assert "\n" not in str(error.value)
    assert [*tmp_path.iterdir()] == []


def test_a_single_data_set_need_not_be_in_a_list(result: Result) -> None:
    assert [data.name for data in as_datasets(DATA)] == [data.name for data in as_datasets([DATA])]
    assert "\n" not in repr(result)


def test_comparison_is_one_line() -> None:
    results = [merge.score(partial(by_length, shift), DATA, name=name) for shift, name in enumerate(("zero", "one"))]
    (comparison,) = merge.compare(results, datasets=DATA)
    assert repr(comparison).startswith("<Comparison on ")
    assert "zero" in repr(comparison)
    assert len(repr(comparison)) < 200
    report = merge.analyze(results[0], DATA)
    assert repr(report).startswith("<Report: ")
    assert "\n" not in repr(report)


def test_right_arguments_pass() -> None:
    def function(number: int | None, /, *paths: str | Path, share: float = 0.5, other: object = None) -> object:
        return number, paths, share, other

    checked = typed(function)
    assert checked(None, "a", Path("b"), share=1, other={}) == (None, ("a", Path("b")), 1, {})
    with pytest.raises(InputError, match="paths is 3"):
        checked(1, "a", 3)
    with pytest.raises(TypeError):
        checked()
