"""Bad input is a ValueError that names argument, position and value, in `compute` and in the `evaluate` module."""

import tomllib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch

from metrics.pattern_accuracy.core import compute
from tests.oracles import refused

INPUT = tomllib.loads((Path(__file__).parent / "bad_input.toml").read_text(encoding="utf-8"))
GOOD: dict[str, Any] = INPUT["good"]
BAD = [(case["change"], case["error"]) for case in INPUT["case"]]
BAD += [
    ({"groups": None}, "^groups is missing"),
    ({"predictions": pd.Series([0, 1, None])}, r"^predictions\[2\] is nan"),
    ({"predictions": np.array([True, False, True])}, r"^predictions\[0\] is True \(bool\)"),
    ({"groups": [b"a", b"a", b"b"]}, r"^groups\[0\] is b'a' \(bytes\)"),
    ({"predictions": np.zeros((3, 2), int)}, r"^predictions .*\(3, 2\)"),
    ({"thresholds": torch.tensor(0.9, dtype=torch.bfloat16)}, "^thresholds is .*from 0 to 1.*BFloat16"),
    ({"thresholds": np.array([[0.5]])}, r"^thresholds\[0\] is .*number"),
    ({"thresholds": None}, "^thresholds is None.*'curve'"),
]


@pytest.mark.parametrize(("change", "error"), BAD, ids=[error[:60] for _, error in BAD])
def test_compute_rejects_bad_input(change: dict[str, Any], error: str) -> None:
    refused(error, compute, **GOOD | change, error=ValueError)


def test_the_module_rejects_bad_input_and_works_afterwards(module: Any) -> None:  # noqa: ANN401
    for change, error in BAD[::20]:
        refused(error, module.compute, **GOOD | change, error=ValueError)
        assert module.compute(**GOOD)["sample_accuracy"] == 2 / 3


def check_equal(**changes: Any) -> None:  # noqa: ANN401 - arguments of `compute`
    """Check that changed arguments have the scores of the good arguments."""
    assert compute(**GOOD | changes) == compute(**GOOD)


@pytest.mark.parametrize("to", [tuple, np.array, pd.Series, partial(np.array, dtype=object), iter, pd.array])
def test_good_input_in_other_containers(to: Callable[[list[Any]], Any]) -> None:
    check_equal(**{name: to(rows) for name, rows in GOOD.items()})


@pytest.mark.parametrize("integers", [np.int8, np.uint8, np.uint64])
def test_labels_are_integers_of_any_size(integers: Any) -> None:  # noqa: ANN401 - a type
    predictions = np.array(GOOD["predictions"], dtype=integers)
    references = np.array(GOOD["references"], dtype=integers)
    check_equal(predictions=predictions, references=references)


@pytest.mark.parametrize("subsamples", [[(0, 1), {0, 1}, np.array([1, 0])], np.array([[0, 1]] * 3)])
def test_subsamples_in_other_containers(subsamples: Any) -> None:  # noqa: ANN401 - of any type
    expected = compute(**GOOD, subsamples=[[0, 1]] * 3)
    assert compute(**GOOD, subsamples=subsamples) == expected


def test_a_subsample_per_row() -> None:
    expected = compute(**GOOD, subsamples=[[0], [0], [1]])
    assert compute(**GOOD, subsamples=[0, 0, 1]) == expected
