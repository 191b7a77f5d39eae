"""Bad input is a ValueError that names argument, position and value, in `compute` and in the `evaluate` module."""

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch

from metrics.pattern_accuracy.core import compute
from tests.oracles import refused

GOOD: dict[str, Any] = {"predictions": [0, 1, 0], "references": [0, 1, 1], "groups": ["a", "a", "b"]}
CASES = tomllib.loads((Path(__file__).parent / "bad_input.toml").read_text(encoding="utf-8"))["case"]
BAD: list[tuple[dict[str, Any], str]] = [(case["change"], case["error"]) for case in CASES]
BAD += [
    ({"groups": None}, "^groups is missing"),
    ({"predictions": pd.Series([0, 1, None])}, r"^predictions\[2\] is nan"),
    ({"predictions": np.array([True, False, True])}, r"^predictions\[0\] is True \(bool\)"),
    ({"groups": [b"a", b"a", b"b"]}, r"^groups\[0\] is b'a' \(bytes\)"),
    ({"groups": [1, 2**63, 3]}, r"^groups\[1\] is 9223372036854775808.*64 bits"),
    ({"predictions": np.zeros((3, 2), int)}, r"^predictions .*\(3, 2\)"),
    ({"thresholds": torch.tensor(0.9, dtype=torch.bfloat16)}, "^thresholds is .*from 0 to 1.*BFloat16"),
    ({"thresholds": np.array([[0.5]])}, r"^thresholds\[0\] is .*number"),
    ({"thresholds": None}, "^thresholds is None.*'curve'"),
]


@pytest.mark.parametrize(("change", "error"), BAD, ids=[error[:60] for _, error in BAD])
def test_compute_rejects_bad_input(change: dict[str, Any], error: str) -> None:
    refused(error, compute, **{**GOOD, **change}, error=ValueError)


def test_the_module_rejects_bad_input_and_works_afterwards(module: Any) -> None:  # noqa: ANN401
    for change, error in BAD[::20]:
        refused(error, module.compute, **{**GOOD, **change}, error=ValueError)
        assert module.compute(**GOOD)["sample_accuracy"] == 2 / 3


@pytest.mark.parametrize("to", [tuple, np.array, pd.Series, lambda rows: np.array(rows, dtype=object), iter, pd.array])
def test_good_input_in_other_containers(to: Callable[[list[Any]], Any]) -> None:
    arguments: dict[str, Any] = {name: to(rows) for name, rows in GOOD.items()}
    assert compute(**arguments) == compute(**GOOD)


@pytest.mark.parametrize("integers", [np.int8, np.uint8, np.uint64])
def test_labels_are_integers_of_any_size(integers: Any) -> None:  # noqa: ANN401 - a type
    labels = {name: np.array(GOOD[name], dtype=integers) for name in ("predictions", "references")}
    assert compute(**{**GOOD, **labels}) == compute(**GOOD)


@pytest.mark.parametrize("subsamples", [[(0, 1), {0, 1}, np.array([1, 0])], np.array([[0, 1]] * 3)])
def test_subsamples_in_other_containers(subsamples: Any) -> None:  # noqa: ANN401 - of any type
    assert compute(**GOOD, subsamples=subsamples) == compute(**GOOD, subsamples=[[0, 1]] * 3)


def test_a_subsample_per_row() -> None:
    assert compute(**GOOD, subsamples=[0, 0, 1]) == compute(**GOOD, subsamples=[[0], [0], [1]])
