"""Show the analyses that are curves: Figures 4 to 8 and 11 of the paper."""

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

from matplotlib.figure import Figure

from merge_snli.base.table import Column, Table, count
from merge_snli.comparison.curves import MeanCurve, ModelCurves
from merge_snli.comparison.figures import FIGURE_4_START
from merge_snli.comparison.findings import ALPHA, and_list, difference, ranking
from merge_snli.comparison.line_chart import COLORS, Line, line_figure
from merge_snli.comparison.statistics_tables import pair_table, table_of_tests
from merge_snli.comparison.word_classes import Classes, ClassPairs
from merge_snli.paper.filter_sets import FilterSets
from merge_snli.paper.fine_tuned import FineTuned
from merge_snli.paper.report.artifact import CLASS_PLURALS, Artifact, basis
from merge_snli.results.rows import PA
from merge_snli.schema import WORD_CLASSES
from merge_snli.statistics import NamedTest
from metrics.pattern_accuracy.core import CURVE, QUALITY_THRESHOLD

# Curves of fewer seeds are not drawn.
MIN_SEEDS = 10

# Thresholds shown in the tables below the figures.
TABLE_THRESHOLDS = (0.5, 0.7, 0.8, 0.9, 1)

# The names of Figure 7.
GROUP_NAMES = {"equiv": "Equiv-MLM", "size": "Size-MLM", "arch": "Arch-MLM", "multi": "Multi-MLM"}

# The names of word classes in Figure 6.
LETTERS = {"noun": "N", "verb": "V", "adj": "A", "adv": "Adv"}


def model_curves_artifacts(value: ModelCurves) -> tuple[Artifact, ...]:
    """Return Figure 4, the curves from 80% on, and Figure 11, the whole curves."""
    curves = [(curve.models[0], curve, style) for style, curve in enumerate(value.curves)]
    of = basis(value.seeds, len(curves))
    models = "From the lowest to the highest model: " if len(curves) > 1 else ""
    ends = (
        f"PA({threshold}) {f'from {min(shares):.1f} to' if max(shares) > min(shares) else 'is'} {max(shares):.1f}"
        for threshold in (0.5, QUALITY_THRESHOLD, 1)
        if (shares := [100 * at for curve in value.curves if not math.isnan(at := curve.at(threshold))])
    )
    return (
        Artifact(
            name="figure-4-curves-from-80",
            paper="Figure 4",
            title="Pattern accuracy from 80% on",
            caption="Each line is the pattern accuracy of a model, or of several that are equal, at thresholds from "
            "80% on; shaded: lowest to highest subsample.",
            basis=of,
            finding=f"{models}{', '.join(ends)}.{f' Only {PA} is tested, in Table 3.' if models else ''}",
            **_drawn(curves, start=FIGURE_4_START),
        ),
        Artifact(
            name="figure-11-curves",
            paper="Figure 11",
            title="Pattern accuracy by threshold",
            caption="Each line is the pattern accuracy of a model, or of several that are equal, at all thresholds; "
            "shaded: lowest to highest subsample.",
            basis=of,
            **_drawn(curves),
            tables=(curve_table(curves),),
        ),
    )


def classes_artifacts(value: Classes) -> tuple[Artifact, ...]:
    """Return Figure 5, the word classes."""
    curves = [(CLASS_PLURALS[name], curve, WORD_CLASSES.index(name)) for name, curve in value.curves.items()]
    tests = [(f"{CLASS_PLURALS[test.first]} − {CLASS_PLURALS[test.second]}", test.result, None) for test in value.tests]
    adjusted = " The p-values are not adjusted." if len(tests) > 1 else ""
    seeds = and_list([f"{curve.seeds:,} with {name}" for name, curve, _ in curves])
    return (
        Artifact(
            name="figure-5-word-classes",
            paper="Figure 5",
            title="Pattern accuracy by word class, mean over models",
            caption="Each line is the mean pattern accuracy of the models on the variants of one word class; shaded: "
            "lowest to highest subsample.",
            basis=f"seeds: {seeds}; {count(len(curves[0][1].models), 'model')}",
            finding=_differences([(test, None) for test in value.tests], adjusted),
            **_drawn(curves),
            tables=(curve_table(curves), table_of_tests(tests)),
        ),
    )


