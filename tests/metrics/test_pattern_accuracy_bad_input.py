"""Bad input is a ValueError that names argument, position and value, in `compute` and in the `evaluate` module."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch

from metrics.pattern_accuracy.core import compute
from tests.oracles import refused

GOOD: dict[str, Any] = {"predictions": [0, 1, 0], "references": [0, 1, 1], "groups": ["a", "a", "b"]}
SEEDS = {"seed_predictions": {"a": 0, "b": 1}, "seed_references": {"a": 0, "b": 1}}
BAD: list[tuple[dict[str, Any], tuple[str, ...]]] = [
    ({"references": [0, 1]}, ("references", "2 rows", "predictions has 3", "references ends before row 2")),
    ({"groups": ["a"] * 4}, ("groups", "4 rows", "predictions has 3", "predictions ends before row 3")),
    ({"predictions": []}, ("predictions is empty",)),
    ({"predictions": np.array([])}, ("predictions is empty",)),
    ({"groups": None}, ("groups is missing",)),
    ({"predictions": [0, math.nan, 1]}, ("predictions[1] is nan",)),
    ({"predictions": pd.Series([0, 1, None])}, ("predictions[2] is nan",)),
    ({"references": np.array([0.0, 1.0, math.nan])}, ("references[2] is nan",)),
    ({"predictions": [0, 0.7, 1]}, ("predictions[1] is 0.7 (float)",)),
    ({"predictions": [0.0, 1.0, 1.0]}, ("predictions[0] is 0.0 (float)",)),
    ({"predictions": [0, None, 1]}, ("predictions[1] is None (NoneType)",)),
    ({"predictions": [0, True, 1]}, ("predictions[1] is True (bool)",)),
    ({"predictions": np.array([True, False, True])}, ("predictions[0] is True (bool)",)),
    ({"predictions": [0, 1, [1]]}, ("predictions[2] is [1] (list)",)),
    ({"groups": [b"a", b"a", b"b"]}, ("groups[0] is b'a' (bytes)",)),
    ({"groups": ["a", "a", 3]}, ("groups[2] is 3", "groups[0] is 'a'")),
    ({"groups": [1, 2**63, 3]}, ("groups[1] is 9223372036854775808", "64 bits")),
    ({"groups": [1, 2**63 + 1, 3]}, ("groups[1] is 9223372036854775809", "64 bits")),
    ({"groups": [1, 2, -(2**63) - 1]}, ("groups[2] is -9223372036854775809", "64 bits")),
    ({"predictions": "010"}, ("predictions is '010' (str)",)),
    ({"predictions": {0: 1}}, ("predictions is {0: 1} (dict)",)),
    ({"predictions": 3}, ("predictions is 3 (int)",)),
    ({"predictions": np.zeros((3, 2), int)}, ("predictions", "(3, 2)")),
    ({"predictions": ["0", "1", "0"]}, ("references", "integers", "first: 0", "predictions", "strings", "first: '0'")),
    ({"thresholds": 1.01}, ("thresholds is 1.01", "from 0 to 1")),
    ({"thresholds": -0.1}, ("thresholds is -0.1", "from 0 to 1")),
    ({"thresholds": math.nan}, ("thresholds is nan", "from 0 to 1")),
    ({"thresholds": [0.5, 90]}, ("thresholds[1] is 90", "from 0 to 1")),
    ({"thresholds": [0.5, "0.9"]}, ("thresholds[1] is '0.9'", "number")),
    ({"thresholds": [0.5, True]}, ("thresholds[1] is True", "number")),
    ({"thresholds": torch.tensor(90)}, ("thresholds is ", "90", "from 0 to 1")),
    ({"thresholds": torch.tensor(0.9, dtype=torch.bfloat16)}, ("thresholds is ", "from 0 to 1", "BFloat16")),
    ({"thresholds": np.array([[0.5]])}, ("thresholds[0] is ", "number")),
    ({"thresholds": "all"}, ("thresholds is 'all'", "'curve'")),
    ({"thresholds": None}, ("thresholds is None", "'curve'")),
    ({"thresholds": []}, ("thresholds is empty", "'curve'")),
    ({"against": "silver"}, ("against is 'silver'", "'gold', 'seed', 'majority'")),
    ({"against": "seed"}, ("seed_predictions is missing", "against='seed'")),
    ({"seed_references": {"a": 0, "b": 1}}, ("seed_predictions is missing", "seed_references")),
    ({"seed_predictions": {"a": 0, "b": 1}}, ("seed_references is missing", "seed_predictions")),
    ({**SEEDS, "seed_predictions": [0, 1]}, ("seed_predictions is [0, 1] (list)", "mapping")),
    ({**SEEDS, "seed_references": {"b": 1}}, ("seed_references", "group 'a'", "1 of 2 groups")),
    (
        {**SEEDS, "seed_references": {"a": 1, "b": 0}},  # the rows of "a" have two references, so it may have either
        ("seed_references['b'] is 0", "group 'b'", "1", "gold"),
    ),
    ({**SEEDS, "seed_predictions": {"a": 0, "b": 0.5}}, ("seed_predictions['b'] is 0.5 (float)",)),
    (
        {**SEEDS, "seed_predictions": {"a": "0", "b": "1"}},
        ("seed_predictions", "strings", "first: '0'", "predictions", "integers", "first: 0"),
    ),
    (
        {"against": "majority", "groups": ["a", "a", "a"]},
        ("references[1] is 1", "group 'a' has 0", "against='majority'"),
    ),
    ({"references": [0, 1, -1]}, ("references[2] is -1", "no prediction is", "leave out")),
    ({"references": [-100, 1, 0]}, ("references[0] is -100", "no prediction is")),
    ({"predictions": ["0", "1", "0"], "references": ["0", "", "1"]}, ("references[1] is ''", "no prediction is")),
    ({"predictions": ["0", "1", "0"], "references": ["0", "1", "-"]}, ("references[2] is '-'", "no prediction is")),
    ({"subsamples": [[0], [0]]}, ("subsamples", "2 rows", "predictions has 3", "row 2")),
    ({"subsamples": [[0], [-1], [0]]}, ("subsamples[1]", "-1", "from 0")),
    ({"subsamples": [[0], [0, 1], [3]]}, ("subsamples[2]", "3", "no row is in subsample 2")),
    ({"subsamples": [[], [3], [3]]}, ("subsamples[1]", "3", "no row is in subsample 0")),
    ({"subsamples": [[0], [0, 0.5], [1]]}, ("subsamples[1] is 0.5 (float)",)),
    ({"subsamples": [["x"], ["y"], []]}, ("subsamples[0]", "'x'", "from 0")),
    ({"subsamples": [[0], 1, [0]]}, ("subsamples[1] is 1", "subsamples[0] is a list")),
    ({"subsamples": [[1, 0], [0, 1, 0], []]}, ("subsamples[1]", "0 twice")),
    ({"subsamples": [[], [], []]}, ("subsamples[0] to subsamples[2]", "empty")),
    ({"categories": ["n", "v"]}, ("categories", "2 rows", "predictions has 3", "row 2")),
    ({"categories": ["n", None, "v"]}, ("categories[1] is None (NoneType)",)),
    ({"categories": {"class": ["n", math.nan, "v"]}}, ("categories['class'][1] is nan",)),
    ({"categories": [["n"], ["v", "v"], ["n"]]}, ("categories[1]", "'v' twice")),
    ({"categories": {}}, ("categories is empty",)),
]
"""A change of `GOOD`, and what the error must name, the argument first."""


def assert_rejected(call: Callable[..., object], change: dict[str, Any], named: tuple[str, ...]) -> None:
    caught = refused("", call, **{**GOOD, **change}, error=ValueError)
    assert str(caught).startswith(named[0])
    assert [part for part in named if part not in str(caught)] == []


@pytest.mark.parametrize(("change", "named"), BAD, ids=[" ".join(named)[:60] for _, named in BAD])
def test_compute_rejects_bad_input(change: dict[str, Any], named: tuple[str, ...]) -> None:
    assert_rejected(compute, change, named)


def test_the_module_rejects_bad_input_and_works_afterwards(module: Any) -> None:  # noqa: ANN401
    for change, named in BAD[::20]:
        assert_rejected(module.compute, change, named)
        assert module.compute(**GOOD)["sample_accuracy"] == 2 / 3


@pytest.mark.parametrize("to", [tuple, np.array, pd.Series, lambda rows: np.array(rows, dtype=object), iter, pd.array])
def test_good_input_in_other_containers(to: Callable[[list[Any]], Any]) -> None:
    arguments: dict[str, Any] = {name: to(rows) for name, rows in GOOD.items()}
    assert compute(**arguments) == compute(**GOOD)


@pytest.mark.parametrize("integers", [np.int8, np.uint8, np.uint64])
def test_labels_are_integers_of_any_size(integers: Any) -> None:  # noqa: ANN401 - a type
    assert compute(
        **{**GOOD, **{name: np.array(GOOD[name], dtype=integers) for name in ("predictions", "references")}}
    ) == compute(**GOOD)


@pytest.mark.parametrize(
    ("subsamples", "lists"),
    [
        ([(0, 1), {0, 1}, np.array([1, 0])], [[0, 1], [0, 1], [1, 0]]),
        (np.array([[0, 1], [0, 1], [1, 0]]), [[0, 1], [0, 1], [1, 0]]),
        ([0, 0, 1], [[0], [0], [1]]),
    ],
)
def test_subsamples_in_other_containers(subsamples: Any, lists: list[list[int]]) -> None:  # noqa: ANN401 - of any type
    assert compute(**GOOD, subsamples=subsamples) == compute(**GOOD, subsamples=lists)
