"""Show significance tests and comparisons of models as tables."""

import json
from collections.abc import Iterable, Sequence
from itertools import groupby

import pydantic_core

from merge_snli.answers.data import Units
from merge_snli.base.columns import Columns
from merge_snli.base.files import JsonObject
from merge_snli.base.table import NO_VALUE, Column, Table, capitalized, count
from merge_snli.comparison.comparison import Comparison
from merge_snli.comparison.detectable import too_few_note
from merge_snli.comparison.findings import p_text, test_of, undecided
from merge_snli.results.orders import OrderEffect
from merge_snli.results.prompts import PromptEffect
from merge_snli.results.rows import PA, ends_text
from merge_snli.statistics import Family, PairAtThresholds, TestResult, p_matrix

# With fewer models, a test whose units are models says little.
FEW_MODELS = 5


def effect_text(effect: PromptEffect, units: Units) -> str:
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


def order_text(effect: OrderEffect, units: Units) -> str:
    """Return what the order of the labels changes in words; see `effect_text`."""
    accuracy = [NO_VALUE if share is None else f"{100 * share:.1f}" for share in effect.accuracy]
    return (
        f"{effect.prompt} in {effect.orders} orders of the labels: correct share of all {units[1]}s by the position of "
        f"the gold label {', '.join(accuracy)}. The answer changes with the order on {_changed(effect, units)}."
    )


def _changed(effect: PromptEffect | OrderEffect, units: Units) -> str:
    """Return on which share of all seeds and rows, drawn or not, the answer changes."""
    group, row = units
    on_rows = f"{100 * effect.changed_rows:.1f}% of all {row}s"
    if effect.changed_seeds is None:
        return on_rows
    return f"{100 * effect.changed_seeds:.1f}% of the {group}s and {on_rows}"


def table_of_tests(
    tests: Sequence[tuple[str, TestResult, float | None]], *, title: str = "Tests", notes: Iterable[str] = ()
) -> Table:
    """Return a table of tests.

    Args:
        tests: What is compared, the result, and the p-value adjusted by Holm's method or None, for each test.
        title: Title of the table.
        notes: More notes.
    """
    results = [test for _, test, _ in tests]
    found = [f"{capitalized(test.test)} over {test.unit}s, effect size: {test.effect}." for test in results]
    for test in results:
        if test.unit == "model" and test.n < FEW_MODELS:
            found.append(f"With {test.n} models, a test over models says little.")
    columns = Columns[tuple[str, TestResult, float | None]]()
    columns.add("Compared", lambda row: row[0], align="left")
    columns.add("Difference (points)", lambda row: 100 * row[1].difference, format="+.1f")
    columns.add("95% interval", lambda row: ends_text(row[1].interval.ends, "+") if row[1].is_defined else None)
    columns.add("p", lambda row: p_text(row[1].p_value))
    if any(p is not None for _, _, p in tests):
        columns.add("Adjusted p", lambda row: p_text(row[2]))
        found.append("Adjusted by Holm's method over the tests of this table that have a p-value.")
    columns.add("n", lambda row: row[1].n)
    columns.add("Effect size", lambda row: row[1].effect_size if row[1].is_defined else None, format=".2f")
    for name, test, _ in tests:
        if not test.is_defined:
            found.append(f"{name}: the t-test is not defined, because its standard error is 0.")
    if not tests:
        found.append("No test: each needs at least two seeds.")
    return columns.table(tests, title=title, notes=dict.fromkeys([*found, *notes]))


def pair_table(family: Family) -> Table:
    """Return the adjusted p-values of all pairs as a matrix, best first, with the letters."""
    columns = [Column("#"), Column("", align="left"), Column("Letters", align="left")]
    rows = []
    for number, (name, p_values) in enumerate(zip(family.models, p_matrix(family), strict=True), start=1):
        columns.append(Column(str(number)))
        rows.append((number, name, family.letters[name], *map(p_text, p_values)))
    return Table(title="Adjusted p-values", columns=columns, rows=rows, notes=(letters_note(family),))


def letters_note(family: Family) -> str:
    """Return what the letters of models mean, with the test; that they have none if it cannot decide."""
    if not family.can_decide:
        return undecided(family)
    return f"Models that share a letter do not differ significantly {test_of(family)}."


def comparison_tables(comparison: Comparison) -> list[Table]:
    """Return the tables of a comparison: the models, the adjusted p-values of each pair, and the other tests."""
    tables = [_model_table(comparison), _p_table(comparison.family)]
    if comparison.seeds_against_variants is not None:
        tables.append(_test_table(comparison, comparison.seeds_against_variants))
    if comparison.all_thresholds is not None:
        tables.append(_threshold_table(comparison.all_thresholds))
    return tables


