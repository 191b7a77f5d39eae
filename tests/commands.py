"""Commands that a test runs in its own process: the exit code is checked, and what was printed is returned."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import pytest

from merge_snli.cli import main


@dataclass(frozen=True)
class Printed:
    """What a command printed to stdout and to stderr."""

    out: str
    err: str

    @property
    def json(self) -> Any:  # noqa: ANN401 - a JSON document
        return json.loads(self.out)


Command: TypeAlias = Callable[..., Printed]
"""A function of the arguments, which may be paths, and of the expected exit code `code`, by default 0."""


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Command:
    """A function that runs a command and returns what it printed."""

    def run(*arguments: object, code: int = 0) -> Printed:
        try:
            found: object = main([*map(str, arguments)])
        except SystemExit as exit_of_parser:
            found = exit_of_parser.code
        printed = Printed(*capsys.readouterr())
        assert found == code, printed.err
        return printed

    return run
