"""Collect what the checks of a validation find, count and skip."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from merge_snli.validation.finding import Finding, ValidationReport, counted, quoted

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

    def compare(self, file: str, place: str, found: object, expected: object, origin: str) -> None:
        """Add a finding for each innermost place at which two JSON values differ.

        Args:
            file: The file's relative path.
            place: The dotted path of the value in the file; empty for the whole document.
            found: The value in the file.
            expected: The value that it must have.
            origin: What has the expected value, such as `the record has`.
        """
        if found == expected:
            return
        if isinstance(found, dict) and isinstance(expected, dict) and found.keys() == expected.keys():
            pairs = {key: (found[key], expected[key]) for key in expected}
        elif isinstance(found, list) and isinstance(expected, list) and len(found) == len(expected):
            pairs = dict(enumerate(zip(found, expected, strict=True)))
        else:
            self.find(file, None, place or None, f"is {quoted(found)}; {origin} {quoted(expected)}")
            return
        for key, (value, expected_value) in pairs.items():
            self.compare(file, f"{place}.{key}".lstrip("."), value, expected_value, origin)

    def count(self, name: str, number: int = 1) -> None:
        """Add to the number of things of one kind that were checked."""
        self._checked[name] += number

    def skip(self, message: str) -> None:
        """Add what could not be checked, and why."""
        self._skipped.append(message)

    def report(self, name: str) -> ValidationReport:
        """Return the report on the data set `name`."""
        more = [
            Finding(file, None, column, counted(number - MAX_FINDINGS, "more finding"))
            for (file, column), number in self._found.items()
            if number > MAX_FINDINGS
        ]
        return ValidationReport(name, (*self._findings, *more), dict(self._checked), tuple(self._skipped))
