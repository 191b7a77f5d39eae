"""The examples in the docstrings hold."""

import doctest
import importlib

import pytest


@pytest.mark.parametrize("name", ["scoring.labels", "scoring.result_files"])
def test_examples_hold(name: str) -> None:
    result = doctest.testmod(importlib.import_module(name))
    assert (result.failed, result.attempted > 0) == (0, True)
