"""Show the analyses that are curves: Figures 4 to 8 and 11 of the paper."""

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

from matplotlib.figure import Figure

from merge_snli.base.columns import Columns
from merge_snli.base.table import Table, count
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

# What the bands of all figures are.
SHADED = "shaded: lowest to highest subsample."

# The names of Figure 7.
GROUP_NAMES = {"equiv": "Equiv-MLM", "size": "Size-MLM", "arch": "Arch-MLM", "multi": "Multi-MLM"}

# The names of word classes in Figure 6.
LETTERS = {"noun": "N", "verb": "V", "adj": "A", "adv": "Adv"}


# A curve with its name and style in a figure.
Curve: TypeAlias = tuple[str, MeanCurve, int]


def model_curves_artifacts(value: ModelCurves) -> tuple[Artifact, ...]:
    """Return Figure 4, the curves from 80% on, and Figure 11, the whole curves."""
    curves = [(curve.models[0], curve, style) for style, curve in enumerate(value.curves)]
    of = basis(value.seeds, len(curves))
    each = "Each line is the pattern accuracy of a model, or of several that are equal, at"
    return (
        Artifact(
            name="figure-4-curves-from-80",
            paper="Figure 4",
            title="Pattern accuracy from 80% on",
            caption=f"{each} thresholds from 80% on; {SHADED}",
            basis=of,
            finding=_range_of_models(value),
            **_drawn(curves, start=FIGURE_4_START),
        ),
        Artifact(
            name="figure-11-curves",
            paper="Figure 11",
            title="Pattern accuracy by threshold",
            caption=f"{each} all thresholds; {SHADED}",
            basis=of,
            **_drawn(curves),
            tables=(curve_table(curves),),
        ),
    )


def _range_of_models(value: ModelCurves) -> str:
    """Return the lowest and the highest pattern accuracy of the models at a few thresholds."""
    ends = []
    for threshold in (0.5, QUALITY_THRESHOLD, 1):
        shares = [100 * curve.at(threshold) for curve in value.curves if not math.isnan(curve.at(threshold))]
        if shares:
            low, high = min(shares), max(shares)
            verb = f"from {low:.1f} to" if high > low else "is"
            ends.append(f"PA({threshold}) {verb} {high:.1f}")
    if len(value.curves) < 2:
        return f"{', '.join(ends)}."
    return f"From the lowest to the highest model: {', '.join(ends)}. Only {PA} is tested, in Table 3."


def classes_artifacts(value: Classes) -> tuple[Artifact, ...]:
    """Return Figure 5, the word classes."""
    curves = [(CLASS_PLURALS[name], curve, WORD_CLASSES.index(name)) for name, curve in value.curves.items()]
    tests = [(test, None) for test in value.tests]
    adjusted = " The p-values are not adjusted." if len(tests) > 1 else ""
    seeds = and_list([f"{curve.seeds:,} with {name}" for name, curve, _ in curves])
    return (
        Artifact(
            name="figure-5-word-classes",
            paper="Figure 5",
            title="Pattern accuracy by word class, mean over models",
            caption=f"Each line is the mean pattern accuracy of the models on the variants of one word class; {SHADED}",
            basis=f"seeds: {seeds}; {_models_of(curves)}",
            finding=_differences(tests, adjusted),
            **_drawn(curves),
            tables=(curve_table(curves), _table_of_classes(tests)),
        ),
    )


def class_pairs_artifacts(value: ClassPairs) -> tuple[Artifact, ...]:
    """Return Figure 6, pairs of word classes on the same seeds. A class keeps its color, a pair has one line style."""
    curves: list[Curve] = []
    for number, pair in enumerate(value.pairs):
        first, second = pair.first, pair.second
        for own, other, curve in ((first, second, pair.first_curve), (second, first, pair.second_curve)):
            style = WORD_CLASSES.index(own) + number * len(COLORS)
            curves.append((f"{LETTERS[own]}_{LETTERS[other]}", curve, style))
    tests = [(test, test.adjusted_p) for test in value.tests]
    adjusted = f" The p-values are adjusted by Holm's method over {len(tests)} pairs." if len(tests) > 1 else ""
    seeds = and_list([f"{pair.seeds:,} with {pair.first} and {pair.second}" for pair in value.pairs])
    return (
        Artifact(
            name="figure-6-class-pairs",
            paper="Figure 6",
            title="Pattern accuracy on seeds of two word classes, mean over models",
            caption="Each line is the mean pattern accuracy of the models on the variants of one word class (its "
            f"color), of seeds that also have variants of another; {SHADED}",
            basis=f"seeds: {seeds}; {_models_of(curves)}",
            finding=_differences(tests, adjusted),
            **_drawn(curves),
            tables=(curve_table(curves), _table_of_classes(tests)),
        ),
    )


def _models_of(curves: Sequence[Curve]) -> str:
    return count(len(curves[0][1].models), "model")


