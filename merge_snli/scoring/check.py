"""Compute every number of a result again from its answers, and find those that differ; and results on parts of data."""

import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields, replace
from functools import partial

import numpy as np
import pyarrow as pa

from merge_snli.base.differences import differences as json_differences
from merge_snli.base.errors import InputError, Message, param
from merge_snli.base.table import count
from merge_snli.dataset.stored import MergeDataset
from merge_snli.models.labels import Missing
from merge_snli.scoring.answers import Answers, join
from merge_snli.scoring.data import ScoredData, part_of_data
from merge_snli.scoring.evaluate import result_on
from merge_snli.scoring.grouping import model_key
from merge_snli.scoring.opening import find_whole
from merge_snli.scoring.recompute import nearly_equal, short
from merge_snli.scoring.records import DatasetRecord, RunRecord
from merge_snli.scoring.result import Result, ResultFile
from merge_snli.scoring.scores import Calibration, Intervals, Scores
from merge_snli.scoring.store import to_json

logger = logging.getLogger(__name__)

# Largest difference of a share: that of the ends of an interval, which are rounded to five digits.
TOLERANCE = 2e-5

# The fields of a result file with the default None, which a later version may have added.
OPTIONAL = frozenset(
    field.name
    for kind in (ResultFile, DatasetRecord, RunRecord, Scores, Intervals, Calibration)
    for field in fields(kind)
    if field.default is None
)


def differences(result: Result, data: ScoredData) -> Iterator[str]:
    """Yield a sentence for each value of a result that differs from what its answers give.

    Names of the model and the data set and facts about the model and the run are not checked, because answers do not
    determine them. A value of None that is the default of its field claims nothing: results that were written before
    the field existed lack it.

    Args:
        result: The result; without scores on the source, whose answers it does not have.
        data: The data that it is on.

    Raises:
        InputError: If the answers are not those to the rows and seeds of the data.
    """
    everything = join(result.answers, data)
    _require_same_answers(data, everything)
    again = result_on(result, everything, data)
    yield from _changed_columns(result.answers, again.answers)
    submitted, expected = to_json(result), to_json(again)
    submitted |= {name: expected[name] for name in ("answers_sha256", "digest")}
    for position, value, given in json_differences(
        submitted, expected, is_equal=partial(nearly_equal, tolerance=TOLERANCE)
    ):
        if value is not None or position.rpartition(".")[2] not in OPTIONAL:
            yield f"{position} is {short(value)}, and the answers give {short(given)}"


def _changed_columns(submitted: Answers, expected: Answers) -> Iterator[str]:
    """Yield a sentence for each column of the table of answers that is not what the data has."""
    tables = [answers.table.combine_chunks() for answers in (submitted, expected)]
    for name in expected.table.column_names:
        texts = [table[name].cast(pa.string()) for table in tables if name in table.column_names]
        if len(texts) < 2 or texts[0] != texts[1]:
            yield f"column {name} of the answers is not that of the data"
    subsamples, given = (np.array([]) if of.subsamples is None else of.subsamples for of in (submitted, expected))
    if not np.array_equal(subsamples, given):
        yield "column subsamples of the answers is not that of the data"
    if not np.array_equal(submitted.gold, expected.gold):
        yield "column label of the answers is not that of the data"


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
        part = part_of_data(
            whole,
            limit_seeds=record.partial.limit_seeds,
            subsample=record.partial.subsample,
            min_agreement=record.partial.min_agreement,
        )
        there = {model_key(result) for result in listed if result.dataset.key == record.key}
        listed += [on_part(result, whole, part) for result in wholes if model_key(result) not in there]
    return listed


def _require_same_answers(data: ScoredData, everything: Answers) -> None:
    pairs, answers = data.row_pairs, everything.predicted
    if data.seeds is not None and everything.seeds is not None:
        pairs = np.concatenate([data.seeds.pairs, pairs])
        answers = np.concatenate([everything.seeds.predicted, answers])
    answered = answers != Missing.NOT_PREDICTED
    distinct = np.unique(np.stack([pairs[answered], answers[answered]]), axis=1)
    repeated = np.flatnonzero(distinct[0, 1:] == distinct[0, :-1])
    if len(repeated):
        premise, hypothesis = data.pairs[distinct[0, repeated[0]]]
        raise InputError(f"the pair {premise!r}, {hypothesis!r} has two different answers")