def class_pairs_artifacts(value: ClassPairs) -> tuple[Artifact, ...]:
    """Return Figure 6, pairs of word classes on the same seeds. A class keeps its color, a pair has one line style."""
    curves = [
        (f"{LETTERS[own]}_{LETTERS[other]}", curve, WORD_CLASSES.index(own) + number * len(COLORS))
        for number, pair in enumerate(value.pairs)
        for own, other, curve in (
            (pair.first, pair.second, pair.first_curve),
            (pair.second, pair.first, pair.second_curve),
        )
    ]
    tests = [
        (f"{CLASS_PLURALS[test.first]} − {CLASS_PLURALS[test.second]}", test.result, test.adjusted_p)
        for test in value.tests
    ]
    adjusted = f" The p-values are adjusted by Holm's method over {len(tests)} pairs." if len(tests) > 1 else ""
    seeds = and_list([f"{pair.seeds:,} with {pair.first} and {pair.second}" for pair in value.pairs])
    return (
        Artifact(
            name="figure-6-class-pairs",
            paper="Figure 6",
            title="Pattern accuracy on seeds of two word classes, mean over models",
            caption="Each line is the mean pattern accuracy of the models on the variants of one word class (its "
            "color), of seeds that also have variants of another; shaded: lowest to highest subsample.",
            basis=f"seeds: {seeds}; {count(len(value.pairs[0].first_curve.models), 'model')}",
            finding=_differences([(test, test.adjusted_p) for test in value.tests], adjusted),
            **_drawn(curves),
            tables=(curve_table(curves), table_of_tests(tests)),
        ),
    )


def _differences(tests: Sequence[tuple[NamedTest, float | None]], adjusted: str) -> str:
    """Return how word classes differ, with the p-values to show."""
    if not tests:
        return f"No two classes can be tested: each needs at least two seeds.{adjusted}"
    texts, same = [], []
    for test, p in tests:
        first, second = CLASS_PLURALS[test.first], CLASS_PLURALS[test.second]
        if len(tests) > 1 and (test.result.p_value if p is None else p) >= ALPHA:
            same.append(f"{first} and {second}")
        else:
            texts.append(difference(test.result, f"on {first}", f"on {second}", adjusted_p=p))
    if same:
        which = "between any two word classes" if not texts else f"between {', or '.join(same)}"
        texts.append(f"{PA} does not differ significantly {which} ({_test_over([test for test, _ in tests])})")
    return f"{'; '.join(texts)}.{adjusted}"


def _test_over(tests: Sequence[NamedTest]) -> str:
    """Return the test of some pairs, with the range of the numbers of their seeds."""
    numbers = sorted({test.result.n for test in tests})
    seeds = count(numbers[-1], "seed")
    if len(numbers) > 1:
        seeds = f"{numbers[0]:,} to {seeds}"
    return f"{tests[0].result.test.partition(' (')[0]} over {seeds}"


def fine_tuned_artifacts(value: FineTuned) -> tuple[Artifact, ...]:
    """Return Figure 7, variants by the masked LMs that made them."""
    curves = [(GROUP_NAMES[name], curve, list(GROUP_NAMES).index(name)) for name, curve in value.curves.items()]
    groups = Table(
        columns=(
            Column("Model", "left"),
            Column("Its masked LM", "left"),
            Column("Group", "left"),
            Column("Variants"),
            Column("Per subsample", format=",.1f"),
            Column("Seeds"),
            Column("Seeds left out"),
            Column("PA(0.9)", format=".1f"),
        ),
        rows=tuple(
            (
                row["model"],
                row["masked_lm"],
                GROUP_NAMES[row["group"]],
                row["variants"],
                row["variants_per_subsample"],
                row["seeds"],
                row["seeds_left_out"],
                percent_or_none(row["pattern_accuracy"]),
            )
            for row in value.groups
        ),
        notes=(
            f"Seeds with fewer than {value.minimum} drawn variants in a group are left out of it.",
            "Variants per subsample are counted as in Table 9. Neither the paper nor this report tests the groups.",
        ),
    )
    at = [f"{100 * curve.at(QUALITY_THRESHOLD):.1f} on {name}" for name, curve, _ in curves]
    seeds = and_list([f"up to {curve.seeds:,} in {name}" for name, curve, _ in curves] or ["none"])
    return (
        Artifact(
            name="figure-7-masked-lms",
            paper="Figure 7",
            title="Pattern accuracy by masked LM, mean over models",
            caption="Each line is the pattern accuracy on one group of variants, mean over the models that have seeds "
            "in it; shaded: lowest to highest subsample.",
            basis=f"seeds: {seeds}; {count(len(value.masked_lms), 'model')}",
            finding=f"{PA} is {and_list(at) or 'not known'}. The groups are not tested.",
            **_drawn(curves),
            tables=(curve_table(curves), groups),
        ),
    )


