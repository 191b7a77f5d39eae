"""Collect what the checks of a validation find, count and skip."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from merge_snli.validation.finding import Finding, Report, counted

if TYPE_CHECKING:
    from collections.abc import Callable

    Find = Callable[[str | None, str], None]
    """Reports a finding about one row: column and message. `partial(collector.find, file, row)` is one."""

MAX_FINDINGS = 20
"""How many findings per file and column are listed. The others are counted."""


class Collector:
    """The state of a validation. Every check reports to it."""

    def __init__(self) -> None:
        """Start without findings."""
        self._findings: list[Finding] = []
        self._found: Counter[tuple[str, str | None]] = Counter()
        self._checked: Counter[str] = Counter()
        self._skipped: list[str] = []

    def find(self, file: str, row: int | None, column: str | None, message: str) -> None:
        """Add a finding. The arguments are the attributes of `Finding`."""
        self._found[file, column] += 1
        if self._found[file, column] <= MAX_FINDINGS:
            self._findings.append(Finding(file, row, column, message))

    def count(self, name: str, number: int = 1) -> None:
        """Add to the number of things of one kind that were checked."""
        self._checked[name] += number

    def skip(self, message: str) -> None:
        """Add what could not be checked, and why."""
        self._skipped.append(message)

    def report(self, name: str) -> Report:
        """Return the report on the data set `name`."""
        more = [
            Finding(file, None, column, counted(number - MAX_FINDINGS, "more finding"))
            for (file, column), number in self._found.items()
            if number > MAX_FINDINGS
        ]
        return Report(name, (*self._findings, *more), dict(self._checked), tuple(self._skipped))
