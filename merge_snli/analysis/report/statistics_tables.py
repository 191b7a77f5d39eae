"""Show significance tests as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from merge_snli.analysis.report.phrases import capital
from merge_snli.analysis.statistics_text import ends_text, p_text
from merge_snli.base.table import Column, Table
from merge_snli.scoring.statistics import p_matrix

if TYPE_CHECKING:
    from collections.abc import Sequence

    from merge_snli.scoring.statistics import Family, TestResult


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
                ends_text(test.interval, sign="+"),
                p_text(test.p_value),
                *((p_text(p),) if adjusted else ()),
                test.n,
                test.effect_size,
            )
            for name, test, p in tests
        ),
        notes=(
            *dict.fromkeys(
                f"{capital(test.test)} over {test.unit}s, effect size: {test.effect}." for _, test, _ in tests
            ),
            *(("Adjusted by Holm's method over the tests of this table.",) if adjusted else ()),
            *(() if tests else ("No test: each needs at least two seeds.",)),
        ),
    )


def pair_table(family: Family) -> Table:
    """Return the adjusted p-values of all pairs as a matrix, best first, with the letters."""
    return Table(
        title="Adjusted p-values",
        columns=(Column("", "left"), Column("Letters", "left"), *(Column(name) for name in family.models)),
        rows=tuple(
            (name, family.letters[name], *map(p_text, row))
            for name, row in zip(family.models, p_matrix(family), strict=True)
        ),
        notes=(
            f"{capital(family.test)} over {family.pairs[0].result.unit}s, adjusted by Holm's method over "
            f"{len(family.pairs)} pair(s). Those that share a letter do not differ significantly.",
        ),
    )
