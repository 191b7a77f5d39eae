"""The result of a validation, and what collects it: findings, counts of what was checked, and what was not checked."""

import re
import reprlib
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass

from merge_snli.base.differences import differences
from merge_snli.base.files import JsonObject
from merge_snli.base.table import count
from merge_snli.base.templates import printed

# Reports a finding about one row: column and message. `partial(collector.find, file, row)` is one.
Find = Callable[[str | None, str], None]

_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = 80
_SHORT.maxlist = 12

# How many findings per file and column are listed. The others are counted.
MAX_FINDINGS = 20

REPORT = """\
{% for finding in report.findings %}
{{ finding }}
{% endfor %}
{% for reason in report.not_checked %}
not checked: {{ reason }}
{% endfor %}
{{ report.name }}: {{ verdict }}{% if checked %} (checked: {{ checked | join(", ") }}){% endif %}

"""


@dataclass(frozen=True, slots=True)
class Finding:
    """One difference between a data set and the record of its run.

    Attributes:
        file: The file's path relative to the data set's folder.
        row: The row number as in `datasets`, from 0; None if the finding is not about one row.
        column: The column, or the path in a file without columns; None if the finding is not about one.
        message: What is wrong.
    """

    file: str
    row: int | None
    column: str | None
    message: str

    def __str__(self) -> str:
        """Return the finding as one line."""
        row = None if self.row is None else f"row {self.row}"
        return f"{', '.join(filter(None, (self.file, row, self.column)))}: {self.message}"


@dataclass(frozen=True, slots=True)
class ValidationReport:
    """The result of a validation.

    Attributes:
        name: The data set as the user named it.
        findings: What is wrong; empty for a valid data set.
        checked: Number of checked files, rows, seeds, subsamples and words.
        not_checked: What could not be checked, and why.
    """

    name: str
    findings: tuple[Finding, ...]
    checked: dict[str, int]
    not_checked: tuple[str, ...]

    def as_dict(self) -> JsonObject:
        """Return the report as plain JSON values."""
        return asdict(self)


def report_text(report: ValidationReport) -> str:
    """Return a report as text: one line per finding and per thing that was not checked, then a summary."""
    checked = []
    for names, number in report.checked.items():
        if number == 1:  # such as `1 subsample` or `1 word tagged in place`
            names = re.sub("s(?![a-z])", "", names, count=1)
        if number:
            checked.append(f"{number:,} {names}")
    verdict = count(len(report.findings), "finding") if report.findings else "valid"
    return printed(REPORT, report=report, verdict=verdict, checked=checked)


def quoted(value: object) -> str:
    """Return a value for a message: as a Python literal, so that it prints safely, and shortened."""
    return _SHORT.repr(value)


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
            self._findings.append(Finding(file, row, column or None, message))

    def compare(self, file: str, path: str, value: object, expected: object, origin: str) -> None:
        """Add a finding for each innermost path at which two JSON values differ.

        Args:
            file: The file's relative path.
            path: The dotted path of the value in the file; empty for the whole document.
            value: The value in the file.
            expected: The value that it must have.
            origin: What has the expected value, such as `the record has`.
        """
        for at, differing, must_be in differences(value, expected, path):
            self.find(file, None, at, f"is {quoted(differing)}; {origin} {quoted(must_be)}")

    def count(self, name: str, number: int = 1) -> None:
        """Add to the number of things of one kind that were checked."""
        self._checked[name] += number

    def skip(self, message: str) -> None:
        """Add what could not be checked, and why."""
        self._skipped.append(message)

    def report(self, name: str) -> ValidationReport:
        """Return the report on the data set `name`."""
        more = [
            Finding(file, None, column, count(number - MAX_FINDINGS, "more finding"))
            for (file, column), number in self._found.items()
            if number > MAX_FINDINGS
        ]
        return ValidationReport(name, (*self._findings, *more), dict(self._checked), tuple(self._skipped))
