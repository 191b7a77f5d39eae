"""Group results by their data, rank and name them, and find models whose labels seem to be permuted."""

import logging
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from merge_snli.base.batches import grouped
from merge_snli.base.errors import InputError
from merge_snli.dataset.label_spellings import NOT_ENTAILMENT
from merge_snli.models.display_names import shortest_end, unique_names
from merge_snli.models.labels import ANSWERS
from merge_snli.results.prompts import group_prompts, results_of
from merge_snli.results.records import CHANCE_MARGIN, DatasetRecord
from merge_snli.results.result import Result
from merge_snli.schema import ALL, WORD_CLASSES
from merge_snli.statistics import mcnemar_test

DataKey = tuple[str, str | None]
# Results by display name.
NamedResults: TypeAlias = Mapping[str, Result]
ModelKey = tuple[str | None, ...]

CONFIGS = (ALL, *WORD_CLASSES)
# A chart elides the middle of a longer name.
MAX_LABEL_LETTERS = 22
# Another order of the labels is better than the model's if McNemar's test on the seeds gives a smaller p-value.
MAX_P_VALUE = 0.001

logger = logging.getLogger(__name__)


def model_key(result: Result) -> ModelKey:
    """Return what identifies a model and how it was run: its files, or its name if they are unknown."""
    prompt = result.run.prompt
    return (
        result.model.digest or f"{result.model.label_origin} {result.model.name}",
        result.run.dtype,
        None if prompt is None else prompt.title,
    )


def on_same_data(results: Iterable[Result]) -> list[list[Result]]:
    """Group results by data set and config, in the order of the first result of each group.

    A model counts once on the same data: of a model with two names, the first result stays, with a warning.
    """
    groups: dict[DataKey, list[Result]] = {}
    for result in results:
        others = groups.setdefault(result.dataset.key, [])
        same = [other for other in others if result.model.digest and model_key(other) == model_key(result)]
        if same and same[0].title != result.title:
            logger.warning("%s and %s are the same model: %s is left out", same[0].title, result.title, result.title)
        else:
            others.append(result)
    return list(groups.values())


def comparable_results(results: Iterable[Result]) -> list[list[Result]]:
    """Group results that may be compared: on the same data set and config, and with the same compared labels."""
    found: list[list[Result]] = []
    for group in on_same_data(results):
        found += grouped((is_two_way(result), result) for result in group).values()
    return found


def comparable_models(results: Iterable[Result]) -> list[tuple[list[Result], list[tuple[Result, str]]]]:
    """Group the models that may be compared, each with all of its prompts.

    Returns:
        For each group, as `comparable_results` returns them, the models on the groups that most models have, at least
        one, and each other model with what it lacks.
    """
    found = []
    for group in comparable_results(results):
        models = group_prompts(group)
        compared = []
        apart = []
        for model, reason in zip(models, missing_groups(models), strict=True):
            if reason is None:
                compared.append(model)
            else:
                apart.append((model, reason))
        found.append((compared, apart))
    return found


def is_two_way(result: Result) -> bool:
    """Return whether a model answers with two labels on data with three."""
    return NOT_ENTAILMENT in result.compared_labels and NOT_ENTAILMENT not in result.dataset.labels


def two_way_suffix(result: Result) -> str:
    """Return what to add to the title of comparable results, if they are of two-way models."""
    return ", two-way models" if is_two_way(result) else ""


def names_of(results: Sequence[Result]) -> list[str]:
    """Return the display names of results: their titles; if a title is not unique, with the model's digest.

    A model without a digest shows instead whether it is a function or known by its answers.
    """
    about = [result.model.digest or result.model.label_origin for result in results]
    return unique_names([result.title for result in results], about)


def short_names(names: Sequence[str]) -> list[str]:
    """Return short labels of models for charts: without their owners, with the middle elided if they are long.

    Of names with the same last component, more are shown; names that would look the same are not elided.

    Args:
        names: The display names, no two equal.

    Examples:
        >>> short_names(["org/model", "run1/checkpoint-500", "run2/checkpoint-500"])
        ['model', 'run1/checkpoint-500', 'run2/checkpoint-500']
    """
    parts = [tuple(name.split("/")) for name in names]
    ends = [shortest_end(own, parts) for own in parts]
    labels = []
    for end in ends:
        is_long = len(end) > MAX_LABEL_LETTERS
        labels.append(f"{end[: MAX_LABEL_LETTERS - 9]}…{end[-8:]}" if is_long else end)
    return [label if labels.count(label) == 1 else end for label, end in zip(labels, ends, strict=True)]


def ranked(results: Iterable[Result]) -> list[Result]:
    """Sort results on the same data by PA at the quality threshold, best first, then by title.

    Those without PA come after the others, and those that are not ranked (`unranked_reasons`) come last.
    """
    listed = list(results)

    def place(reasoned: tuple[Result, str | None]) -> tuple[bool, float, str]:
        result, reason = reasoned
        return reason is not None, *best_first(result.pattern_accuracy, result.title)

    return [result for result, _ in sorted(zip(listed, unranked_reasons(listed), strict=True), key=place)]


def reference_groups(results: Sequence[Result]) -> frozenset[str]:
    """Return the groups on which comparable results are compared: those that most results have.

    Of several such sets, it is the largest, then the first by the ids in it, whatever the order of the results.
    """
    sets = Counter(frozenset(result.group_ids) for result in results)
    return max(sets, key=lambda ids: (sets[ids], len(ids), sorted(ids)), default=frozenset())


