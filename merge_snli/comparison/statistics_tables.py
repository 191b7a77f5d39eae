"""Show significance tests and comparisons of models as tables."""

import json
import math
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

import pydantic_core

from merge_snli.base.table import NO_VALUE, Column, Table, capitalized, count
from merge_snli.comparison.compare import Comparison
from merge_snli.comparison.findings import adjusted_over, p_text, percent_text, undecided
from merge_snli.results.orders import OrderEffect
from merge_snli.results.prompts import PromptEffect
from merge_snli.results.rows import PA, ends_text
from merge_snli.statistics import POWER, Family, PairAtThresholds, TestResult, p_matrix

# If a comparison finds only larger differences, it has too few seeds to say anything about similar models.
TOO_LARGE = 0.05

# With fewer models, a test whose units are models says little.
FEW_MODELS = 5


def effect_text(effect: PromptEffect, units: tuple[str, str]) -> str:
    """Return what the prompt changes in words.

    Args:
        effect: What it changes.
        units: What a group and a row of the data are called.
    """
    row = units[1]
    return (
        f"{PA} by prompt: mean {100 * effect.pattern_accuracy:.1f}, from {100 * effect.lowest:.1f} to "
        f"{100 * effect.highest:.1f}; with at least 90% of the pairs of a {row} and a prompt correct "
        f"{100 * effect.joint_pattern_accuracy:.1f}. The answer changes with the prompt on {_changed(effect, units)}."
    )


def order_text(effect: OrderEffect, units: tuple[str, str]) -> str:
    """Return what the order of the labels changes in words; see `effect_text`."""
    accuracy = (NO_VALUE if share is None else f"{100 * share:.1f}" for share in effect.accuracy)
    return (
        f"{effect.prompt} in {effect.orders} orders of the labels: share of correct {units[1]}s by the position of the "
        f"gold label {', '.join(accuracy)}. The answer changes with the order on {_changed(effect, units)}."
    )


def _changed(effect: PromptEffect | OrderEffect, units: tuple[str, str]) -> str:
    changed = zip(units, (effect.changed_seeds, effect.changed_rows), strict=True)
    return " and ".join(f"{100 * share:.1f}% of the {name}s" for name, share in changed if share is not None)


def table_of_tests(tests: Sequence[tuple[str, TestResult, float | None]]) -> Table:
    """Return a table of tests.

    Args:
        tests: What is compared, the result, and the p-value adjusted by Holm's method or None, for each test.
    """
    adjusted = any(p is not None for _, _, p in tests)
    return Table(
        title="Tests",
        columns=(
            Column("Compared", "left"),
            Column("Difference (points)", format="+.1f"),
            Column("95% interval"),
            Column("p"),
            *((Column("Adjusted p"),) if adjusted else ()),
            Column("n"),
            Column("Effect size", format=".2f"),
        ),
        rows=tuple(
            (
                name,
                100 * test.difference,
                ends_text(test.interval.low, test.interval.high, sign="+"),
                p_text(test.p_value),
                *((p_text(p),) if adjusted else ()),
                test.n,
                test.effect_size,
            )
            for name, test, p in tests
        ),
        notes=(
            *dict.fromkeys(
                f"{capitalized(test.test)} over {test.unit}s, effect size: {test.effect}." for _, test, _ in tests
            ),
            *few_models_notes(test for _, test, _ in tests),
            *(("Adjusted by Holm's method over the tests of this table that have a p-value.",) if adjusted else ()),
            *(() if tests else ("No test: each needs at least two seeds.",)),
        ),
    )


def few_models_notes(tests: Iterable[TestResult]) -> list[str]:
    """Return a caution for each number of models that is too small for a test over models."""
    few = dict.fromkeys(test.n for test in tests if test.unit == "model" and test.n < FEW_MODELS)
    return [f"With {number} models, a test over models says little." for number in few]


def pair_table(family: Family) -> Table:
    """Return the adjusted p-values of all pairs as a matrix, best first, with the letters."""
    return Table(
        title="Adjusted p-values",
        columns=(
            Column("#"),
            Column("", "left"),
            Column("Letters", "left"),
            *(Column(str(number)) for number in range(1, len(family.models) + 1)),
        ),
        rows=tuple(
            (number, name, family.letters[name], *map(p_text, row))
            for number, (name, row) in enumerate(zip(family.models, p_matrix(family), strict=True), start=1)
        ),
        notes=(letters_note(family),),
    )


def letters_note(family: Family) -> str:
    """Return what the letters of models mean, with the test; that they have none if it cannot decide."""
    if not family.can_decide:
        return undecided(family)
    return (
        f"Models that share a letter do not differ significantly at {percent_text(family.alpha)} ({family.test}, "
        f"unit: {family.pairs[0].result.unit}, p-values adjusted by {adjusted_over(family)})."
    )


def comparison_tables(comparison: Comparison) -> list[Table]:
    """Return the tables of a comparison: the models, the adjusted p-values of each pair, and the other tests."""
    on_variants = comparison.seeds_against_variants
    return [
        _model_table(comparison),
        _p_table(comparison),
        *([] if on_variants is None else [_test_table(comparison, on_variants)]),
        *([] if comparison.all_thresholds is None else [_threshold_table(comparison.all_thresholds)]),
    ]


def to_json(comparison: object) -> dict[str, Any]:
    """Return a comparison as JSON values, with the strings `Infinity` and `NaN` for numbers that JSON lacks."""
    return dict(json.loads(pydantic_core.to_json(comparison, inf_nan_mode="strings")))


