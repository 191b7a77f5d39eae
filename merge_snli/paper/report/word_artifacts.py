"""Show what right and wrong answers have to do with words: word frequency, and the regression of right answers."""

import math
from collections.abc import Sequence
from functools import partial

from matplotlib.figure import Figure

from merge_snli.base.columns import Columns
from merge_snli.base.table import Table, count
from merge_snli.comparison.findings import ALPHA, MAX_NAMED, and_list, p_text
from merge_snli.comparison.line_chart import COLORS, GRAY, NARROW_WIDTH_INCHES, WIDTH_INCHES, draw_grid, draw_title
from merge_snli.paper.error_drivers import Coefficient, ErrorDrivers, Regression
from merge_snli.paper.report.artifact import Artifact, basis, predictor_name
from merge_snli.paper.word_frequency import Average, ModelWordFrequency, WordFrequency

# The averages over seeds by header, with their names in `ModelWordFrequency`.
AVERAGES = {"Arithmetic mean": "arithmetic_mean", "Median": "median", "Geometric mean": "geometric_mean"}
# Height of a row.
COEFFICIENT_INCHES = 0.38


def word_frequency_artifacts(value: WordFrequency) -> tuple[Artifact, ...]:
    """Return how much more frequent replacements are than originals."""
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
            tables=(_frequency_table(value),),
        ),
    )


def _frequency_table(value: WordFrequency) -> Table:
    columns = Columns[ModelWordFrequency]()
    columns.add("Model", lambda row: row.model, align="left")
    columns.add("Trained on", _trained_on, align="left")
    columns.add("Wrong seeds", lambda row: row.wrong_seeds)
    columns.add("With right variants", lambda row: row.seeds)
    columns.add("Pairs", lambda row: row.pairs)
    columns.add("Pairs with count 0", lambda row: row.zero_pairs)
    for header, name in AVERAGES.items():
        columns.add(header, partial(_average, name), format=",.2f")
        columns.add(f"{header}, interval", partial(_average_ends, name), under=True)
    here = f"no such model has these variants, so the average is over all models: {value.mean_ratio_all:,.1f}"
    if value.mean_ratio_snli is not None:
        here = f"it is {value.mean_ratio_snli:,.1f}, over {and_list(value.snli_models)}"
    notes = [
        f"Words are counted in {value.corpus} ({value.corpus_tokens:,} tokens).",
        "Ratio of a pair: (count of the replacement + 1) / (count of the original + 1), averaged over the pairs of a "
        "seed, then over seeds; intervals are from a bootstrap over seeds.",
        'The paper says "about 2,000 times more often", an arithmetic mean over models trained on SNLI alone. Here '
        f"{here}.",
    ]
    return columns.table(value.models, notes=notes)


def _trained_on(row: ModelWordFrequency) -> str | None:
    return None if row.training_data is None else ", ".join(row.training_data)


def _average(name: str, row: ModelWordFrequency) -> float | None:
    average: Average = getattr(row, name)
    return None if math.isnan(average.value) else average.value


def _average_ends(name: str, row: ModelWordFrequency) -> str | None:
    interval = getattr(row, name).interval
    return None if interval is None else f"{interval.low:,.2f} to {interval.high:,.2f}"


def error_drivers_artifacts(value: ErrorDrivers) -> tuple[Artifact, ...]:
    """Return the coefficients, pooled over the models or of the only model, with those of single models as marks."""
    main = value.pooled or value.models[0]
    regressions = list(value.models)
    if value.pooled is not None:
        regressions.append(value.pooled)
    names = _names(value)
    found = [f"{names[one.name]} ({one.estimate:+.2f})" for one in main.coefficients if one.p_value < ALPHA]
    finding = (
        f"Significant coefficients of right answers: {and_list(found or ['none'])} (Wald tests at {ALPHA:.0%}, not "
        f"adjusted for {count(len(main.coefficients), 'predictor')})."
    )
    artifact = Artifact(
        name="error-drivers",
        paper="Research question 3",
        title="What drives right answers",
        caption="Each dot is a coefficient with its 95% interval; right of 0, right answers are more likely.",
        basis=f"{basis(main.seeds, len(main.models))}, {count(main.answers, 'answer')}",
        finding=finding,
        draw=partial(coefficient_figure, value),
        folded=1,
        tables=(_coefficient_table(value, regressions), _intercept_table(regressions)),
    )
    return (artifact,)