def missing_groups(results: Sequence[Result]) -> list[str | None]:
    """Return why each of some comparable results is not compared: what it lacks of `reference_groups`; None if nothing.

    Results that lack groups do not change how the others compare.
    """
    reference = reference_groups(results)
    return [_missing(result, reference) for result in results]


def _missing(result: Result, reference: frozenset[str]) -> str | None:
    return None if reference.issubset(result.group_ids) else coverage(result, len(reference))


def unranked_reasons(results: Sequence[Result]) -> list[str | None]:
    """Return why each of some results on the same data is not ranked among them; None if it is.

    Models are ranked on the same groups and in the same labels: on the groups that most results have, and in the three
    labels of the data if a model has them. A model that lacks some of the groups, with two labels or whose labels seem
    to be permuted is listed, not ranked.
    """
    three_way = [result for result in results if not is_two_way(result)]
    reference = reference_groups(three_way or results)
    reasons: list[str | None] = []
    for result in results:
        if three_way and is_two_way(result):
            reasons.append("two-way model among three-way models")
        else:
            reasons.append(permuted_labels(result) or _missing(result, reference))
    return reasons


def coverage(result: Result, most: int = 0) -> str:
    """Return how many groups a result is on, and why it is on no more.

    Args:
        result: The result.
        most: Number of groups of another result on the same data, if that is known.
    """
    groups = len(result.group_ids)
    left_out = result.left_out
    why = f"are longer than the model's maximum of {left_out.max_length} tokens"
    if left_out.max_length is None:
        why = "have no predictions"
    if result.model.label_origin == ANSWERS:
        why = "lack imported answers"
    return f"{groups:,} of {max(groups + left_out.groups, most):,} {result.units[0]}s, the others {why}"


def marked_names(results: Sequence[Result]) -> list[str]:
    """Return the display names of results on one config of one data set; those that are not ranked say so.

    Raises:
        InputError: If two results are of the same model.
    """
    names = []
    for name, reason in zip(results_by_name(results), unranked_reasons(results), strict=True):
        names.append(name if reason is None else f"{name} (not ranked)")
    return names


def best_first(accuracy: float, name: str) -> tuple[float, str]:
    """Return what models are sorted by: the largest accuracy first and NaN last, then by name."""
    return (1.0 if math.isnan(accuracy) else -accuracy), name


def results_by_name(results: Sequence[Result]) -> dict[str, Result]:
    """Return results on one config of one data set by their display names.

    Raises:
        InputError: If two results are of the same model.
    """
    names = names_of(results)
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"{names.count(name)} results of {name} on the same data: remove all but one of the files")
    return dict(zip(names, results, strict=True))


def copies_among(named: NamedResults) -> dict[str, str]:
    """Return each model whose answers are exactly those of an earlier one, with the earlier one."""
    copies = {}
    first: dict[tuple[str, ...], str] = {}
    for name, scored in named.items():
        other = first.setdefault(tuple(result.counted.digest for result in results_of(scored)), name)
        if other != name:
            copies[name] = other
    return copies


def titles_of(datasets: Sequence[DatasetRecord]) -> list[str]:
    """Return the display names of data sets: title and config, with the digest if that is not unique."""
    names = [data.title if data.config is None else f"{data.title}, config {data.config}" for data in datasets]
    different = Counter(name for name, _ in {(name, data.digest) for name, data in zip(names, datasets, strict=True)})
    titles = []
    for name, data in zip(names, datasets, strict=True):
        end = name.removeprefix(data.title)
        titles.append(name if different[name] == 1 else f"{data.title} [{data.digest[:8]}]{end}")
    return titles


def config_rank(config: str | None) -> tuple[int, str]:
    """Return the position of a config among those of a data set: `all`, the word classes, then others by name."""
    return (CONFIGS.index(config), "") if config in CONFIGS else (len(CONFIGS), config or "")


def permuted_labels(scored: Result) -> str | None:
    """Return why the labels of a model seem to be permuted, from its answers to the seeds; None if they do not."""
    n_labels = len(scored.compared_labels)
    seeds = [result.counted.seeds for result in results_of(scored) if result.counted.seeds is not None]
    if not seeds:
        return None
    predicted = np.concatenate([graded.predicted for graded in seeds])
    gold = np.concatenate([graded.gold for graded in seeds])[predicted >= 0]
    predicted = predicted[predicted >= 0]
    counts = np.zeros((n_labels, n_labels), dtype=np.int64)
    np.add.at(counts, (predicted, gold), 1)
    if not len(gold):
        return None
    from scipy.optimize import linear_sum_assignment

    _, order = linear_sum_assignment(counts, maximize=True)
    better = order[predicted] == gold
    right = predicted == gold
    if better.mean() < np.bincount(gold).max() / len(gold) + CHANCE_MARGIN or better.sum() <= right.sum():
        return None
    if mcnemar_test(better, right).p_value >= MAX_P_VALUE:
        return None
    return f"its labels seem to be permuted: in another order {better.mean():.1%} of the seeds are right"


def all_notes(result: Result) -> list[str]:
    """Return the notes on a model, with one if it is left out of means over models."""
    reason = permuted_labels(result)
    notes = list(result.notes)
    if reason is not None:
        notes.append(f"left out of means over models, because {reason}")
    return notes


def without_permuted(results: Sequence[Result]) -> list[Result]:
    """Return the results for a mean over models, with a warning for each that is left out; all if none remains."""
    reasons = [permuted_labels(result) for result in results]
    kept = [result for result, reason in zip(results, reasons, strict=True) if reason is None]
    if not kept:
        return list(results)
    for result, reason in zip(results, reasons, strict=True):
        if reason is not None:
            logger.warning("%s is left out of means over models: %s", result.title, reason)
    return kept