def filter_sets_artifacts(value: FilterSets) -> tuple[Artifact, ...]:
    """Return Figure 8, data sets with other filters, with the number of distinct variants beside each curve."""
    named = [(data.name, data.curve, style) for style, data in enumerate(value.sets)]
    counted = [(f"{name} ({curve.variants:,})", curve, style) for name, curve, style in named]
    left_out = (
        [f"Not scored on every set, and left out: {and_list(value.models_left_out)}"] if value.models_left_out else []
    )
    notes = (*value.coverage, *left_out, *value.refused)
    tests = () if value.family is None else (pair_table(value.family),)
    return (
        Artifact(
            name="figure-8-filters",
            paper="Figure 8",
            title="Pattern accuracy by filters, mean over models",
            caption="Each line is the mean pattern accuracy of the models on one data set, with its number of distinct "
            "drawn variants; shaded: lowest to highest subsample.",
            basis=basis(value.seeds, len(value.models)),
            finding=ranking(
                {data.name: data.curve.at(QUALITY_THRESHOLD) for data in value.sets}, {}, value.family, kind="data set"
            ),
            **_drawn(counted),
            tables=(curve_table(named, notes=tuple(f"{note}." for note in notes)), *tests),
        ),
    )


def _drawn(curves: Sequence[tuple[str, MeanCurve, int]], *, start: float = 0) -> dict[str, Any]:
    """Return the figure of the curves that have enough seeds, None without any, and what it leaves out."""
    enough = [line for line in curves if line[1].seeds >= MIN_SEEDS]
    few = [f"{name} ({count(curve.seeds, 'seed')})" for name, curve, _ in curves if curve.seeds < MIN_SEEDS]
    not_drawn = f"Not drawn, with fewer than {MIN_SEEDS} seeds: {and_list(few)}." if few else ""
    return {
        "draw": partial(draw_curves, enough, start=start, note=not_drawn) if enough else None,
        "not_drawn": not_drawn,
    }


def draw_curves(
    curves: Sequence[tuple[str, MeanCurve, int]],
    narrow: bool,
    title: str,
    *,
    start: float = 0,
    note: str = "",
) -> Figure:
    """Draw curves by name and style, with a note below; curves without a value are left out."""
    lines = [
        Line(name, curve.mean, curve.low, curve.high, style)
        for name, curve, style in curves
        if not math.isnan(curve.mean[-1])
    ]
    return line_figure(lines, CURVE, title=title, marked=QUALITY_THRESHOLD, start=start, narrow=narrow, note=note)


def curve_table(curves: Sequence[tuple[str, MeanCurve, int]], *, notes: tuple[str, ...] = ()) -> Table:
    """Return pattern accuracy in percent at a few thresholds, with the seeds and variants of each curve."""
    return Table(
        columns=(
            Column("", "left"),
            Column("Seeds"),
            Column("Variants"),
            *(Column(f"PA({threshold})", format=".1f") for threshold in TABLE_THRESHOLDS),
        ),
        rows=tuple(
            (
                name,
                curve.seeds,
                curve.variants,
                *(percent_or_none(curve.at(threshold)) for threshold in TABLE_THRESHOLDS),
            )
            for name, curve, _ in curves
        ),
        notes=("Pattern accuracy in percent: mean over the subsamples, then over the models.", *notes),
    )


def percent_or_none(share: float | None) -> float | None:
    """Return a share in percent, None if it is not known."""
    return None if share is None or math.isnan(share) else 100 * share
