"""Every bad input is a ValueError that names argument, position and value, from `compute` and from the module alike."""

import math
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest

from metrics.pattern_accuracy.core import compute

GOOD: dict[str, Any] = {"predictions": [0, 1, 0], "references": [0, 1, 1], "groups": ["a", "a", "b"]}
SEEDS = {"seed_predictions": {"a": 0, "b": 1}, "seed_references": {"a": 0, "b": 1}}
KINDS = "labels and groups are integers or strings"

BAD: list[tuple[dict[str, Any], str]] = [
    ({"references": [0, 1]}, "references has 2 rows, predictions has 3: references ends before row 2"),
    ({"groups": ["a"] * 4}, "groups has 4 rows, predictions has 3: predictions ends before row 3"),
    ({"predictions": []}, "predictions is empty: at least one row is needed"),
    ({"predictions": np.array([])}, "predictions is empty: at least one row is needed"),
    ({"groups": None}, "groups is missing: give one value a row"),
    ({"predictions": [0, math.nan, 1]}, f"predictions[1] is nan: {KINDS}"),
    ({"predictions": pd.Series([0, 1, None])}, f"predictions[2] is nan: {KINDS}"),
    ({"references": np.array([0.0, 1.0, math.nan])}, f"references[2] is nan: {KINDS}"),
    ({"predictions": [0, 0.7, 1]}, f"predictions[1] is 0.7 (float): {KINDS}"),
    ({"predictions": [0.0, 1.0, 1.0]}, f"predictions[0] is 0.0 (float): {KINDS}"),
    ({"predictions": [0, None, 1]}, f"predictions[1] is None (NoneType): {KINDS}"),
    ({"predictions": [0, True, 1]}, f"predictions[1] is True (bool): {KINDS}"),
    ({"predictions": np.array([True, False, True])}, f"predictions[0] is True (bool): {KINDS}"),
    ({"predictions": [0, 1, [1]]}, f"predictions[2] is [1] (list): {KINDS}"),
    ({"groups": [b"a", b"a", b"b"]}, f"groups[0] is b'a' (bytes): {KINDS}"),
    ({"groups": ["a", "a", 3]}, "groups[2] is 3 but groups[0] is 'a': all integers or all strings"),
    ({"groups": [1, 2**63, 3]}, "groups[1] is 9223372036854775808: an integer must fit in 64 bits"),
    ({"predictions": "010"}, "predictions is '010' (str): give a list or an array, one value a row"),
    ({"predictions": {0: 1}}, "predictions is {0: 1} (dict): give a list or an array, one value a row"),
    ({"predictions": 3}, "predictions is 3 (int): give a list or an array, one value a row"),
    ({"predictions": np.zeros((3, 2), int)}, "predictions has the shape (3, 2): give one value a row"),
    (
        {"predictions": ["0", "1", "0"]},
        "references holds integers (the first is 0), predictions holds strings (the first is '0'): "
        "use one kind for both",
    ),
    ({"thresholds": 1.01}, "thresholds is 1.01: a threshold lies from 0 to 1 (write 90 % as 0.9)"),
    ({"thresholds": -0.1}, "thresholds is -0.1: a threshold lies from 0 to 1 (write 90 % as 0.9)"),
    ({"thresholds": math.nan}, "thresholds is nan: a threshold lies from 0 to 1 (write 90 % as 0.9)"),
    ({"thresholds": [0.5, 90]}, "thresholds[1] is 90: a threshold lies from 0 to 1 (write 90 % as 0.9)"),
    ({"thresholds": [0.5, "0.9"]}, "thresholds[1] is '0.9': a threshold is a number from 0 to 1"),
    ({"thresholds": [0.5, True]}, "thresholds[1] is True: a threshold is a number from 0 to 1"),
    ({"thresholds": "all"}, "thresholds is 'all': give a number from 0 to 1, several, or 'curve'"),
    ({"thresholds": None}, "thresholds is None: give a number from 0 to 1, several, or 'curve'"),
    ({"thresholds": []}, "thresholds is empty: give a number from 0 to 1, several, or 'curve'"),
    ({"against": "silver"}, "against is 'silver': choose one of 'gold', 'seed', 'majority'"),
    ({"against": "seed"}, "seed_predictions is missing: against='seed' needs the model's label on each seed"),
    (
        {"seed_references": {"a": 0, "b": 1}},
        "seed_predictions is missing: seed_references needs the model's label on each seed",
    ),
    (
        {"seed_predictions": {"a": 0, "b": 1}},
        "seed_references is missing: seed_predictions needs the gold label of each seed",
    ),
    (
        {**SEEDS, "seed_predictions": [0, 1]},
        "seed_predictions is [0, 1] (list): give a mapping from group to label, such as dict(zip(seed_ids, labels))",
    ),
    (
        {**SEEDS, "seed_references": {"b": 1}},
        "seed_references has no entry for group 'a' (1 of 2 groups are missing)",
    ),
    ({**SEEDS, "seed_predictions": {"a": 0, "b": 0.5}}, f"seed_predictions['b'] is 0.5 (float): {KINDS}"),
    (
        {**SEEDS, "seed_predictions": {"a": "0", "b": "1"}},
        "seed_predictions holds strings (the first is '0'), predictions holds integers (the first is 0): "
        "use one kind for both",
    ),
    (
        {"against": "majority", "groups": ["a", "a", "a"]},
        "references[1] is 1 but group 'a' has 0 before: against='majority' needs one reference a group "
        "(against='gold' compares each row with its own)",
    ),
    ({"subsamples": [[0], [0]]}, "subsamples has 2 rows, predictions has 3: subsamples ends before row 2"),
    ({"subsamples": [[0], [-1], [0]]}, "subsamples[1] holds -1, out of range: subsamples are numbered from 0"),
    (
        {"subsamples": [[0], [0, 1], [3]]},
        "subsamples[2] holds 3, out of range: no row is in subsample 2, "
        "and subsamples are numbered from 0 without a gap",
    ),
    ({"subsamples": [[0], [0, 0.5], [1]]}, f"subsamples[1] is 0.5 (float): {KINDS}"),
    ({"subsamples": [["x"], ["y"], []]}, "subsamples[0] holds 'x': subsamples are numbered from 0"),
    ({"subsamples": [[0], 1, [0]]}, "subsamples[1] is 1 but subsamples[0] is a list: give a list in each row"),
    ({"subsamples": [[1, 0], [0, 1, 0], []]}, "subsamples[1] names 0 twice: once a row"),
    ({"subsamples": [[], [], []]}, "subsamples[0] to subsamples[2] are all empty: at least one row must be in one"),
    ({"categories": ["n", "v"]}, "categories has 2 rows, predictions has 3: categories ends before row 2"),
    ({"categories": ["n", None, "v"]}, f"categories[1] is None (NoneType): {KINDS}"),
    ({"categories": {"class": ["n", math.nan, "v"]}}, f"categories['class'][1] is nan: {KINDS}"),
    ({"categories": [["n"], ["v", "v"], ["n"]]}, "categories[1] names 'v' twice: once a row"),
    ({"categories": {}}, "categories is empty: give one label a row, or a mapping from a name to such a column"),
]


