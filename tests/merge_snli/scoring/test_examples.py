"""Tests that the examples in docstrings run and give what they show."""

import doctest
import importlib

import pytest

EXAMPLES = (
    "merge_snli.models.labels",
    "merge_snli.scoring.records",
    "merge_snli.paper.report.artifact",
    "merge_snli.paper.report.report",
    "merge_snli.annotation.sample",
    "merge_snli.dataset.variants",
)


@pytest.mark.parametrize("name", EXAMPLES)
def test_docstring_examples(name: str) -> None:
    result = doctest.testmod(importlib.import_module(name))
    assert (result.failed, result.attempted > 0) == (0, True)
