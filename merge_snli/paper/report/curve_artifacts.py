"""Show the analyses that are curves: Figures 4 to 8 and 11 of the paper."""

import math
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from matplotlib.figure import Figure

from merge_snli.base.table import Table, count
from merge_snli.comparison.curves import MeanCurve, ModelCurves
from merge_snli.comparison.figures import FIGURE_4_START
from merge_snli.comparison.findings import ALPHA, and_list, difference, ranking
from merge_snli.comparison.line_chart import COLORS, Line, line_figure
from merge_snli.comparison.statistics_tables import pair_table, table_of_tests
from merge_snli.comparison.word_classes import Classes, ClassPairs
from merge_snli.paper.filter_sets import FilterSets
from merge_snli.paper.fine_tuned import FineTuned
from merge_snli.paper.report.artifact import Artifact, NamedColumns, basis
from merge_snli.results.rows import PA
from merge_snli.schema import WORD_CLASSES
from merge_snli.statistics import NamedTest, PairResult, TestResult
from metrics.pattern_accuracy.core import CURVE, QUALITY_THRESHOLD

# Curves of fewer seeds are not drawn.
MIN_SEEDS = 10

# Thresholds shown in the tables below the figures.
TABLE_THRESHOLDS = (0.5, 0.7, 0.8, 0.9, 1)

# What the bands of all figures are.
SHADED = "shaded: lowest to highest subsample."

# The names of Figure 7.
GROUP_NAMES = {"equiv": "Equiv-MLM", "size": "Size-MLM", "arch": "Arch-MLM", "multi": "Multi-MLM"}

# The names of word classes in Figures 5 and 6.
CLASS_PLURALS = {"noun": "nouns", "verb": "verbs", "adj": "adjectives", "adv": "adverbs"}
LETTERS = {"noun": "N", "verb": "V", "adj": "A", "adv": "Adv"}


# A curve with its name and style in a figure.
Curve: TypeAlias = tuple[str, MeanCurve, int]


# What the lines of Figures 4 and 11 are.
EACH_MODEL = "Each line is the pattern accuracy of a model, or of several that are equal, at"


def figure_4_artifact(value: ModelCurves) -> Artifact:
    """Return Figure 4, the curves of the models from 80% on."""
    return _figure(
        _of_models(value),
        start=FIGURE_4_START,
        name="figure-4-curves-from-80",
        paper="Figure 4",
        title="Pattern accuracy from 80% on",
        caption=f"{EACH_MODEL} thresholds from 80% on",
        basis=basis(value.seeds, len(value.curves)),
        finding=_range_of_models(value),
    )


def figure_11_artifact(value: ModelCurves) -> Artifact:
    """Return Figure 11, the whole curves of the models."""
    curves = _of_models(value)
    return _figure(
        curves,
        name="figure-11-curves",
        paper="Figure 11",
        title="Pattern accuracy by threshold",
        caption=f"{EACH_MODEL} all thresholds",
        basis=basis(value.seeds, len(curves)),
        tables=(curve_table(curves),),
    )


def _of_models(value: ModelCurves) -> list[Curve]:
    return [(curve.models[0], curve, style) for style, curve in enumerate(value.curves)]


def _range_of_models(value: ModelCurves) -> str:
    """Return the lowest and the highest pattern accuracy of the models at a few thresholds."""
    ends = []
    for threshold in (0.5, QUALITY_THRESHOLD, 1):
        shares = [100 * curve.at(threshold) for curve in value.curves]
        low, high = np.fmin.reduce(shares), np.fmax.reduce(shares)
        if high > low:
            ends.append(f"PA({threshold}) from {low:.1f} to {high:.1f}")
        elif high == low:  # not if no model has a value
            ends.append(f"PA({threshold}) is {high:.1f}")
    found = f"{', '.join(ends)}."
    if len(value.curves) < 2:
        return found
    return f"From the lowest to the highest model: {found} Only {PA} is tested, in Table 3."


def classes_artifact(value: Classes) -> Artifact:
    """Return Figure 5, the word classes."""
    curves = [(CLASS_PLURALS[name], curve, WORD_CLASSES.index(name)) for name, curve in value.curves.items()]
    return _figure_of_classes(
        curves,
        value.tests,
        seeds=[f"{curve.seeds:,} with {name}" for name, curve, _ in curves],
        adjusted="The p-values are not adjusted.",
        name="figure-5-word-classes",
        paper="Figure 5",
        title="Pattern accuracy by word class, mean over models",
        caption="Each line is the mean pattern accuracy of the models on the variants of one word class",
    )