def coefficient_figure(value: ErrorDrivers, narrow: bool, title: str) -> Figure:
    """Return a chart with one row per predictor, the first on top.

    Dots with intervals are the coefficients pooled over the models, small marks those of single models; of one model,
    the dots are its own.

    Args:
        value: The regressions.
        narrow: Draw for the width of a phone, without a title.
        title: Title of the chart.
    """
    pooled, names = value.pooled, _names(value)
    width = NARROW_WIDTH_INCHES if narrow else WIDTH_INCHES
    main = (pooled or value.models[0]).coefficients
    figure = Figure(figsize=(width, 1.1 + COEFFICIENT_INCHES * len(names)), layout="constrained")
    axes = figure.subplots()
    axes.axvline(0, color=GRAY, linewidth=1, linestyle=(0, (4, 3)), zorder=0)
    rows = {name: row for row, name in enumerate(names)}
    marks: list[Coefficient] = []
    if pooled is not None:
        for model in value.models:
            marks += model.coefficients
    marks.sort(key=lambda coefficient: rows[coefficient.name])
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
    columns = Columns[Regression]()
    columns.add("Model", _title, align="left")
    for name, shown in _names(value).items():
        columns.add(shown, partial(_estimate, name), format="+.3f")
        columns.add(f"{shown}, interval", partial(_ends, name), under=True)
        columns.add(f"{shown}, p", partial(_p, name), under=True)
    notes = [
        "Numbers are standardized: a coefficient is the change per standard deviation. Below it: its 95% interval and "
        "p-value. Standard errors are robust to the dependence between answers on the same seed."
    ]
    titles: dict[str, list[str]] = {}
    for regression in regressions:
        for dropped in regression.left_out:
            text = f"{dropped['name']} is left out: {dropped['reason']}."
            titles.setdefault(text, []).append(_title(regression))
    for text, of_text in titles.items():
        which = and_list(of_text) if len(of_text) <= MAX_NAMED else f"{len(of_text)} regressions"
        notes.append(f"{which}: {text}")
    for regression in regressions:
        if regression.not_computed is not None:
            notes.append(f"{_title(regression)}: not computed: {regression.not_computed}")
    return columns.table(regressions, title="Coefficients", notes=notes)


def _coefficient(name: str, regression: Regression) -> Coefficient | None:
    return next((one for one in regression.coefficients if one.name == name), None)


def _estimate(name: str, regression: Regression) -> float | None:
    one = _coefficient(name, regression)
    return None if one is None else one.estimate


def _ends(name: str, regression: Regression) -> str | None:
    one = _coefficient(name, regression)
    return None if one is None else _ends_of(one)


def _p(name: str, regression: Regression) -> str | None:
    one = _coefficient(name, regression)
    return None if one is None else p_text(one.p_value)


def _ends_of(one: Coefficient) -> str:
    return f"{one.interval.low:+z.3f} to {one.interval.high:+z.3f}"


def _intercept_table(regressions: Sequence[Regression]) -> Table:
    rows = []
    for regression in regressions:
        rows += [(_title(regression), intercept) for intercept in regression.intercepts]
    columns = Columns[tuple[str, Coefficient]]()
    columns.add("Regression", lambda row: row[0], align="left")
    columns.add("Model", lambda row: row[1].name, align="left")
    columns.add("Intercept", lambda row: row[1].estimate, format="+.3f")
    columns.add("95% interval", lambda row: _ends_of(row[1]))
    columns.add("p", lambda row: p_text(row[1].p_value))
    return columns.table(rows, title="Intercepts")


def _title(regression: Regression) -> str:
    return regression.models[0] if len(regression.models) == 1 else "all models"
