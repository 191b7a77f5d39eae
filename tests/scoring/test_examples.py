"""Tests that the examples in docstrings run and give what they show."""

import doctest
import importlib

import pytest

EXAMPLES = (
    "scoring.models.labels",
    "scoring.results.fields",
    "scoring.reports.analysis.phrases",
    "scoring.reports.analysis.report",
    "scoring.reports.leaderboard.page",
    "scoring.annotation.marking",
    "merge_snli.replaced",
)


@pytest.mark.parametrize("name", EXAMPLES)
def test_docstring_examples(name: str) -> None:
    result = doctest.testmod(importlib.import_module(name))
    assert (result.failed, result.attempted > 0) == (0, True)
