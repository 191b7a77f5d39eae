"""PA over the answers that can be read, beside PA that counts the others as wrong."""

from dataclasses import dataclass

import numpy as np

from merge_snli.answers.answers import Counts
from merge_snli.answers.data import Units
from merge_snli.base.table import count
from merge_snli.results.measure import spread
from metrics.pattern_accuracy.core import QUALITY_THRESHOLD, pattern_accuracy


@dataclass(frozen=True)
class Answered:
    """What is known of the answers that can be read.

    Attributes:
        unread: Share of the rows whose answer cannot be read, over the subsamples.
        pattern_accuracy: PA over the other rows, without groups of whose rows fewer than half are read; None if that
            leaves no group.
        groups: Number of the groups that it is over.
    """

    unread: float
    pattern_accuracy: float | None
    groups: int

    def note(self, threshold: float, units: Units) -> str:
        """Return it in words.

        Args:
            threshold: Threshold of PA.
            units: What a group and a row of the data are called.
        """
        group, row = units
        unread = f"{self.unread:.1%} of the {row}s have no answer that can be read"
        if self.pattern_accuracy is None:
            return f"{unread}, and no {group} has half of its {row}s read"
        pa = f"PA({threshold:g}) over the others is {100 * self.pattern_accuracy:.1f}"
        return f"{unread}; {pa} ({count(self.groups, group)} with at least half of their {row}s read)"


def answered_of(counts: Counts, threshold: float = QUALITY_THRESHOLD) -> Answered | None:
    """Return PA over the answers that can be read; None if all can.

    Args:
        counts: The rows of each group in each subsample.
        threshold: Threshold from 0 to 1.
    """
    if not counts.unread:
        return None
    is_kept = 2 * counts.answered >= counts.sizes
    correct = np.where(is_kept, counts.correct, 0)
    sizes = np.where(is_kept, counts.answered, 0)
    return Answered(
        unread=counts.unread,
        pattern_accuracy=spread(pattern_accuracy(correct, sizes, threshold)[:, 0]).mean,
        groups=int(np.count_nonzero(sizes.any(axis=0))),
    )
