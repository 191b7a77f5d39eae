"""Show what right and wrong answers have to do with words: word frequency, and the regression of right answers."""

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from matplotlib.figure import Figure

from merge_snli.base.table import Cell, Column, Table, count
from merge_snli.comparison.findings import ALPHA, MAX_NAMED, and_list, p_text
from merge_snli.comparison.line_chart import COLORS, GRAY, NARROW_WIDTH_INCHES, WIDTH_INCHES, draw_grid, draw_title
from merge_snli.paper.error_drivers import Coefficient, ErrorDrivers, Regression
from merge_snli.paper.report.artifact import Artifact, basis, predictor_name
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
            *(
                column
                for name in averages
                for column in (Column(name, format=",.2f"), Column(f"{name}, interval", under=True))
            ),
        ),
        rows=tuple(
            (
                model.model,
                None if model.training_data is None else ", ".join(model.training_data),
                model.wrong_seeds,
                model.seeds,
                model.pairs,
                model.zero_pairs,
                *_average(model.arithmetic_mean),
                *_average(model.median),
                *_average(model.geometric_mean),
            )
            for model in value.models
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
            finding="If a model answers the seed wrong and a variant right, the replacement is "
            f"{value.mean_ratio_all:,.1f} times as frequent as the original, arithmetic mean over the models. The "
            "intervals of each model are in the table.",
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
    names = _names(value)
    found = [f"{names[one.name]} ({one.estimate:+.2f})" for one in main.coefficients if one.p_value < ALPHA]
    regressions = [*value.models, *([] if value.pooled is None else [value.pooled])]
    return (
        Artifact(
            name="error-drivers",
            paper="Research question 3",
            title="What drives right answers",
            caption="Each dot is a coefficient with its 95% interval; right of 0, right answers are more likely.",
            basis=f"{basis(main.seeds, len(main.models))}, {count(main.answers, 'answer')}",
            finding=f"Significant coefficients of right answers: {and_list(found or ['none'])} (Wald tests at "
            f"{ALPHA:.0%}, not adjusted for {count(len(main.coefficients), 'predictor')}).",
            draw=partial(coefficient_figure, value),
            folded=1,
            tables=(_coefficient_table(value, regressions), _intercept_table(regressions)),
        ),
    )


def coefficient_figure(value: ErrorDrivers, narrow: bool, title: str) -> Figure:
    """Return a chart with one row per predictor, the first on top.

    Dots with intervals are the coefficients pooled over the models, small marks those of single models; of one model,
    the dots are its own.

    Args:
        value: The regressions.
        narrow: Draw for the width of a phone, without a title.
        title: Title of the chart.
    """
    pooled, names, width = value.pooled, _names(value), NARROW_WIDTH_INCHES if narrow else WIDTH_INCHES
    main = (pooled or value.models[0]).coefficients
    figure = Figure(figsize=(width, 1.1 + COEFFICIENT_INCHES * len(names)), layout="constrained")
    axes = figure.subplots()
    axes.axvline(0, color=GRAY, linewidth=1, linestyle=(0, (4, 3)), zorder=0)
    rows = {name: row for row, name in enumerate(names)}
    single = [] if pooled is None else [own for model in value.models for own in model.coefficients]
    marks = sorted(single, key=lambda coefficient: rows[coefficient.name])
    if marks:
        at = [rows[mark.name] for mark in marks]
        axes.plot([mark.estimate for mark in marks], at, "|", color=GRAY, markersize=9, label="single models")
    if main:
        at, estimates = [rows[dot.name] for dot in main], [dot.estimate for dot in main]
        label = "95% interval" if pooled is None else "all models, 95% interval"
        axes.plot(estimates, at, "o", color=COLORS[0], markersize=7, markeredgecolor="white", label=label)
    for dot in main:
        axes.plot((dot.interval.low, dot.interval.high), (rows[dot.name],) * 2, color=COLORS[0], linewidth=2, zorder=1)
    label = "Log-odds" if narrow else "Change of the log-odds of a right answer"
    axes.set(xlabel=label, ylim=(len(names) - 0.5, -0.5))
    axes.set_yticks(range(len(names)), list(names.values()))
    axes.tick_params(axis="y", length=0)
    draw_grid(axes, "x", hidden=("top", "right", "left"))
    if not narrow:
        draw_title(figure, title)
    figure.legend(loc="outside lower left", ncols=2, frameon=False, fontsize=9)
    return figure


def _names(value: ErrorDrivers) -> dict[str, str]:
    """Return the display names of the predictors, by name."""
    return {one.name: predictor_name(one.name, one.reference) for one in value.predictors}


def _coefficient_table(value: ErrorDrivers, regressions: Sequence[Regression]) -> Table:
    names = _names(value)
    left_out = [
        (f"{dropped['name']} is left out: {dropped['reason']}.", _title(regression))
        for regression in regressions
        for dropped in regression.left_out
    ]
    return Table(
        title="Coefficients",
        columns=(
            Column("Model", "left"),
            *(
                column
                for name in names.values()
                for column in (
                    Column(name, format="+.3f"),
                    Column(f"{name}, interval", under=True),
                    Column(f"{name}, p", under=True),
                )
            ),
        ),
        rows=tuple((_title(regression), *_coefficients(regression, names)) for regression in regressions),
        notes=(
            "Numbers are standardized: a coefficient is the change per standard deviation. Below it: its 95% interval "
            "and p-value. Standard errors are robust to the dependence between answers on the same seed.",
            *(
                f"{and_list(titles) if len(titles) <= MAX_NAMED else f'{len(titles)} regressions'}: {text}"
                for text in dict.fromkeys(text for text, _ in left_out)
                if (titles := [title for dropped, title in left_out if dropped == text])
            ),
            *(
                f"{_title(regression)}: not computed: {regression.not_computed}"
                for regression in regressions
                if regression.not_computed is not None
            ),
        ),
    )


def _coefficients(regression: Regression, names: Iterable[str]) -> Iterator[Cell]:
    by_name = {coefficient.name: coefficient for coefficient in regression.coefficients}
    for name in names:
        yield from _cells(by_name[name]) if name in by_name else (None, None, None)


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
            (_title(regression), intercept.name, *_cells(intercept))
            for regression in regressions
            for intercept in regression.intercepts
        ),
    )


def _cells(one: Coefficient) -> tuple[Cell, ...]:
    return one.estimate, f"{one.interval.low:+z.3f} to {one.interval.high:+z.3f}", p_text(one.p_value)


def _title(regression: Regression) -> str:
    return regression.models[0] if len(regression.models) == 1 else "all models"
