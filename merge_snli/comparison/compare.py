"""Compare models scored on the same seeds: pairwise significance tests at the quality threshold (section 5)."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from merge_snli.answers.data import ScoredData, disagreeing
from merge_snli.base.errors import InputError, param
from merge_snli.base.table import capitalized, count
from merge_snli.comparison.curves import mean_pattern_accuracy
from merge_snli.comparison.findings import and_list, ranking, standing
from merge_snli.comparison.scored_dataset import NotComputable, on_common_seeds, scored_dataset, without_seeds
from merge_snli.comparison.word_classes import classes
from merge_snli.dataset.stored import MergeDataset, as_datasets
from merge_snli.results.grouping import (
    comparable_results,
    copies_among,
    distinct_names_of,
    not_averaged,
    permuted_labels,
    titles_of,
    two_way_suffix,
    without_permuted,
)
from merge_snli.results.intervals import pattern_accuracy_interval
from merge_snli.results.orders import OrderEffect, order_effects
from merge_snli.results.prompts import PromptEffect, PromptGroup, Scored, group_prompts, on_common_prompts, results_of
from merge_snli.results.result import Result
from merge_snli.results.store import as_results
from merge_snli.results.whole import find_whole
from merge_snli.statistics import (
    Family,
    Interval,
    NamedTest,
    PairAtThresholds,
    TestResult,
    compare_at_thresholds,
    compare_models,
    observed_gaps,
    paired_t_test,
    passes_by_seed,
    ratios,
    smallest_paired,
)
from merge_snli.statistics import values_for as values_for_test
from merge_snli.statistics.families import PAIRED_TESTS, SUBSAMPLE_TEST
from metrics.pattern_accuracy.core import CURVE, QUALITY_THRESHOLD


@dataclass(frozen=True)
class Comparison:
    """A comparison of the models that were scored on one config of one data set.

    Attributes:
        title: Data set and config, with the data's digest if another compared data set has the same name.
        dataset: Title of the data set.
        digest: sha256 of the data.
        config: `all` or a word class; the config of pairs in groups, or None.
        threshold: Threshold of pattern accuracy, the quality threshold by default.
        unit: What is compared: `seed`, or `group` for pairs in groups.
        seeds: Number of seeds or groups that all models were scored on.
        left_out: Number of seeds or groups that are not compared, because not every model was scored on them.
        subsamples: Number of subsamples; None if the data has none.
        pattern_accuracy: PA of each model as in results: the mean over subsamples of the share of seeds that pass.
        intervals: Interval of each model's PA, the same as in a result on the same seeds.
        smallest_difference: Smallest difference of PA that the permutation test finds with a power of 80%, at the
            strictest step of Holm's method; None if no difference is found.
        family: All pairs of models, with p-values adjusted by Holm's method.
        seeds_against_variants: SA on seeds against SA on variants, over models (section 5.1); None for pairs in groups,
            at other thresholds than the quality threshold, and with one model whose labels are not permuted.
        classes: PA of each pair of word classes at the quality threshold, over seeds (section 5.2); None without the
            data set, whose variants have the classes, and at other thresholds.
        all_thresholds: The tests of all pairs of models at the thresholds 0, 0.01, … 1, if they are requested; of
            several comparisons at different thresholds, only the first has them.
        notes: Notes of each model's result; of a model on the same data that is not compared, or is in no mean over
            models, why.
        prompts: The effect of the prompt at the quality threshold, if the prompts of one model are compared.
        finding: What was found in words: the best model, and from which others it differs significantly.
        orders: The effect of the order of the labels, of each of its prompts that was used with several.
    """

    title: str
    dataset: str
    digest: str
    config: str | None
    threshold: float
    unit: str
    seeds: int
    left_out: int
    subsamples: int | None
    pattern_accuracy: Mapping[str, float]
    intervals: Mapping[str, Interval]
    smallest_difference: float | None
    family: Family
    seeds_against_variants: TestResult | None
    classes: tuple[NamedTest, ...] | None
    all_thresholds: tuple[PairAtThresholds, ...] | None
    notes: Mapping[str, tuple[str, ...]]
    prompts: PromptEffect | None
    finding: str
    orders: tuple[OrderEffect, ...] = ()

    def __repr__(self) -> str:
        """Return the data and each model's PA in one line."""
        scores = ", ".join(f"{name} {100 * share:.1f}%" for name, share in self.pattern_accuracy.items())
        return f"<Comparison on {self.title}: PA({self.threshold}) {scores}>"


class NotComparable(InputError):  # noqa: N818 - as `NotComputable`
    """No two models were scored on the same data and config."""


