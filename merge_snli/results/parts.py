"""Put models that were scored on all of a data set beside those that were scored on a part of it."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from merge_snli.answers.data import ScoredData
from merge_snli.answers.joining import join
from merge_snli.answers.part import part_of_data
from merge_snli.dataset.stored import MergeDataset
from merge_snli.results.evaluate import result_on
from merge_snli.results.grouping import model_key
from merge_snli.results.records import DatasetRecord
from merge_snli.results.result import Result
from merge_snli.results.whole import find_whole


def on_part(result: Result, whole: ScoredData, part: ScoredData) -> Result:
    """Return the result of a model on a part of data, from its answers to the whole.

    It has no scores on the source, and a note on where its answers are from.

    Args:
        result: The result on the whole data.
        whole: The whole data.
        part: The part, as `part_of_data` returns it.

    Raises:
        InputError: If the answers are not those to the rows and seeds of the data, or no group of the part has any.
    """
    join(result.answers, whole)
    computed = result_on(result, join(result.answers, part, part=True), part)
    return replace(
        computed, notes=(*computed.notes, f"from the answers to all {len(whole.row_groups):,} {whole.units[1]}s")
    )


def with_parts(results: Iterable[Result], datasets: Sequence[MergeDataset]) -> list[Result]:
    """Add, for each part of data that a model was scored on, the models that were scored on the whole.

    So a language model on one subsample stands beside classifiers on all of them.

    Args:
        results: The results.
        datasets: Data sets that the results may be on; parts of others are left alone.

    Raises:
        InputError: If a result does not fit its data set.
    """
    listed = list(results)
    for record in list(dict.fromkeys(result.dataset for result in listed)):
        wholes = [result for result in listed if record.partial and result.dataset.key == (record.whole, record.config)]
        if record.partial is None or record.partial.chosen_rows or not wholes:
            continue
        whole = find_whole(record, datasets)
        if whole is not None:
            part = part_of(whole, record)
            there = {model_key(result) for result in listed if result.dataset.key == record.key}
            listed += [on_part(result, whole, part) for result in wholes if model_key(result) not in there]
    return listed


def part_of(whole: ScoredData, record: DatasetRecord) -> ScoredData:
    """Return the data that a result is on: the whole data, or the part of it that the result records."""
    if record.partial is None:
        return whole
    return part_of_data(
        whole,
        limit_seeds=record.partial.limit_seeds,
        subsample=record.partial.subsample,
        min_agreement=record.partial.min_agreement,
    )
