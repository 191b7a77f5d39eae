"""Tests of steps that are shown if they take long."""

import logging
import time

import pytest

from merge_snli.base import progress
from merge_snli.base.progress import step


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    monkeypatch.setattr(progress, "SHOWN_AFTER", 0.1)
    caplog.set_level(logging.INFO, progress.__name__)
    return caplog


def test_a_long_step_is_shown_while_it_runs_and_when_it_is_done(lines: pytest.LogCaptureFixture) -> None:
    with step("reading data", 1_200, "rows"):
        time.sleep(0.5)
        running = lines.messages
    assert running[0].startswith("reading data:   0% 0/1200 ")
    assert lines.messages[-1].startswith("reading data: 100% 1200/1200 ")


def test_nothing_is_shown_of_a_short_step(lines: pytest.LogCaptureFixture) -> None:
    with step("reading data", 1, "rows"):
        pass
    assert not lines.messages
