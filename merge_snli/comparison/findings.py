"""State what was found in one or two sentences made from numbers and their tests; pages and tables begin with them.

A sentence on significance names its test, and says nothing about pairs whose test is not defined.
"""

import math
from collections.abc import Mapping, Sequence

from merge_snli.base.table import count
from merge_snli.results.records import Ends, threshold_text
from merge_snli.results.rows import PA, ScoreRow, ends_text, percent
from merge_snli.statistics import SMALLEST_P, Family, TestResult
from metrics.pattern_accuracy.core import QUALITY_THRESHOLD

# More names are counted instead.
MAX_NAMED = 3
# Significance level of tests that are not of models.
ALPHA = 0.05
# Smaller p-values are shown as below this one, and those that stand for any smaller one as below themselves.
SMALLEST_SHOWN = 0.001


def p_text(value: float | None) -> str | None:
    """Return a p-value; None if the test is not defined."""
    if value is None or math.isnan(value):
        return None
    if value <= SMALLEST_P:
        return f"<{SMALLEST_P}"
    if value < SMALLEST_SHOWN / 2:
        return f"<{SMALLEST_SHOWN}"
    return f"{value:.3f}"


def and_list(names: Sequence[str]) -> str:
    """Join names as in a sentence.

    Examples:
        >>> and_list(["a"]), and_list(["a", "b"]), and_list(["a", "b", "c"])
        ('a', 'a and b', 'a, b and c')
    """
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def percent_text(level: float) -> str:
    """Return a significance level in percent, such as `0.1%`."""
    return f"{100 * level:.3g}%"


def ranking(
    accuracies: Mapping[str, float],
    intervals: Mapping[str, Ends | None],
    family: Family | None,
    *,
    threshold: float = QUALITY_THRESHOLD,
    kind: str = "model",
    permuted: Sequence[str] = (),
) -> str:
    """Return what has the highest pattern accuracy, and from which of the others it differs significantly.

    Args:
        accuracies: PA of each model, at least one; NaN if a model has none.
        intervals: The 95% interval of each; None, or no such name, without one.
        family: The tests of all pairs; None if they were not tested.
        threshold: Threshold of PA.
        kind: What is ranked, such as "prompt".
        permuted: The models whose labels seem to be permuted.
    """
    shown = {name: f"{100 * accuracy:.1f}" for name, accuracy in accuracies.items() if not math.isnan(accuracy)}
    if not shown:
        return f"The {kind}s have no {PA}."
    highest = max(shown.values(), key=float)
    best = []
    others = []
    for name, accuracy in shown.items():
        if accuracy == highest:
            best.append(name)
        else:
            others.append(name)
    title = f"PA({threshold_text(threshold)})"
    score = f"the highest {title}, {highest}" if others else f"{title} {highest}"
    text = _scored(best, score, intervals, f"{len(shown)} {kind}s") + "."
    if family is not None:
        text += _better_than(best, others, family, kind)
    elif len(shown) > 1:
        text += f" The {kind}s are not tested."
    if permuted:
        text += f" The labels of {and_list(permuted)} seem to be permuted."
    return text


def _scored(best: Sequence[str], score: str, intervals: Mapping[str, Ends | None], of_all: str) -> str:
    """Return which models have a score, with the interval of each if they are few."""
    have = "has" if len(best) == 1 else "have"
    ends = [_interval(intervals.get(name)) for name in best]
    if len(best) > MAX_NAMED:
        named = f"{len(best)} of the {of_all}"
    elif len(set(ends)) == 1:
        named = and_list(best)
    else:
        named = and_list([name + interval for name, interval in zip(best, ends, strict=True)])
    shared = ends[0] if len(set(ends)) == 1 else ""
    return f"{named} {have} {score}{shared}"


def _better_than(best: Sequence[str], others: Sequence[str], family: Family, kind: str) -> str:
    """Return which others the best are significantly better than, and which not; of several best, all of them."""
    if not family.can_decide:
        return f" {undecided(family, kind)}"
    if len(family.models) > 2 and not any(pair.differs for pair in family.pairs):
        return f" No two {kind}s differ significantly {test_of(family)}."
    outcomes = [_outcomes(family, name) for name in best]
    they = "It is" if len(best) == 1 else "They are"
    of_others: dict[str, list[str]] = {}
    for other in others:
        of_best = {outcome[other] for outcome in outcomes}
        if of_best == {"better"}:
            of_others.setdefault("", []).append(other)
        elif "undefined" not in of_best:
            of_others.setdefault("not all " if "better" in of_best else "not ", []).append(other)
    clauses = []
    for relation, names in of_others.items():
        named = _named(names, len(others), f"other {kind}", "any" if relation else "every")
        clauses.append(f"{relation}significantly better than {named}")
    return f" {they} {', and '.join(clauses)} {test_of(family)}." if clauses else ""


