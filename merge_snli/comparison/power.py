"""Say how many seeds a comparison of models needs: the smallest difference that is found, by number of seeds."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from math import comb
from pathlib import Path
from typing import Any

import numpy as np

from merge_snli.base.errors import InputError, param, raise_first
from merge_snli.base.table import Column, Table, count
from merge_snli.comparison.compare import common_groups
from merge_snli.comparison.line_chart import COLORS, draw_grid, draw_title, save_figure
from merge_snli.comparison.statistics_tables import too_few_note
from merge_snli.results.grouping import (
    comparable_results,
    copies_among,
    distinct_names_of,
    titles_of,
    two_way_suffix,
    without_permuted,
)
from merge_snli.results.result import Result
from merge_snli.results.rows import percent
from merge_snli.statistics import (
    POWER,
    Distribution,
    assumed_gaps,
    distribution_of,
    interval_width,
    observed_gaps,
    passes_by_seed,
    smallest_paired,
    smallest_unpaired,
)
from merge_snli.statistics.values import FloatArray
from metrics.pattern_accuracy.core import QUALITY_THRESHOLD

# Numbers of seeds that are shown besides that of the data.
SIZES = (50, 100, 200, 500, 1_000, 2_000, 5_000)
# Assumed correlation over seeds of whether two models pass, if no two models were scored.
CORRELATION = 0.5


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
    rows: tuple[dict[str, Any], ...]

    def table(self) -> Table:
        """Return the numbers in points, that is, percent."""
        return Table(
            title=f"{self.title}: differences that are found with a power of {POWER:.0%}, in points",
            columns=(
                Column(f"{self.unit.capitalize()}s"),
                Column("95% interval of PA", format=".1f"),
                Column(f"Same {self.unit}s", format=".1f"),
                Column(f"Different {self.unit}s", format=".1f"),
            ),
            rows=tuple(
                (row["seeds"], *(percent(row[name]) for name in ("interval", "paired", "unpaired")))
                for row in self.rows
            ),
            notes=(
                "95% interval of PA: its width.",
                f"Same {self.unit}s, Different {self.unit}s: the smallest difference of PA between two models that is "
                f"found at {self.alpha:g} / {self.pairs}, the strictest step of Holm's method over "
                f"{count(self.pairs, 'pair')}; smaller ones are mostly missed.",
            ),
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the numbers as JSON values."""
        return asdict(self)

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
            points = 100 * np.array([row[name] for row in self.rows], dtype=np.float64)  # None becomes NaN
            axes.plot(seeds, points, "o-", label=label, color=color)
        axes.set(xscale="log", yscale="log", xlabel=f"{self.unit.capitalize()}s", ylabel="points")
        axes.set_xticks(seeds, [f"{number:,}" for number in seeds], rotation=45)
        axes.set_xticks([], minor=True)
        axes.set_yticks([1, 2, 5, 10, 20, 50], ["1", "2", "5", "10", "20", "50"])
        axes.set_yticks([], minor=True)
        draw_grid(axes)
        axes.legend(frameon=False)
        draw_title(figure, f"{self.title}: differences found with a power of {POWER:.0%}")
        return save_figure(figure, path)


def power_of_results(
    results: Iterable[Result], *, alpha: float = 0.05, threshold: float = QUALITY_THRESHOLD
) -> list[PowerAnalysis]:
    """Compute the power of comparisons from stored results, for each data set and config.

    The gaps between models on the same seeds, and so their correlation, are those of all pairs of models.

    Args:
        results: Results in any order; one model is compared with an equally good one of correlation `CORRELATION`.
        alpha: Family-wise significance level.
        threshold: Threshold of PA.

    Raises:
        InputError: If models have fewer than two seeds in common, or two results are of the same model.
    """
    groups = comparable_results(results)
    titles = titles_of([group[0].dataset for group in groups])
    return [
        _power(
            f"{title}{two_way_suffix(group[0])}, PA({threshold:g})",
            _common_passes(without_permuted(group), threshold),
            alpha,
            unit=group[0].units[0],
        )
        for title, group in zip(titles, groups, strict=True)
    ]


