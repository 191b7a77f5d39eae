"""Whether the parts of a result that was read hold together, so that what is made from it cannot fail halfway."""

from __future__ import annotations

from typing import TYPE_CHECKING

from merge_snli.schema import ALL, NLI_LABELS, WORD_CLASSES
from metrics.pattern_accuracy.core import CURVE
from scoring.models.labels import NOT_ENTAILMENT, TWO_WAY

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from scoring.results.result import Curve, Intervals, Result, Scores, SeedTable, VariantScores

LABELS = (*NLI_LABELS, NOT_ENTAILMENT)
LEFT_OUT = "-"
ENDS = 2


def check_result(result: Result) -> None:
    """Check a result beyond the types of its fields.

    Raises:
        ValueError: Where two parts contradict each other, or a name is none that a result can have.
    """
    _known("config", [result.dataset.config], (ALL, *WORD_CLASSES))
    _known("word class", result.classes, WORD_CLASSES)
    _known("gold label", result.labels, LABELS)
    _known("consistency", result.consistency, ("seed", "majority"))
    if result.compared not in (NLI_LABELS, TWO_WAY):
        raise ValueError(f"compared is {result.compared}")
    if result.thresholds != CURVE or result.quality_threshold not in CURVE:
        raise ValueError("the thresholds are not 0, 0.01, … 1")
    _check_seeds(result.seeds, result.compared)
    n_subsamples = len(result.seeds.sizes)
    if not n_subsamples or len(result.scores.on_variants.curve.seeds) != n_subsamples:
        raise ValueError("the numbers of subsamples differ, or are 0")
    for scores in (result.scores, *result.classes.values(), *result.labels.values(), *result.masked_lms.values()):
        _check_scores(scores)
    for on_variants in result.consistency.values():
        _check_curve(on_variants.curve)


def _known(what: str, names: Iterable[str], choices: Collection[str]) -> None:
    for name in names:
        if name not in choices:
            raise ValueError(f"there is no {what} {name!r}")


def _check_seeds(table: SeedTable, compared: tuple[str, ...]) -> None:
    n_seeds = len(table.seed_id)
    columns = (table.gold, table.predicted, table.answers, *table.sizes, *table.correct)
    if any(len(column) != n_seeds for column in columns) or len(table.sizes) != len(table.correct):
        raise ValueError("the lists of seeds differ in length")
    if len({*table.seed_id}) != n_seeds:
        raise ValueError("a seed stands twice")
    _known("label", {*table.gold}, LABELS)
    _known("label", {*table.predicted}, compared)
    _known("answer", {answer for answers in table.answers for answer in answers}, _answers(compared))
    if any(not answers.strip(LEFT_OUT) for answers in table.answers):
        raise ValueError("a seed has no answer")
    pairs = (zip(*rows, strict=True) for rows in zip(table.correct, table.sizes, strict=True))
    if any(not 0 <= correct <= size for row in pairs for correct, size in row):
        raise ValueError("more variants of a seed are right than there are")


def _answers(compared: tuple[str, ...]) -> set[str]:
    return {LEFT_OUT, *map(str, range(len(compared)))}


def _check_scores(scores: Scores) -> None:
    _check_curve(scores.on_variants.curve)
    _check_shares(scores.on_variants, scores.seed_sample_accuracy)
    if not _is_share(scores.mt) or (scores.qt is not None and not -1 <= scores.qt <= 1):
        raise ValueError("QT or MT is out of range")
    if scores.intervals is not None:
        _check_intervals(scores.intervals)


def _check_shares(on_variants: VariantScores, seed_accuracy: float) -> None:
    shares = (seed_accuracy, on_variants.test_sample_accuracy, on_variants.sample_accuracy.mean)
    if not all(map(_is_share, shares)):
        raise ValueError("an accuracy is no share from 0 to 1")


def _is_share(value: float | None) -> bool:
    return value is None or 0 <= value <= 1


def _check_curve(curve: Curve) -> None:
    rows = (curve.mean, *curve.passing)
    if any(len(row) != len(CURVE) for row in rows) or len(curve.passing) != len(curve.seeds):
        raise ValueError(f"a curve has not {len(CURVE)} points")
    if not all(map(_is_share, curve.mean)):
        raise ValueError("a point of a curve is no share from 0 to 1")
    pairs = zip(curve.passing, curve.seeds, strict=True)
    if any(not 0 <= passing <= seeds for row, seeds in pairs for passing in row):
        raise ValueError("more seeds pass than there are")


def _check_intervals(intervals: Intervals) -> None:
    ends = (intervals.seed_sample_accuracy, intervals.sample_accuracy, intervals.pattern_accuracy, intervals.qt)
    if any(len(pair) != ENDS for pair in ends):
        raise ValueError("an interval has not two ends")