def standing(name: str, row: ScoreRow, unit: str, family: Family | None) -> str:
    """Return the pattern accuracy of a model, how it differs from accuracy on seeds, and from other models.

    Args:
        name: The model.
        row: Its scores.
        unit: What a group is called.
        family: The tests of all pairs of models; None if this model is not among them.
    """
    change = percent(row["qt"])
    ends = row.ends("qt")
    text = f"{PA} is {percent(row['pattern_accuracy'])}{_interval(row.ends('pattern_accuracy'))}."
    if change is not None and ends is not None:
        differs = "does not differ significantly" if ends[0] <= 0 <= ends[1] else "differs significantly"
        text += f" It {differs} from accuracy on the {unit}s: QT is {change:+.1f} ({ends_text(ends, '+')})."
    if family is None or name not in family.models:
        return text
    if not family.can_decide:
        return f"{text} {undecided(family)}"
    worse, better = (_others(family, name, outcome) for outcome in ("worse", "better"))
    return f"{text} The model is significantly worse than {worse}, and better than {better} {test_of(family)}."


def _others(family: Family, name: str, outcome: str) -> str:
    """Return the other models that a model differs from with some outcome."""
    outcomes = _outcomes(family, name)
    names = [other for other, of_other in outcomes.items() if of_other == outcome]
    if not names:
        return "no other model"
    return _named(names, len(outcomes), "other model", "every")


def not_compared(apart: Mapping[str, str]) -> str:
    """Return which models are not compared, each with what it lacks; nothing if all are.

    Args:
        apart: What each of these models lacks.
    """
    if not apart:
        return ""
    models = [f"{name} ({reason})" for name, reason in apart.items()]
    return f" Not compared: {'; '.join(models)}."


def difference(test: TestResult, first: str, second: str, *, what: str = PA, adjusted_p: float | None = None) -> str:
    """Return how two means differ, with the test.

    Args:
        test: The test of the first against the second.
        first: Where the first mean is from, such as "on nouns".
        second: Where the second is from.
        what: What the means are of.
        adjusted_p: The p-value, if it is adjusted for several tests.
    """
    p = test.p_value if adjusted_p is None else adjusted_p
    points = 100 * test.difference
    ends = ends_text(test.interval.ends, "+")
    if math.isnan(p):
        return f"{what} {first} and {second} cannot be tested: the difference is {points:+.1f} points everywhere"
    by = f"{test.test.partition(' (')[0]} over {count(test.n, test.unit)}"
    p_shown = f"= {p_text(p)}".replace("= <", "< ")
    basis = f"({points:+.1f} points, 95% interval {ends}, p {p_shown}; {by})"
    if p >= ALPHA:
        return f"{what} does not differ significantly {first} and {second} {basis}"
    side = "higher" if points > 0 else "lower"
    return f"{what} is significantly {side} {first} than {second} {basis}"


def _outcomes(family: Family, name: str) -> dict[str, str]:
    """Return for each other model whether this one is significantly better or worse, the same, or not tested."""
    outcomes = {}
    for pair in family.pairs:
        if name not in (pair.first, pair.second):
            continue
        is_first = pair.first == name
        other = pair.second if is_first else pair.first
        if math.isnan(pair.adjusted_p):
            outcomes[other] = "undefined"
        elif not pair.differs:
            outcomes[other] = "same"
        elif (pair.result.difference > 0) == is_first:
            outcomes[other] = "better"
        else:
            outcomes[other] = "worse"
    return outcomes


def undecided(family: Family, kind: str = "model") -> str:
    """Return that a test cannot decide which models differ, whatever their answers are."""
    smallest = min(1.0, family.tests * family.smallest_p)
    return (
        f"This test cannot decide which {kind}s differ: its smallest adjusted p-value is {smallest:.2g} "
        f"{test_of(family)}."
    )


def _interval(ends: Ends | None) -> str:
    return "" if ends is None else f" (95% interval {ends_text(ends)})"


def _named(names: Sequence[str], total: int, other: str, every: str) -> str:
    """Return names, or how many there are of how many others; `every` for all of several others."""
    if len(names) == total > 1:
        return f"{every} {other}"
    return and_list(names) if len(names) <= MAX_NAMED else f"{len(names)} of the {total} {other}s"


def test_of(family: Family) -> str:
    """Return the test of a family in brackets, with what to know about it."""
    first = family.pairs[0].result
    facts = [f"{family.test} over {count(first.n, first.unit)}", f"{percent_text(family.alpha)} level"]
    if len(family.pairs) > 1:
        tested = f"{family.tests:,} of " if family.tests < len(family.pairs) else ""
        facts.append(f"Holm's method over {tested}{count(len(family.pairs), 'pair')}")
    if family.untested:
        facts.append(f"undefined for {count(len(family.untested), 'pair')}")
    if family.warning is not None:
        facts.append("subsamples overlap, so it reports too many differences")
    return f"({', '.join(facts)})"


def comparable(verdicts: Mapping[str, int], cells: int, why_none: str) -> str:
    """Return how many numbers of a paper can be compared with ours.

    Args:
        verdicts: How many numbers have each verdict of a comparison.
        cells: How many numbers the paper has.
        why_none: Why no number can be compared, if none can.
    """
    details = ", ".join(f"{number:,} {verdict}" for verdict, number in verdicts.items() if number) or why_none
    return f"{sum(verdicts.values()):,} of {count(cells, 'cell')} can be compared: {details}."
