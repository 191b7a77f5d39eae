"""Pattern accuracy as a metric for any task of Inspect whose samples have a group in their metadata."""

from inspect_ai.scorer import Metric, SampleScore, metric, value_to_float

from merge_snli.base.errors import InputError
from merge_snli.language_models.group_metrics import is_correct, pattern_accuracy_with_error
from metrics.pattern_accuracy.core import QUALITY_THRESHOLD


@metric
def pattern_accuracy(group: str = "seed_id", threshold: float = QUALITY_THRESHOLD) -> Metric:
    """Share of the groups of whose samples at least the share `threshold` is correct, and its standard error.

    A sample is correct if its score as a number is 1. The groups are the units of the standard error.

    Args:
        group: Key of the group in the metadata of a sample.
        threshold: Threshold from 0 to 1.
    """
    number = value_to_float()
    key = "pattern_accuracy"
    if threshold != QUALITY_THRESHOLD:
        key += f"_{threshold:g}"

    def compute(scores: list[SampleScore]) -> dict[str, float]:
        groups = [(score.sample_metadata or {}).get(group) for score in scores]
        if None in groups:
            name = scores[groups.index(None)].sample_id
            raise InputError(f"sample {name} has no {group!r} in its metadata: name another key with ⟦group⟧")
        correct = [is_correct(number(score.score.value)) for score in scores]
        share, error = pattern_accuracy_with_error(groups, correct, threshold)
        return {key: share, f"{key}_stderr": error}

    return compute
