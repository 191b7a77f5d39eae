"""Sorting lines: the order of code points, however many runs there are on disk."""

from __future__ import annotations

import random

import pytest

from merge_snli.problems import sorted_lines as module
from merge_snli.problems.sorted_lines import sorted_lines


@pytest.mark.parametrize("lines_a_run", [1, 7, 100, 1000])
def test_the_order_is_that_of_the_code_points(monkeypatch: pytest.MonkeyPatch, lines_a_run: int) -> None:
    monkeypatch.setattr(module, "LINES_PER_RUN", lines_a_run)
    characters = ["a", "Z", "é", "\u2028", "\r", "日", "😀", " ", '"', "\x85"]
    draws = random.Random(0)
    lines = ["".join(draws.choices(characters, k=draws.randrange(6))) for _ in range(100)]
    assert list(sorted_lines(lines)) == sorted(lines)


def test_nothing_gives_nothing() -> None:
    assert list(sorted_lines([])) == []
