"""Check a result: its file is as it was written, its numbers follow from its answers, and its rows are its data's.

A digest covers every entry of the file, among them the digest of the answers. What follows from the answers is computed
again, but for the intervals, which take longer than reading the file.
"""

from collections.abc import Mapping

from pydantic_core import to_jsonable_python

from merge_snli.answers.answers import Answers
from merge_snli.answers.data import ScoredData
from merge_snli.answers.joining import join, predicted_answers
from merge_snli.answers.table import to_table, without_dictionaries
from merge_snli.base.differences import differences
from merge_snli.base.errors import InputError
from merge_snli.base.files import JsonObject
from merge_snli.base.table import count
from merge_snli.dataset.record_file import OWN_DIGEST, own_digest
from merge_snli.results.measure import numbers_from, part_masks
from merge_snli.results.naming import file_name
from merge_snli.results.result import Result
from merge_snli.results.result_file import ResultFile

# Largest difference of a number in a file from the same number computed from the answers.
TOLERANCE = 1e-9
# The numbers that are not computed again. The table has no labels of annotators.
NOT_COMPUTED = ("intervals", "annotator_distance")
# The columns of a table of answers that are the data's, beside those that say what a row is.
OF_DATA = ("group_id", "label", "subsamples")
# What to do about a result that is not valid.
AGAIN = "score the model, or import its answers, again"


def check_entries(entries: JsonObject) -> None:
    """Check that the entries of a result file are those that were written.

    Raises:
        ValueError: If the digest is missing or is not that of the other entries.
    """
    if OWN_DIGEST not in entries:
        raise ValueError(f"it has no entry {OWN_DIGEST}")
    if entries[OWN_DIGEST] != own_digest(dict(entries)):
        raise ValueError("an entry was changed after it was written, or removed")


def check_numbers(file: ResultFile, entries: JsonObject, answers: Answers) -> None:
    """Check that the numbers of a result are those that its answers give.

    An entry that the file does not have is not compared: an earlier version did not know it.

    Args:
        file: The result.
        entries: The entries of its file.
        answers: The answers.

    Raises:
        ValueError: If a number is not the same, but for rounding.
    """
    masks = part_masks(file.parts, answers, file.dataset.labels)
    computed = numbers_from(answers, masks, intervals=False)
    stated = {field: getattr(file, field) for field in computed}
    stated["parts"] = {column: file.parts[column] for column in masks}
    known = _of_file(to_jsonable_python(stated), entries)
    given = _of_file(to_jsonable_python(computed), known)
    for place, value, expected in differences(known, given, is_equal=_nearly_equal):
        if not place.endswith(NOT_COMPUTED):
            raise ValueError(f"{place} is {value!r:.60}, and the answers give {expected!r:.60}")


def _of_file(value: object, entries: object) -> object:
    """Return a JSON value with only those entries of its objects that a file has."""
    if isinstance(value, dict) and isinstance(entries, Mapping):
        return {name: _of_file(of_name, entries[name]) for name, of_name in value.items() if name in entries}
    return value


def _nearly_equal(first: object, second: object) -> bool:
    """Return whether two JSON values are the same, but for rounding."""
    if isinstance(first, float) and isinstance(second, float):
        return abs(first - second) <= TOLERANCE
    return first == second


def require_data(result: Result, data: ScoredData) -> None:
    """Check that the rows of a result are those of its data.

    Only the data shows the gold labels, the subsamples and the replaced words of the rows, and how many rows and groups
    have no answer.

    Args:
        result: The result.
        data: The data that it is on; of a result on a part of data, the part.

    Raises:
        InputError: If something differs from the data, such as a row that it does not have.
    """
    try:
        wrong = _unlike_data(result, data)
    except InputError as error:
        wrong = error.message.marked
    if wrong is not None:
        raise InputError(f"{file_name(result)} is not a valid result on {data.full_name}: {wrong}; {AGAIN}")


def _unlike_data(result: Result, data: ScoredData) -> str | None:
    """Return what of a result differs from its data; None if nothing does."""
    answers = result.answers
    left_out = result.left_out
    group, row = data.units
    groups = len(data.group_ids) - len(answers.group_ids)
    rows = len(data.row_groups) - len(answers.predicted)
    if left_out.groups != groups:
        return f"left_out.groups is {left_out.groups}, and {count(groups, group)} have no answers"
    if left_out.rows + left_out.undrawn != rows:
        return f"left_out.rows is {left_out.rows}, and {count(rows, row)} have no answer"
    expected, _ = predicted_answers(join(answers, data), data)
    stored = without_dictionaries(to_table(answers))
    given = without_dictionaries(to_table(expected))
    for name in (*OF_DATA, *expected.table.column_names):
        if name in stored.column_names and stored[name] != given[name]:
            return f"column {name} of the answers is not that of the data"
    return None
