"""Compare models scored on the same seeds: pairwise significance tests at the quality threshold (section 5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from merge_snli.errors import InputError
from metrics.pattern_accuracy.core import QUALITY_THRESHOLD
from scoring.analysis.classes import classes
from scoring.analysis.not_computable import NotComputable
from scoring.analysis.scored_dataset import read_scored_dataset
from scoring.results.grouping import distinct_names_of, on_same_data, titles_of
from scoring.statistics import compare_models, mean_interval, paired_t_test, passes_by_seed
from scoring.statistics import values_for as values_for_test

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from merge_snli.dataset import MergeDataset
    from scoring.analysis.classes import ClassTest
    from scoring.results.result import Result, SeedTable
    from scoring.statistics import Family, Interval, TestResult

    Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Comparison:
    """A comparison of the models that were scored on one config of one data set.

    Attributes:
        title: Data set and config, with the data's digest if another compared data set has the same name.
        dataset: Title of the data set.
        digest: sha256 of the data.
        config: `all` or a word class.
        threshold: Threshold of pattern accuracy: the quality threshold.
        seeds: Number of seeds that all models were scored on.
        left_out: Number of seeds that are too long for some model and not compared.
        subsamples: Number of subsamples.
        pattern_accuracy: PA of each model: the mean over seeds of the share of subsamples in which the seed passes.
        intervals: Interval of each model's PA, from a bootstrap that resamples seeds.
        family: All pairs of models, with p-values adjusted by Holm's method.
        seeds_against_variants: SA on seeds against SA on variants, over models (section 5.1).
        classes: PA of each pair of word classes, over seeds (section 5.2); None without the data set, whose variants
            have the classes.
        notes: Notes of each model's result.
    """

    title: str
    dataset: str
    digest: str
    config: str
    threshold: float
    seeds: int
    left_out: int
    subsamples: int
    pattern_accuracy: Mapping[str, float]
    intervals: Mapping[str, Interval]
    family: Family
    seeds_against_variants: TestResult
    classes: tuple[ClassTest, ...] | None
    notes: Mapping[str, tuple[str, ...]]


def compare_results(
    results: Iterable[Result],
    *,
    test: str = "permutation",
    alpha: float = 0.05,
    datasets: Iterable[MergeDataset] = (),
) -> tuple[Comparison, ...]:
    """Compare the models of each data set and config with each other.

    Args:
        results: Results in any order.
        test: `permutation`, `mcnemar` or `t-test`, as in `scoring.statistics.compare_models`.
        alpha: Family-wise significance level.
        datasets: Data sets on which the results were computed, to compare word classes.

    Returns:
        One comparison per data set and config with at least two models, in the order of their first results.

    Raises:
        InputError: If no data set and config has two models, two results are of the same model, the models have fewer
            than two seeds in common, or no result is on one of `datasets`.
    """
    groups = on_same_data(results)
    comparable = [group for group in groups if len(group) > 1]
    if not comparable:
        scored = ", ".join(f"{group[0].model.name} on {group[0].dataset.config}" for group in groups)
        raise InputError(
            f"no two models were scored on the same data and config ({scored or 'no results'}): score another model "
            "with the same --dataset, --config and --out"
        )
    titles = titles_of([group[0].dataset for group in comparable])
    by_digest = {dataset.digest: dataset for dataset in datasets}
    for digest, dataset in by_digest.items():
        if digest not in {group[0].dataset.digest for group in comparable}:
            raise InputError(f"--dataset {dataset.name} ({digest[:8]}): no two models were scored on this data")
    return tuple(
        _compare(group, title, test=test, alpha=alpha, dataset=by_digest.get(group[0].dataset.digest))
        for group, title in zip(comparable, titles, strict=True)
    )


def _compare(
    results: Sequence[Result], title: str, *, test: str, alpha: float, dataset: MergeDataset | None
) -> Comparison:
    named = dict(zip(distinct_names_of(results), results, strict=True))
    ids = _common_seeds(results)
    counts = {name: _counts(result.seeds, ids) for name, result in named.items()}
    values = {
        name: values_for_test(test, correct, sizes, QUALITY_THRESHOLD) for name, (correct, sizes) in counts.items()
    }
    try:
        family = compare_models(values, test=test, alpha=alpha)
    except ValueError as error:
        raise InputError(f"cannot run the test {test}: {error}; choose another --test") from error
    passes = {name: passes_by_seed(correct, sizes, QUALITY_THRESHOLD) for name, (correct, sizes) in counts.items()}
    first = results[0]
    return Comparison(
        title=title,
        dataset=first.dataset.title,
        digest=first.dataset.digest,
        config=first.dataset.config,
        threshold=QUALITY_THRESHOLD,
        seeds=len(ids),
        left_out=len({seed for result in results for seed in result.seeds.seed_id}) - len(ids),
        subsamples=len(first.seeds.sizes),
        pattern_accuracy={name: float(column.mean()) for name, column in passes.items()},
        intervals={name: mean_interval(column) for name, column in passes.items()},
        family=family,
        seeds_against_variants=_seeds_against_variants(results),
        classes=None if dataset is None else _classes(dataset, results),
        notes={name: result.notes for name, result in named.items()},
    )


def _common_seeds(results: Sequence[Result]) -> tuple[str, ...]:
    """Return the seeds that every model was scored on and that a subsample drew, in the order of the first result."""
    drawn = [
        {
            seed
            for seed, sizes in zip(result.seeds.seed_id, zip(*result.seeds.sizes, strict=True), strict=True)
            if any(sizes)
        }
        for result in results
    ]
    common = set.intersection(*drawn)
    if len(common) < 2:
        models = ", ".join(result.model.name for result in results)
        raise InputError(f"{models} have {len(common)} seed(s) in common: at least two are needed to compare models")
    return tuple(seed for seed in results[0].seeds.seed_id if seed in common)


def _counts(table: SeedTable, ids: Sequence[str]) -> tuple[Ints, Ints]:
    """Return the counts of some seeds in their order: correct variants and all, [n_subsamples, n_seeds] each."""
    index = {seed: position for position, seed in enumerate(table.seed_id)}
    columns = [index[seed] for seed in ids]
    return np.array(table.correct, dtype=np.int64)[:, columns], np.array(table.sizes, dtype=np.int64)[:, columns]


def _seeds_against_variants(results: Sequence[Result]) -> TestResult:
    on_seeds = [result.scores.seed_sample_accuracy for result in results]
    on_variants = [result.scores.on_variants.sample_accuracy.mean for result in results]
    return paired_t_test(on_seeds, np.array(on_variants, dtype=np.float64), unit="model")


def _classes(dataset: MergeDataset, results: Sequence[Result]) -> tuple[ClassTest, ...]:
    """Test each pair of word classes over seeds; none if the config has one class."""
    try:
        return classes(read_scored_dataset(dataset, results)).tests
    except NotComputable:
        return ()
