"""Group results by data set, and name them so that no two look the same."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, TypeVar

from merge_snli.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from scoring.results.grouped_result import GroupedResult
    from scoring.results.records import DatasetRecord
    from scoring.results.result import Result


R = TypeVar("R", "Result", "GroupedResult")


def on_same_data(results: Iterable[R]) -> list[list[R]]:
    """Group results by data set and config, in the order of the first result of each group."""
    groups: dict[tuple[str, str | None], list[R]] = {}
    for result in results:
        groups.setdefault((result.dataset.digest, result.dataset.config), []).append(result)
    return list(groups.values())


def names_of(results: Sequence[Result | GroupedResult]) -> list[str]:
    """Return the display names of results: their titles; if a title is not unique, with the model's digest.

    A model without a digest shows instead whether it is a function or known by its answers.
    """
    titles = Counter(result.title for result in results)
    models = [result.model for result in results]
    return [
        result.title if titles[result.title] == 1 else f"{result.title} [{(model.digest or model.label_origin)[:8]}]"
        for result, model in zip(results, models, strict=True)
    ]


def ranked(results: Iterable[R]) -> list[R]:
    """Sort results by PA at the quality threshold, best first, then by title; those without PA come last."""
    return sorted(results, key=_rank)


def pattern_accuracy_of(result: Result | GroupedResult) -> float | None:
    """Return PA at the quality threshold; on variants, the mean over the subsamples, or None if none has a row."""
    if result.kind == "groups":
        return result.scores.pattern_accuracy
    return result.scores.on_variants.pattern_accuracy.mean


def _rank(result: Result | GroupedResult) -> tuple[float, str]:
    pa_at_quality_threshold = pattern_accuracy_of(result)
    return (1.0 if pa_at_quality_threshold is None else -pa_at_quality_threshold, result.title)


def distinct_names_of(results: Sequence[Result | GroupedResult]) -> list[str]:
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