@pytest.mark.parametrize(("change", "message"), BAD, ids=[message[:60] for _, message in BAD])
def test_compute_refuses(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        compute(**{**GOOD, **change})


@pytest.mark.parametrize(("change", "message"), BAD, ids=[message[:60] for _, message in BAD])
def test_the_module_refuses_the_same_and_works_afterwards(
    module: Any,  # noqa: ANN401
    change: dict[str, Any],
    message: str,
) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        module.compute(**{**GOOD, **change})
    assert module.compute(**GOOD)["sample_accuracy"] == 2 / 3


def test_good_input_in_other_containers() -> None:
    expected = compute(**GOOD)
    for to in (tuple, np.array, pd.Series, lambda rows: np.array(rows, dtype=object), iter, pd.array):
        arguments: dict[str, Any] = {name: to(rows) for name, rows in GOOD.items()}
        assert compute(**arguments) == expected
    for integers in (np.int8, np.uint8, np.uint64):
        labels = {name: np.array(GOOD[name], dtype=integers) for name in ("predictions", "references")}
        assert compute(**{**GOOD, **labels}) == expected


def test_subsamples_in_other_containers() -> None:
    expected = compute(**GOOD, subsamples=[[0, 1], [0, 1], [1, 0]])
    for subsamples in ([(0, 1), {0, 1}, np.array([1, 0])], np.array([[0, 1], [0, 1], [1, 0]])):
        assert compute(**GOOD, subsamples=subsamples) == expected
    assert compute(**GOOD, subsamples=[0, 0, 1]) == compute(**GOOD, subsamples=[[0], [0], [1]])
