"""Check results against their data, and compute those of models on parts of data."""

import logging

from merge_snli.answers.answers import join, predicted_answers
from merge_snli.answers.data import ScoredData
from merge_snli.answers.table import to_table, without_dictionaries
from merge_snli.base.errors import EditedError, InputError
from merge_snli.base.table import count
from merge_snli.results.result import Result
from merge_snli.results.store import file_name

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