def class_pairs_artifact(value: ClassPairs) -> Artifact:
    """Return Figure 6, pairs of word classes on the same seeds. A class keeps its color, a pair has one line style."""
    curves = []
    for number, pair in enumerate(value.pairs):
        first, second = pair.first, pair.second
        for own, other, curve in ((first, second, pair.first_curve), (second, first, pair.second_curve)):
            style = WORD_CLASSES.index(own) + number * len(COLORS)
            curves.append((f"{LETTERS[own]}_{LETTERS[other]}", curve, style))
    return _figure_of_classes(
        curves,
        value.tests,
        seeds=[f"{pair.seeds:,} with {pair.first} and {pair.second}" for pair in value.pairs],
        adjusted=f"The p-values are adjusted by Holm's method over {len(value.tests)} pairs.",
        name="figure-6-class-pairs",
        paper="Figure 6",
        title="Pattern accuracy on seeds of two word classes, mean over models",
        caption="Each line is the mean pattern accuracy of the models on the variants of one word class (its "
        "color), of seeds that also have variants of another",
    )


def _figure_of_classes(
    curves: Sequence[Curve],
    tests: Sequence[NamedTest],
    *,
    seeds: Sequence[str],
    adjusted: str,
    **texts: Any,  # noqa: ANN401 - fields of Artifact
) -> Artifact:
    """Return a figure of word classes, with their tests in a table.

    Args:
        curves: The curves.
        tests: The tests of two classes.
        seeds: The numbers of seeds.
        adjusted: Whether the p-values of several tests are adjusted.
        texts: See `_figure`.
    """
    rows = []
    different = []
    same = []
    for test in tests:
        first, second = CLASS_PLURALS[test.first], CLASS_PLURALS[test.second]
        adjusted_p = test.adjusted_p if isinstance(test, PairResult) else None
        rows.append((f"{first} − {second}", test.result, adjusted_p))
        p = test.result.p_value if adjusted_p is None else adjusted_p
        if len(tests) > 1 and p >= ALPHA:
            same.append(f"{first} and {second}")
        else:
            different.append(difference(test.result, f"on {first}", f"on {second}", adjusted_p=adjusted_p))
    if same:
        which = f"between {', or '.join(same)}" if different else "between any two word classes"
        by = _test_over([test.result for test in tests])
        different.append(f"{PA} does not differ significantly {which} ({by})")
    finding = f"{'; '.join(different)}."
    if not tests:
        finding = "No two classes can be tested: each needs at least two seeds."
    elif len(tests) > 1:
        finding += f" {adjusted}"
    models = count(len(curves[0][1].models), "model")
    tables = (curve_table(curves), table_of_tests(rows))
    return _figure(curves, basis=f"seeds: {and_list(seeds)}; {models}", finding=finding, tables=tables, **texts)


def _test_over(tests: Sequence[TestResult]) -> str:
    """Return the test of some pairs, with the range of the numbers of their seeds."""
    numbers = [test.n for test in tests]
    few, most = min(numbers), max(numbers)
    seeds = count(most, "seed")
    if few < most:
        seeds = f"{few:,} to {seeds}"
    name = tests[0].test.partition(" (")[0]
    return f"{name} over {seeds}"


def fine_tuned_artifact(value: FineTuned) -> Artifact:
    """Return Figure 7, variants by the masked LMs that made them."""
    curves = []
    at = []
    seeds = []
    for style, (group, name) in enumerate(GROUP_NAMES.items()):
        if group in value.curves:
            curve = value.curves[group]
            curves.append((name, curve, style))
            at.append(f"{100 * curve.at(QUALITY_THRESHOLD):.1f} on {name}")
            seeds.append(f"up to {curve.seeds:,} in {name}")
    models = count(len(value.masked_lms), "model")
    return _figure(
        curves,
        name="figure-7-masked-lms",
        paper="Figure 7",
        title="Pattern accuracy by masked LM, mean over models",
        caption="Each line is the pattern accuracy on one group of variants, mean over the models that have seeds "
        "in it",
        basis=f"seeds: {and_list(seeds or ['none'])}; {models}",
        finding=f"{PA} is {and_list(at or ['not known'])}. The groups are not tested.",
        tables=(curve_table(curves), _table_of_groups(value)),
    )


