"""Our numbers beside the paper's: the verdict on each follows from the paper's number, ours and our interval alone."""

import math
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from merge_snli.base.table import Cell
from merge_snli.papers.numbers import PaperArtifact, PaperCell
from merge_snli.results.records import Ends

EQUAL, INSIDE, OUTSIDE, DIFFERS, NOT_COMPARABLE, NOT_COMPUTED = VERDICTS = (
    "equal",
    "inside our 95% interval",
    "outside our 95% interval",
    "differs",
    "not comparable",
    "not computed",
)

# JSON values in `reproduction.json`.
Document = dict[str, Any]


@dataclass(frozen=True)
class OurNumber:
    """A number that we computed.

    Attributes:
        value: The number in the paper's unit, or a word.
        interval: Its 95% interval, in the same unit; None if it has none.
    """

    value: Cell
    interval: Ends | None = None


# Our numbers, by row and column.
Cells: TypeAlias = dict[tuple[str, str], OurNumber]


@dataclass(frozen=True)
class Ours:
    """What we have for an artifact.

    Attributes:
        cells: Our numbers.
        reason: Why there are no others.
        files: Its figure, as paths in the output folder: an SVG file and, if it has one, one for the width of a phone.
    """

    cells: Cells = field(default_factory=dict)
    reason: str = ""
    files: tuple[str, ...] = ()


def compare(artifact: PaperArtifact, ours: Ours, not_comparable: str = "") -> Document:
    """Compare the numbers of an artifact with ours.

    Args:
        artifact: The artifact of the paper.
        ours: Our numbers.
        not_comparable: Why no number compares; empty if they do.

    Returns:
        The artifact as JSON values, with every cell of the paper; of a table, also our rows that it does not have.
    """
    printed: dict[tuple[str, str], PaperCell | None] = {}
    for row, of_row in artifact.rows.items():
        for column, cell in zip(artifact.columns, of_row, strict=True):
            printed[row, column] = None if cell == "" else cell
    if "table" in artifact.name:
        for row, column in ours.cells:
            if column in artifact.columns:
                printed.setdefault((row, column), None)
    why_not = artifact.not_computed or ours.reason
    cells = []
    for (row, column), paper in printed.items():
        number = ours.cells.get((row, column))
        undecided = "" if number is None else artifact.undecided.get(row, "")
        compared: Document = {"row": row, "column": column}
        compared |= check_cell(
            paper,
            number,
            precision=artifact.precision,
            not_comparable=not_comparable or undecided,
            not_computed=why_not,
        )
        cells.append(compared)
    return {
        "name": artifact.name,
        "title": artifact.title,
        "section": artifact.section,
        "says": list(artifact.says),
        "not_computed": artifact.not_computed or ("" if cells or ours.files else ours.reason),
        "commands": list(artifact.commands),
        "figure": list(ours.files),
        "cells": cells,
    }


def check_cell(
    paper: PaperCell | None,
    number: OurNumber | None,
    *,
    precision: float | None = None,
    not_comparable: str = "",
    not_computed: str = "",
) -> Document:
    """Compare a number with the paper's.

    Numbers are equal if they are equal after rounding ours as the paper rounds.

    Args:
        paper: The paper's number; None if the paper does not have it.
        number: Ours; None if it was not computed.
        precision: The unit to which the paper rounds; None for that of the last printed digit.
        not_comparable: Why the numbers do not compare; empty if they do.
        not_computed: Why ours was not computed.

    Returns:
        The paper's number, ours, its interval, the difference (ours minus the paper's; None without two numbers that
        compare), one of `VERDICTS`, and the reason why the numbers do not compare or ours was not computed.
    """
    found = number or OurNumber(None)
    ours = found.value
    interval = found.interval
    if isinstance(ours, float) and math.isnan(ours):
        ours = None
    difference = None
    reason = ""
    if not_comparable or (paper is None and ours is not None):
        verdict = NOT_COMPARABLE
        reason = not_comparable or "the paper does not have it"
    elif ours is None or paper is None:
        verdict = NOT_COMPUTED
        reason = not_computed or "no value"
    elif isinstance(paper, str) or isinstance(ours, str):
        verdict = EQUAL if str(paper) == str(ours) else DIFFERS
    else:
        difference = float(ours) - paper
        verdict = _verdict(paper, difference, interval, precision or 10.0 ** -decimals(paper))
    compared: Document = {"paper": paper, "ours": ours, "interval": interval}
    return compared | {"difference": difference, "verdict": verdict, "reason": reason}


def _verdict(paper: float, difference: float, interval: Ends | None, unit: float) -> str:
    if round((paper + difference) / unit) == round(paper / unit):
        return EQUAL
    if interval is None:
        return DIFFERS
    return INSIDE if interval[0] <= paper <= interval[1] else OUTSIDE


def decimals(number: float) -> int:
    """Return how many digits of a number are printed after the point.

    Examples:
        >>> decimals(1808), decimals(90.5), decimals(91.0), decimals(0.01)
        (0, 1, 1, 2)
    """
    return 0 if isinstance(number, int) else len(repr(number).partition(".")[2])
