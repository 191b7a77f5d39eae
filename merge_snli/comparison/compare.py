"""Compare models scored on the same seeds: pairwise significance tests at the quality threshold (section 5)."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from merge_snli.answers.data import ScoredData
from merge_snli.answers.part import disagreeing
from merge_snli.base.errors import InputError
from merge_snli.base.progress import Progress
from merge_snli.base.table import count
from merge_snli.comparison.choice import Chosen, choose, titles_of_chosen
from merge_snli.comparison.comparison import Comparison
from merge_snli.comparison.curves import mean_pattern_accuracy
from merge_snli.comparison.detectable import smallest_difference
from merge_snli.comparison.findings import not_compared, ranking
from merge_snli.comparison.scored_dataset import NotComputable, on_common_seeds, scored_dataset, without_seeds
from merge_snli.comparison.testing import Significance, drawn_groups
from merge_snli.comparison.word_classes import classes
from merge_snli.dataset.stored import MergeDataset, as_datasets
from merge_snli.results.alignment import aligned
from merge_snli.results.answered import answered_of
from merge_snli.results.grouping import NamedResults, all_notes, permuted_labels, without_permuted
from merge_snli.results.orders import order_effects
from merge_snli.results.prompts import accuracy_interval, results_of
from merge_snli.results.result import Result
from merge_snli.results.store import as_results
from merge_snli.results.whole import find_whole
from merge_snli.statistics import (
    Family,
    NamedTest,
    PairAtThresholds,
    TestResult,
    compare_at_thresholds,
    mean_of_known,
    paired_t_test,
    ratios,
)
from metrics.pattern_accuracy.core import CURVE, QUALITY_THRESHOLD


def compare_results(
    results: str | Path | Iterable[Result | str | Path],
    *,
    test: str = "permutation",
    alpha: float = 0.05,
    datasets: str | Path | MergeDataset | Iterable[MergeDataset | str | Path] = (),
    thresholds: Sequence[float] = (QUALITY_THRESHOLD,),
    all_thresholds: bool = False,
    min_agreement: float | None = None,
    common_seeds: bool = False,
    progress: Progress | None = None,
) -> tuple[Comparison, ...]:
    """Compare the models of each data set and config with each other, two-way models apart from the others.

    Models are compared on the seeds that most of them have; those that lack some are named, and not compared.

    Args:
        results: Results in any order, or results folders of `merge-snli score`.
        test: `permutation`, `mcnemar` or `t-test`, as in `merge_snli.statistics.compare_models`.
        alpha: Family-wise significance level.
        datasets: Data sets on which the results were computed, to compare word classes.
        thresholds: Thresholds from 0 to 1 at which the models are compared, at least one.
        all_thresholds: Also test at which of the thresholds 0, 0.01, … 1 each pair of models differs.
        min_agreement: Smallest share of annotators who gave the gold label; other seeds are left out. Needs the data
            sets of all results.
        common_seeds: Whether to compare all models, on the seeds that all of them have.
        progress: Where to report the progress; by default nowhere.

    Returns:
        One comparison per threshold, data set and config with at least two models, in the order of their first results.

    Raises:
        NotComparable: If no data set and config has two models on the same seeds.
        InputError: If `alpha` is not between 0 and 1, two results are of the same model, the models have fewer than two
            seeds or groups in common, no result is on one of `datasets`, word classes are compared without the quality
            threshold, or the test needs subsamples and the data has none.
    """
    significance = Significance(test, alpha)
    opened = as_datasets(datasets)
    chosen = choose(aligned(as_results(results), common_seeds=common_seeds))
    data = [find_whole(each.first.dataset, opened) for each in chosen]
    _check_datasets(opened, data, thresholds)
    titles = titles_of_chosen(chosen, min_agreement)
    comparisons = []
    total = len(thresholds) * sum(len(each.models) for each in chosen)
    with (progress or Progress(quiet=True)).stage("comparing", unit="models", total=total) as stage:
        for each, title, whole in zip(chosen, titles, data, strict=True):
            low = _low_agreement(whole, each.first, min_agreement)
            for threshold in thresholds:
                every = all_thresholds and threshold == thresholds[0]
                comparisons.append(_compare(each, title, significance, threshold, whole, low, every))
                stage.advance(len(each.models))
    return tuple(comparisons)


def _check_datasets(
    datasets: Sequence[MergeDataset], data: Sequence[ScoredData | None], thresholds: Sequence[float]
) -> None:
    """Check that results are on each data set, and that its word classes can be compared."""
    scored = [of_results.stored for of_results in data if of_results is not None]
    for dataset in datasets:
        if dataset not in scored:
            raise InputError(f"⟦dataset⟧ {dataset.name} ({dataset.digest[:8]}): no two models were scored on this data")
    if datasets and QUALITY_THRESHOLD not in thresholds:
        raise InputError(f"⟦dataset⟧ compares word classes at {QUALITY_THRESHOLD}: add it to ⟦threshold⟧")


def _compare(
    chosen: Chosen,
    title: str,
    significance: Significance,
    threshold: float,
    data: ScoredData | None,
    low: set[str],
    all_thresholds: bool,
) -> Comparison:
    models = chosen.models
    first = chosen.first
    unit = first.units[0]
    groups = tuple(name for name in drawn_groups(models) if name not in low)
    if len(groups) < 2:
        raise InputError(f"⟦min_agreement⟧: {count(len(groups), unit)} left, and at least two are needed")
    family = significance.family(models, groups, threshold)
    accuracies = {}
    intervals = {}
    of_read = {}
    for name, result in models.items():
        counts = result.counts(groups)
        accuracies[name] = mean_pattern_accuracy(counts, threshold)
        read = answered_of(counts, threshold)
        if read is not None:
            of_read[name] = read
        intervals[name] = accuracy_interval(result, groups, threshold)
    smallest = smallest_difference(models, groups, alpha=significance.alpha, threshold=threshold)
    seeds_against_variants = None
    of_classes = None
    averaged = without_permuted(list(models.values()))
    if threshold == QUALITY_THRESHOLD and first.has_seeds and chosen.prompted is None and len(averaged) > 1:
        seeds_against_variants = _seeds_against_variants(averaged, groups)
        of_classes = _classes(data, averaged, low)
    ends = {name: interval.ends for name, interval in intervals.items()}
    permuted = [name for name, result in models.items() if permuted_labels(result)]
    prompted = chosen.prompted
    kind = "model" if prompted is None else "prompt"
    finding = ranking(accuracies, ends, family, threshold=threshold, kind=kind, permuted=permuted)
    left_out = len({*first.group_ids} - low) + first.left_out.groups - len(groups)
    notes = _notes(models, family) | chosen.alone
    about = first.dataset
    found = Comparison(
        title=title,
        dataset=about.title,
        digest=about.digest,
        config=about.config,
        threshold=threshold,
        unit=unit,
        seeds=len(groups),
        left_out=left_out,
        subsamples=first.subsamples,
        pattern_accuracy=accuracies,
        intervals=intervals,
        smallest_difference=smallest,
        family=family,
        seeds_against_variants=seeds_against_variants,
        classes=of_classes,
        notes=notes,
        finding=finding + not_compared(chosen.apart),
        apart=chosen.apart,
        answered=of_read,
    )
    if all_thresholds:
        found = replace(found, all_thresholds=_at_all_thresholds(models, groups, family))
    if prompted is not None:
        found = replace(found, prompts=prompted.effect, orders=order_effects(prompted))
    return found


def _at_all_thresholds(models: NamedResults, groups: Sequence[str], family: Family) -> tuple[PairAtThresholds, ...]:
    """Test all pairs of models at the thresholds of a curve."""
    tables = {}
    for name in family.models:
        counts = models[name].counts(groups)
        tables[name] = np.stack([counts.passes(threshold) for threshold in CURVE], axis=1)
    return compare_at_thresholds(tables, alpha=family.alpha, copies=family.copies)


def _notes(models: NamedResults, family: Family) -> dict[str, tuple[str, ...]]:
    """Return the notes on each model, best first."""
    notes = {}
    for name in family.models:
        of_model = all_notes(models[name])
        if name in family.copies:
            of_model.append(f"gives exactly the answers of {family.copies[name]}; their tests count once")
        notes[name] = tuple(of_model)
    return notes


def _seeds_against_variants(results: Sequence[Result], groups: Sequence[str]) -> TestResult:
    """Test SA on seeds against SA on variants, over models on common seeds."""
    on_seeds = []
    on_variants = []
    for result in results:
        kept = np.isin(result.group_ids, groups)
        on_seeds.append(result.correct_seeds()[kept].mean())
        counts = result.counts(groups)
        shares = ratios(counts.correct.sum(axis=1), counts.sizes.sum(axis=1))
        on_variants.append(float(mean_of_known(shares, axis=0)))
    return paired_t_test(on_seeds, on_variants, unit="model")


def _low_agreement(data: ScoredData | None, result: Result, min_agreement: float | None) -> set[str]:
    """Return the seeds to which fewer annotators gave the gold label; none if no agreement is required."""
    if min_agreement is None:
        return set()
    if data is None:
        raise InputError(f"⟦min_agreement⟧ needs the labels of annotators: name {result.dataset.title} with ⟦dataset⟧")
    return disagreeing(data, min_agreement)


def _classes(data: ScoredData | None, results: Sequence[Result], low: Collection[str]) -> tuple[NamedTest, ...] | None:
    """Test each pair of word classes over seeds; none if the config has one class, None without the whole data set."""
    if data is None or results[0].dataset.partial is not None:
        return None
    answers: list[Result] = []
    for scored in results:
        answers += results_of(scored)
    try:
        [common] = on_common_seeds([without_seeds(scored_dataset(data, answers), low)])
        return classes(common).tests
    except NotComputable:
        return ()
