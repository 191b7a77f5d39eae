"""Show what right and wrong answers have to do with words: word frequency, and the regression of right answers."""

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from merge_snli.base.files import JsonObject
from merge_snli.base.table import Cell, Table, count
from merge_snli.comparison.findings import ALPHA, MAX_NAMED, and_list, p_text
from merge_snli.comparison.line_chart import COLORS, GRAY, NARROW_WIDTH_INCHES, WIDTH_INCHES, draw_grid, draw_title
from merge_snli.paper.error_drivers import Coefficient, ErrorDrivers, Regression
from merge_snli.paper.report.artifact import Artifact, NamedColumns, basis
from merge_snli.paper.word_frequency import Average, WordFrequency

# The averages over seeds by header, with their names in `WordFrequency.models`.
AVERAGES = {"Arithmetic mean": "arithmetic_mean", "Median": "median", "Geometric mean": "geometric_mean"}
# The display names of the predictors that are numbers.
PREDICTORS = {
    "log_odds": "log-odds of the replacement",
    "masked_lms": "number of masked LMs",
    "sentence_length": "sentence length",
    "log_count": "log count of the replacement",
}
# Height of a row.
COEFFICIENT_INCHES = 0.38


def word_frequency_artifact(value: WordFrequency) -> Artifact:
    """Return how much more frequent replacements are than originals."""
    models = count(len(value.models), "model")
    return Artifact(
        name="word-frequency",
        paper="Section 5.5",
        title="Frequency of replacements and originals",
        caption="Each row is one model, with the ratio of the counts of replacement and original averaged over seeds "
        "in three ways.",
        basis=f"{value.mean_seeds:,.1f} seeds per model, {models}",
        finding="If a model answers the seed wrong and a variant right, the replacement is "
        f"{value.mean_ratio_all:,.1f} times as frequent as the original, arithmetic mean over the models. The "
        "intervals of each model are in the table.",
        tables=(_frequency_table(value),),
    )


def _frequency_table(value: WordFrequency) -> Table:
    columns = NamedColumns()
    columns.add_text("Model", "model")
    columns.add_text("Trained on", "trained_on")
    columns.add_value("Wrong seeds", "wrong_seeds")
    columns.add_value("With right variants", "seeds")
    columns.add_value("Pairs", "pairs")
    columns.add_value("Pairs with count 0", "zero_pairs")
    for header in AVERAGES:
        columns.add_value(header, header, format=",.2f")
        columns.add_value(f"{header}, interval", f"{header}, interval", under=True)
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
    return columns.table(map(_frequency_row, value.models), notes=notes)


def _frequency_row(model: JsonObject) -> JsonObject:
    row = dict(model)
    if model["training_data"] is not None:
        row["trained_on"] = ", ".join(model["training_data"])
    for header, name in AVERAGES.items():
        average: Average = row[name]
        if average.interval is not None:
            low, high = average.interval.low, average.interval.high
            row[f"{header}, interval"] = f"{low:,.2f} to {high:,.2f}"
        if not math.isnan(average.value):
            row[header] = average.value
    return row


