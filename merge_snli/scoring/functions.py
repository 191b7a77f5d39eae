"""Score a function of sentence pairs. With a version, its answers are cached, so that a run resumes."""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from merge_snli.answers.data import ScoredData
from merge_snli.answers.source import ScoredSource
from merge_snli.base.files import sha256_of_json
from merge_snli.dataset.label_spellings import Labels
from merge_snli.models.function import (
    FUNCTION_LABELS,
    LabelFunction,
    call,
    function_name,
    labels_in_use,
    labels_of_answers,
    require_one_argument,
)
from merge_snli.models.labels import FUNCTION, Pair
from merge_snli.results.evaluate import evaluate
from merge_snli.results.records import ModelRecord, RunRecord
from merge_snli.results.result import Result
from merge_snli.results.store import store_result
from merge_snli.scoring.predict import Predicted, cached, shard_of
from merge_snli.scoring.score_models import prediction_folder

# Pairs that a function gets at a time, whose answers a crash can lose.
PAIRS_PER_CALL = 512


def score_function(
    function: LabelFunction,
    data: ScoredData,
    *,
    source: ScoredSource | None = None,
    out: Path | None = None,
    name: str | None = None,
    version: str | None = None,
) -> Result:
    """Score a function on data.

    Args:
        function: The function; it is called with up to `PAIRS_PER_CALL` pairs at a time.
        data: The data.
        source: The source of the data set, to score the function on it as well.
        out: Folder for the result file and, in `OUT.work`, the cached answers; None to write nothing.
        name: The name to report; the function's own name by default.
        version: A version of the function. If given, its answers are cached under name and version.

    Raises:
        InputError: If the function does not take one argument or does not return a label or probabilities for each
            pair, or `out` is not writable.
    """
    name = name or function_name(function)
    require_one_argument(function, name)
    possible = labels_of_answers(data.label_names)
    digest = store = None
    if version is not None:
        digest = _digest(name, version, possible)
        store = None if out is None else prediction_folder(digest, out)

    def predict(pairs: Sequence[Pair]) -> Iterator[Predicted]:
        for first in range(0, len(pairs), PAIRS_PER_CALL):
            start = time.perf_counter()
            returned = call(function, pairs[first : first + PAIRS_PER_CALL], data.label_names, name)
            rows = np.arange(first, first + len(returned))
            yield rows, shard_of(np.zeros(len(rows), np.int64), returned, time.perf_counter() - start)

    pairs = data.pairs if source is None else (*data.pairs, *source.new_pairs)
    predictions = cached(predict, pairs, store, name=name)
    labels = labels_in_use(possible, predictions.outputs)
    result = evaluate(
        predictions.outputs,
        data,
        model=ModelRecord(name=name, digest=digest, labels=labels, label_origin=FUNCTION),
        run=RunRecord({}, seconds=round(predictions.seconds, 3)),
        logits=predictions.logits,
        source=source,
    )
    return result if out is None else store_result(result, out)


def _digest(name: str, version: str, labels: Labels) -> str:
    """Return what identifies a function with a version."""
    key: dict[str, object] = {"function": name, "version": version}
    if labels != FUNCTION_LABELS:
        key["labels"] = labels
    return sha256_of_json(key)
