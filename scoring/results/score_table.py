"""Results as a table in the shape of the paper's Table 3: on screen and in a notebook."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from scoring.results.grouping import titles_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from scoring.results.result import Result

HEADERS = ("Model", "Seeds", "Variants", "QT", "MT")
NO_VALUE = "–"


@dataclass(frozen=True)
class Row:
    """One row of the table: a model's cells, and what must be said of it below."""

    cells: tuple[str, ...]
    notes: tuple[str, ...]


def text_table(results: Sequence[Result], failed: Mapping[str, str] | None = None) -> str:
    """Return results as lines of text: the table, how to read it, and what must be known of single models.

    Args:
        results: Results on one config of one data set, at least one unless some failed.
        failed: Reason of each model that could not be scored, by its name.
    """
    rows = table_rows(results, failed)
    widths = [max(map(len, column)) for column in zip(HEADERS, *(row.cells for row in rows), strict=True)]
    lines = [_line(HEADERS, widths), "  ".join("─" * width for width in widths)]
    lines += [_line(row.cells, widths) for row in rows]
    lines += ["", *explanation(results)]
    lines += [f"{row.cells[0]}: {note}" for row in rows for note in row.notes]
    return "\n".join(map(printable, lines)).rstrip() + "\n"


def html_table(results: Sequence[Result]) -> str:
    """Return results as an HTML table, everything in it escaped."""
    rows = table_rows(results)
    head = "".join(f"<th>{escape(header)}</th>" for header in HEADERS)
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row.cells)}</tr>" for row in rows)
    below = [*explanation(results), *(f"{row.cells[0]}: {note}" for row in rows for note in row.notes)]
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table><p>{'<br>'.join(map(escape, below))}</p>"


def table_rows(results: Sequence[Result], failed: Mapping[str, str] | None = None) -> list[Row]:
    """Return a row a result in their order, then one for each model that failed, with its reason as a note."""
    scored = [
        Row(
            (
                result.title,
                _percent(result.scores.seed_sample_accuracy),
                _percent(result.scores.on_variants.sample_accuracy.mean),
                _percent(result.scores.qt, sign=True),
                NO_VALUE if result.scores.mt is None else f"{result.scores.mt * 100:.0f}",
            ),
            result.notes,
        )
        for result in results
    ]
    return scored + [
        Row((name, *[NO_VALUE] * (len(HEADERS) - 1)), (f"not scored: {reason}",))
        for name, reason in (failed or {}).items()
    ]


def printable(text: str) -> str:
    r"""Return a text with a space for every character that would break a line or steer a terminal.

    Examples:
        >>> printable("a\nb\x1b[2J")
        'a b [2J'
    """
    return "".join(character if character.isprintable() else " " for character in text)


def explanation(results: Sequence[Result], title: str | None = None) -> list[str]:
    """Return the sentences that say how the table is read.

    Args:
        results: The results in the table.
        title: What they were scored on; by default the name of the data set and its config.
    """
    if not results:
        return []
    first = results[0]
    subsamples = len(first.scores.on_variants.sample_accuracy.each)
    return [
        f"{title or titles_of([first.dataset])[0]}: {first.scores.seeds:,} seeds, "
        f"{first.scores.on_variants.variants:,} variants, mean over {subsamples} subsamples; percent.",
        "Seeds, Variants: sample accuracy. "
        f"QT: pattern accuracy on variants at {first.quality_threshold:.0%} minus sample accuracy on seeds.",
        "MT: the threshold at which pattern accuracy on variants is nearest to sample accuracy on seeds.",
    ]


def _percent(share: float | None, *, sign: bool = False) -> str:
    if share is None:
        return NO_VALUE
    percent = round(share * 100, 1) + 0.0  # no -0.0
    return f"{percent:+.1f}" if sign else f"{percent:.1f}"


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    numbers = (cell.rjust(width) for cell, width in zip(cells[1:], widths[1:], strict=True))
    return "  ".join([cells[0].ljust(widths[0]), *numbers])
