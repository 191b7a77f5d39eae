"""Pack the answers of models on one config as the data of the page.

The data of the page are names and texts as JSON, and a number of each variant per column. The layout is: the length of
the JSON as 4 bytes, the JSON, spaces up to a multiple of 4 bytes, and the arrays in the order of `arrays` in the JSON,
each with its type. Everything is compressed with gzip and encoded in Base64.
"""

import gzip
import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from merge_snli.base.arrays import Ints
from merge_snli.base.files import JsonObject
from merge_snli.card.metadata import license_of, license_text
from merge_snli.comparison.corpus import CorpusCounts
from merge_snli.comparison.html_page import words_of_seeds
from merge_snli.comparison.scored_dataset import ModelAnswers, ScoredDataset
from merge_snli.models.labels import positions
from merge_snli.results.grouping import NamedResults, all_notes, permuted_labels, short_names, unranked_reasons
from merge_snli.results.result import Result
from merge_snli.results.rows import percent

Array = NDArray[Any]

# The columns of results with the scores on the page.
SCORES = {"seeds": "seed_accuracy", "variants": "sample_accuracy", "pa": "pattern_accuracy"}

# Log-odds are multiplied by this and rounded.
LOG_ODDS_SCALE = 100


def packed(scored: ScoredDataset, named: NamedResults, *, with_text: bool, corpus: CorpusCounts | None = None) -> str:
    """Return the data of the page.

    Args:
        scored: The data set and the answers of the models, if any.
        named: The results of the models by name, on the seeds on which they are compared.
        with_text: Whether to include the sentences of the seeds.
        corpus: Counts of words, to show with the replacements.
    """
    order = np.argsort(scored.groups, kind="stable")
    labels = _labels(scored)
    original, replacement = _words(scored)
    words = original.dictionary.to_pylist()
    classes = scored.words["word_class"]
    arrays = {
        "original": _codes(original, order, "<u4"),
        "replacement": _codes(replacement, order, "<u4"),
        "logOdds": _log_odds(scored, order),
        "wordClass": _codes(classes, order, "u1"),
    }
    if scored.models:
        arrays |= _answers(scored.models, labels, order)
    header = _about_data(scored)
    header |= _about_models(scored.models)
    header["scores"] = _scores([named[model.name] for model in scored.models])
    header["labels"] = labels
    header["classes"] = classes.dictionary.to_pylist()
    header["words"] = words
    header |= _frequencies(words, corpus)
    header["logOddsScale"] = LOG_ODDS_SCALE
    header |= _about_seeds(scored, labels, order)
    header["texts"] = _texts(scored) if with_text else None
    header["arrays"] = [[name, array.dtype.str[1:], array.size] for name, array in arrays.items()]
    return _encoded(header, arrays)


def _labels(scored: ScoredDataset) -> list[str]:
    """Return the labels of the data, then those that only models have."""
    labels = dict.fromkeys(scored.data.label_names)
    for model in scored.models:
        labels |= dict.fromkeys(model.answers.labels)
    return list(labels)


def _words(scored: ScoredDataset) -> tuple[pa.DictionaryArray, pa.DictionaryArray]:
    """Return the original word and the replacement of each variant, with one dictionary."""
    columns = pa.chunked_array([scored.words["original"], scored.words["replacement"]])
    original, replacement = columns.unify_dictionaries().chunks
    return original, replacement


def _codes(column: pa.DictionaryArray, order: Ints, dtype: str) -> Array:
    return np.asarray(column.indices.to_numpy()[order].astype(dtype))


def _log_odds(scored: ScoredDataset, order: Ints) -> Array:
    scaled = np.round(scored.log_odds[order] * LOG_ODDS_SCALE)
    return np.asarray(scaled.clip(-32_768, 32_767).astype("<i2"))


def _answers(models: Sequence[ModelAnswers], labels: Sequence[str], order: Ints) -> dict[str, Array]:
    """Return the predictions of each model on variants, [n_models, n_variants], and on seeds, [n_models, n_seeds]."""
    on_variants = [_numbers(model, model.answers.predicted[order], labels) for model in models]
    on_seeds = [_numbers(model, model.seeds.predicted, labels) for model in models]
    return {"answers": np.stack(on_variants), "onSeeds": np.stack(on_seeds)}


def _numbers(model: ModelAnswers, predicted: Ints, labels: Sequence[str]) -> Array:
    """Return the numbers of predicted labels among those of the page, as bytes; a code of `Missing` wraps around."""
    in_page = np.array(positions(model.answers.labels, labels))
    return np.where(predicted < 0, predicted, in_page[predicted]).astype("i1").view("u1")


def _about_data(scored: ScoredDataset) -> JsonObject:
    stored = scored.data.stored.record
    return {
        "dataset": scored.record.title,
        "config": scored.record.config,
        "license": license_of(stored) or "not stated",
        "terms": license_text(stored).replace("`", ""),
    }


def _about_models(models: Sequence[ModelAnswers]) -> JsonObject:
    """Return names and notes, and which models are in means: those whose labels do not seem to be permuted, or all."""
    names = [model.name for model in models]
    averaged = []
    notes = []
    for number, model in enumerate(models):
        if permuted_labels(model.result) is None:
            averaged.append(number)
        notes += [f"{model.name}: {note}" for note in all_notes(model.result)]
    return {
        "models": names,
        "shortNames": short_names(names),
        "averaged": averaged or list(range(len(models))),
        "notes": notes,
    }


def _scores(results: Sequence[Result]) -> list[JsonObject]:
    """Return the scores of each model in percent, and why it is not ranked: the numbers of the leaderboard."""
    scores = []
    for result, reason in zip(results, unranked_reasons(results), strict=True):
        shown = {name: percent(result.row[column]) for name, column in SCORES.items()}
        scores.append({**shown, "unranked": reason})
    return scores


def _frequencies(words: Sequence[str], corpus: CorpusCounts | None) -> JsonObject:
    """Return how often each word is in a corpus, and what the corpus is."""
    if corpus is None:
        return {"frequency": None, "corpus": None}
    counts = [corpus.by_token.get(word.lower(), 0) for word in words]
    return {"frequency": counts, "corpus": corpus.corpus}


def _about_seeds(scored: ScoredDataset, labels: Sequence[str], order: Ints) -> JsonObject:
    annotators = scored.data.annotators
    seeds = np.arange(len(scored.ids) + 1)
    starts = np.searchsorted(scored.groups[order], seeds)
    gold = [labels.index(label) for *_, label in scored.seeds]
    return {
        "ids": scored.ids,
        "gold": gold,
        "annotators": None if annotators is None else annotators.tolist(),
        "starts": starts.tolist(),
        "textNames": scored.data.stored.record.texts,
    }


def _texts(scored: ScoredDataset) -> JsonObject:
    premises, hypotheses, _ = zip(*scored.seeds, strict=True)
    return {"premises": premises, "hypotheses": hypotheses, "words": words_of_seeds(scored.data)}


def _encoded(header: JsonObject, arrays: Mapping[str, Array]) -> str:
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
    text += b" " * (-len(text) % 4)
    numbers = b"".join(array.tobytes() for array in arrays.values())
    content = len(text).to_bytes(4, "little") + text + numbers
    return b64encode(gzip.compress(content, 6, mtime=0)).decode()