def too_few_note(seeds: int, unit: str, smallest: float | None) -> str | None:
    """Return what a comparison cannot show, in one sentence; None if it finds differences of `TOO_LARGE` points.

    Args:
        seeds: Number of seeds or groups.
        unit: What one is called.
        smallest: Smallest difference of PA that is found; None if no difference is.
    """
    if smallest is None:
        return f"{count(seeds, unit)}: no difference between two models is found with a power of {POWER:.0%}."
    if smallest <= TOO_LARGE:
        return None
    return (
        f"{count(seeds, unit)}: the smallest difference of PA between two models that is found with a power of "
        f"{POWER:.0%} is {100 * smallest:.1f} points."
    )


def _model_table(comparison: Comparison) -> Table:
    family = comparison.family
    left_out = f" ({comparison.left_out:,} more were not scored with every model)" if comparison.left_out else ""
    units = ("seed", "variant") if comparison.unit == "seed" else ("group", "pair")
    too_few = too_few_note(comparison.seeds, comparison.unit, comparison.smallest_difference)
    mean = "" if comparison.subsamples is None else f"mean over {count(comparison.subsamples, 'subsample')}, "
    return Table(
        title=(
            f"{comparison.title}: PA at {comparison.threshold} over {comparison.seeds:,} {comparison.unit}s{left_out}, "
            f"{mean}in percent"
        ),
        finding=comparison.finding,
        columns=(
            Column("#"),
            Column("Model" if comparison.prompts is None else "Prompt", "left"),
            Column("PA"),
            Column("95% interval"),
            Column("Letters", "left"),
        ),
        rows=tuple(
            (
                number,
                model,
                100 * comparison.pattern_accuracy[model],
                ends_text(comparison.intervals[model].low, comparison.intervals[model].high),
                family.letters[model],
            )
            for number, model in enumerate(family.models, start=1)
        ),
        notes=(
            letters_note(family),
            *(() if too_few is None else (too_few,)),
            *([family.warning] if family.warning else []),
            *([] if comparison.prompts is None else [effect_text(comparison.prompts, units)]),
            *(order_text(effect, units) for effect in comparison.orders),
            *(f"{model}: {note}" for model, notes in comparison.notes.items() for note in notes),
        ),
    )


def _p_table(comparison: Comparison) -> Table:
    numbers = range(1, len(comparison.family.models) + 1)
    return Table(
        title="Adjusted p-values, models by number",
        columns=(Column(""), *(Column(str(number)) for number in numbers)),
        rows=tuple(
            (number, *map(p_text, row)) for number, row in zip(numbers, p_matrix(comparison.family), strict=True)
        ),
        notes=tuple(
            f"{pair.first} and {pair.second}: the t-test is not defined, because the difference is "
            f"{100 * pair.result.difference:.1f} points in every subsample. They count as different."
            for pair in comparison.family.untested
        ),
    )


def _test_table(comparison: Comparison, on_variants: TestResult) -> Table:
    tests = {"SA, seeds − variants": on_variants}
    tests |= {f"PA, {pair.first} − {pair.second}": pair.result for pair in comparison.classes or ()}
    return Table(
        title="Other tests: mean difference in percentage points",
        columns=(
            Column("Scores", "left"),
            Column("Difference", format="+.1f"),
            Column("95% interval"),
            Column("t", format=".2f"),
            Column("p"),
            Column("n"),
            Column("Effect size", format=".2f"),
        ),
        rows=tuple((name, *_test_cells(result)) for name, result in tests.items()),
        notes=(
            *dict.fromkeys(
                f"{name.partition(',')[0]}: {result.test} over {result.unit}s, effect size {result.effect}."
                for name, result in tests.items()
            ),
            *few_models_notes(tests.values()),
            *(
                f"{name}: the t-test is not defined, because its standard error is 0."
                for name, result in tests.items()
                if math.isnan(result.p_value)
            ),
            *(
                ("Word classes are compared on a whole data set that --dataset names.",)
                if comparison.classes is None
                else ()
            ),
        ),
    )


def _threshold_table(pairs: Sequence[PairAtThresholds]) -> Table:
    rows = []
    for pair in pairs:
        tested = zip(pair.differs, pair.differences, strict=True)
        signs = [int(math.copysign(differs, difference)) for differs, difference in tested]
        rows.append((pair.first, pair.second, _ranges(signs, 1), _ranges(signs, -1)))
    return Table(
        title="Thresholds at which two models differ significantly, in percent",
        columns=tuple(Column(name, "left") for name in ("First", "Second", "First better", "Second better")),
        rows=tuple(rows),
        notes=(
            "Permutation test of PA at the thresholds 0, 1, … 100; p-values adjusted by Holm's method over all pairs "
            "and thresholds, where thresholds with the same differences on all seeds are one test.",
        ),
    )


def _ranges(signs: Sequence[int], sign: int) -> str | None:
    """Return the percents at which a sign stands as ranges, such as `12, 80 to 95`; None if there is none."""
    runs = [list(run) for has_sign, run in groupby(range(len(signs)), lambda at: signs[at] == sign) if has_sign]
    return ", ".join(f"{run[0]} to {run[-1]}" if len(run) > 1 else str(run[0]) for run in runs) or None


def _test_cells(result: TestResult) -> tuple[str | float | None, ...]:
    if math.isnan(result.p_value):
        return 100 * result.difference, None, None, None, result.n, None
    ends = ends_text(result.interval.low, result.interval.high, sign="+")
    return 100 * result.difference, ends, result.statistic, p_text(result.p_value), result.n, result.effect_size
