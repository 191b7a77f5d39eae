"""Warnings about the problems of a source as a whole: repeated pairs, rows without labels, and labels without names."""

import logging
from collections import Counter

from merge_snli.base.errors import Message, listed
from merge_snli.problems.source import ProblemSource

logger = logging.getLogger(__name__)


class RepeatedPairs:
    """Counts rows with the premise and the hypothesis of an earlier row while they are read."""

    def __init__(self) -> None:
        """Start without rows."""
        self._labels: dict[int, int] = {}  # of each pair by its hash, a bit for each label
        self._copies = 0
        self._first_copy = ""
        self._several: set[int] = set()
        self._first_other = ""

    def add(self, location: str, pair: tuple[str, str], label: int) -> None:
        """Add a row with a gold label."""
        key = hash(pair)
        of_row = 1 << label
        before = self._labels.get(key, 0)
        if before & of_row:
            self._copies += 1
            self._first_copy = self._first_copy or location
        elif before:
            self._several.add(key)
            self._first_other = self._first_other or location
        self._labels[key] = before | of_row

    def warn_of_several_labels(self, problems: object) -> None:
        """Warn if rows with the same premise and hypothesis have different gold labels; each of them counts."""
        if self._several:
            logger.warning(
                "%s: %d pair(s) of premise and hypothesis have more than one gold label, and each of their rows "
                "counts: remove those that are wrong (the first label that differs is at %s)",
                *(problems, len(self._several), self._first_other),
            )

    def warn_of_copies(self, problems: object, total: int) -> None:
        """Warn of problems that have the texts and the label of an earlier one."""
        if self._copies:
            logger.warning(
                "%s: %s of %s are exact copies of others and count as well: remove them unless they are meant (the "
                "first one is at %s)",
                *(problems, f"{self._copies:,}", f"{total:,} problems", self._first_copy),
            )


def warn_of_no_label(source: ProblemSource, counts: Counter[str]) -> None:
    """Say which values of the column of labels stand for no label, and how many rows have each.

    Args:
        source: The source.
        counts: The rows with each of these values.
    """
    values = listed([f"{value!r} ({number:,})" for value, number in counts.most_common()])
    options = source.options
    logger.warning("%s: rows without a gold label, by column %r: %s", options.problems, options.label_column, values)


def warn_of_assumed_names(source: ProblemSource, counts: Counter[int]) -> None:
    """Say how numbers that neither the source nor the options name were read, with the share of each.

    Args:
        source: The source.
        counts: The rows with each gold label.
    """
    if source.options.data_labels or not source.labels.are_numbers:
        return
    read = []
    for number, name in enumerate(source.labels.names):
        read.append(f"{number} = {name} ({counts[number] / counts.total():.0%})")
    logger.warning(
        Message("%s: the labels are numbers, read as %s; ⟦data_labels⟧ sets other names in this order"),
        *(source.options.problems, ", ".join(read)),
    )
