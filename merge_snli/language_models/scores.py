"""Score a language model's answers while a harness runs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np

from merge_snli.language_models.questions import SUBSAMPLES
from merge_snli.scoring.data import ID_COLUMNS
from merge_snli.scoring.statistics import clustered_error, passes_by_seed
from metrics.pattern_accuracy.core import QUALITY_THRESHOLD, pattern_accuracy


@dataclass(frozen=True)
class Answered:
    """The answer to one use of a question.

    Attributes:
        use: The use, as in `merge_snli.language_models.questions.Question`.
        answer: A label, or None if the answer cannot be read.
    """

    use: dict[str, Any]
    answer: str | None

    @property
    def correct(self) -> bool:
        """Whether the answer is the gold label."""
        return bool(self.answer == self.use["label"])

    @property
    def is_seed(self) -> bool:
        """Whether the question is a seed, not a row."""
        return not any(name in self.use for name in ID_COLUMNS)

    @property
    def subsamples(self) -> Sequence[int]:
        """The subsamples with the row that were asked; of data without subsamples one that has all rows."""
        numbers: Sequence[int] = self.use.get(SUBSAMPLES, (0,))
        return numbers

    @property
    def group(self) -> str:
        """The id of the group."""
        return str(self.use["seed_id"] if "seed_id" in self.use else self.use["group_id"])


def accuracies(answered: Sequence[Answered]) -> dict[str, float]:
    """Return SA on seeds, SA on rows, PA at the quality threshold, and standard errors clustered by group.

    What was not asked, such as variants, is absent.
    """
    seeds = np.array([each.correct for each in answered if each.is_seed], dtype=bool)
    rows = [each for each in answered if not each.is_seed]
    values: dict[str, float] = {}
    if len(seeds):
        values["seed_sample_accuracy"] = float(seeds.mean())
        values["seed_sample_accuracy_stderr"] = clustered_error(seeds, np.ones(len(seeds)))
    if rows:
        groups = _numbers(each.group for each in rows)
        subsamples = _numbers(number for each in rows for number in each.subsamples)
        correct, sizes = np.zeros((2, len(subsamples), len(groups)), dtype=np.int64)
        for each in rows:
            for draw in each.subsamples:
                sizes[subsamples[draw], groups[each.group]] += 1
                correct[subsamples[draw], groups[each.group]] += each.correct
        values["sample_accuracy"] = fmean(each.correct for each in rows)
        drawn = sizes.any(axis=0)
        if drawn.any():
            passes = passes_by_seed(correct[:, drawn], sizes[:, drawn])
            values["sample_accuracy"] = float((correct.sum(1) / sizes.sum(1)).mean())
            values["sample_accuracy_stderr"] = clustered_error(correct.sum(0), sizes.sum(0))
            values["pattern_accuracy"] = float(np.nanmean(pattern_accuracy(correct, sizes, QUALITY_THRESHOLD)[:, 0]))
            values["pattern_accuracy_stderr"] = clustered_error(passes, np.ones(passes.shape))
    return values


def _numbers(names: Iterable[Any]) -> dict[Any, int]:
    return {name: number for number, name in enumerate(dict.fromkeys(names))}