def compare_results(
    results: str | Path | Iterable[Result | str | Path],
    *,
    test: str = "permutation",
    alpha: float = 0.05,
    datasets: str | Path | MergeDataset | Iterable[MergeDataset | str | Path] = (),
    thresholds: Sequence[float] = (QUALITY_THRESHOLD,),
    all_thresholds: bool = False,
    min_agreement: float | None = None,
) -> tuple[Comparison, ...]:
    """Compare the models of each data set and config with each other, two-way models apart from the others.

    Args:
        results: Results in any order, or results folders of `merge-snli score`.
        test: `permutation`, `mcnemar` or `t-test`, as in `merge_snli.statistics.compare_models`.
        alpha: Family-wise significance level.
        datasets: Data sets on which the results were computed, to compare word classes.
        thresholds: Thresholds from 0 to 1 at which the models are compared, at least one.
        all_thresholds: Also test at which of the thresholds 0, 0.01, … 1 each pair of models differs.
        min_agreement: Smallest share of annotators who gave the gold label; other seeds are left out. Needs the data
            sets of all results.

    Returns:
        One comparison per threshold, data set and config with at least two models, in the order of their first results.

    Raises:
        NotComparable: If no data set and config has two models.
        InputError: If `alpha` is not between 0 and 1, two results are of the same model, the models have fewer than two
            seeds or groups in common, no result is on one of `datasets`, word classes are compared without the quality
            threshold, or the test needs subsamples and the data has none.
    """
    if not 0 < alpha < 1:
        raise InputError(f"{param('alpha')} is {alpha:g}: it must be between 0 and 1")
    groups, opened = comparable_results(as_results(results)), as_datasets(datasets)
    compared = [models for group in groups for models in _models_and_prompts(group)]
    comparable = [(models, prompted) for models, prompted in compared if len(models) > 1]
    if not comparable:
        raise NotComparable(_not_comparable(groups))
    firsts = [next(iter(models.values())) for models, _ in comparable]
    check_subsamples(firsts, test)
    data = [find_whole(first.dataset, opened) for first in firsts] if opened else [None] * len(firsts)
    _check_datasets(opened, data, thresholds)
    titles = [
        title
        + two_way_suffix(first)
        + ("" if prompted is None else f", prompts of {prompted.model.name}")
        + ("" if min_agreement is None else f", agreement of at least {min_agreement:.3g}")
        for title, first, (_, prompted) in zip(
            titles_of([first.dataset for first in firsts]), firsts, comparable, strict=True
        )
    ]
    return tuple(
        _compare(
            models,
            prompted,
            title,
            test=test,
            alpha=alpha,
            threshold=threshold,
            all_thresholds=all_thresholds and number == 0,
            data=of_models,
            min_agreement=min_agreement,
            notes=_alone(models, compared) if prompted is None else {},
        )
        for (models, prompted), title, of_models in zip(comparable, titles, data, strict=True)
        for number, threshold in enumerate(thresholds)
    )


def check_subsamples(results: Sequence[Scored], test: str) -> None:
    """Check that a test over subsamples has them in all results."""
    without_subsamples = next((result.dataset.title for result in results if result.subsamples is None), None)
    if without_subsamples is not None and test == SUBSAMPLE_TEST:
        of_seeds = " or ".join(name for name, (_, unit) in PAIRED_TESTS.items() if unit == "seed")
        raise InputError(
            f"{param('test')} {test} compares subsamples, which {without_subsamples} does not have: choose {of_seeds}"
        )


# Results to compare by display name: of models, or of one model with several prompts, and the mean over these.
_Compared = tuple[Mapping[str, Scored], PromptGroup | None]


def _models_and_prompts(results: Sequence[Result]) -> list[_Compared]:
    """Return the models, with the mean over the prompts of each, and the prompts of each model with several."""
    models = group_prompts(results)
    common = on_common_prompts(models)
    by_name = dict(zip(distinct_names_of(common), common, strict=True))
    return [(by_name, None), *((model.prompts, model) for model in models if isinstance(model, PromptGroup))]


def _alone(models: Mapping[str, Scored], compared: Sequence[_Compared]) -> dict[str, tuple[str, ...]]:
    """Return why a model on the data of some models is compared with none: no other has its kind of labels."""
    [first, *_] = models.values()
    single = [next(iter(others.items())) for others, _ in compared if len(others) == 1]
    return {
        name: (
            f"not compared, because no other model here answers with the labels {', '.join(result.compared_labels)}",
        )
        for name, result in single
        if result.dataset.key == first.dataset.key
    }


def _not_comparable(groups: Sequence[Sequence[Result]]) -> str:
    firsts = [group[0] for group in groups]
    scored = ", ".join(
        f"{first.model.name} on {first.dataset.config or first.dataset.title}{two_way_suffix(first)}"
        for first in firsts
    )
    return (
        f"no two models were scored on the same data and config, in the same labels ({scored or 'no results'}): score "
        f"another model with the same {param('dataset')}, {param('config')} and {param('out')}"
    )


