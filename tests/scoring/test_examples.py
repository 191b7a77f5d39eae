"""The examples in the docstrings hold."""

import doctest
import importlib

import pytest

EXAMPLES = (
    "scoring.models.labels",
    "scoring.results.files",
    "scoring.reports.score_table",
    "scoring.reports.leaderboard.page",
    "scoring.reports.leaderboard.texts",
)


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_hold(name: str) -> None:
    result = doctest.testmod(importlib.import_module(name))
    assert (result.failed, result.attempted > 0) == (0, True)
