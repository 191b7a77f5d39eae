"""Compare models with a baseline on the same seeds, and with a limit of PA: a gate for continuous integration."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

import numpy as np

from merge_snli.base.batches import grouped
from merge_snli.base.columns import Columns
from merge_snli.base.errors import InputError, param
from merge_snli.base.table import Table, capitalized, count
from merge_snli.comparison.curves import mean_pattern_accuracy
from merge_snli.comparison.detectable import too_few_note
from merge_snli.comparison.findings import p_text, percent_text
from merge_snli.comparison.testing import Significance, drawn_groups
from merge_snli.results.alignment import aligned
from merge_snli.results.grouping import (
    comparable_results,
    copies_among,
    coverage,
    is_two_way,
    missing_groups,
    names_of,
    titles_of,
)
from merge_snli.results.prompts import Scored, accuracy_interval, group_prompts, on_common_prompts
from merge_snli.results.result import Result
from merge_snli.results.rows import ends_text
from merge_snli.results.scores import ROUNDING
from merge_snli.results.store import as_results
from merge_snli.statistics import (
    Interval,
    TestResult,
    distribution_of,
    holm,
    smallest_paired,
)
from merge_snli.statistics.families import PAIRED_TESTS, smallest_p
from merge_snli.statistics.values import FloatArray
from metrics.pattern_accuracy.core import QUALITY_THRESHOLD

# How much larger the share of unread answers may be than that of the baseline, unless the user says otherwise.
ALLOW_UNREAD = 0.02

Results: TypeAlias = Result | str | Path | Iterable[Result | str | Path]


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
        smallest_difference: Smallest difference of PA that the permutation test finds with a power of 80% between two
            models; the same in all rows on as many seeds of the same data.
        missing: What the model lacks of the seeds of the baseline, or without one of those that most models have, so
            that it cannot be judged; None if nothing.
        unread: Share of the rows of the model on which no answer can be read.
        baseline_unread: That of the baseline.
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
    missing: str | None = None
    unread: float = 0.0
    baseline_unread: float = 0.0

    def failures(
        self, *, fail_if_worse: bool = False, min_pa: float | None = None, allow_unread: float = ALLOW_UNREAD
    ) -> list[str]:
        """Return why a gate fails, as parts of a sentence.

        Args:
            fail_if_worse: Whether it fails if PA is significantly below that of the baseline.
            min_pa: PA below which it fails; a difference from rounding does not count.
            allow_unread: How much larger the share of unread answers may be than that of the baseline.
        """
        model = f"{self.model} on {self.data}"
        unread = f"{self.unread:.1%} of its answers cannot be read"
        if fail_if_worse or min_pa is not None:
            if self.missing is not None:
                return [
                    f"{model} cannot be judged: it has {self.missing}; score it on all of them, or add "
                    f"{param('common_seeds', True)}"
                ]
            if self.baseline is not None and self.unread - self.baseline_unread > allow_unread + ROUNDING:
                return [
                    f"{model} cannot be judged: {unread}, and {self.baseline_unread:.1%} of those of {self.baseline}; "
                    f"look at them, ask again for a label alone, or raise {param('allow_unread')}"
                ]
        pa = f"PA({self.threshold:g}) of {model} is {100 * self.pattern_accuracy:.1f}"
        if self.unread:
            pa += f" ({unread})"
        seeds = count(self.seeds, self.unit)
        reasons = []
        if fail_if_worse and not self.can_decide:
            reasons.append(
                f"{model} cannot be judged: with {seeds} and {count(self.tests, 'test')}, no p-value can be below "
                f"{param('alpha')}"
            )
        if fail_if_worse and self.worse and self.test is not None:
            points, p = -100 * self.test.difference, p_text(self.adjusted_p) or "not defined"
            reasons.append(f"{pa}, {points:.1f} points below {self.baseline} ({seeds}, p {p})")
        if min_pa and self.pattern_accuracy < min_pa and not math.isclose(self.pattern_accuracy, min_pa):
            reasons.append(f"{pa}, below {param('min_pa')} {100 * min_pa:g}%")
        return reasons


@dataclass(frozen=True)
class _Model:
    """A model with its display names.

    Attributes:
        name: Name of the model.
        scored: Its result, or those with several prompts.
        missing: What it lacks of the seeds that most models have; None if nothing.
        data: Data set and config.
    """

    name: str
    scored: Scored
    missing: str | None
    data: str


def compare_with_baseline(
    results: Results,
    baseline: Results = (),
    *,
    test: str = "permutation",
    alpha: float = 0.05,
    thresholds: Sequence[float] = (QUALITY_THRESHOLD,),
    common_seeds: bool = False,
) -> tuple[AgainstBaseline, ...]:
    """Compare each model with the baseline that was scored on the same data and config.

    Args:
        results: Results of one or more models, or results folders.
        baseline: Results of one model, or of models with the same names; none for PA of the models alone.
        test: As in `compare_results`.
        alpha: Significance level over all models and thresholds.
        thresholds: Thresholds.
        common_seeds: Whether a model that lacks seeds of the baseline is compared on those that both have. Without a
            baseline: whether PA is that on the seeds that all models have.

    Raises:
        InputError: If a model has no baseline, or several.
    """
    significance = Significance(test, alpha)
    given, baselines = as_results(results), _named(as_results(baseline))
    if not baselines:
        return _alone(_named(aligned(given, common_seeds=common_seeds)), thresholds)
    models = {str(number): model for number, model in enumerate(_named(given))}
    significance.check_subsamples(model.scored for model in models.values())
    copies = copies_among({number: model.scored for number, model in models.items()})
    pairs = []
    for number, model in models.items():
        other, original = _baseline_of(model, baselines), copies.get(number, number)
        for threshold in thresholds:
            pairs.append(_against(model, other, significance, threshold, original, common_seeds=common_seeds))
    return _adjusted(pairs, significance)


def _named(results: Iterable[Result]) -> list[_Model]:
    groups = [group_prompts(group) for group in comparable_results(results)]
    titles = titles_of([models[0].dataset for models in groups])
    found = []
    for models, title in zip(groups, titles, strict=True):
        for name, scored, missing in zip(names_of(models), models, missing_groups(models), strict=True):
            found.append(_Model(name, scored, missing, title))
    return found


def _baseline_of(model: _Model, baselines: Sequence[_Model]) -> _Model:
    """Return the only baseline on the data of a model, or the one of several that has its name."""
    scored = model.scored
    kind = scored.dataset.key, is_two_way(scored)
    same = [other for other in baselines if (other.scored.dataset.key, is_two_way(other.scored)) == kind]
    fitting = same
    if len(same) != 1:
        fitting = [other for other in same if other.scored.model.name == scored.model.name]
    if len(fitting) != 1:
        raise InputError(
            f"{param('baseline')} has {count(len(same), 'model')} on the data of {model.name}, {model.data}, of which "
            f"{len(fitting)} have its name: name results of one model on the same data and config and with as many "
            "labels, or of models with the same names"
        )
    return fitting[0]


def _alone(models: Sequence[_Model], thresholds: Sequence[float]) -> tuple[AgainstBaseline, ...]:
    """Return PA of models; one that lacks seeds that most models have cannot be judged."""
    rows = []
    for model in models:
        groups = drawn_groups({model.name: model.scored})
        for threshold in thresholds:
            rows.append(replace(_row(model, model.scored, groups, threshold), missing=model.missing))
    return tuple(rows)


def _row(model: _Model, scored: Scored, groups: Sequence[str], threshold: float) -> AgainstBaseline:
    counts = scored.counts(groups)
    return AgainstBaseline(
        model=model.name if scored is model.scored else scored.title,
        baseline=None,
        data=model.data,
        threshold=threshold,
        unit=scored.units[0],
        seeds=len(groups),
        pattern_accuracy=mean_pattern_accuracy(counts, threshold),
        interval=accuracy_interval(scored, groups, threshold),
        unread=counts.unread,
    )


@dataclass(frozen=True)
class _Pair:
    """A model beside its baseline at a threshold, before p-values are adjusted.

    Attributes:
        row: What is known without the other rows, with the test; without one if the model cannot be judged.
        key: The first model with these answers, and the tested differences: what is tested once. None if the baseline
            has the same answers, so that there is nothing to test.
        gaps: How far the two models are apart on each seed.
    """

    row: AgainstBaseline
    key: tuple[str, bytes] | None = None
    gaps: FloatArray | None = None

    @property
    def seeds(self) -> tuple[str, int]:
        """The data, and the number of seeds of it."""
        return self.row.data, self.row.seeds


def _against(
    model: _Model, baseline: _Model, significance: Significance, threshold: float, original: str, *, common_seeds: bool
) -> _Pair:
    scored, other = on_common_prompts([model.scored, baseline.scored])
    baseline_name = baseline.name if other is baseline.scored else other.title
    if not common_seeds and not set(other.group_ids).issubset(scored.group_ids):
        row = _row(model, scored, drawn_groups({model.name: scored}), threshold)
        return _Pair(replace(row, baseline=baseline_name, missing=coverage(scored, len(other.group_ids))))
    groups = drawn_groups({model.name: scored, f"{baseline.name} (baseline)": other})
    counts, of_other = scored.counts(groups), other.counts(groups)
    values = significance.values(scored, groups, threshold)
    of_baseline = significance.values(other, groups, threshold)
    run, _ = PAIRED_TESTS[significance.test]
    row = replace(
        _row(model, scored, groups, threshold),
        baseline=baseline_name,
        baseline_pattern_accuracy=mean_pattern_accuracy(of_other, threshold),
        baseline_unread=of_other.unread,
        test=run(values, of_baseline, unit=significance.unit_of(scored)),
    )
    key = None
    if not copies_among({"model": scored, "baseline": other}):
        key = original, (values.astype(np.float64) - of_baseline).tobytes()
    gaps = np.abs(counts.passes(threshold) - of_other.passes(threshold))
    return _Pair(row, key, gaps)


def _adjusted(pairs: Sequence[_Pair], significance: Significance) -> tuple[AgainstBaseline, ...]:
    """Return the rows with p-values adjusted over the different tests, and what these can find."""
    p_of = {}
    for pair in pairs:
        if pair.key is not None and pair.row.test is not None:
            p_of[pair.key] = pair.row.test.p_value
    adjusted = dict(zip(p_of, holm(list(p_of.values())), strict=True))
    level = significance.alpha / max(1, len(p_of))
    # The smallest difference that is found, by data and number of seeds, from all models and thresholds.
    smallest = {}
    gaps = grouped((pair.seeds, pair.gaps) for pair in pairs if pair.gaps is not None)
    for seeds, of_data in gaps.items():
        smallest[seeds] = smallest_paired(distribution_of(np.concatenate(of_data)), seeds[1], alpha=level)
    rows = []
    for pair in pairs:
        row = replace(pair.row, tests=len(p_of))
        if row.test is not None:
            p = 1.0 if pair.key is None else adjusted[pair.key]
            row = replace(
                row,
                adjusted_p=p,
                can_decide=smallest_p(significance.test, row.test.n) < level,
                worse=row.test.difference < 0 and not p >= significance.alpha,
                smallest_difference=smallest[pair.seeds],
            )
        rows.append(row)
    return tuple(rows)


def baseline_table(rows: Sequence[AgainstBaseline], alpha: float) -> Table:
    """Return the comparisons as a table, one row per model, config and threshold.

    Args:
        rows: The comparisons, at least one.
        alpha: Significance level.
    """
    columns = Columns[AgainstBaseline]()
    columns.add("Model", lambda row: row.model, align="left")
    columns.add("Data", lambda row: row.data, align="left")
    columns.add(f"{capitalized(rows[0].unit)}s", lambda row: row.seeds)
    columns.add("Threshold", lambda row: row.threshold, format="g")
    columns.add("PA", lambda row: 100 * row.pattern_accuracy)
    columns.add("95% interval", lambda row: ends_text(row.interval.low, row.interval.high))
    if any(row.unread or row.baseline_unread for row in rows):
        columns.add("Unread", lambda row: 100 * row.unread)
    title = "PA in percent"
    notes: list[str | None] = []
    if any(row.baseline is not None for row in rows):
        title = "Models and their baselines: PA in percent"
        notes += _test_notes(rows, alpha)
        columns.add("Baseline", lambda row: row.baseline, align="left")
        columns.add("Its PA", lambda row: _points(row.baseline_pattern_accuracy))
        if any(row.baseline_unread for row in rows):
            columns.add("Its unread", lambda row: 100 * row.baseline_unread)
        columns.add("Difference", lambda row: None if row.test is None else _points(row.test.difference), format="+.1f")
        columns.add("Adjusted p", lambda row: p_text(row.adjusted_p))
        columns.add("Worse", lambda row: None if row.test is None else ("no", "yes")[row.worse], align="left")
    for row in rows:
        if row.missing is not None:
            notes.append(f"{row.model} cannot be judged: {row.missing}.")
    return columns.table(rows, title=title, notes=dict.fromkeys(notes))


def _points(share: float | None) -> float | None:
    return None if share is None else 100 * share


def _test_notes(rows: Sequence[AgainstBaseline], alpha: float) -> list[str | None]:
    """Return which test it is, over how many seeds and tests, and what it cannot show."""
    notes: list[str | None] = []
    for row in rows:
        if row.test is None:
            continue
        notes.append(
            f"{capitalized(row.test.test)} over {row.test.unit}s at {percent_text(alpha)}, p-values adjusted by Holm's "
            f"method over {count(row.tests, 'test')}."
        )
        notes.append(too_few_note(row.seeds, row.unit, row.smallest_difference))
        notes.append(row.test.warning)
    return notes
