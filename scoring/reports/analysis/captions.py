"""Say in one sentence what a figure or table shows, computed from its values."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from metrics.pattern_accuracy.core import CURVE, QUALITY_THRESHOLD
from scoring.reports.analysis.phrases import (
    and_list,
    capital,
    class_plural,
    count,
    p_value,
    percent,
    points,
    points_range,
    short_list,
)
from scoring.reports.line_chart import short_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from scoring.analysis.class_pairs import ClassPairs
    from scoring.analysis.classes import Classes
    from scoring.analysis.curves import MeanCurve
    from scoring.analysis.error_drivers import ErrorDrivers
    from scoring.analysis.filter_sets import FilterSets
    from scoring.analysis.hard_seeds import HardSeeds
    from scoring.analysis.kin import Kin
    from scoring.analysis.majority import Majority
    from scoring.analysis.model_curves import ModelCurves
    from scoring.analysis.seed_correctness import SeedCorrectness
    from scoring.analysis.seeds_against_variants import SeedsAgainstVariants
    from scoring.analysis.table_3 import Table3
    from scoring.analysis.word_frequency import WordFrequency
    from scoring.statistics import TestResult

MORE_OF = {
    "log_odds": "with higher log-odds of the replacement",
    "masked_lms": "with more masked LMs that validated the replacement",
    "sentence_length": "in longer sentences",
    "log_count": "with more frequent replacements",
}
"""What a larger value of a predictor means."""
ALPHA = 0.05
"""Tests with a smaller p-value are called significant."""
AT = f"{QUALITY_THRESHOLD:.0%}"
"""The quality threshold, as in the captions."""
EQUAL = 1e-9
"""Largest difference of two values that are called equal."""
SHOWN = 0.0005
"""Smallest difference that is not shown as 0.0 points."""
MAX_NAMES = 3
"""A longer list of tied models is cut."""


def table_3_caption(value: Table3) -> str:
    """Say which model is best at the quality threshold, how far the models drop, and how many pairs differ."""
    rows = [row for row in value.rows if row.pattern_accuracy is not None]
    if not rows:
        return "No subsample drew a variant."
    accuracy = {row.model: row.pattern_accuracy or 0.0 for row in rows}
    if len(rows) == 1:
        [row] = rows
        if row.qt is None:
            return f"PA(0.9) of {short_name(row.model)} is {percent(accuracy[row.model])}."
        return f"QT of {short_name(row.model)} is {points(row.qt or 0.0)}: PA(0.9) is {percent(accuracy[row.model])}."
    drops = [row.qt for row in rows if row.qt is not None]
    sentence = f"{_best(accuracy)} at PA(0.9)" + (f"; QT is {points_range(drops)}" if drops else "")
    if value.family is None:
        return f"{sentence}."
    differing = sum(pair.differs for pair in value.family.pairs)
    return f"{sentence}; {_pairs_differ(differing, len(value.family.pairs), 'models')}."


def seeds_against_variants_caption(value: SeedsAgainstVariants) -> str:
    """Say whether variants are harder than seeds, over seeds and over models."""
    over_models = [each.result for each in value.over_models if (each.first, each.second) == ("seeds", "variants")]
    more = "".join(f"; over models, {_seeds_minus_variants(test)}" for test in over_models)
    return f"Sample accuracy over seeds is {_seeds_minus_variants(value.over_seeds)}{more}."


def _seeds_minus_variants(test: TestResult) -> str:
    direction = "lower" if test.difference > 0 else "higher"
    size = f"{points(abs(test.difference), sign=False)} {direction} on variants than on seeds"
    if abs(test.difference) < SHOWN:
        size = "the same on variants and on seeds to 0.1 points"
    if math.isnan(test.p_value):
        return size
    return f"{size} ({p_value(test.p_value)}{'' if test.p_value < ALPHA else ', not significant'})"


def upper_curves_caption(value: ModelCurves, start: float) -> str:
    """Say who is best and worst at the quality threshold, and how far the curves fall from a threshold on."""
    drawn = _drawn({curve.models[0]: curve for curve in value.curves})
    if not drawn:
        return "No subsample drew a variant."
    falls = points_range([curve.at(start) - curve.at(1) for curve in drawn.values()], sign=False)
    at = {name: curve.at(QUALITY_THRESHOLD) for name, curve in drawn.items()}
    if len(drawn) == 1:
        [(name, share)] = at.items()
        fall = f"from {start:.0%} to 100%, its curve falls by {falls}"
        return f"{short_name(name)} reaches {percent(share)} at {AT}; {fall}."
    worst = min(at, key=lambda name: at[name])
    last = "" if at[worst] == max(at.values()) else f", and {short_name(worst)} is last with {percent(at[worst])}"
    return f"{_best(at)} at {AT}{last}; from {start:.0%} to 100%, the curves fall by {falls}."


def whole_curves_caption(value: ModelCurves, start: float) -> str:
    """Say how much the curves fall before and after a threshold."""
    drawn = _drawn({curve.models[0]: curve for curve in value.curves})
    if not drawn:
        return "No subsample drew a variant."
    before = points_range([curve.at(CURVE[1]) - curve.at(start) for curve in drawn.values()], sign=False)
    after = points_range([curve.at(start) - curve.at(1) for curve in drawn.values()], sign=False)
    subject = "the curve falls" if len(drawn) == 1 else "the curves fall"
    return f"From 1% to {start:.0%}, {subject} by {before}, and from {start:.0%} to 100% by {after}."


def classes_caption(value: Classes) -> str:
    """Say which word class is hardest, from which threshold on, and which classes differ."""
    sentence = lowest_sentence(_drawn({class_plural(each.name): each.curve for each in value.curves}))
    if not value.tests:
        return f"{sentence}."
    differing = [
        f"{class_plural(test.first)} differ from {class_plural(test.second)} ({p_value(test.result.p_value)})"
        for test in value.tests
        if test.result.p_value < ALPHA
    ]
    if not differing:
        smallest = _smallest_p(test.result.p_value for test in value.tests)
        return f"{sentence}; at {AT}, no two classes differ significantly{smallest}."
    return f"{sentence}; at {AT}, {and_list(differing)}."


def class_pairs_caption(value: ClassPairs) -> str:
    """Say which word classes differ on the same seeds."""
    if not value.tests:
        return "No two word classes have enough common seeds for a test."
    significant = [test for test in value.tests if test.differs]
    if not significant:
        smallest = _smallest_p(test.adjusted_p for test in value.tests)
        return f"On seeds of two word classes, no two classes differ significantly at {AT}{smallest}."
    differing = []
    for test in significant:
        harder, easier = (test.first, test.second) if test.result.difference < 0 else (test.second, test.first)
        differing.append(
            f"{class_plural(harder)} are {points(abs(test.result.difference), sign=False)} harder than "
            f"{class_plural(easier)} (adjusted {p_value(test.adjusted_p)})"
        )
    return f"On the same seeds at {AT}, {and_list(differing)}."


def kin_caption(value: Kin, names: Mapping[str, str]) -> str:
    """Say what PA is on each group. The groups have different seeds and are not tested, so none is called better.

    Args:
        value: The groups.
        names: Display name of each group.
    """
    at = {each.group: each.curve.at(QUALITY_THRESHOLD) for each in value.curves}
    at = {group: share for group, share in at.items() if not math.isnan(share)}
    if not at:
        return f"No group has a seed with at least {value.minimum} variants."
    shares = and_list([f"{percent(share)} on {names[group]}" for group, share in at.items()])
    return f"At {AT}, PA is {shares}."


def filter_sets_caption(value: FilterSets) -> str:
    """Say which data sets are hardest and easiest, and how many pairs differ."""
    curves = _drawn({each.name: each.curve for each in value.sets})
    at = {name: curve.at(QUALITY_THRESHOLD) for name, curve in curves.items()}
    if len(at) < 2:
        return "Fewer than two data sets have drawn variants."
    low, high = min(at, key=lambda name: at[name]), max(at, key=lambda name: at[name])
    sentence = f"At {AT}, {low} is hardest ({percent(at[low])}) and {high} easiest ({percent(at[high])})"
    if at[high] - at[low] < EQUAL:
        sentence = f"At {AT}, all sets are equally hard ({percent(at[low])})"
    if value.family is None:
        return f"{sentence}."
    differing = sum(pair.differs for pair in value.family.pairs)
    return f"{sentence}; {_pairs_differ(differing, len(value.family.pairs), 'sets')}."


def majority_caption(value: Majority) -> str:
    """Say what PA is against each kind of majority label."""
    mean = value.mean
    return (
        f"At {AT}, mean PA is {percent(mean.constant)} against the constant label {value.constant_label} "
        f"({percent(value.constant_share)} of the seeds), {percent(mean.vote)} against the vote of the models, "
        f"{percent(mean.own)} against each model's most frequent answer, and {percent(mean.gold)} against the gold "
        "label."
    )


def seed_correctness_caption(value: SeedCorrectness) -> str:
    """Say what PA is on the variants of seeds answered right and wrong."""
    return (
        f"At {AT}, mean PA is {percent(value.mean_right)} on variants of seeds that a model answers right, and "
        f"{percent(value.mean_wrong)} on those of seeds that it answers wrong."
    )


def hard_seeds_caption(value: HardSeeds, rarely: float) -> str:
    """Say how many seeds no model answers right on any variant."""
    never = len(value.never_right)
    return (
        f"{never:,} of {count(value.seeds, 'seed')} ({percent(never / value.seeds)}) "
        f"{'has' if never == 1 else 'have'} no variant that any model answers right, and "
        f"{len(value.rarely_right):,} a mean accuracy below {rarely:.0%}."
    )


def word_frequency_caption(value: WordFrequency) -> str:
    """Say how much more frequent the replacements of right variants are than the originals of wrong seeds."""
    ratio, chosen, of = value.mean_ratio_snli, [*value.snli_models], "models trained on SNLI alone"
    if ratio is None:
        ratio, chosen, of = value.mean_ratio_all, [model.model for model in value.models], "all models"
    medians = [model.median.value for model in value.models if model.seeds and model.model in chosen]
    low, high = min(medians), max(medians)
    between = f"{low:,.2f}" if high - low < EQUAL else f"{low:,.2f} to {high:,.2f}"
    corpus = value.corpus.rpartition("/")[2]
    return (
        "If a model answers a seed incorrectly and a variant correctly, the replacement is "
        f"{ratio:,.1f} times as frequent as the original in {corpus} by the arithmetic mean, and {between} "
        f"times by the median, over {of}."
    )


def error_drivers_caption(value: ErrorDrivers) -> str:
    """Say with which properties of a variant right answers are more and less likely."""
    main = value.pooled or value.models[0]
    subject = "Over all models" if value.pooled is not None else f"For {short_name(main.models[0])}"
    if main.not_computed is not None:
        return f"{subject}, there are no coefficients: {main.not_computed}"
    references = {each.name: each.reference for each in value.predictors}
    phrases = []
    for positive, word in ((True, "more"), (False, "less")):
        names = [each.name for each in main.coefficients if each.p_value < ALPHA and (each.estimate > 0) == positive]
        if names:
            phrases.append(f"{word} likely {and_list(_conditions(names, references))}")
    if not phrases:
        return f"{subject}, no property of a variant changes significantly how likely a right answer is."
    return f"{subject}, right answers are {', and '.join(phrases)} (p < {ALPHA})."


def _conditions(names: Iterable[str], references: Mapping[str, str | None]) -> list[str]:
    """Return predictors as conditions, with the levels of one factor in one condition."""
    conditions = []
    levels: dict[tuple[str, str], list[str]] = {}
    for name in names:
        kind, _, level = name.partition(": ")
        reference = references[name]
        if reference is None:
            conditions.append(MORE_OF[name])
        else:
            levels.setdefault((kind, reference), []).append(level)
    for (kind, reference), found in levels.items():
        shown = [class_plural(each) if kind == "word_class" else each for each in (*found, reference)]
        conditions.append(f"for {and_list(shown[:-1])} than for {shown[-1]}")
    return conditions


def lowest_sentence(curves: Mapping[str, MeanCurve]) -> str:
    """Say which curve is lowest at the quality threshold, and over which thresholds around it.

    Args:
        curves: Curves by plural name; at least one.
    """
    at = {name: curve.at(QUALITY_THRESHOLD) for name, curve in curves.items()}
    lowest = [name for name, share in at.items() if share - min(at.values()) < EQUAL]
    if len(lowest) > 1:
        return f"{capital(and_list(lowest))} are equally hard at {AT}"
    [name] = lowest
    others = [curve for other, curve in curves.items() if other != name]
    if not others:
        return f"{capital(name)} reach {percent(at[name])} at {AT}"
    below = [
        all(curves[name].mean[index] <= other.mean[index] + EQUAL for other in others) for index in range(len(CURVE))
    ]
    first = last = CURVE.index(QUALITY_THRESHOLD)
    while first > 0 and below[first - 1]:
        first -= 1
    while last < len(CURVE) - 1 and below[last + 1]:
        last += 1
    return f"{capital(name)} are hardest {_span(first, last)}"


def _span(first: int, last: int) -> str:
    """Return a range of positions in `CURVE` as text; PA at 0 is the same for all."""
    whole = last == len(CURVE) - 1
    if first <= 1 and whole:
        return "at every threshold"
    if whole:
        return f"from {CURVE[first]:.0%} on"
    return f"at {CURVE[first]:.0%}" if first == last else f"from {CURVE[first]:.0%} to {CURVE[last]:.0%}"


def _best(shares: Mapping[str, float]) -> str:
    best = max(shares.values())
    names = [short_name(name) for name, share in shares.items() if best - share < EQUAL]
    return f"{short_list(names, MAX_NAMES)} {'leads' if len(names) == 1 else 'lead'} with {percent(best)}"


def _pairs_differ(differing: int, pairs: int, noun: str) -> str:
    if not differing:
        return f"no two {noun} differ significantly"
    if differing == pairs == 1:
        return f"the two {noun} differ significantly"
    return f"{differing} of {count(pairs, 'pair')} of {noun} differ significantly"


def _smallest_p(values: Iterable[float]) -> str:
    defined = [value for value in values if not math.isnan(value)]
    return f" (smallest {p_value(min(defined))})" if defined else ""


def _drawn(curves: Mapping[str, MeanCurve]) -> dict[str, MeanCurve]:
    """Leave out the curves without a value."""
    return {name: curve for name, curve in curves.items() if not math.isnan(curve.at(QUALITY_THRESHOLD))}
