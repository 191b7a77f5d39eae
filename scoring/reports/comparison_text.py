"""A comparison of models as lines of text and as JSON values."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from scoring.results.score_table import printable
from scoring.statistics import p_matrix

if TYPE_CHECKING:
    from scoring.reports.comparison import Comparison
    from scoring.statistics import TestResult

MATRIX_COLUMN = 7
"""Width of a column of the matrix, whose models are numbered: names would not fit beside one another."""

SMALLEST_P = 0.0005


def comparison_text(comparison: Comparison) -> str:
    """Return a comparison as a table of the models, the matrix of adjusted p-values, and what else was tested."""
    family = comparison.family
    left_out = f" ({comparison.left_out:,} more that some model could not take)" if comparison.left_out else ""
    lines = [
        f"{comparison.title}: PA at {comparison.threshold} over {comparison.seeds:,} "
        f"seeds{left_out}, mean over {comparison.subsamples} subsamples; per cent.",
        "",
        *_models(comparison),
        "",
        f"Models that share a letter do not differ at {family.alpha:.0%}: {family.test}, unit: "
        f"{family.pairs[0].result.unit}, p adjusted by Holm's method over {len(family.pairs)} pair(s).",
        *([family.warning] if family.warning else []),
        "",
        *_matrix(comparison),
        "",
        f"Sample accuracy on seeds against variants: {_told(comparison.seeds_against_variants)}",
    ]
    lines += [
        f"Pattern accuracy on {one} against {other}: {_told(result)}"
        for (one, other), result in comparison.classes.items()
    ]
    lines += [f"{model}: {note}" for model in family.models for note in comparison.notes[model]]
    return "\n".join(map(printable, lines)) + "\n"


def to_json(comparison: Comparison) -> dict[str, Any]:
    """Return a comparison as JSON values; infinite numbers, which JSON has none of, as the text `Infinity`."""
    fields = {field.name: getattr(comparison, field.name) for field in dataclasses.fields(comparison)}
    fields["classes"] = [{"classes": list(names), "result": result} for names, result in comparison.classes.items()]
    return {name: _plain(value) for name, value in fields.items()}


def _models(comparison: Comparison) -> list[str]:
    family = comparison.family
    width = max(len("Model"), *map(len, family.models))
    rows = [f"{'':>3}  {'Model':{width}}  {'PA':>5}  {'95 % interval':>13}  Letters"]
    for number, model in enumerate(family.models, start=1):
        interval = comparison.intervals[model]
        ends = f"{100 * interval.low:.1f}–{100 * interval.high:.1f}"
        pa = comparison.pattern_accuracy[model]
        rows.append(f"{number:>3}  {model:{width}}  {100 * pa:5.1f}  {ends:>13}  {family.letters[model]}")
    return rows


def _matrix(comparison: Comparison) -> list[str]:
    """Return the adjusted p-values of each pair, models by their numbers."""
    numbers = range(1, len(comparison.family.models) + 1)
    rows = ["Adjusted p, models by their numbers:", "   " + "".join(f"{number:>{MATRIX_COLUMN}}" for number in numbers)]
    for number, row in zip(numbers, p_matrix(comparison.family), strict=True):
        rows.append(f"{number:>3}" + "".join(f"{_p(value):>{MATRIX_COLUMN}}" for value in row))
    return rows


def _told(result: TestResult) -> str:
    return (
        f"{100 * result.difference:+.1f} points [{100 * result.interval.low:+.1f}, {100 * result.interval.high:+.1f}], "
        f"{result.test}, t = {result.statistic:.2f}, p {_compared(result.p_value)}, n = {result.n} ({result.unit}), "
        f"{result.effect} = {result.effect_size:.2f}."
    )


def _compared(p: float) -> str:
    return f"< {SMALLEST_P * 2}" if p < SMALLEST_P else f"= {p:.3f}"


def _p(value: float | None) -> str:
    if value is None:
        return "–"
    return f"<{SMALLEST_P * 2}" if value < SMALLEST_P else f"{value:.3f}"


def _plain(value: Any) -> Any:  # noqa: ANN401 - any value of a comparison
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return "Infinity" if value > 0 else "-Infinity"
    return value