def assumed_power(
    accuracies: Sequence[float], *, alpha: float = 0.05, correlation: float = CORRELATION
) -> PowerAnalysis:
    """Compute the power of a comparison before there are results.

    Args:
        accuracies: Assumed PA of each model; of one value, two models have it.
        alpha: Family-wise significance level.
        correlation: Assumed correlation over seeds of whether two models pass.

    Raises:
        InputError: If an accuracy is not between 0 and 1, or the correlation not from 0 to below 1.
    """
    raise_first(
        (
            not accuracies or not all(0 < accuracy < 1 for accuracy in accuracies),
            f"{param('assume')} needs accuracies between 0 and 1, such as 0.7",
        ),
        (not 0 <= correlation < 1, f"{param('correlation')} is {correlation:g}: it must be at least 0 and below 1"),
    )
    shown = ", ".join(f"{accuracy:g}" for accuracy in accuracies)
    models = [Distribution(np.array([0.0, 1.0]), np.array([1 - accuracy, accuracy])) for accuracy in accuracies]
    gaps = assumed_gaps(accuracies, correlation)
    return _rows(f"Assumed PA {shown}, correlation {correlation:g}", models, gaps, alpha, SIZES, "seed")


def too_few_notes(results: Sequence[Result]) -> list[str]:
    """Return what comparisons of models by PA(0.9) at the level 0.05 cannot show, one sentence for each that is coarse.

    Args:
        results: Results in any order. Those of models with other labels, or with no two seeds in common, count apart.
    """
    notes = []
    for group in comparable_results(results):
        with suppress(InputError):
            passes = _common_passes(group, QUALITY_THRESHOLD)
            n = len(next(iter(passes.values())))
            smallest = smallest_paired(_gaps(passes), n, alpha=0.05 / max(1, comb(len(passes), 2)))
            notes.append(too_few_note(n, group[0].units[0], smallest))
    return [note for note in notes if note is not None]


def _common_passes(results: Sequence[Result], threshold: float) -> dict[str, FloatArray]:
    """Return the share of the subsamples in which each model passes each seed that all of them have, [n_seeds].

    Of models with the same answers, only the first is returned: they are tested once.
    """
    named = dict(zip(distinct_names_of(results), results, strict=True))
    ids = common_groups(named, results[0].units[0])
    copies = copies_among(named)
    counts = {name: result.counts(ids) for name, result in named.items() if name not in copies}
    return {name: passes_by_seed(table.correct, table.sizes, threshold) for name, table in counts.items()}


def _power(title: str, passes: dict[str, FloatArray], alpha: float, *, unit: str) -> PowerAnalysis:
    models = [distribution_of(column) for column in passes.values()]
    return _rows(title, models, _gaps(passes), alpha, sorted({*SIZES, len(next(iter(passes.values())))}), unit)


def _rows(
    title: str, models: Sequence[Distribution], gaps: Distribution, alpha: float, sizes: Sequence[int], unit: str
) -> PowerAnalysis:
    pairs = max(1, comb(len(models), 2))
    middle = sorted(models, key=lambda model: model.mean)[len(models) // 2]
    rows = tuple(
        {
            "seeds": n,
            "interval": float(np.mean([interval_width(model, n) for model in models])),
            "paired": smallest_paired(gaps, n, alpha=alpha / pairs),
            "unpaired": smallest_unpaired(middle, n, alpha=alpha / pairs),
        }
        for n in sizes
    )
    return PowerAnalysis(title=title, unit=unit, alpha=alpha, pairs=pairs, rows=rows)


def _gaps(passes: dict[str, FloatArray]) -> Distribution:
    first, *others = passes.values()
    return observed_gaps(passes) if others else assumed_gaps([float(first.mean())], CORRELATION)