def _check_datasets(
    datasets: Sequence[MergeDataset], data: Sequence[ScoredData | None], thresholds: Sequence[float]
) -> None:
    """Check that results are on each data set, and that its word classes can be compared."""
    scored = [of_results.stored for of_results in data if of_results is not None]
    for dataset in datasets:
        if dataset not in scored:
            raise InputError(
                f"{param('dataset')} {dataset.name} ({dataset.digest[:8]}): no two models were scored on this data"
            )
    if datasets and QUALITY_THRESHOLD not in thresholds:
        raise InputError(
            f"{param('dataset')} compares word classes at {QUALITY_THRESHOLD}: add it to {param('threshold')}"
        )


def _compare(
    compared: Mapping[str, Scored],
    prompted: PromptGroup | None,
    title: str,
    *,
    test: str,
    alpha: float,
    threshold: float,
    all_thresholds: bool,
    data: ScoredData | None,
    min_agreement: float | None,
    notes: Mapping[str, tuple[str, ...]],
) -> Comparison:
    results = without_permuted(list(compared.values()))
    first = next(iter(compared.values()))
    unit = first.units[0]
    low = _low_agreement(data, first, min_agreement)
    ids = tuple(name for name in common_groups(compared, unit) if name not in low)
    if len(ids) < 2:
        raise InputError(f"{param('min_agreement')}: {count(len(ids), unit)} left, and at least two are needed")
    counts = {name: result.counts(ids) for name, result in compared.items()}
    try:
        family = _family(compared, ids, test=test, alpha=alpha, threshold=threshold)
    except ValueError as error:
        raise InputError(f"cannot run the test {test}: {error}; choose another {param('test')}") from error
    accuracies = {name: mean_pattern_accuracy(table, threshold) for name, table in counts.items()}
    intervals = {name: pattern_accuracy_interval(table, threshold, unit=unit) for name, table in counts.items()}
    passes = {
        name: passes_by_seed(table.correct, table.sizes, threshold)
        for name, table in counts.items()
        if name not in family.copies
    }
    of_models = threshold == QUALITY_THRESHOLD and first.has_seeds and prompted is None and len(results) > 1
    ranked = {name: compared[name] for name in family.models}
    at_thresholds = {
        name: np.stack([passes_by_seed(counts[name].correct, counts[name].sizes, share) for share in CURVE], axis=1)
        for name in (family.models if all_thresholds else ())
    }
    return Comparison(
        title=title,
        dataset=first.dataset.title,
        digest=first.dataset.digest,
        config=first.dataset.config,
        threshold=threshold,
        unit=unit,
        seeds=len(ids),
        left_out=len({name for result in results for name in result.group_ids}) - len(ids),
        subsamples=first.subsamples,
        pattern_accuracy=accuracies,
        intervals=intervals,
        smallest_difference=smallest_paired(observed_gaps(passes), len(ids), alpha=alpha / family.tests),
        family=family,
        seeds_against_variants=_seeds_against_variants(results, ids) if of_models else None,
        classes=_classes(data, results, low) if of_models else None,
        all_thresholds=compare_at_thresholds(at_thresholds, alpha=alpha, copies=family.copies)
        if all_thresholds
        else None,
        notes={**{name: _notes(name, result, family) for name, result in ranked.items()}, **notes},
        prompts=None if prompted is None else prompted.effect,
        finding=ranking(
            accuracies,
            {name: (interval.low, interval.high) for name, interval in intervals.items()},
            family,
            threshold=threshold,
            kind="model" if prompted is None else "prompt",
            permuted=_permuted(compared),
        ),
        orders=() if prompted is None else order_effects(prompted),
    )


def _notes(name: str, result: Scored, family: Family) -> tuple[str, ...]:
    notes = [*result.notes, *not_averaged(result)]
    if name in family.copies:
        notes.append(f"gives exactly the answers of {family.copies[name]}; their tests count once")
    return tuple(notes)


@dataclass(frozen=True)
class Standings:
    """What was found about models on one config at the quality threshold.

    Attributes:
        finding: The best model, and from which others it differs significantly; two-way models by themselves.
        letters: Models that share a letter do not differ significantly, as in `Comparison`; none of a model that is
            not tested, and of two-way models among others.
        models: What was found about each model.
    """

    finding: str
    letters: Mapping[str, str]
    models: Mapping[str, str]


