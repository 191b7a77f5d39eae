"""Compare models with a baseline on the same seeds, and with a limit of PA: a gate for continuous integration."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

import numpy as np

from merge_snli.base.errors import InputError, param
from merge_snli.base.table import Column, Table, capitalized, count
from merge_snli.comparison.compare import check_subsamples, common_groups, tested_values
from merge_snli.comparison.curves import mean_pattern_accuracy
from merge_snli.comparison.findings import p_text, percent_text
from merge_snli.comparison.statistics_tables import too_few_note
from merge_snli.results.grouping import comparable_results, copies_among, is_two_way, names_of, titles_of
from merge_snli.results.intervals import pattern_accuracy_interval
from merge_snli.results.prompts import Scored, group_prompts, on_common_prompts
from merge_snli.results.result import Result
from merge_snli.results.rows import MODEL, ends_text
from merge_snli.results.store import as_results
from merge_snli.statistics import (
    Distribution,
    Interval,
    TestResult,
    holm,
    observed_gaps,
    passes_by_seed,
    smallest_paired,
)
from merge_snli.statistics.families import PAIRED_TESTS, SUBSAMPLE_TEST, smallest_p
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
        adjusted_p: Its p-value, adjusted by Holm's method over `tests`; NaN if the test is not defined, because the
            difference is the same in every unit and not 0.
        tests: Number of tests of all models and thresholds. A model with the answers of another, and thresholds at
            which a model differs from the baseline on the same seeds, are tested once.
        can_decide: Whether the test can give a p-value below the level after the adjustment.
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
    tests: int = 0
    can_decide: bool = True
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
        if fail_if_worse and not self.can_decide:
            reasons.append(
                f"{self.model} on {self.data} cannot be judged: with {count(self.seeds, self.unit)} and "
                f"{count(self.tests, 'test')}, no p-value can be below {param('alpha')}"
            )
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
    copies = copies_among({str(number): model for number, (_, model) in enumerate(models)})
    rows: list[AgainstBaseline] = []
    pairs: list[_Pair] = []
    for number, ((name, model), title) in enumerate(zip(models, titles, strict=True)):
        if not baselines:
            rows += [_alone(name, model, title, threshold) for threshold in thresholds]
            continue
        other = _baseline_of(name, model, title, baselines)
        original = copies.get(str(number), str(number))
        pairs += [_against(name, model, other, title, test, threshold, original) for threshold in thresholds]
    return tuple(rows or _adjusted(pairs, test, alpha))


@dataclass(frozen=True)
class _Pair:
    """A model beside its baseline at a threshold, before p-values are adjusted.

    Attributes:
        row: What is known without the other rows.
        test: The test.
        key: The first model with these answers, and the tested differences: what is tested once. None if the baseline
            has the same answers, so that there is nothing to test.
        gaps: How far the two models are apart on a seed.
    """

    row: AgainstBaseline
    test: TestResult
    key: tuple[str, bytes] | None
    gaps: Distribution


def _adjusted(pairs: Sequence[_Pair], test: str, alpha: float) -> list[AgainstBaseline]:
    """Return the rows with p-values adjusted over the different tests, and what these can find."""
    p_of = {pair.key: pair.test.p_value for pair in pairs if pair.key is not None}
    adjusted = dict(zip(p_of, holm(list(p_of.values())), strict=True))
    level = alpha / max(1, len(p_of))
    rows = []
    for pair in pairs:
        p = 1.0 if pair.key is None else adjusted[pair.key]
        rows.append(
            replace(
                pair.row,
                test=pair.test,
                adjusted_p=p,
                tests=len(p_of),
                can_decide=smallest_p(test, pair.test.n) < level,
                worse=pair.test.difference < 0 and not p >= alpha,
                smallest_difference=smallest_paired(pair.gaps, pair.row.seeds, alpha=level),
            )
        )
    return rows


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


def _alone(name: str, model: Scored, title: str, threshold: float) -> AgainstBaseline:
    unit = model.units[0]
    ids = common_groups({name: model}, unit)
    counts = model.counts(ids)
    return AgainstBaseline(
        model=name,
        baseline=None,
        data=title,
        threshold=threshold,
        unit=unit,
        seeds=len(ids),
        pattern_accuracy=mean_pattern_accuracy(counts, threshold),
        interval=pattern_accuracy_interval(counts, threshold, unit=unit),
    )


def _against(
    name: str, model: Scored, baseline: _Named, title: str, test: str, threshold: float, original: str
) -> _Pair:
    unit = model.units[0]
    scored, other = on_common_prompts([model, baseline[1]])
    ids = common_groups({name: scored, f"{baseline[0]} (baseline)": other}, unit)
    counts, of_other = scored.counts(ids), other.counts(ids)
    row = AgainstBaseline(
        model=name if scored is model else scored.title,
        baseline=baseline[0] if other is baseline[1] else other.title,
        data=title,
        threshold=threshold,
        unit=unit,
        seeds=len(ids),
        pattern_accuracy=mean_pattern_accuracy(counts, threshold),
        interval=pattern_accuracy_interval(counts, threshold, unit=unit),
        baseline_pattern_accuracy=mean_pattern_accuracy(of_other, threshold),
    )
    is_copy = bool(copies_among({"model": scored, "baseline": other}))
    run, unit_of_test = PAIRED_TESTS[test]
    values, of_baseline = (tested_values(one, ids, test, threshold) for one in (scored, other))
    passes = {
        "model": passes_by_seed(counts.correct, counts.sizes, threshold),
        "baseline": passes_by_seed(of_other.correct, of_other.sizes, threshold),
    }
    return _Pair(
        row=row,
        test=run(values, of_baseline, unit=unit_of_test if test == SUBSAMPLE_TEST else unit),
        key=None if is_copy else (original, (values.astype(np.float64) - of_baseline).tobytes()),
        gaps=observed_gaps(passes),
    )


def baseline_table(rows: Sequence[AgainstBaseline], alpha: float) -> Table:
    """Return the comparisons as a table, one row per model, config and threshold.

    Args:
        rows: The comparisons, at least one.
        alpha: Significance level.
    """
    tests = [row.test for row in rows if row.test is not None]
    about = []
    if tests:
        about.append(
            f"{capitalized(tests[0].test)} over {tests[0].unit}s at {percent_text(alpha)}, p-values adjusted by Holm's "
            f"method over {count(rows[0].tests, 'test')}."
        )
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
