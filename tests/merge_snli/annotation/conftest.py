"""Fixtures of the annotation study: a sample of the shipped data set, and a way to run the command."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from merge_snli.base.files import read_json
from merge_snli.cli import main
from merge_snli.embedded import FOLDER

SHIPPED = FOLDER.parent
Annotate = Callable[..., tuple[int, str]]
Score = Callable[..., tuple[dict[str, Any], str]]


def assert_refused(answer: tuple[int, str], values: Iterable[str]) -> None:
    """Check that a command ended with an error of one line that has the values."""
    assert (answer[0], answer[1].count("\n")) == (2, 1)
    assert [value for value in values if value not in answer[1]] == []


@pytest.fixture
def annotate(capsys: pytest.CaptureFixture[str]) -> Annotate:
    """A function that runs `merge-snli annotate` and returns its exit code and what it printed."""

    def run(*arguments: object) -> tuple[int, str]:
        code = main(["annotate", *map(str, arguments)])
        captured = capsys.readouterr()
        return code, captured.out + captured.err

    return run


@pytest.fixture
def score(annotate: Annotate, tmp_path: Path) -> Score:
    """A function that scores sheets into `tmp_path / "out"` and returns the numbers and what was printed."""

    def run(*arguments: object) -> tuple[dict[str, Any], str]:
        code, printed = annotate("score", *arguments, "--out", tmp_path / "out")
        assert code == 0, printed
        return read_json(tmp_path / "out" / "annotation.json"), printed

    return run


@pytest.fixture(scope="module")
def sheets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sheets of 8 variants per class of the shipped data set for annotators a1 and a2."""
    out = tmp_path_factory.mktemp("study") / "sheets"
    assert main(["annotate", "sample", str(SHIPPED), "--size", "8", "--annotators", "a1,a2", "--out", str(out)]) == 0
    return out
