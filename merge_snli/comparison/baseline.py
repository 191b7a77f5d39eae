"""Compare models with a baseline on the same seeds, for a gate in continuous integration."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

import numpy as np

from merge_snli.base.arrays import Floats
from merge_snli.base.batches import grouped
from merge_snli.base.errors import InputError
from merge_snli.base.table import count
from merge_snli.comparison.curves import mean_pattern_accuracy
from merge_snli.comparison.gate import AgainstBaseline
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
from merge_snli.results.prompts import accuracy_interval, group_prompts, on_common_prompts
from merge_snli.results.result import Result
from merge_snli.results.store import as_results
from merge_snli.statistics import distribution_of, holm, smallest_paired
from merge_snli.statistics.families import PAIRED_TESTS, smallest_p
from metrics.pattern_accuracy.core import QUALITY_THRESHOLD

Results: TypeAlias = Result | str | Path | Iterable[Result | str | Path]


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
    scored: Result
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
    given = as_results(results)
    baselines = _named(as_results(baseline))
    if not baselines:
        return _alone(_named(aligned(given, common_seeds=common_seeds)), thresholds)
    models = {str(number): model for number, model in enumerate(_named(given))}
    copies = copies_among({number: model.scored for number, model in models.items()})
    pairs = []
    for number, model in models.items():
        other = _baseline_of(model, baselines)
        original = copies.get(number, number)
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
            f"⟦baseline⟧ has {count(len(same), 'model')} on the data of {model.name}, {model.data}, of which "
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


def _row(model: _Model, scored: Result, groups: Sequence[str], threshold: float) -> AgainstBaseline:
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
    gaps: Floats | None = None

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
    counts = scored.counts(groups)
    of_other = other.counts(groups)
    values = significance.values(scored, groups, threshold)
    of_baseline = significance.values(other, groups, threshold)
    row = replace(
        _row(model, scored, groups, threshold),
        baseline=baseline_name,
        baseline_pattern_accuracy=mean_pattern_accuracy(of_other, threshold),
        baseline_unread=of_other.unread,
        test=PAIRED_TESTS[significance.test](values, of_baseline, unit=significance.unit_of(scored)),
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