def _table_of_classes(tests: Iterable[tuple[NamedTest, float | None]]) -> Table:
    """Return the table of tests of word classes."""
    named = []
    for test, adjusted_p in tests:
        named.append((f"{CLASS_PLURALS[test.first]} − {CLASS_PLURALS[test.second]}", test.result, adjusted_p))
    return table_of_tests(named)


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
    at = [f"{100 * curve.at(QUALITY_THRESHOLD):.1f} on {name}" for name, curve, _ in curves]
    seeds = [f"up to {curve.seeds:,} in {name}" for name, curve, _ in curves] or ["none"]
    return (
        Artifact(
            name="figure-7-masked-lms",
            paper="Figure 7",
            title="Pattern accuracy by masked LM, mean over models",
            caption="Each line is the pattern accuracy on one group of variants, mean over the models that have seeds "
            f"in it; {SHADED}",
            basis=f"seeds: {and_list(seeds)}; {count(len(value.masked_lms), 'model')}",
            finding=f"{PA} is {and_list(at or ['not known'])}. The groups are not tested.",
            **_drawn(curves),
            tables=(curve_table(curves), _table_of_groups(value)),
        ),
    )


def _table_of_groups(value: FineTuned) -> Table:
    columns = Columns[Mapping[str, Any]]()
    columns.add("Model", lambda row: row["model"], align="left")
    columns.add("Its masked LM", lambda row: row["masked_lm"], align="left")
    columns.add("Group", lambda row: GROUP_NAMES[row["group"]], align="left")
    columns.add("Variants", lambda row: row["variants"])
    columns.add("Per subsample", lambda row: row["variants_per_subsample"], format=",.1f")
    columns.add("Seeds", lambda row: row["seeds"])
    columns.add("Seeds left out", lambda row: row["seeds_left_out"])
    columns.add("PA(0.9)", lambda row: percent_or_none(row["pattern_accuracy"]), format=".1f")
    notes = [
        f"Seeds with fewer than {value.minimum} drawn variants in a group are left out of it.",
        "Variants per subsample are counted as in Table 9. Neither the paper nor this report tests the groups.",
    ]
    return columns.table(value.groups, notes=notes)


def filter_sets_artifacts(value: FilterSets) -> tuple[Artifact, ...]:
    """Return Figure 8, data sets with other filters, with the number of distinct variants beside each curve."""
    named = [(data.name, data.curve, style) for style, data in enumerate(value.sets)]
    counted = [(f"{name} ({curve.variants:,})", curve, style) for name, curve, style in named]
    notes = list(value.coverage)
    if value.models_left_out:
        notes.append(f"Not scored on every set, and left out: {and_list(value.models_left_out)}")
    notes += value.refused
    tables = [curve_table(named, notes=[f"{note}." for note in notes])]
    if value.family is not None:
        tables.append(pair_table(value.family))
    accuracies = {data.name: data.curve.at(QUALITY_THRESHOLD) for data in value.sets}
    return (
        Artifact(
            name="figure-8-filters",
            paper="Figure 8",
            title="Pattern accuracy by filters, mean over models",
            caption="Each line is the mean pattern accuracy of the models on one data set, with its number of distinct "
            f"drawn variants; {SHADED}",
            basis=basis(value.seeds, len(value.models)),
            finding=ranking(accuracies, {}, value.family, kind="data set"),
            **_drawn(counted),
            tables=tuple(tables),
        ),
    )


def _drawn(curves: Sequence[Curve], *, start: float = 0) -> dict[str, Any]:
    """Return the figure of the curves that have enough seeds, None without any, and what it leaves out."""
    enough = [line for line in curves if line[1].seeds >= MIN_SEEDS]
    few = [f"{name} ({count(curve.seeds, 'seed')})" for name, curve, _ in curves if curve.seeds < MIN_SEEDS]
    not_drawn = f"Not drawn, with fewer than {MIN_SEEDS} seeds: {and_list(few)}." if few else ""
    draw = partial(draw_curves, enough, start=start, note=not_drawn) if enough else None
    return {"draw": draw, "not_drawn": not_drawn}


def draw_curves(curves: Sequence[Curve], narrow: bool, title: str, *, start: float = 0, note: str = "") -> Figure:
    """Draw curves by name and style, with a note below; curves without a value are left out."""
    lines = []
    for name, curve, style in curves:
        if not math.isnan(curve.mean[-1]):
            lines.append(Line(name, curve.mean, curve.low, curve.high, style))
    return line_figure(lines, CURVE, title=title, marked=QUALITY_THRESHOLD, start=start, narrow=narrow, note=note)


def curve_table(curves: Sequence[Curve], *, notes: Iterable[str] = ()) -> Table:
    """Return pattern accuracy in percent at a few thresholds, with the seeds and variants of each curve."""
    columns = Columns[Curve]()
    columns.add("", lambda row: row[0], align="left")
    columns.add("Seeds", lambda row: row[1].seeds)
    columns.add("Variants", lambda row: row[1].variants)
    for threshold in TABLE_THRESHOLDS:
        columns.add(f"PA({threshold})", partial(_at, threshold), format=".1f")
    about = "Pattern accuracy in percent: mean over the subsamples, then over the models."
    return columns.table(curves, notes=[about, *notes])


def _at(threshold: float, row: Curve) -> float | None:
    return percent_or_none(row[1].at(threshold))


def percent_or_none(share: float | None) -> float | None:
    """Return a share in percent, None if it is not known."""
    return None if share is None or math.isnan(share) else 100 * share
