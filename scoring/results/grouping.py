"""Group results by data set, and name them so that no two look the same."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from merge_snli.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from scoring.results.result import DatasetRecord, Result


def on_same_data(results: Iterable[Result]) -> list[list[Result]]:
    """Group results by data set and config, in the order of the first result of each group."""
    groups: dict[tuple[str, str], list[Result]] = {}
    for result in results:
        groups.setdefault((result.dataset.digest, result.dataset.config), []).append(result)
    return list(groups.values())


def names_of(results: Sequence[Result]) -> list[str]:
    """Return the display names of results: their titles, with the model's digest if a title is not unique."""
    titles = Counter(result.title for result in results)
    return [
        result.title if titles[result.title] == 1 else f"{result.title} [{(result.model.digest or 'function')[:8]}]"
        for result in results
    ]


def ranked(results: Iterable[Result]) -> list[Result]:
    """Sort results by PA at the quality threshold, best first, then by title; those without PA come last."""
    return sorted(results, key=_rank)


def _rank(result: Result) -> tuple[float, str]:
    pa_at_quality_threshold = result.scores.on_variants.pattern_accuracy.mean
    return (1.0 if pa_at_quality_threshold is None else -pa_at_quality_threshold, result.title)


def distinct_names_of(results: Sequence[Result]) -> list[str]:
    """Return the display names of results on one config of one data set.

    Raises:
        InputError: If two results are of the same model.
    """
    names = names_of(results)
    for name, count in Counter(names).items():
        if count > 1:
            raise InputError(f"{count} results of {name} on the same data: remove all but one of the files")
    return names


def titles_of(datasets: Sequence[DatasetRecord]) -> list[str]:
    """Return the display names of data sets: title and config, with the digest if a title is not unique."""
    titles = Counter(title for title, _ in {(data.title, data.digest) for data in datasets})
    return [
        f"{data.title}{'' if titles[data.title] == 1 else f' [{data.digest[:8]}]'}, config {data.config}"
        for data in datasets
    ]
