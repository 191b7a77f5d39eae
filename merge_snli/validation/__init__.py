"""Validate a data set: compare its folder, row by row, with the record of its run.

From outside, import the names listed in `__all__`. The command also prints the text of a report.
"""

# ruff: noqa: E402 - the check comes before the imports that need the package
from merge_snli.base.shadowing import check_not_shadowed

check_not_shadowed("generation")

from merge_snli.validation.finding import Finding, ValidationReport
from merge_snli.validation.validate import validate

__all__ = ["Finding", "ValidationReport", "validate"]
