"""Say which differences of PA a comparison of models finds, from how far the models are apart on the same seeds."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from math import comb

from merge_snli.base.arrays import Floats
from merge_snli.base.errors import InputError
from merge_snli.base.table import count
from merge_snli.comparison.testing import drawn_groups
from merge_snli.results.alignment import aligned
from merge_snli.results.grouping import NamedResults, comparable_models, copies_among, permuted_labels, results_by_name
from merge_snli.results.result import Result
from merge_snli.statistics import (
    POWER,
    Distribution,
    assumed_gaps,
    observed_gaps,
    smallest_paired,
)
from metrics.pattern_accuracy.core import QUALITY_THRESHOLD

# Assumed correlation over seeds of whether two models pass, if no two models were scored.
CORRELATION = 0.5

# If a comparison finds only larger differences, it has too few seeds to say anything about similar models.
TOO_LARGE = 0.05


def passes(named: NamedResults, groups: Sequence[str], threshold: float = QUALITY_THRESHOLD) -> dict[str, Floats]:
    """Return the share of the subsamples in which each model passes each group, [n_groups].

    Of models with the same answers, only the first is returned: they are tested once. Models whose labels seem to be
    permuted are left out, since they are far from all others; not if all are so.

    Args:
        named: The models.
        groups: Ids of groups that all of them have.
        threshold: Threshold of PA.
    """
    kept = {name: result for name, result in named.items() if permuted_labels(result) is None} or dict(named)
    copies = copies_among(kept)
    found = {}
    for name, result in kept.items():
        if name not in copies:
            found[name] = result.counts(groups).passes(threshold)
    return found


def gaps_of(columns: Mapping[str, Floats]) -> Distribution:
    """Return how far two models are apart on a seed; one model is compared with an equally good one.

    Args:
        columns: What `passes` returns, of at least one model.
    """
    if len(columns) > 1:
        return observed_gaps(columns)
    [only] = columns.values()
    return assumed_gaps([float(only.mean())], CORRELATION)


def smallest_difference(
    named: NamedResults, groups: Sequence[str], *, alpha: float = 0.05, threshold: float = QUALITY_THRESHOLD
) -> float | None:
    """Return the smallest difference of PA that the permutation test finds at the strictest step of Holm's method.

    Args:
        named: The models that are compared.
        groups: Ids of the groups on which they are.
        alpha: Family-wise significance level.
        threshold: Threshold of PA.

    Returns:
        The difference that is found with a power of 80%; None if no difference is.
    """
    columns = passes(named, groups, threshold)
    return smallest_paired(gaps_of(columns), len(groups), alpha=alpha / number_of_pairs(len(columns)))


def number_of_pairs(models: int) -> int:
    """Return over how many pairs of so many models p-values are adjusted; 1 with one model."""
    return max(1, comb(models, 2))


def too_few_note(seeds: int, unit: str, smallest: float | None) -> str | None:
    """Return what a comparison cannot show, in one sentence; None if it finds differences of `TOO_LARGE` points.

    Args:
        seeds: Number of seeds or groups.
        unit: What one is called.
        smallest: Smallest difference of PA that is found; None if no difference is.
    """
    if smallest is None:
        return f"{count(seeds, unit)}: no difference between two models is found with a power of {POWER:.0%}."
    if smallest <= TOO_LARGE:
        return None
    return (
        f"{count(seeds, unit)}: the smallest difference of PA between two models that is found with a power of "
        f"{POWER:.0%} is {100 * smallest:.1f} points."
    )


def too_few_notes(results: Iterable[Result]) -> list[str]:
    """Return what comparisons of models by PA(0.9) at the level 0.05 cannot show, one sentence for each that is coarse.

    Args:
        results: Results in any order. Those of models with other labels count apart.
    """
    notes = []
    for models, _ in comparable_models(aligned(results)):
        named = results_by_name(models)
        with suppress(InputError):
            groups = drawn_groups(named)
            note = too_few_note(len(groups), models[0].units[0], smallest_difference(named, groups))
            if note is not None:
                notes.append(note)
    return notes
