"""Validation: whether a data set's folder is what its run recorded, row by row, and what is wrong where it is not."""

# ruff: noqa: E402 - the check comes before the imports that need the package
from merge_snli.shadowing import check_not_shadowed

check_not_shadowed("generation")

from merge_snli.validation.finding import Finding, Report
from merge_snli.validation.validate import validate

__all__ = ["Finding", "Report", "validate"]
