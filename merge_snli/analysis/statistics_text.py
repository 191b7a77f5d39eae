"""Format p-values and intervals of tests for tables."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from merge_snli.scoring.statistics import Interval

SMALLEST_P = 0.001
"""Smaller p-values are shown as below this one."""


def p_text(value: float | None) -> str | None:
    """Return a p-value; None if the test is not defined."""
    if value is None or math.isnan(value):
        return None
    return f"<{SMALLEST_P}" if value < SMALLEST_P / 2 else f"{value:.3f}"


def ends_text(interval: Interval, sign: str = "") -> str:
    """Return the ends of an interval of shares in percent."""
    return f"{100 * interval.low:{sign}.1f} to {100 * interval.high:{sign}.1f}"
