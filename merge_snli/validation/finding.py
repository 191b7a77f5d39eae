"""The result of a validation: findings, counts of what was checked, and what was not checked."""

from __future__ import annotations

import re
import reprlib
from dataclasses import asdict, dataclass
from typing import Any

_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = 80
_SHORT.maxlist = 12


@dataclass(frozen=True, slots=True)
class Finding:
    """One difference between a data set and the record of its run.

    Attributes:
        file: The file's path relative to the data set's folder.
        row: The row number as in `datasets`, from 0; None if the finding is not about one row.
        column: The column, or the place in a file without columns; None if the finding is not about one.
        message: What is wrong.
    """

    file: str
    row: int | None
    column: str | None
    message: str

    def __str__(self) -> str:
        """Return the finding as one line."""
        row = None if self.row is None else f"row {self.row}"
        return f"{', '.join(part for part in (self.file, row, self.column) if part is not None)}: {self.message}"


@dataclass(frozen=True, slots=True)
class ValidationReport:
    """The result of a validation.

    Attributes:
        name: The data set as the user named it.
        findings: What is wrong; empty for a valid data set.
        checked: Number of checked files, rows, seeds, draws and words.
        not_checked: What could not be checked, and why.
    """

    name: str
    findings: tuple[Finding, ...]
    checked: dict[str, int]
    not_checked: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the report as plain JSON values."""
        return asdict(self)


def report_text(report: ValidationReport) -> str:
    """Return a report as text: one line per finding and per unchecked part, then a summary."""
    lines = [*map(str, report.findings), *(f"not checked: {reason}" for reason in report.not_checked)]
    checked = ", ".join(_checked(count, names) for names, count in report.checked.items() if count)
    verdict = counted(len(report.findings), "finding") if report.findings else "valid"
    return "\n".join([*lines, f"{report.name}: {verdict}{f' (checked: {checked})' if checked else ''}", ""])


def _checked(number: int, names: str) -> str:
    """Return a number of checked things, such as `1 draw` or `20 words tagged in place`."""
    return f"{number:,} {re.sub('s(?![a-z])', '', names, count=1) if number == 1 else names}"


def counted(number: int, name: str) -> str:
    """Return a number with a name, such as `1 finding` or `2 findings`."""
    return f"{number:,} {name}{'' if number == 1 else 's'}"


def quoted(value: object) -> str:
    """Return a value for a message: as a Python literal, so that it prints safely, and shortened."""
    return _SHORT.repr(value)
