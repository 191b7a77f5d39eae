"""Say how a model stands beside its baseline and a limit of PA, and why a gate for continuous integration fails."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from merge_snli.answers.data import ROUNDING
from merge_snli.base.columns import Columns
from merge_snli.base.table import Table, capitalized, count
from merge_snli.comparison.detectable import too_few_note
from merge_snli.comparison.findings import p_text, percent_text
from merge_snli.results.rows import ends_text
from merge_snli.statistics import Interval, TestResult

# How much larger the share of unread answers may be than that of the baseline, unless the user says otherwise.
ALLOW_UNREAD = 0.02


@dataclass(frozen=True, kw_only=True)
class AgainstBaseline:
    """PA of a model at a threshold, beside that of its baseline on the same seeds.

    Attributes:
        model: Name of the model.
        baseline: Name of the baseline; None without one, like what is about it.
        data: Data set and config.
        threshold: Threshold of PA.
        unit: What is compared: `seed`, or `group` for pairs in groups.
        seeds: Number of seeds or groups that both were scored on.
        pattern_accuracy: PA of the model on them.
        interval: Its interval.
        baseline_pattern_accuracy: PA of the baseline on them.
        test: The test of the model against the baseline.
        adjusted_p: Its p-value, adjusted by Holm's method over `tests`; NaN if the test is not defined, because the
            difference is the same in every unit and not 0.
        tests: Number of tests of all models and thresholds. A model with the answers of another, and thresholds at
            which a model differs from the baseline on the same seeds, are tested once.
        can_decide: Whether the test can give a p-value below the level after the adjustment.
        worse: Whether PA is significantly below that of the baseline.
        smallest_difference: Smallest difference of PA that the permutation test finds with a power of 80% between two
            models; the same in all rows on as many seeds of the same data.
        missing: What the model lacks of the seeds of the baseline, or without one of those that most models have, so
            that it cannot be judged; None if nothing.
        unread: Share of the rows of the model on which no answer can be read.
        baseline_unread: That of the baseline.
    """

    model: str
    baseline: str | None
    data: str
    threshold: float
    unit: str
    seeds: int
    pattern_accuracy: float
    interval: Interval
    baseline_pattern_accuracy: float | None = None
    test: TestResult | None = None
    adjusted_p: float | None = None
    tests: int = 0
    can_decide: bool = True
    worse: bool = False
    smallest_difference: float | None = None
    missing: str | None = None
    unread: float = 0.0
    baseline_unread: float = 0.0

    def failures(
        self, *, fail_if_worse: bool = False, min_pa: float | None = None, allow_unread: float = ALLOW_UNREAD
    ) -> list[str]:
        """Return why a gate fails, as parts of a sentence.

        Args:
            fail_if_worse: Whether it fails if PA is significantly below that of the baseline.
            min_pa: PA below which it fails; a difference from rounding does not count.
            allow_unread: How much larger the share of unread answers may be than that of the baseline.
        """
        model = f"{self.model} on {self.data}"
        unread = f"{self.unread:.1%} of its answers cannot be read"
        if fail_if_worse or min_pa is not None:
            if self.missing is not None:
                return [
                    f"{model} cannot be judged: it has {self.missing}; score it on all of them, or add "
                    "⟦common_seeds=True⟧"
                ]
            if self.baseline is not None and self.unread - self.baseline_unread > allow_unread + ROUNDING:
                return [
                    f"{model} cannot be judged: {unread}, and {self.baseline_unread:.1%} of those of {self.baseline}; "
                    "look at them, ask again for a label alone, or raise ⟦allow_unread⟧"
                ]
        pa = f"PA({self.threshold:g}) of {model} is {100 * self.pattern_accuracy:.1f}"
        if self.unread:
            pa += f" ({unread})"
        seeds = count(self.seeds, self.unit)
        reasons = []
        if fail_if_worse and not self.can_decide:
            reasons.append(
                f"{model} cannot be judged: with {seeds} and {count(self.tests, 'test')}, no p-value can be below "
                "⟦alpha⟧"
            )
        if fail_if_worse and self.worse and self.test is not None:
            points = -100 * self.test.difference
            p = p_text(self.adjusted_p) or "not defined"
            reasons.append(f"{pa}, {points:.1f} points below {self.baseline} ({seeds}, p {p})")
        if min_pa and self.pattern_accuracy < min_pa and not math.isclose(self.pattern_accuracy, min_pa):
            reasons.append(f"{pa}, below ⟦min_pa⟧ {100 * min_pa:g}%")
        return reasons


def baseline_table(rows: Sequence[AgainstBaseline], alpha: float) -> Table:
    """Return the comparisons as a table, one row per model, config and threshold.

    Args:
        rows: The comparisons, at least one.
        alpha: Significance level.
    """
    columns = Columns[AgainstBaseline]()
    columns.add("Model", lambda row: row.model, align="left")
    columns.add("Data", lambda row: row.data, align="left")
    columns.add(f"{capitalized(rows[0].unit)}s", lambda row: row.seeds)
    columns.add("Threshold", lambda row: row.threshold, format="g")
    columns.add("PA", lambda row: 100 * row.pattern_accuracy)
    columns.add("95% interval", lambda row: ends_text(row.interval.ends))
    if any(row.unread or row.baseline_unread for row in rows):
        columns.add("Unread", lambda row: 100 * row.unread)
    title = "PA in percent"
    notes: list[str | None] = []
    if any(row.baseline is not None for row in rows):
        title = "Models and their baselines: PA in percent"
        notes += _test_notes(rows, alpha)
        columns.add("Baseline", lambda row: row.baseline, align="left")
        columns.add("Its PA", lambda row: _points(row.baseline_pattern_accuracy))
        if any(row.baseline_unread for row in rows):
            columns.add("Its unread", lambda row: 100 * row.baseline_unread)
        columns.add("Difference", lambda row: None if row.test is None else _points(row.test.difference), format="+.1f")
        columns.add("Adjusted p", lambda row: p_text(row.adjusted_p))
        columns.add("Worse", lambda row: None if row.test is None else ("no", "yes")[row.worse], align="left")
    for row in rows:
        if row.missing is not None:
            notes.append(f"{row.model} cannot be judged: {row.missing}.")
    return columns.table(rows, title=title, notes=dict.fromkeys(notes))


def _points(share: float | None) -> float | None:
    return None if share is None else 100 * share


def _test_notes(rows: Sequence[AgainstBaseline], alpha: float) -> list[str | None]:
    """Return which test it is, over how many seeds and tests, and what it cannot show."""
    notes: list[str | None] = []
    for row in rows:
        if row.test is None:
            continue
        notes.append(
            f"{capitalized(row.test.test)} over {row.test.unit}s at {percent_text(alpha)}, p-values adjusted by Holm's "
            f"method over {count(row.tests, 'test')}."
        )
        notes.append(too_few_note(row.seeds, row.unit, row.smallest_difference))
        notes.append(row.test.warning)
    return notes