def to_json(comparison: object) -> JsonObject:
    """Return a comparison as JSON values, with the strings `Infinity` and `NaN` for numbers that JSON lacks."""
    return dict(json.loads(pydantic_core.to_json(comparison, inf_nan_mode="strings")))


def _model_table(comparison: Comparison) -> Table:
    columns = Columns[tuple[int, str]]()
    columns.add("#", lambda row: row[0])
    columns.add("Model" if comparison.prompts is None else "Prompt", lambda row: row[1], align="left")
    columns.add("PA", lambda row: 100 * comparison.pattern_accuracy[row[1]], format=".1f")
    columns.add("95% interval", lambda row: ends_text(comparison.intervals[row[1]].ends), under=True)
    columns.add("Letters", lambda row: comparison.family.letters[row[1]], align="left")
    rows = enumerate(comparison.family.models, start=1)
    title = f"{comparison.title}: PA at {comparison.threshold} over {count(comparison.seeds, comparison.unit)}"
    if comparison.left_out:
        title += f" ({comparison.left_out:,} more were not scored with every model)"
    if comparison.subsamples is not None:
        title += f", mean over {count(comparison.subsamples, 'subsample')}"
    return columns.table(rows, title=f"{title}, in percent", finding=comparison.finding, notes=_model_notes(comparison))


def _model_notes(comparison: Comparison) -> list[str | None]:
    """Return what the letters mean, what the comparison cannot show, what prompts change, and notes on the models."""
    units = ("seed", "variant") if comparison.unit == "seed" else ("group", "pair")
    notes = [
        letters_note(comparison.family),
        too_few_note(comparison.seeds, comparison.unit, comparison.smallest_difference),
        comparison.family.warning,
    ]
    if comparison.prompts is not None:
        notes.append(effect_text(comparison.prompts, units))
    notes += [order_text(effect, units) for effect in comparison.orders]
    for model, of_model in comparison.notes.items():
        notes += [f"{model}: {note}" for note in of_model]
    for model, read in comparison.answered.items():
        notes.append(f"{model}: {read.note(comparison.threshold, units)}")
    return notes


def _p_table(family: Family) -> Table:
    columns = [Column("")]
    rows = []
    for number, p_values in enumerate(p_matrix(family), start=1):
        columns.append(Column(str(number)))
        rows.append((number, *map(p_text, p_values)))
    notes = []
    for pair in family.untested:
        notes.append(
            f"{pair.first} and {pair.second}: the t-test is not defined, because the difference is "
            f"{100 * pair.result.difference:.1f} points in every subsample. They count as different."
        )
    title = "Adjusted p-values, models by number"
    return Table(title=title, columns=columns, rows=rows, notes=notes)


def _test_table(comparison: Comparison, on_variants: TestResult) -> Table:
    tests: list[tuple[str, TestResult, None]] = [("SA, seeds − variants", on_variants, None)]
    for pair in comparison.classes or ():
        tests.append((f"PA, {pair.first} − {pair.second}", pair.result, None))
    notes = []
    if comparison.classes is None:
        notes.append("Word classes are compared on a whole data set that --dataset names.")
    return table_of_tests(tests, title="Other tests", notes=notes)


def _threshold_table(pairs: Sequence[PairAtThresholds]) -> Table:
    columns = Columns[PairAtThresholds]()
    columns.add("First", lambda pair: pair.first, align="left")
    columns.add("Second", lambda pair: pair.second, align="left")
    columns.add("First better", lambda pair: _ranges(pair, 1), align="left")
    columns.add("Second better", lambda pair: _ranges(pair, -1), align="left")
    note = (
        "Permutation test of PA at the thresholds 0, 1, … 100; p-values adjusted by Holm's method over all pairs and "
        "thresholds, where thresholds with the same differences on all seeds are one test."
    )
    title = "Thresholds at which two models differ significantly, in percent"
    return columns.table(pairs, title=title, notes=[note])


def _ranges(pair: PairAtThresholds, sign: int) -> str | None:
    """Return the percents at which the difference has a sign as ranges, such as `12, 80 to 95`; None if none has."""
    texts = []
    for has_sign, run in groupby(
        range(len(pair.differs)), lambda at: pair.differs[at] and pair.differences[at] * sign > 0
    ):
        if has_sign:
            first, *others = run
            texts.append(f"{first} to {others[-1]}" if others else str(first))
    return ", ".join(texts) or None
