"""Group results by data set, rank them, and name them so that no two look the same."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, TypeVar

from merge_snli.errors import InputError
from merge_snli.label_spellings import NOT_ENTAILMENT
from scoring.models.labels import ANSWERS
from scoring.results.records import PairsLeftOut

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


def comparable_results(results: Iterable[R]) -> list[list[R]]:
    """Group results that may be compared: on the same data set and config, and with the same compared labels."""
    groups: dict[tuple[int, bool], list[R]] = {}
    for number, group in enumerate(on_same_data(results)):
        for result in group:
            groups.setdefault((number, is_two_way(result)), []).append(result)
    return list(groups.values())


def is_two_way(result: Result | GroupedResult) -> bool:
    """Return whether a model answers with two labels on data with three."""
    return NOT_ENTAILMENT in result.compared_labels and NOT_ENTAILMENT not in result.dataset.labels


def two_way_suffix(result: Result | GroupedResult) -> str:
    """Return what to add to the title of comparable results, if they are of two-way models."""
    return ", two-way models" if is_two_way(result) else ""


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
    """Sort results on the same data by PA at the quality threshold, best first, then by title.

    Those without PA come after the others, and those that are not ranked (`unranked_reasons`) come last.
    """
    listed: list[R] = list(results)
    reasons = unranked_reasons(listed)
    order = sorted(range(len(listed)), key=lambda at: (reasons[at] is not None, *_rank(listed[at])))
    return [listed[at] for at in order]


def unranked_reasons(results: Sequence[R]) -> list[str | None]:
    """Return why each of some results on the same data is not ranked among them; None if it is.

    Models are ranked on the same seeds or groups and in the same labels: those of the model with the most seeds, and
    the three labels of the data if a model has them. A model on fewer seeds or with two labels is listed, not ranked.
    """
    three_way = [result for result in results if not is_two_way(result)]
    most = max(map(_units, three_way or results), key=len, default=frozenset())
    return [_unranked_reason(result, most, two_way_refused=bool(three_way)) for result in results]


def _unranked_reason(result: Result | GroupedResult, most: frozenset[str], *, two_way_refused: bool) -> str | None:
    if two_way_refused and is_two_way(result):
        return "two-way model among three-way models"
    return None if _units(result) == most else coverage(result, len(most))


def coverage(result: Result | GroupedResult, most: int = 0) -> str:
    """Return how many seeds or groups a result is on, and why it is on no more.

    Args:
        result: The result.
        most: Number of seeds or groups of another result on the same data, if that is known.
    """
    units, left_out = len(_units(result)), result.left_out
    more = left_out.groups if isinstance(left_out, PairsLeftOut) else left_out.seeds
    if result.model.label_origin == ANSWERS:
        why = "lack imported answers"
    elif left_out.max_length is not None:
        why = f"are longer than the model's maximum of {left_out.max_length} tokens"
    else:
        why = "have no predictions"
    noun = "groups" if result.kind == "groups" else "seeds"
    return f"{units:,} of {max(units + more, most):,} {noun}, the others {why}"


def _units(result: Result | GroupedResult) -> frozenset[str]:
    return frozenset(result.groups.group_id if result.kind == "groups" else result.seeds.seed_id)


def marked_names(results: Sequence[R]) -> list[str]:
    """Return the display names of results on one config of one data set; those that are not ranked say so.

    Raises:
        InputError: If two results are of the same model.
    """
    reasons = unranked_reasons(results)
    return [
        name if reason is None else f"{name} (not ranked)"
        for name, reason in zip(distinct_names_of(results), reasons, strict=True)
    ]


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
