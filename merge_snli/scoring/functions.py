"""Score a function of sentence pairs. With a version, its answers are cached, so that a run resumes."""

import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from merge_snli.base.files import sha256_of_json
from merge_snli.base.progress import Progress
from merge_snli.models.function import (
    FUNCTION_LABELS,
    LabelFunction,
    call,
    function_name,
    labels_in_use,
    labels_of_answers,
    require_one_argument,
)
from merge_snli.models.labels import FUNCTION, Pair, compared_labels
from merge_snli.scoring.data import ScoredData, pair_digest
from merge_snli.scoring.evaluate import compared_predictions, evaluate, modelless_record, tied_pairs, versions_of
from merge_snli.scoring.predict import Predictions, PredictionStore, best_outputs, look_up
from merge_snli.scoring.records import RunRecord
from merge_snli.scoring.result import Result
from merge_snli.scoring.score_models import prediction_store
from merge_snli.scoring.source import ScoredSource
from merge_snli.scoring.store import store_result

# The most pairs that a function is called with at a time, and that a crash can lose.
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
    digest, store = None, None
    if version is not None:
        digest = _digest(name, version, possible)
    if digest is not None and out is not None:
        store = prediction_store(digest, out)
    pairs = data.pairs if source is None else (*data.pairs, *source.new_pairs)
    predictions = _predictions(function, pairs, data.label_names, name, store)
    labels = labels_in_use(possible, predictions.outputs)
    compared = compared_labels(labels, data.label_names)
    result = evaluate(
        compared_predictions(predictions.outputs, predictions.logits, labels, compared),
        compared,
        data,
        model=modelless_record(name, digest, labels, FUNCTION),
        run=RunRecord(
            versions=versions_of({}),
            dtype=None,
            device=None,
            seconds=round(predictions.seconds, 3),
            tied=tied_pairs(predictions.logits),
        ),
        source=source,
    )
    return result if out is None else store_result(result, out)


def _digest(name: str, version: str, labels: tuple[str, ...]) -> str:
    """Return what identifies a function with a version."""
    key: dict[str, object] = {"function": name, "version": version}
    if labels != FUNCTION_LABELS:
        key["labels"] = labels
    return sha256_of_json(key)


def _predictions(
    function: LabelFunction,
    pairs: Sequence[Pair],
    data_labels: Sequence[str],
    name: str,
    store: PredictionStore | None,
) -> Predictions:
    """Return what a function returns for pairs, calling it only with those that are not cached."""
    digests = [pair_digest(pair) for pair in pairs]
    shards = [] if store is None else list(store.shards())
    _, missing = look_up(shards, digests)
    with Progress().stage(name, unit="pairs", total=len(pairs), cached=len(pairs) - len(missing)) as stage:
        for start in range(0, len(missing), PAIRS_PER_CALL):
            chunk = [pairs[index] for index in missing[start : start + PAIRS_PER_CALL]]
            shard = _called(function, chunk, data_labels, name)
            shards.append(shard)
            if store is not None:
                store.add(shard)
            stage.advance(len(chunk))
    predictions, _ = look_up(shards, digests)
    assert predictions is not None
    return predictions


def _called(function: LabelFunction, pairs: Sequence[Pair], data_labels: Sequence[str], name: str) -> Predictions:
    """Return what a function returns for some pairs in one call."""
    start = time.perf_counter()
    returned = call(function, pairs, data_labels, name)
    seconds = time.perf_counter() - start
    tokens = np.zeros(len(pairs), dtype=np.int32)
    digests = tuple(pair_digest(pair) for pair in pairs)
    if returned.ndim == 2:
        logits = returned.astype(np.float32)
        return Predictions(digests, tokens, best_outputs(logits), logits, seconds)
    return Predictions(digests, tokens, returned.astype(np.int64), None, seconds)