def error_drivers_artifact(value: ErrorDrivers) -> Artifact:
    """Return the coefficients, pooled over the models or of the only model, with those of single models as marks."""
    main = value.pooled or value.models[0]
    regressions = list(value.models)
    if value.pooled is not None:
        regressions.append(value.pooled)
    names = _names(value)
    found = [f"{names[one.name]} ({one.estimate:+.2f})" for one in main.coefficients if one.p_value < ALPHA]
    significant = and_list(found or ["none"])
    predictors = count(len(main.coefficients), "predictor")
    of_models = basis(main.seeds, len(main.models))
    answers = count(main.answers, "answer")
    return Artifact(
        name="error-drivers",
        paper="Research question 3",
        title="What drives right answers",
        caption="Each dot is a coefficient with its 95% interval; right of 0, right answers are more likely.",
        basis=f"{of_models}, {answers}",
        finding=f"Significant coefficients of right answers: {significant} (Wald tests at {ALPHA:.0%}, not adjusted "
        f"for {predictors}).",
        draw=partial(coefficient_figure, value),
        folded=1,
        tables=(_coefficient_table(names, regressions), _intercept_table(regressions)),
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
    names = _names(value)
    rows = list(names)
    width = NARROW_WIDTH_INCHES if narrow else WIDTH_INCHES
    figure = Figure(figsize=(width, 1.1 + COEFFICIENT_INCHES * len(names)), layout="constrained")
    axes = figure.subplots()
    axes.axvline(0, color=GRAY, linewidth=1, linestyle=(0, (4, 3)), zorder=0)
    dots = value.models[0].coefficients
    label = "95% interval"
    if value.pooled is not None:
        marks: list[Coefficient] = []
        for model in value.models:
            marks += model.coefficients
        marks.sort(key=lambda mark: rows.index(mark.name))
        _plot(axes, marks, rows, "|", color=GRAY, markersize=9, label="single models")
        dots = value.pooled.coefficients
        label = f"all models, {label}"
    _plot(axes, dots, rows, "o", color=COLORS[0], markersize=7, markeredgecolor="white", label=label)
    for dot in dots:
        row = rows.index(dot.name)
        axes.plot(dot.interval.ends, (row, row), color=COLORS[0], linewidth=2, zorder=1)
    axis = "Log-odds" if narrow else "Change of the log-odds of a right answer"
    axes.set(xlabel=axis, ylim=(len(names) - 0.5, -0.5))
    axes.set_yticks(range(len(names)), list(names.values()))
    axes.tick_params(axis="y", length=0)
    draw_grid(axes, "x", hidden=("top", "right", "left"))
    if not narrow:
        draw_title(figure, title)
    figure.legend(loc="outside lower left", ncols=2, frameon=False, fontsize=9)
    return figure


def _plot(
    axes: Axes,
    coefficients: Sequence[Coefficient],
    rows: Sequence[str],
    marker: str,
    **look: Any,  # noqa: ANN401 - of matplotlib
) -> None:
    """Draw coefficients as markers in the rows of their predictors; nothing in the legend without any."""
    if coefficients:
        at = [rows.index(one.name) for one in coefficients]
        axes.plot([one.estimate for one in coefficients], at, marker, **look)


def _names(value: ErrorDrivers) -> dict[str, str]:
    """Return the display names of the predictors, by name: those of numbers, or level and reference."""
    names = {}
    for one in value.predictors:
        level = one.name.partition(": ")[2]
        names[one.name] = f"{level} (against {one.reference})" if level else PREDICTORS[one.name]
    return names


def _coefficient_table(names: Mapping[str, str], regressions: Sequence[Regression]) -> Table:
    columns = NamedColumns()
    columns.add_text("Model", "model")
    for name, shown in names.items():
        columns.add_value(shown, f"{name} estimate", format="+.3f")
        columns.add_value(f"{shown}, interval", f"{name} interval", under=True)
        columns.add_value(f"{shown}, p", f"{name} p", under=True)
    rows = []
    missing = []
    titles: dict[str, list[str]] = {}
    for regression in regressions:
        title = _title(regression)
        row: dict[str, Cell] = {"model": title}
        for one in regression.coefficients:
            row |= {f"{one.name} {name}": cell for name, cell in _cells(one).items()}
        rows.append(row)
        for dropped in regression.left_out:
            text = f"{dropped['name']} is left out: {dropped['reason']}."
            titles.setdefault(text, []).append(title)
        if regression.not_computed is not None:
            missing.append(f"{title}: not computed: {regression.not_computed}")
    notes = [
        "Numbers are standardized: a coefficient is the change per standard deviation. Below it: its 95% interval and "
        "p-value. Standard errors are robust to the dependence between answers on the same seed."
    ]
    for text, of_text in titles.items():
        which = and_list(of_text) if len(of_text) <= MAX_NAMED else f"{len(of_text)} regressions"
        notes.append(f"{which}: {text}")
    return columns.table(rows, title="Coefficients", notes=notes + missing)


def _cells(one: Coefficient) -> dict[str, Cell]:
    interval = f"{one.interval.low:+z.3f} to {one.interval.high:+z.3f}"
    return {"estimate": one.estimate, "interval": interval, "p": p_text(one.p_value)}


def _intercept_table(regressions: Sequence[Regression]) -> Table:
    columns = NamedColumns()
    columns.add_text("Regression", "regression")
    columns.add_text("Model", "model")
    columns.add_value("Intercept", "estimate", format="+.3f")
    columns.add_value("95% interval", "interval")
    columns.add_value("p", "p")
    rows = []
    for regression in regressions:
        title = _title(regression)
        for intercept in regression.intercepts:
            rows.append({"regression": title, "model": intercept.name, **_cells(intercept)})
    return columns.table(rows, title="Intercepts")


def _title(regression: Regression) -> str:
    return regression.models[0] if len(regression.models) == 1 else "all models"
