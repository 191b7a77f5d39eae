"""Progress without a terminal: one line per stage, and one every 30 seconds."""

from __future__ import annotations

import logging
import re
import threading
import time
from collections.abc import Callable

import pytest

from merge_snli.base import progress
from merge_snli.base.progress import Progress, format_duration, repeating
from tests.processes import SECONDS


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture) -> Callable[[], list[str]]:
    caplog.set_level(logging.INFO, logger="merge_snli.base.progress")
    return lambda: [record.getMessage() for record in caplog.records]


def test_a_stage_logs_a_line_when_it_is_done(lines: Callable[[], list[str]]) -> None:
    with Progress().stage("shared words", unit="problems", total=2_000, cached=500) as stage:
        stage.advance(1_500)
        assert lines() == []
    assert re.sub(r"\d+\.\d s", "TIME", lines().pop()) == "shared words: 2,000 problems in TIME"


def test_a_long_stage_logs_its_rate_and_the_time_left(
    lines: Callable[[], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "SECONDS_PER_LINE", 0.05)
    with Progress().stage("roberta-base", unit="forms", total=10_000, cached=100) as stage:
        stage.advance(4_000)
        while len(lines()) < 2:
            time.sleep(0.01)
        first = lines()[0]
    found = re.fullmatch(r"roberta-base: 4,100 of 10,000 forms, ([\d,.]+)/s, ([\d.]+) s left", first)
    assert found, first
    rate, left = float(found[1].replace(",", "")), float(found[2])
    assert left == pytest.approx(5_900 / rate, abs=0.06)


def test_a_stage_of_unknown_length_or_without_a_rate_has_no_time_left(
    lines: Callable[[], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "SECONDS_PER_LINE", 0.02)
    for total, expected in ((None, "0 rows, 0.0/s"), (3, "0 of 3 rows, 0.0/s")):
        before = len(lines())
        with Progress().stage("reading", unit="rows", total=total):
            while len(lines()) == before:
                time.sleep(0.01)
        assert lines()[before] == f"reading: {expected}"


def test_quiet_and_failed_stages_log_nothing(lines: Callable[[], list[str]]) -> None:
    with Progress(quiet=True).stage("reading", unit="rows"):
        pass
    with pytest.raises(KeyError), Progress().stage("reading", unit="rows"):
        raise KeyError
    assert lines() == []


@pytest.mark.parametrize(
    ("seconds", "text"), [(3.14, "3.1 s"), (61, "1 min 01 s"), (3_599.6, "1 h 00 min"), (9_000, "2 h 30 min")]
)
def test_durations(seconds: float, text: str) -> None:
    assert format_duration(seconds) == text


def test_a_repeated_function_is_called_again_after_an_error_of_the_disk(lines: Callable[[], list[str]]) -> None:
    calls = iter(["full", "full", ""])
    done = threading.Event()

    def write() -> None:
        if error := next(calls, ""):
            raise OSError(error)
        done.set()

    with repeating(write, 0.01):
        assert done.wait(SECONDS)
    assert [line.partition(";")[0] for line in lines()] == ["full", "full"]