def _table_of_groups(value: FineTuned) -> Table:
    columns = NamedColumns()
    columns.add_text("Model", "model")
    columns.add_text("Its masked LM", "masked_lm")
    columns.add("Group", lambda row: GROUP_NAMES[row["group"]], align="left")
    columns.add_value("Variants", "variants")
    columns.add_value("Per subsample", "variants_per_subsample", format=",.1f")
    columns.add_value("Seeds", "seeds")
    columns.add_value("Seeds left out", "seeds_left_out")
    columns.add_share("PA(0.9)", "pattern_accuracy")
    notes = [
        f"Seeds with fewer than {value.minimum} drawn variants in a group are left out of it.",
        "Variants per subsample are counted as in Table 9. Neither the paper nor this report tests the groups.",
    ]
    return columns.table(value.groups, notes=notes)


def filter_sets_artifact(value: FilterSets) -> Artifact:
    """Return Figure 8, data sets with other filters, with the number of distinct variants beside each curve."""
    named = []
    counted = []
    accuracies = {}
    for style, data in enumerate(value.sets):
        name = data["name"]
        curve = data["curve"]
        named.append((name, curve, style))
        counted.append((f"{name} ({curve.variants:,})", curve, style))
        accuracies[name] = curve.at(QUALITY_THRESHOLD)
    notes = list(value.coverage)
    if value.models_left_out:
        notes.append(f"Not scored on every set, and left out: {and_list(value.models_left_out)}")
    notes += value.refused
    tables = [curve_table(named, notes=[f"{note}." for note in notes])]
    if value.family is not None:
        tables.append(pair_table(value.family))
    return _figure(
        counted,
        name="figure-8-filters",
        paper="Figure 8",
        title="Pattern accuracy by filters, mean over models",
        caption="Each line is the mean pattern accuracy of the models on one data set, with its number of distinct "
        "drawn variants",
        basis=basis(value.seeds, len(value.models)),
        finding=ranking(accuracies, {}, value.family, kind="data set"),
        tables=tuple(tables),
    )


def _figure(
    curves: Sequence[Curve],
    *,
    start: float = 0,
    caption: str,
    **texts: Any,  # noqa: ANN401 - fields of Artifact
) -> Artifact:
    """Return a figure of the curves that have enough seeds.

    Args:
        curves: The curves.
        start: First threshold that is shown.
        caption: What each line is.
        texts: The other fields of the artifact.
    """
    enough = []
    few = []
    for line in curves:
        name, curve, _ = line
        if curve.seeds >= MIN_SEEDS:
            enough.append(line)
        else:
            few.append(f"{name} ({count(curve.seeds, 'seed')})")
    not_drawn = f"Not drawn, with fewer than {MIN_SEEDS} seeds: {and_list(few)}." if few else ""
    draw = partial(_draw, enough, start=start, note=not_drawn) if enough else None
    return Artifact(draw=draw, not_drawn=not_drawn, caption=f"{caption}; {SHADED}", **texts)


def _draw(curves: Sequence[Curve], narrow: bool, title: str, **look: Any) -> Figure:  # noqa: ANN401 - of line_figure
    """Draw curves; those without a value are left out."""
    lines = []
    for name, curve, style in curves:
        if not math.isnan(curve.mean[-1]):
            lines.append(Line(name, curve.mean, curve.low, curve.high, style))
    return line_figure(lines, CURVE, title=title, marked=QUALITY_THRESHOLD, narrow=narrow, **look)


def curve_table(curves: Sequence[Curve], *, notes: Iterable[str] = ()) -> Table:
    """Return pattern accuracy in percent at a few thresholds, with the seeds and variants of each curve."""
    columns = NamedColumns()
    columns.add_text("", "name")
    columns.add_value("Seeds", "seeds")
    columns.add_value("Variants", "variants")
    for threshold in TABLE_THRESHOLDS:
        columns.add_share(f"PA({threshold})", f"PA({threshold})")
    rows = []
    for name, curve, _ in curves:
        shares = {f"PA({threshold})": curve.at(threshold) for threshold in TABLE_THRESHOLDS}
        rows.append({"name": name, "seeds": curve.seeds, "variants": curve.variants, **shares})
    about = "Pattern accuracy in percent: mean over the subsamples, then over the models."
    return columns.table(rows, notes=[about, *notes])