def standings(named: Mapping[str, Scored]) -> Standings:
    """Test all pairs of models on the same seeds; a model on fewer seeds than others is not tested.

    Args:
        named: Results on one config of one data set by display name, at least one.
    """
    unit, most = next(iter(named.values())).units[0], max(len(result.group_ids) for result in named.values())
    kinds: dict[str, dict[str, Scored]] = {}
    for name, result in named.items():
        if len(result.group_ids) == most:
            kinds.setdefault(two_way_suffix(result), {})[name] = result
    sentences, letters, models = [], dict[str, str](), dict[str, str]()
    for kind, compared in kinds.items():
        rows, family = {name: result.row for name, result in compared.items()}, None
        with suppress(InputError, ValueError):
            family = _family(compared, common_groups(compared, unit))
        text = ranking(
            {name: row.share("pattern_accuracy") for name, row in rows.items()},
            {name: row.ends("pattern_accuracy") for name, row in rows.items()},
            family,
            permuted=_permuted(compared),
        )
        alone = len(kinds) == 1 or not kind
        sentences.append(text if alone else f"{capitalized(kind.removeprefix(', '))}: {text}")
        letters |= family.letters if family is not None and alone else {}
        models |= {name: standing(name, row, unit, family) for name, row in rows.items()}
    fewer = {name: result for name, result in named.items() if len(result.group_ids) < most}
    models |= {name: standing(name, result.row, unit, None) for name, result in fewer.items()}
    sentences += [f"Not compared, with fewer {unit}s: {and_list(list(fewer))}."] if fewer else []
    return Standings(" ".join(sentences), letters, models)


def _permuted(named: Mapping[str, Scored]) -> list[str]:
    return [name for name, result in named.items() if permuted_labels(result)]


def _family(
    compared: Mapping[str, Scored],
    ids: Sequence[str],
    *,
    test: str = "permutation",
    alpha: float = 0.05,
    threshold: float = QUALITY_THRESHOLD,
) -> Family:
    values = {name: tested_values(result, ids, test, threshold) for name, result in compared.items()}
    unit = next(iter(compared.values())).units[0]
    test_unit = None if test == SUBSAMPLE_TEST else unit
    return compare_models(values, test=test, alpha=alpha, unit=test_unit, copies=copies_among(compared))


def tested_values(
    result: Scored, ids: Sequence[str], test: str, threshold: float
) -> NDArray[np.float64] | NDArray[np.bool_]:
    """Return the values of a model that a test takes: the mean over its prompts, or what more than half of them say."""
    counts = [of_prompt.counts(ids) for of_prompt in results_of(result)]
    first, *others = [values_for_test(test, table.correct, table.sizes, threshold) for table in counts]
    if not others:
        return first
    mean = np.mean([first, *others], axis=0)
    return np.asarray(mean > 1 / 2) if first.dtype == bool else np.asarray(mean)


def common_groups(results: Mapping[str, Scored], unit: str) -> tuple[str, ...]:
    """Return the groups that every model has and that a subsample has a row of, in the order of the first result."""
    drawn = [zip(result.group_ids, result.counts().drawn.tolist(), strict=True) for result in results.values()]
    common = set.intersection(*({name for name, any_drawn in of_model if any_drawn} for of_model in drawn))
    if len(common) < 2:
        raise InputError(
            f"{', '.join(results)} have {count(len(common), unit)} in common: at least two are needed to compare models"
        )
    return tuple(name for name in next(iter(results.values())).group_ids if name in common)


def _seeds_against_variants(results: Sequence[Scored], ids: Sequence[str]) -> TestResult:
    """Test SA on seeds against SA on variants, over models on common seeds."""
    common, on_variants = {*ids}, []
    on_seeds = [result.correct_seeds()[[name in common for name in result.group_ids]].mean() for result in results]
    for counts in (result.counts(ids) for result in results):
        shares = ratios(counts.correct.sum(axis=1), counts.sizes.sum(axis=1))
        on_variants.append(shares[~np.isnan(shares)].mean())
    return paired_t_test(on_seeds, on_variants, unit="model")


def _low_agreement(data: ScoredData | None, result: Scored, min_agreement: float | None) -> set[str]:
    """Return the seeds to which fewer annotators gave the gold label; none if no agreement is required."""
    if min_agreement is None:
        return set()
    if data is None:
        raise InputError(
            f"{param('min_agreement')} needs the labels of annotators: name {result.dataset.title} with "
            f"{param('dataset')}"
        )
    return disagreeing(data, min_agreement)


def _classes(data: ScoredData | None, results: Sequence[Scored], low: Collection[str]) -> tuple[NamedTest, ...] | None:
    """Test each pair of word classes over seeds; none if the config has one class, None without the whole data set."""
    if data is None or results[0].dataset.partial is not None:
        return None
    try:
        answers = [result for scored in results for result in results_of(scored)]
        [common] = on_common_seeds([without_seeds(scored_dataset(data, answers), low)])
        return classes(common).tests
    except NotComputable:
        return ()
