"""Compare models with a baseline on the same seeds, and with a limit of PA: a gate for continuous integration."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from merge_snli.base.errors import InputError, param
from merge_snli.base.table import Column, Table, capitalized, count
from merge_snli.comparison.compare import SUBSAMPLE_TEST, check_subsamples, common_groups, tested_values
from merge_snli.comparison.curves import mean_pattern_accuracy
from merge_snli.comparison.findings import p_text
from merge_snli.comparison.statistics_tables import too_few_note
from merge_snli.scoring.grouping import comparable_results, is_two_way, names_of, titles_of
from merge_snli.scoring.intervals import pattern_accuracy_interval
from merge_snli.scoring.prompts import Scored, group_prompts, on_common_prompts
from merge_snli.scoring.result import Result
from merge_snli.scoring.rows import MODEL, ends_text
from merge_snli.scoring.statistics import Interval, TestResult, holm, observed_gaps, passes_by_seed, smallest_paired
from merge_snli.scoring.statistics.families import PAIRED_TESTS
from merge_snli.scoring.store import as_results
from metrics.pattern_accuracy.core import QUALITY_THRESHOLD

Results: TypeAlias = Result | str | Path | Iterable[Result | str | Path]
# The result of a model, or those of one with several prompts, with its display name.
_Named: TypeAlias = tuple[str, Scored]


@dataclass(frozen=True, kw_only=True)
class AgainstBaseline:
    """PA of a model at a threshold, beside that of its baseline on the same seeds.

    Attributes:
        model: Name of the model.
        baseline: Name of the baseline; None without one, like what is about it.
        data: Data set and config.
        threshold: Threshold of PA.
        unit: What is compared: `seed`, or `group` for pairs in groups.
        seeds: Number of seeds or groups that both were scored on.
        pattern_accuracy: PA of the model on them.
        interval: Its interval.
        baseline_pattern_accuracy: PA of the baseline on them.
        test: The test of the model against the baseline.
        adjusted_p: Its p-value, adjusted by Holm's method over all models and thresholds; NaN if the test is not
            defined, because the difference is the same in every unit and not 0.
        worse: Whether PA is significantly below that of the baseline.
        smallest_difference: Smallest difference of PA that the permutation test finds with a power of 80%.
    """

    model: str
    baseline: str | None
    data: str
    threshold: float
    unit: str
    seeds: int
    pattern_accuracy: float
    interval: Interval
    baseline_pattern_accuracy: float | None = None
    test: TestResult | None = None
    adjusted_p: float | None = None
    worse: bool = False
    smallest_difference: float | None = None

    def failures(self, *, fail_if_worse: bool = False, min_pa: float | None = None) -> list[str]:
        """Return why a gate fails, as parts of a sentence.

        Args:
            fail_if_worse: Whether it fails if PA is significantly below that of the baseline.
            min_pa: PA below which it fails; a difference from rounding does not count.
        """
        pa = f"PA({self.threshold:g}) of {self.model} on {self.data} is {100 * self.pattern_accuracy:.1f}"
        reasons = []
        if fail_if_worse and self.worse and self.test is not None:
            points, p = -100 * self.test.difference, p_text(self.adjusted_p) or "not defined"
            reasons.append(f"{pa}, {points:.1f} points below {self.baseline} ({count(self.seeds, self.unit)}, p {p})")
        if min_pa and self.pattern_accuracy < min_pa and not math.isclose(self.pattern_accuracy, min_pa):
            reasons.append(f"{pa}, below {param('min_pa')} {100 * min_pa:g}%")
        return reasons


def compare_with_baseline(
    results: Results,
    baseline: Results = (),
    *,
    test: str = "permutation",
    alpha: float = 0.05,
    thresholds: Sequence[float] = (QUALITY_THRESHOLD,),
) -> tuple[AgainstBaseline, ...]:
    """Compare each model with the baseline that was scored on the same data and config.

    Args:
        results: Results of one or more models, or results folders.
        baseline: Results of one model, or of models with the same names; none for PA of the models alone.
        test: As in `compare_results`.
        alpha: Significance level over all models and thresholds.
        thresholds: Thresholds.

    Raises:
        InputError: If a model has no baseline, or several.
    """
    models, baselines = _named(results), _named(baseline)
    check_subsamples([model for _, model in models], test)
    titles = titles_of([model.dataset for _, model in models])
    level = alpha / (len(models) * len(thresholds))
    rows = [
        _against(name, model, other, title, test, threshold, level)
        for (name, model), title in zip(models, titles, strict=True)
        for other in [_baseline_of(name, model, title, baselines) if baselines else None]
        for threshold in thresholds
    ]
    tested = holm([row.test.p_value for row in rows if row.test is not None])
    adjusted: list[float | None] = [*tested] or [None] * len(rows)
    return tuple(
        replace(row, adjusted_p=p, worse=row.test is not None and row.test.difference < 0 and not (p or 0) >= alpha)
        for row, p in zip(rows, adjusted, strict=True)
    )


def _named(results: Results) -> list[_Named]:
    groups = [group_prompts(group) for group in comparable_results(as_results(results))]
    return [named for group in groups for named in zip(names_of(group), group, strict=True)]


def _baseline_of(name: str, model: Scored, title: str, baselines: Sequence[_Named]) -> _Named:
    """Return the only baseline on the data of a model, or the one of several that has its name."""
    same = [
        named
        for named in baselines
        if named[1].dataset.key == model.dataset.key and is_two_way(named[1]) == is_two_way(model)
    ]
    fitting = same if len(same) == 1 else [named for named in same if named[1].model.name == model.model.name]
    if len(fitting) != 1:
        raise InputError(
            f"{param('baseline')} has {count(len(same), 'model')} on the data of {name}, {title}, of which "
            f"{len(fitting)} have its name: name results of one model on the same data and config and with as many "
            "labels, or of models with the same names"
        )
    return fitting[0]


def _against(
    name: str, model: Scored, baseline: _Named | None, title: str, test: str, threshold: float, level: float
) -> AgainstBaseline:
    unit = model.units[0]
    scored = on_common_prompts([model] if baseline is None else [model, baseline[1]])
    both = dict(zip((name, f"{baseline and baseline[0]} (baseline)"), scored, strict=False))
    ids = common_groups(both, unit)
    counts = [scored.counts(ids) for scored in both.values()]
    alone = AgainstBaseline(
        model=name if scored[0] is model else scored[0].title,
        baseline=baseline and (baseline[0] if scored[1] is baseline[1] else scored[1].title),
        data=title,
        threshold=threshold,
        unit=unit,
        seeds=len(ids),
        pattern_accuracy=mean_pattern_accuracy(counts[0], threshold),
        interval=pattern_accuracy_interval(counts[0], threshold, unit=unit),
    )
    if baseline is None:
        return alone
    run, unit_of_test = PAIRED_TESTS[test]
    passes = {str(at): passes_by_seed(of.correct, of.sizes, threshold) for at, of in enumerate(counts)}
    return replace(
        alone,
        baseline_pattern_accuracy=mean_pattern_accuracy(counts[1], threshold),
        test=run(
            *(tested_values(scored, ids, test, threshold) for scored in both.values()),
            unit=unit_of_test if test == SUBSAMPLE_TEST else unit,
        ),
        smallest_difference=smallest_paired(observed_gaps(passes), len(ids), alpha=level),
    )


def baseline_table(rows: Sequence[AgainstBaseline], alpha: float) -> Table:
    """Return the comparisons as a table, one row per model, config and threshold.

    Args:
        rows: The comparisons, at least one.
        alpha: Significance level.
    """
    tests = [row.test for row in rows if row.test is not None]
    about = [
        f"{capitalized(test.test)} over {test.unit}s at {alpha:.0%}, p-values adjusted by Holm's method over "
        f"{count(len(tests), 'test')}."
        for test in tests[:1]
    ]
    too_few = (too_few_note(row.seeds, row.unit, row.smallest_difference) for row in rows if row.test is not None)
    columns = (
        MODEL,
        Column("Data", "left"),
        Column(f"{capitalized(rows[0].unit)}s"),
        Column("Threshold", format="g"),
        Column("PA"),
        Column("95% interval"),
        Column("Baseline", "left"),
        Column("Its PA"),
        Column("Difference", format="+.1f"),
        Column("Adjusted p"),
        Column("Worse", "left"),
    )
    shown = columns if tests else columns[:6]
    return Table(
        title="Models and their baselines: PA in percent" if tests else "PA in percent",
        columns=shown,
        rows=tuple(_cells(row)[: len(shown)] for row in rows),
        notes=(*about, *dict.fromkeys(filter(None, [*too_few, *(test.warning for test in tests)]))),
    )


def _cells(row: AgainstBaseline) -> tuple[str | float | None, ...]:
    ends = ends_text(row.interval.low, row.interval.high)
    pa = (row.model, row.data, row.seeds, row.threshold, 100 * row.pattern_accuracy, ends)
    if row.test is None or row.baseline_pattern_accuracy is None:
        return pa
    p, worse = p_text(row.adjusted_p), "yes" if row.worse else "no"
    return *pa, row.baseline, 100 * row.baseline_pattern_accuracy, 100 * row.test.difference, p, worse
