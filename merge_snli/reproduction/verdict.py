"""The verdict on one number, from the paper's number, ours and our interval alone."""

import math
from dataclasses import dataclass

from merge_snli.base.table import Cell
from merge_snli.papers.numbers import PaperCell
from merge_snli.scoring.results.records import Ends

EQUAL, INSIDE, OUTSIDE, DIFFERS, NOT_COMPARABLE, NOT_COMPUTED = VERDICTS = (
    "equal",
    "inside our 95% interval",
    "outside our 95% interval",
    "differs",
    "not comparable",
    "not computed",
)


@dataclass(frozen=True, kw_only=True)
class OurNumber:
    """A number that we computed.

    Attributes:
        value: The number in the paper's unit, or a word.
        interval: Its 95% interval, in the same unit; None if it has none.
    """

    value: Cell
    interval: Ends | None = None


@dataclass(frozen=True, kw_only=True)
class CheckedCell:
    """A number of the paper beside ours.

    Attributes:
        row: Name of its row.
        column: Header of its column.
        paper: The paper's number or word; None if it has none.
        ours: Ours; None if it was not computed.
        interval: Our interval, or None.
        difference: Ours minus the paper's; None without two numbers that compare.
        verdict: One of `VERDICTS`.
        reason: Why the numbers do not compare or ours was not computed; empty otherwise.
    """

    row: str
    column: str
    paper: Cell
    ours: Cell
    interval: Ends | None
    difference: float | None
    verdict: str
    reason: str


def check_cell(
    row: str,
    column: str,
    paper: PaperCell | None,
    found: OurNumber | None,
    *,
    precision: float | None = None,
    not_comparable: str = "",
    not_computed: str = "",
) -> CheckedCell:
    """Compare a number with the paper's.

    Numbers are equal if they are equal after rounding ours as the paper rounds.

    Args:
        row: Name of the row.
        column: Header of the column.
        paper: The paper's number; None if the paper does not have it.
        found: Ours; None if it was not computed.
        precision: The unit to which the paper rounds; None for that of the last printed digit.
        not_comparable: Why the numbers do not compare; empty if they do.
        not_computed: Why ours was not computed.
    """
    ours = None if found is None or _is_nan(found.value) else found.value
    interval = None if found is None else found.interval
    difference = None
    if not_comparable or (paper is None and ours is not None):
        verdict, reason = NOT_COMPARABLE, not_comparable or "the paper does not have it"
    elif ours is None or paper is None:
        verdict, reason = NOT_COMPUTED, not_computed or "no value"
    else:
        reason = ""
        if not isinstance(paper, str) and not isinstance(ours, str):
            difference = float(ours) - paper
        verdict = _verdict(paper, ours, interval, difference, precision)
    return CheckedCell(
        row=row,
        column=column,
        paper=paper,
        ours=ours,
        interval=interval,
        difference=difference,
        verdict=verdict,
        reason=reason,
    )


def _verdict(
    paper: PaperCell, ours: Cell, interval: Ends | None, difference: float | None, precision: float | None
) -> str:
    if difference is None or isinstance(paper, str):
        return EQUAL if str(paper) == str(ours) else DIFFERS
    unit = precision or 10.0 ** -decimals(paper)
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


def _is_nan(value: Cell) -> bool:
    return isinstance(value, float) and math.isnan(value)
