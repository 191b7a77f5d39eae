"""Say how many seeds a comparison of models needs: the smallest difference that is found, by number of seeds."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from merge_snli.base.columns import Columns
from merge_snli.base.files import JsonObject
from merge_snli.base.table import Table, count
from merge_snli.comparison.detectable import CORRELATION, gaps_of, number_of_pairs, passes
from merge_snli.comparison.line_chart import COLORS, draw_grid, draw_title, save_figure
from merge_snli.comparison.testing import drawn_groups
from merge_snli.results.alignment import aligned
from merge_snli.results.grouping import comparable_models, results_by_name, titles_of, two_way_suffix
from merge_snli.results.result import Result
from merge_snli.results.rows import percent
from merge_snli.statistics import (
    POWER,
    Distribution,
    assumed_gaps,
    distribution_of,
    interval_width,
    smallest_paired,
    smallest_unpaired,
)
from metrics.pattern_accuracy.core import QUALITY_THRESHOLD

# Numbers of seeds that are shown besides that of the data.
SIZES = (50, 100, 200, 500, 1_000, 2_000, 5_000)

# A row of the analysis: a number of seeds, and what is found with it.
Row = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class PowerAnalysis:
    """The smallest differences that are found with a power of 80%, by number of seeds.

    Attributes:
        title: What the numbers are computed from.
        unit: `seed`, or `group` for pairs in groups.
        alpha: Family-wise significance level.
        pairs: Number of pairs of models over which Holm's method adjusts; a difference must pass its strictest step.
        rows: By number of seeds, ascending: `seeds`; `interval`, the width of the 95% interval of PA, mean over the
            models; `paired`, the smallest difference of PA that is found between models on the same seeds, and
            `unpaired`, that between models on different seeds, None if no difference is.
    """

    title: str
    unit: str
    alpha: float
    pairs: int
    rows: tuple[JsonObject, ...]

    def table(self) -> Table:
        """Return the numbers in points, that is, percent."""
        same = f"Same {self.unit}s"
        different = f"Different {self.unit}s"
        columns = Columns[Row]()
        columns.add(f"{self.unit.capitalize()}s", lambda row: row["seeds"])
        columns.add("95% interval of PA", lambda row: percent(row["interval"]), format=".1f")
        columns.add(same, lambda row: percent(row["paired"]), format=".1f")
        columns.add(different, lambda row: percent(row["unpaired"]), format=".1f")
        notes = [
            "95% interval of PA: its width.",
            f"{same}, {different}: the smallest difference of PA between two models that is found at {self.alpha:g} / "
            f"{self.pairs}, the strictest step of Holm's method over {count(self.pairs, 'pair')}; smaller ones are "
            "mostly missed.",
        ]
        title = f"{self.title}: differences that are found with a power of {POWER:.0%}, in points"
        return columns.table(self.rows, title=title, notes=notes)

    def draw(self, path: str | Path) -> list[Path]:
        """Draw the smallest differences over the number of seeds as PNG and SVG, and return the files."""
        from matplotlib.figure import Figure

        figure = Figure(figsize=(6.5, 4.2), layout="constrained")
        axes = figure.subplots()
        lines = {
            "unpaired": f"two models on different {self.unit}s",
            "paired": f"two models on the same {self.unit}s",
            "interval": "width of the 95% interval",
        }
        seeds = [row["seeds"] for row in self.rows]
        for (name, label), color in zip(lines.items(), COLORS, strict=False):
            shares = np.array([row[name] for row in self.rows], dtype=np.float64)  # None becomes NaN
            axes.plot(seeds, 100 * shares, "o-", label=label, color=color)
        axes.set(xscale="log", yscale="log", xlabel=f"{self.unit.capitalize()}s", ylabel="points")
        axes.set_xticks(seeds, [f"{number:,}" for number in seeds], rotation=45)
        axes.set_yticks([1, 2, 5, 10, 20, 50], ["1", "2", "5", "10", "20", "50"])
        axes.minorticks_off()
        draw_grid(axes)
        axes.legend(frameon=False)
        draw_title(figure, f"{self.title}: differences found with a power of {POWER:.0%}")
        return save_figure(figure, path)


def power_of_results(
    results: Iterable[Result],
    *,
    alpha: float = 0.05,
    threshold: float = QUALITY_THRESHOLD,
    common_seeds: bool = False,
) -> list[PowerAnalysis]:
    """Compute the power of comparisons from stored results, for each data set and config.

    The gaps between models on the same seeds, and so their correlation, are those of all pairs of models.

    Args:
        results: Results in any order; one model is compared with an equally good one of correlation `CORRELATION`.
        alpha: Family-wise significance level.
        threshold: Threshold of PA.
        common_seeds: As in `compare_results`.

    Raises:
        InputError: If models have fewer than two seeds in common, or two results are of the same model.
    """
    groups = [models for models, _ in comparable_models(aligned(results, common_seeds=common_seeds))]
    titles = titles_of([models[0].dataset for models in groups])
    found = []
    for title, models in zip(titles, groups, strict=True):
        named = results_by_name(models)
        ids = drawn_groups(named)
        columns = passes(named, ids, threshold)
        distributions = [distribution_of(column) for column in columns.values()]
        title += f"{two_way_suffix(models[0])}, PA({threshold:g})"
        sizes = sorted({*SIZES, len(ids)})
        found.append(_analysis(title, distributions, gaps_of(columns), alpha, sizes, models[0].units[0]))
    return found


def assumed_power(
    accuracies: Sequence[float], *, alpha: float = 0.05, correlation: float = CORRELATION
) -> PowerAnalysis:
    """Compute the power of a comparison before there are results.

    Args:
        accuracies: Assumed PA of each model, between 0 and 1; of one value, two models have it.
        alpha: Family-wise significance level.
        correlation: Assumed correlation over seeds of whether two models pass, from 0 to below 1.
    """
    shown = ", ".join(f"{accuracy:g}" for accuracy in accuracies)
    models = [Distribution(np.array([0.0, 1.0]), np.array([1 - accuracy, accuracy])) for accuracy in accuracies]
    title = f"Assumed PA {shown}, correlation {correlation:g}"
    return _analysis(title, models, assumed_gaps(accuracies, correlation), alpha, SIZES, "seed")


def _analysis(
    title: str,
    models: Sequence[Distribution],
    gaps: Distribution,
    alpha: float,
    sizes: Sequence[int],
    unit: str,
) -> PowerAnalysis:
    middle = sorted(models, key=lambda model: model.mean)[len(models) // 2]
    pairs = number_of_pairs(len(models))
    rows = []
    for n in sizes:
        interval = float(np.mean([interval_width(model, n) for model in models]))
        paired = smallest_paired(gaps, n, alpha=alpha / pairs)
        unpaired = smallest_unpaired(middle, n, alpha=alpha / pairs)
        rows.append({"seeds": n, "interval": interval, "paired": paired, "unpaired": unpaired})
    return PowerAnalysis(title=title, unit=unit, alpha=alpha, pairs=pairs, rows=tuple(rows))
