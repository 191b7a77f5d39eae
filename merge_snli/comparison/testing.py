"""Test models on the same groups: which test, on which values, over which pairs."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np

from merge_snli.base.arrays import Bools, Floats
from merge_snli.base.errors import InputError, explained
from merge_snli.base.table import count
from merge_snli.results.grouping import NamedResults, copies_among
from merge_snli.results.prompts import results_of
from merge_snli.results.result import Result
from merge_snli.statistics import Family, compare_models, values_for
from merge_snli.statistics.families import PAIRED_TESTS, SUBSAMPLE_TEST
from metrics.pattern_accuracy.core import QUALITY_THRESHOLD


@dataclass(frozen=True)
class Significance:
    """How differences between models are tested.

    Attributes:
        test: `permutation`, `mcnemar` or `t-test`, as in `merge_snli.statistics.compare_models`.
        alpha: Family-wise significance level, between 0 and 1.
    """

    test: str = "permutation"
    alpha: float = 0.05

    def __post_init__(self) -> None:
        """Check the values.

        Raises:
            InputError: If the test is unknown, or the level not between 0 and 1.
        """
        if self.test not in PAIRED_TESTS:
            raise InputError(f"⟦test⟧ is {self.test!r}: choose one of {', '.join(PAIRED_TESTS)}")
        if not 0 < self.alpha < 1:
            raise InputError(f"⟦alpha⟧ is {self.alpha:g}: it must be between 0 and 1")

    def unit_of(self, result: Result) -> str:
        """Return the unit of the test on the data of a result."""
        return "subsample" if self.test == SUBSAMPLE_TEST else result.units[0]

    def require_subsamples(self, result: Result) -> None:
        """Check that data has subsamples if the test needs them."""
        if self.test == SUBSAMPLE_TEST and result.subsamples is None:
            raise InputError(
                f"⟦test⟧ {self.test} compares subsamples, which {result.dataset.title} does not have: choose "
                "permutation or mcnemar"
            )

    def family(self, named: NamedResults, groups: Sequence[str], threshold: float = QUALITY_THRESHOLD) -> Family:
        """Test all pairs of at least two models on some groups at a threshold.

        Raises:
            InputError: If the test does not fit the values, such as those of one subsample.
        """
        values = {name: self.values(result, groups, threshold) for name, result in named.items()}
        [first, *_] = named.values()
        unit = self.unit_of(first)
        message = f"cannot run the test {self.test} on {first.dataset.title}: ⟦reason⟧; choose another ⟦test⟧"
        with explained(ValueError, message):
            return compare_models(values, test=self.test, alpha=self.alpha, unit=unit, copies=copies_among(named))

    def family_if_any(self, named: NamedResults) -> Family | None:
        """Test all pairs of models on the groups that they have; None with one model, or with fewer than two groups.

        Raises:
            InputError: If the test does not fit the data, such as data without subsamples or with only one.
        """
        for result in named.values():
            self.require_subsamples(result)
        if len(named) < 2:
            return None
        try:
            groups = drawn_groups(named)
        except InputError:
            return None
        return self.family(named, groups)

    def values(self, scored: Result, groups: Sequence[str], threshold: float = QUALITY_THRESHOLD) -> Floats | Bools:
        """Return what the test takes of a model: the mean over its prompts, or what more than half of them say.

        Raises:
            InputError: If the test needs subsamples, and the data has none.
        """
        self.require_subsamples(scored)
        of_prompts = []
        for result in results_of(scored):
            counts = result.counts(groups)
            of_prompts.append(values_for(self.test, counts.correct, counts.sizes, threshold))
        mean = np.mean(of_prompts, axis=0)
        return np.asarray(mean > 1 / 2 if of_prompts[0].dtype == bool else mean)


def drawn_groups(results: NamedResults) -> tuple[str, ...]:
    """Return the groups that every model has and that a subsample has a row of, in the order of the first result.

    Raises:
        InputError: If there are fewer than two.
    """
    [first, *_] = results.values()
    common = set(first.group_ids)
    for result in results.values():
        common.intersection_update(compress(result.group_ids, result.counts().drawn))
    if len(common) < 2:
        raise InputError(
            f"{', '.join(results)} have {count(len(common), first.units[0])} in common: at least two are needed to "
            "compare models"
        )
    return tuple(name for name in first.group_ids if name in common)
