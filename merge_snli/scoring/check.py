"""Check results against their data, and compute those of models on parts of data."""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import replace

from merge_snli.base.errors import EditedError, InputError, Message, param
from merge_snli.base.table import count
from merge_snli.dataset.stored import MergeDataset
from merge_snli.scoring.answer_table import to_table, without_dictionaries
from merge_snli.scoring.answers import join, predicted_answers
from merge_snli.scoring.data import ScoredData, part_of_data
from merge_snli.scoring.evaluate import result_on
from merge_snli.scoring.grouping import model_key
from merge_snli.scoring.opening import find_whole
from merge_snli.scoring.records import DatasetRecord
from merge_snli.scoring.result import Result
from merge_snli.scoring.store import file_name

logger = logging.getLogger(__name__)

# The columns of a table of answers that are the data's, beside those that say what a row is.
OF_DATA = ("group_id", "label", "subsamples")


def require_data(result: Result, data: ScoredData) -> None:
    """Check that the rows of a result are those of its data.

    The numbers of a result are checked against its answers when it is read. Only the data shows the rest: the gold
    labels, the subsamples and the replaced words of the rows, and how many rows and groups have no answer.

    Args:
        result: The result.
        data: The data that it is on; of a result on a part of data, the part.

    Raises:
        InputError: If a row or group is not in the data.
        EditedError: If something differs from the data.
    """
    name = f"{file_name(result)} is not a valid result on {data.full_name}"
    try:
        wrong = _unlike_data(result, data)
    except InputError as error:
        raise InputError(f"{name}: {error.message.marked}") from error
    if wrong is not None:
        raise EditedError(f"{name}: {wrong}; score the model again")


def _unlike_data(result: Result, data: ScoredData) -> str | None:
    """Return what of a result differs from its data; None if nothing does."""
    answers, left_out = result.answers, result.left_out
    group, row = data.units
    groups = len(data.group_ids) - len(answers.group_ids)
    if left_out.groups != groups:
        return f"left_out.groups is {left_out.groups}, and {count(groups, group)} have no answers"
    rows = len(data.row_groups) - len(answers.predicted)
    if left_out.rows + left_out.undrawn != rows:
        return f"left_out.rows is {left_out.rows}, and {count(rows, row)} have no answer"
    expected, _ = predicted_answers(join(answers, data), data)
    stored, given = without_dictionaries(result.table), without_dictionaries(to_table(expected))
    for name in (*OF_DATA, *expected.table.column_names):
        if name in stored.column_names and stored[name] != given[name]:
            return f"column {name} of the answers is not that of the data"
    return None


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
        datasets: Data sets that the results may be on; parts of others are left alone, with a warning.

    Raises:
        InputError: If a result does not fit its data set.
    """
    listed = list(results)
    for record in list(dict.fromkeys(result.dataset for result in listed)):
        wholes = [result for result in listed if record.partial and result.dataset.key == (record.whole, record.config)]
        if record.partial is None or not wholes:
            continue
        whole = find_whole(record, datasets)
        if whole is None:
            logger.warning(
                Message(
                    f"{count(len(wholes), 'model')} on all of {record.name} can be shown on {record.title}: add "
                    f"{param('dataset')}"
                )
            )
            continue
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
