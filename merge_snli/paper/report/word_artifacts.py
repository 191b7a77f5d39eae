"""Show what right and wrong answers have to do with words: word frequency, and the regression of right answers."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

from matplotlib.figure import Figure

from merge_snli.base.table import Cell, Column, Table, count
from merge_snli.comparison.line_chart import COLORS, GRAY, NARROW_WIDTH_INCHES, WIDTH_INCHES, draw_grid, draw_title
from merge_snli.comparison.statistics_tables import p_text
from merge_snli.paper.error_drivers import Coefficient, ErrorDrivers, Regression
from merge_snli.paper.report.artifact import Artifact, and_list, basis, predictor_name
from merge_snli.paper.word_frequency import Average, WordFrequency

# Height of a row.
COEFFICIENT_INCHES = 0.38


def word_frequency_artifacts(value: WordFrequency) -> tuple[Artifact, ...]:
    """Return how much more frequent replacements are than originals."""
    averages = ("Arithmetic mean", "Median", "Geometric mean")
    table = Table(
        columns=(
            Column("Model", "left"),
            Column("Trained on", "left"),
            Column("Wrong seeds"),
            Column("With right variants"),
            Column("Pairs"),
            Column("Pairs with count 0"),
            *(column for name in averages for column in (Column(name, format=",.2f"), Column(f"{name}, interval"))),
        ),
        rows=tuple(
            (
                each.model,
                None if each.training_data is None else ", ".join(each.training_data),
                each.wrong_seeds,
                each.seeds,
                each.pairs,
                each.zero_pairs,
                *_average(each.arithmetic_mean),
                *_average(each.median),
                *_average(each.geometric_mean),
            )
            for each in value.models
        ),
        notes=(
            f"Words are counted in {value.corpus} ({value.corpus_tokens:,} tokens).",
            "Ratio of a pair: (count of the replacement + 1) / (count of the original + 1), averaged over "
            "the pairs of a seed, then over seeds; intervals are from a bootstrap over seeds.",
            'The paper says "about 2,000 times more often", an arithmetic mean over models trained on SNLI alone. '
            + (
                f"Here it is {value.mean_ratio_snli:,.1f}, over {and_list(value.snli_models)}."
                if value.mean_ratio_snli is not None
                else "Here no such model has these variants, so the average is over all models: "
                f"{value.mean_ratio_all:,.1f}."
            ),
        ),
    )
    return (
        Artifact(
            name="word-frequency",
            paper="Section 5.5",
            title="Frequency of replacements and originals",
            caption="Each row is one model, with the ratio of the counts of replacement and original averaged over "
            "seeds in three ways.",
            basis=f"{value.mean_seeds:,.1f} seeds per model, {count(len(value.models), 'model')}",
            tables=(table,),
        ),
    )


def _average(average: Average) -> tuple[float | None, str | None]:
    if math.isnan(average.value):
        return None, None
    interval = average.interval
    return average.value, None if interval is None else f"{interval.low:,.2f} to {interval.high:,.2f}"


def error_drivers_artifacts(value: ErrorDrivers) -> tuple[Artifact, ...]:
    """Return the coefficients, pooled over the models or of the only model, with those of single models as marks."""
    main = value.pooled or value.models[0]
    regressions = [*value.models, *([] if value.pooled is None else [value.pooled])]
    return (
        Artifact(
            name="error-drivers",
            paper="Research question 3",
            title="What drives right answers",
            caption="Each dot is a coefficient with its 95% interval; right of 0, right answers are more likely.",
            basis=f"{basis(main.seeds, len(main.models))}, {count(main.answers, 'answer')}",
            draw=partial(_draw, value),
            tables=(_coefficient_table(value, regressions), _intercept_table(regressions)),
        ),
    )


def _draw(value: ErrorDrivers, narrow: bool, title: str) -> Figure:
    names = {each.name: predictor_name(each.name, each.reference) for each in value.predictors}
    if value.pooled is None:
        return coefficient_figure(names, value.models[0].coefficients, title=title, dot="95% interval", narrow=narrow)
    single = [each for model in value.models for each in model.coefficients]
    dot = "all models, 95% interval"
    return coefficient_figure(names, value.pooled.coefficients, single, title=title, dot=dot, narrow=narrow)


def coefficient_figure(
    names: Mapping[str, str],
    main: Sequence[Coefficient],
    others: Sequence[Coefficient] = (),
    *,
    title: str,
    dot: str,
    narrow: bool = False,
) -> Figure:
    """Return a chart with one row per predictor, the first on top.

    Args:
        names: Labels of the rows by name of the predictor.
        main: The coefficients that are drawn as dots with their intervals.
        others: The coefficients in the regressions of single models, drawn as small marks.
        title: Title of the chart.
        dot: What the dots stand for.
        narrow: Draw for the width of a phone, without a title.
    """
    width = NARROW_WIDTH_INCHES if narrow else WIDTH_INCHES
    figure = Figure(figsize=(width, 1.1 + COEFFICIENT_INCHES * len(names)), layout="constrained")
    axes = figure.subplots()
    axes.axvline(0, color=GRAY, linewidth=1, linestyle=(0, (4, 3)), zorder=0)
    rows = {name: row for row, name in enumerate(names)}
    marks = sorted(others, key=lambda each: rows[each.name])
    if marks:
        at = [rows[each.name] for each in marks]
        axes.plot([each.estimate for each in marks], at, "|", color=GRAY, markersize=9, label="single models")
    if main:
        at = [rows[each.name] for each in main]
        estimates = [each.estimate for each in main]
        axes.plot(estimates, at, "o", color=COLORS[0], markersize=7, markeredgecolor="white", label=dot)
    for each in main:
        ends = (each.interval.low, each.interval.high)
        axes.plot(ends, (rows[each.name],) * 2, color=COLORS[0], linewidth=2, zorder=1)
    label = "Log-odds" if narrow else "Change of the log-odds of a right answer"
    axes.set(xlabel=label, ylim=(len(names) - 0.5, -0.5))
    axes.set_yticks(range(len(names)), list(names.values()))
    axes.tick_params(axis="y", length=0)
    draw_grid(axes, "x", hidden=("top", "right", "left"))
    if not narrow:
        draw_title(figure, title)
    figure.legend(loc="outside lower left", ncols=2, frameon=False, fontsize=9)
    return figure


def _coefficient_table(value: ErrorDrivers, regressions: Sequence[Regression]) -> Table:
    names = {each.name: predictor_name(each.name, each.reference) for each in value.predictors}
    return Table(
        title="Coefficients",
        columns=(
            Column("Model", "left"),
            *(
                column
                for name in names.values()
                for column in (Column(name, format="+.3f"), Column(f"{name}, interval"), Column(f"{name}, p"))
            ),
        ),
        rows=tuple((_title(each), *_coefficients(each, names)) for each in regressions),
        notes=(
            "Numbers are standardized: a coefficient is the change per standard deviation. Standard errors are robust "
            "to the dependence between answers on the same seed.",
            *(
                f"{_title(regression)}: {each['name']} is left out: {each['reason']}."
                for regression in regressions
                for each in regression.left_out
            ),
            *(
                f"{_title(regression)}: not computed: {regression.not_computed}"
                for regression in regressions
                if regression.not_computed is not None
            ),
        ),
    )


def _coefficients(regression: Regression, names: Iterable[str]) -> Iterator[Cell]:
    by_name = {each.name: each for each in regression.coefficients}
    for name in names:
        yield from _coefficient(by_name[name]) if name in by_name else (None, None, None)


def _intercept_table(regressions: Sequence[Regression]) -> Table:
    return Table(
        title="Intercepts",
        columns=(
            Column("Regression", "left"),
            Column("Model", "left"),
            Column("Intercept", format="+.3f"),
            Column("95% interval"),
            Column("p"),
        ),
        rows=tuple(
            (_title(regression), each.name, *_coefficient(each))
            for regression in regressions
            for each in regression.intercepts
        ),
    )


def _coefficient(each: Coefficient) -> tuple[Cell, ...]:
    return each.estimate, f"{each.interval.low:+z.3f} to {each.interval.high:+z.3f}", p_text(each.p_value)


def _title(regression: Regression) -> str:
    return regression.models[0] if len(regression.models) == 1 else "all models"
