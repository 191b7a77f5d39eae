"""Who differs from whom: results on the same seeds, compared at the quality threshold (section 5 of the paper)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from merge_snli.errors import InputError
from metrics.pattern_accuracy.core import QUALITY_THRESHOLD
from scoring.results.grouping import names_of, on_same_data, titles_of
from scoring.statistics import compare_models, independent_t_test, mean_interval, paired_t_test, passes_by_seed
from scoring.statistics import values_for as values_of_test

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from scoring.results.result import Result, SeedTable
    from scoring.statistics import Family, Interval, TestResult

    Ints = NDArray[np.int64]

TWO = 2
"""Fewer models, seeds or word classes than this cannot be compared."""


@dataclass(frozen=True)
class Comparison:
    """The models that were scored on one config of one data set.

    Attributes:
        title: Data set and config, with the data's digest where another data set of that name is compared beside it.
        dataset: Name of the data set.
        digest: The sha256 of its data.
        config: `all` or a word class.
        threshold: The threshold of pattern accuracy: QT.
        seeds: How many seeds all models were scored on.
        left_out: How many seeds some model could not take: they are compared on none.
        subsamples: How many subsamples there are.
        pattern_accuracy: Each model's PA at the threshold: over the seeds, the mean share of subsamples that it passes.
        intervals: Of each model's PA, from a bootstrap that resamples seeds.
        family: Every pair of models, with p-values adjusted by Holm's method.
        seeds_against_variants: Over models, SA on seeds against SA on variants (section 5.1).
        classes: Over models, PA at the threshold of one word class against another's (section 5.2), by their names.
        notes: What must be known of each model's numbers.
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
    classes: Mapping[tuple[str, str], TestResult]
    notes: Mapping[str, tuple[str, ...]]


def compare_results(
    results: Iterable[Result], *, test: str = "permutation", alpha: float = 0.05
) -> tuple[Comparison, ...]:
    """Compare the models of each data set and config with one another.

    Args:
        results: Results in any order; those on the same data and config are compared.
        test: `permutation`, `mcnemar` or `t-test`, as `scoring.statistics.compare_models` has them.
        alpha: The family-wise level.

    Returns:
        One comparison a data set and config that has two models or more, in the order of their first results.

    Raises:
        InputError: Where no data set and config has two models, two results are the same model's, or the models have
            fewer than two seeds in common.
    """
    together = on_same_data(results)
    several = [group for group in together if len(group) >= TWO]
    if not several:
        scored = ", ".join(f"{group[0].model.name} on {group[0].dataset.config}" for group in together)
        raise InputError(
            f"no two models were scored on the same data and config ({scored or 'no results'}): score another model "
            "with the same --dataset, --config and --out"
        )
    titles = titles_of([group[0].dataset for group in several])
    return tuple(_compare(group, title, test=test, alpha=alpha) for group, title in zip(several, titles, strict=True))


def _compare(results: Sequence[Result], title: str, *, test: str, alpha: float) -> Comparison:
    named = _by_name(results)
    ids = _common_seeds(results)
    counts = {name: _counts(result.seeds, ids) for name, result in named.items()}
    values = {
        name: values_of_test(test, correct, sizes, QUALITY_THRESHOLD) for name, (correct, sizes) in counts.items()
    }
    passes = {name: passes_by_seed(correct, sizes, QUALITY_THRESHOLD) for name, (correct, sizes) in counts.items()}
    first = results[0]
    return Comparison(
        title=title,
        dataset=first.dataset.name,
        digest=first.dataset.digest,
        config=first.dataset.config,
        threshold=QUALITY_THRESHOLD,
        seeds=len(ids),
        left_out=len({seed for result in results for seed in result.seeds.seed_id}) - len(ids),
        subsamples=len(first.seeds.sizes),
        pattern_accuracy={name: float(column.mean()) for name, column in passes.items()},
        intervals={name: mean_interval(column) for name, column in passes.items()},
        family=_family(values, test=test, alpha=alpha),
        seeds_against_variants=_seeds_against_variants(results),
        classes=_classes(results),
        notes={name: result.notes for name, result in named.items()},
    )


def _family(values: Mapping[str, ArrayLike], *, test: str, alpha: float) -> Family:
    try:
        return compare_models(values, test=test, alpha=alpha)
    except ValueError as error:
        raise InputError(f"the test {test} cannot be made: {error}; choose another --test") from error


def _by_name(results: Sequence[Result]) -> dict[str, Result]:
    """Give each result the name that it is compared under."""
    names = names_of(results)
    named = dict(zip(names, results, strict=True))
    if len(named) < len(results):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"two results of {twice} on the same data cannot be told apart: remove one of the files")
    return named


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
    if len(common) < TWO:
        models = ", ".join(result.model.name for result in results)
        raise InputError(f"{models} have {len(common)} seed(s) in common: two or more are needed to compare models")
    return tuple(seed for seed in results[0].seeds.seed_id if seed in common)


def _counts(table: SeedTable, ids: Sequence[str]) -> tuple[Ints, Ints]:
    """Return the counts of some seeds in their order: right and all, [n_subsamples, n_seeds] each."""
    place = {seed: index for index, seed in enumerate(table.seed_id)}
    columns = [place[seed] for seed in ids]
    return np.array(table.correct, dtype=np.int64)[:, columns], np.array(table.sizes, dtype=np.int64)[:, columns]


def _seeds_against_variants(results: Sequence[Result]) -> TestResult:
    on_seeds = [result.scores.seed_sample_accuracy for result in results]
    on_variants = [_known(result.scores.on_variants.sample_accuracy.mean) for result in results]
    return paired_t_test(on_seeds, on_variants, unit="model")


def _classes(results: Sequence[Result]) -> dict[tuple[str, str], TestResult]:
    """Test each pair of word classes that all models were scored on."""
    names = [name for name in results[0].classes if all(_at_quality(result, name) is not None for result in results)]
    return {
        (one, other): independent_t_test(
            [_known(_at_quality(result, one)) for result in results],
            [_known(_at_quality(result, other)) for result in results],
            unit="model",
        )
        for one, other in combinations(names, 2)
    }


def _at_quality(result: Result, word_class: str) -> float | None:
    scores = result.classes.get(word_class)
    return None if scores is None else scores.on_variants.pattern_accuracy.mean


def _known(value: float | None) -> float:
    if value is None:
        raise InputError("a result has no variant in any subsample: score the model again on a data set with draws")
    return value
