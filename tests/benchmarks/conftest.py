"""Run a benchmark on a tiny size, and read the tables that it prints."""

import importlib
import sys
from collections.abc import Callable

import pytest

Rows = dict[str, dict[str, str]]
Benchmark = Callable[..., str]


@pytest.fixture
def benchmark(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Benchmark:
    """A function that runs the benchmark of a name with options, and returns what it prints."""

    def run(name: str, *options: object) -> str:
        monkeypatch.setattr(sys, "argv", [name, *map(str, options)])
        importlib.import_module(f"benchmarks.{name}").main()
        return capsys.readouterr().out

    return run


def tables(printed: str) -> list[Rows]:
    """Return each Markdown table as its rows by their first cell; a row is its cells by header."""
    found: list[Rows] = []
    headers: list[str] = []
    for line in printed.splitlines():
        if not line.startswith("|"):
            headers = []
            continue
        cells = [cell.strip().replace("\\", "") for cell in line.strip("|").split("|")]
        if not headers:
            headers = cells
            found.append({})
        elif not set("".join(cells)) <= {"-", ":"}:
            found[-1][cells[0]] = dict(zip(headers, cells, strict=False))
    return found
