"""Define a figure or table of the report, the columns of its tables, and the phrases in its texts."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from matplotlib.figure import Figure

from merge_snli.base.columns import Columns
from merge_snli.base.table import Table, count
from merge_snli.results.rows import ends_text

# Draws a figure; the arguments are whether it is for the width of a phone, and its title.
Draw: TypeAlias = Callable[[bool, str], Figure]


@dataclass(frozen=True, kw_only=True)
class Artifact:
    """A figure, tables, or a figure with its values as tables.

    Attributes:
        name: Stem of its files, such as `figure-5-word-classes`.
        paper: The figure or table of the paper, such as "Figure 5", or the section.
        title: What it shows, also for readers who do not see it; drawn above a figure.
        caption: One sentence on how to read it, the same in every report.
        finding: What was found, with its test.
        basis: The number of seeds and models behind it.
        draw: Draws the figure; None if there is none.
        tables: The values.
        folded: Index of the table that is folded below the figure.
        not_drawn: Which values the figure leaves out, and why.
    """

    name: str
    paper: str
    title: str
    caption: str
    basis: str
    finding: str = ""
    draw: Draw | None = None
    tables: tuple[Table, ...] = ()
    folded: int = 0
    not_drawn: str = ""


class NamedColumns(Columns[Mapping[str, Any]]):
    """The columns of a table whose rows have their values by name, as in `report.json`."""

    def add_text(self, header: str, name: str) -> None:
        """Add a column of texts."""
        self.add_value(header, name, align="left")

    def add_value(self, header: str, name: str, **look: Any) -> None:  # noqa: ANN401 - fields of Column
        """Add a column of values as they are; nothing for a row without the value."""
        self.add(header, lambda row: row.get(name), **look)

    def add_share(self, header: str, name: str, form: str = ".1f") -> None:
        """Add a column of shares in percent."""
        self.add(header, lambda row: percent_or_none(row[name]), format=form)

    def add_score(self, header: str, name: str, form: str = ".1f") -> None:
        """Add a column of shares in percent, and below each its interval, `NAME_interval`."""
        self.add_share(header, name, form)
        sign = form.partition(".")[0]
        self.add(f"{header}, interval", lambda row: ends_text(row[f"{name}_interval"], sign), under=True)


def percent_or_none(share: float | None) -> float | None:
    """Return a share in percent, None if it is not known."""
    return None if share is None or math.isnan(share) else 100 * share


def basis(seeds: int, models: int) -> str:
    """Return the number of seeds and models that a figure or table is computed from.

    Examples:
        >>> basis(2222, 1)
        '2,222 seeds, 1 model'
    """
    return f"{count(seeds, 'seed')}, {count(models, 'model')}"
