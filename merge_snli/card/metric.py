"""The card's sentence on where the metric is."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from merge_snli.dataset.record import PublishedRecord

METRIC_IN_SPACE = "The metric is the Space [{metric}](https://huggingface.co/spaces/{metric}), which has a demo page."
METRIC_IN_PACKAGE = (
    "The metric is the folder `metrics/pattern_accuracy` of the MERGE software. After `merge-snli register`, the "
    "metric and\nthis data set load by these names from any folder."
)


def metric_values(published: PublishedRecord | None) -> dict[str, str]:
    """Return the name of the metric and the sentence on it, for the template of a card."""
    metric = published and published.metric
    return {
        "metric_name": metric or "pattern_accuracy",
        "metric_text": METRIC_IN_SPACE.format(metric=metric) if metric else METRIC_IN_PACKAGE,
    }
