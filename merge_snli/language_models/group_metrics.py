"""Pattern accuracy of any task of Inspect or lm-evaluation-harness whose samples are in groups."""

from collections.abc import Sequence

from merge_snli.statistics import clustered_error, passes_by_seed
from metrics.pattern_accuracy.core import QUALITY_THRESHOLD, count_groups


def is_correct(score: float, at_least: float | None = None) -> bool:
    """Return whether a sample with a score is correct: whether it is 1, or at least a number."""
    return score == 1 if at_least is None else score >= at_least


def pattern_accuracy_with_error(
    groups: Sequence[object], correct: Sequence[bool], threshold: float = QUALITY_THRESHOLD
) -> tuple[float, float]:
    """Return the share of groups of whose samples at least the share `threshold` is correct, and its standard error.

    Args:
        groups: The group of each sample.
        correct: Whether each sample is correct.
        threshold: Threshold from 0 to 1.

    Examples:
        >>> pattern_accuracy_with_error(["a", "a", "b", "c", "d"], [True, False, True, True, True])
        (0.75, 0.25)
    """
    counts = count_groups(list(correct), list(map(str, groups)))
    passes = passes_by_seed([counts.correct], [counts.sizes], threshold)
    return float(passes.mean()), clustered_error(passes, [1] * len(passes))


def pattern_accuracy(items: Sequence[tuple[object, float]], threshold: float = QUALITY_THRESHOLD) -> float:
    """Return pattern accuracy; an aggregation for a metric of a task of lm-evaluation-harness.

    Args:
        items: The group and the score of each sample, as `process_results` of the task returns them; a sample is
            correct if its score is 1.
        threshold: Threshold from 0 to 1.

    Examples:
        >>> pattern_accuracy([("a", 1.0), ("a", 0.0), ("b", 1)])
        0.5
    """
    groups = [group for group, _ in items]
    correct = [is_correct(score) for _, score in items]
    share, _ = pattern_accuracy_with_error(groups, correct, threshold)
    return share
