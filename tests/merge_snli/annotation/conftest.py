"""Fixtures of the annotation study: a sample of the shipped data set, and a way to run the command."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from merge_snli.cli import main
from merge_snli.embedded import FOLDER

SHIPPED = FOLDER.parent
Annotate = Callable[..., tuple[int, str]]


@pytest.fixture
def annotate(capsys: pytest.CaptureFixture[str]) -> Annotate:
    """A function that runs `merge-snli annotate` and returns its exit code and what it printed."""

    def run(*arguments: object) -> tuple[int, str]:
        code = main(["annotate", *map(str, arguments)])
        captured = capsys.readouterr()
        return code, captured.out + captured.err

    return run


@pytest.fixture(scope="module")
def sheets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sheets of 8 variants per class of the shipped data set for annotators a1 and a2."""
    out = tmp_path_factory.mktemp("study") / "sheets"
    assert main(["annotate", "sample", str(SHIPPED), "--size", "8", "--annotators", "a1,a2", "--out", str(out)]) == 0
    return out
