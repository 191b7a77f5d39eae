"""Define a figure or table of the report, with its title and a sentence on how to read it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from merge_snli.base.table import Table

Draw: TypeAlias = "Callable[[bool, str], Figure]"
"""Draws a figure; the arguments are whether it is for the width of a phone, and its title."""


@dataclass(frozen=True, kw_only=True)
class Exhibit:
    """A figure, tables, or a figure with its values as tables.

    Attributes:
        name: Stem of its files, such as `figure-5-word-classes`.
        paper: The figure or table of the paper, such as "Figure 5", or the section.
        title: What it shows, also for readers who do not see it; drawn above a figure.
        caption: One sentence on how to read it, the same in every report.
        basis: The number of seeds and models behind it.
        draw: Draws the figure; None if there is none.
        tables: The values.
    """

    name: str
    paper: str
    title: str
    caption: str
    basis: str
    draw: Draw | None = None
    tables: tuple[Table, ...] = ()
