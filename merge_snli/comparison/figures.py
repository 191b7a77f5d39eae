"""Draw PA curves in the style of Figures 4, 5 and 11 of the paper."""

import logging
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from merge_snli.answers.data import WORD_CLASS
from merge_snli.base.errors import InputError
from merge_snli.base.table import count
from merge_snli.comparison.bar_charts import draw_shares
from merge_snli.comparison.line_chart import Line, line_figure, save_figure
from merge_snli.dataset.out_folder import check_out
from merge_snli.results.grouping import marked_names, on_same_data, ranked, titles_of, unranked_reasons
from merge_snli.results.naming import safe_name
from merge_snli.results.result import Result
from merge_snli.results.rows import ScoreValues
from merge_snli.results.score_table import columns_of, compared_labels_of, values_of
from merge_snli.results.scores import Curve
from merge_snli.schema import WORD_CLASSES

# Lowest threshold of Figure 4.
FIGURE_4_START = 0.8
# Largest number of values of a column whose predicted labels are drawn.
MAX_PANELS = 60

logger = logging.getLogger(__name__)


def draw_figures(results: Iterable[Result], out: str | Path) -> list[Path]:
    """Draw the PA curves of the models on each data set and config (Figures 4, 5 and 11 of the paper).

    Without seeds, the share of each predicted label is drawn by each column of `--by` that has at most `MAX_PANELS`
    values, in place of the word classes.

    Args:
        results: Results in any order.
        out: Output folder.

    Returns:
        The written files: one PNG and one SVG per figure.

    Raises:
        InputError: If `out` is a file, is not writable or is in a data set.
    """
    folder = check_out(out)
    files = []
    for group in on_same_data(results):
        data = group[0].dataset
        name = f"{safe_name(data.name)}-{data.digest[:8]}"
        if data.config is not None:
            name += f"-{safe_name(data.config)}"
        stem = folder / name
        if group[0].has_seeds:
            files += draw_curves(group, f"{stem}-figure-4-from-80", start=FIGURE_4_START)
            files += draw_classes(group, f"{stem}-figure-5-word-classes")
            files += draw_curves(group, f"{stem}-figure-11-from-0")
        else:
            files += _draw_groups(group, stem)
    return files


def _draw_groups(results: Sequence[Result], stem: Path) -> list[Path]:
    best_first = ranked(results)
    [title] = titles_of([results[0].dataset])
    files = draw_curves(best_first, f"{stem}-curves")
    for column in columns_of(best_first):
        panels = _share_panels(best_first, column)
        if len(panels) > MAX_PANELS:
            logger.warning("%s: %s has %d values, too many for a figure", title, column, len(panels))
            continue
        path = Path(f"{stem}-by-{safe_name(column)}")
        files += draw_shares(panels, marked_names(best_first), path, title=f"Predicted labels on {title}, by {column}")
    return files


def _share_panels(results: Sequence[Result], column: str) -> dict[str, dict[str, list[float]]]:
    """Return the share of each predicted label by model, by value of a column and label; NaN without scores."""
    labels = compared_labels_of(results)
    missing = ScoreValues({})
    panels: dict[str, dict[str, list[float]]] = {}
    for value in values_of(results, column):
        rows = [result.rows_by.get(column, {}).get(value, missing) for result in results]
        panels[value] = {label: [row.share(f"predicted_{label}") for row in rows] for label in labels}
    return panels


def draw_curves(results: Sequence[Result], path: str | Path, *, start: float = 0) -> list[Path]:
    """Draw the mean PA curve of each result, with a dot at the quality threshold (Figures 4 and 11).

    The band around a line spans the lowest to the highest subsample. Colors follow the ranking, as on the leaderboard.

    Args:
        results: At least one result; all on the same config of the same data set.
        path: Output path. A PNG and an SVG are written, whatever the extension.
        start: First threshold shown: 0 as in Figure 11, or 0.8 as in Figure 4.

    Returns:
        The two files.

    Raises:
        InputError: If `results` is empty.
    """
    first = _first(results)
    best_first = ranked(results)
    group, row = first.units
    title = f"Pattern accuracy on {titles_of([first.dataset])[0]} ({best_first[0].scores.groups:,} {group}s)"
    lines: list[Line] = []
    for rank, (name, result) in enumerate(zip(marked_names(best_first), best_first, strict=True)):
        _add_line(lines, name, [result.scores.curve], rank)
    of = f"{group}'s {row}s"
    marked = first.quality_threshold
    return save_figure(line_figure(lines, first.thresholds, title=title, marked=marked, start=start, of=of), path)


def draw_classes(results: Sequence[Result], path: str | Path) -> list[Path]:
    """Draw the PA curve of each word class, averaged over the ranked models (Figure 5).

    Models on fewer seeds or with other labels, which the leaderboard lists but does not rank, are left out.

    The band around a line spans the lowest to the highest subsample of that average.

    Args:
        results: At least one result; all on the same config of the same data set.
        path: Output path, as for `draw_curves`.

    Returns:
        The two files.

    Raises:
        InputError: If `results` is empty.
    """
    first = _first(results)
    results = [result for result, reason in zip(results, unranked_reasons(results), strict=True) if reason is None]
    title = f"Pattern accuracy by word class on {titles_of([first.dataset])[0]}, mean of {count(len(results), 'model')}"
    by_model = [result.parts.get(WORD_CLASS, {}) for result in results]
    lines: list[Line] = []
    for style, name in enumerate(WORD_CLASSES):
        curves = [of_model[name].curve for of_model in by_model if name in of_model]
        if len(curves) == len(by_model):
            _add_line(lines, name, curves, style)
    return save_figure(line_figure(lines, first.thresholds, title=title, marked=first.quality_threshold), path)


def _first(results: Sequence[Result]) -> Result:
    if not results:
        raise InputError("no results to draw: score a model first")
    return results[0]


def _add_line(lines: list[Line], name: str, curves: Sequence[Curve], style: int) -> None:
    """Add the mean of curves, unless no subsample drew any of the variants of one.

    A subsample without a value is left out of the band.
    """
    mean = np.array([curve.mean for curve in curves], dtype=np.float64).mean(axis=0)  # None becomes NaN
    by_subsample = np.array([curve.each for curve in curves], dtype=np.float64).mean(axis=0)
    if not np.isnan(mean).any():
        low = np.fmin.reduce(by_subsample, axis=0)
        high = np.fmax.reduce(by_subsample, axis=0)
        lines.append(Line(name, mean.tolist(), low.tolist(), high.tolist(), style))
