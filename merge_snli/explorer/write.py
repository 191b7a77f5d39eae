"""Write the answers of models on one config as a page that works offline.

The data of the page are names and texts as JSON, and a number of each variant per column. The layout is: the length of
the JSON as 4 bytes, the JSON, spaces up to a multiple of 4 bytes, and the arrays in the order of `arrays` in the JSON,
each with its type. Everything is compressed with gzip and encoded in Base64.
"""

import gzip
import json
from base64 import b64encode
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from merge_snli.base.arrays import Ints
from merge_snli.base.errors import InputError, param
from merge_snli.base.files import write_text
from merge_snli.card.metadata import license_of, license_text, may_be_shared
from merge_snli.comparison.compare import standings
from merge_snli.comparison.corpus import CorpusCounts
from merge_snli.comparison.html_page import (
    asset,
    combined_script,
    content_policy,
    shared_style,
    template,
    words_of_seeds,
)
from merge_snli.comparison.scored_dataset import ModelAnswers, ScoredDataset, scored_dataset
from merge_snli.dataset.record import require
from merge_snli.dataset.stored import MergeDataset, check_out
from merge_snli.models.labels import positions
from merge_snli.schema import ALL
from merge_snli.scoring.grouping import not_averaged, on_same_data, permuted_labels, ranked, short_names
from merge_snli.scoring.opening import open_config
from merge_snli.scoring.result import Result

PAGE = "index.html"
# Log-odds are multiplied by this and rounded.
LOG_ODDS_SCALE = 100


def results_on(results: Iterable[Result], dataset: MergeDataset, config: str | None = None) -> list[Result]:
    """Return the results on one config of a data set, best first; a model with two names once, as in `on_same_data`.

    Args:
        results: Results on any data.
        dataset: The data set.
        config: The config; by default `all` if a result is on it, else the only one with results.

    Raises:
        InputError: If the data set has no seeds, no result is on the config, or several configs have results and none
            is named.
    """
    require(dataset.record, "anchors")
    here = [result for result in results if result.dataset.digest == dataset.digest]
    configs = sorted({str(result.dataset.config) for result in here})
    chosen = config or (ALL if ALL in configs else configs[0] if len(configs) == 1 else None)
    if here and chosen is None:
        raise InputError(f"the results are on configs {', '.join(configs)}: choose one with {param('config')}")
    on_config = [result for result in here if result.dataset.config == chosen]
    if not on_config:
        others = f"; there are results on {', '.join(configs)}" if configs else ""
        raise InputError(
            f"no result is on all seeds of config {chosen or ALL} of {dataset.name} (sha256 {dataset.digest[:12]}…)"
            f"{others}: score a model on it with merge-snli score"
        )
    return ranked(on_same_data(on_config)[0])


def write_explorer(
    results: Sequence[Result],
    dataset: MergeDataset,
    out: str | Path,
    *,
    with_text: bool = False,
    corpus: CorpusCounts | None = None,
) -> Path:
    """Write a page with every seed, variant and answer.

    Args:
        results: Results on one config of the data set, at least one.
        dataset: The data set.
        out: Output folder.
        with_text: Whether to include the sentences although their license may forbid to share them.
        corpus: Counts of the words of training data, to show with the replacements.

    Returns:
        Path of the page.

    Raises:
        InputError: If a result does not fit the data set, the data has no seeds, or `out` is not writable.
    """
    path = check_out(out) / PAGE
    scored = scored_dataset(open_config(dataset, results[0].dataset.config), results)
    shown = with_text or may_be_shared(dataset.record)
    script = combined_script([asset("merge_snli.explorer", "page", "explorer.js")])
    page = template(asset("merge_snli.explorer", "page", "index.html.jinja")).render(
        title=scored.record.title,
        models=[model.name for model in scored.models],
        finding=standings({model.name: model.result for model in scored.models}).finding,
        data=_packed(scored, with_text=shown, corpus=corpus),
        policy=content_policy([script]),
        style=f"{shared_style()}\n{asset('merge_snli.explorer', 'page', 'explorer.css')}",
        script=script,
    )
    write_text(path, page)
    return path


def _packed(scored: ScoredDataset, *, with_text: bool, corpus: CorpusCounts | None = None) -> str:
    """Return the data of the page.

    Args:
        scored: The data set and the answers of at least one model.
        with_text: Whether to include the sentences of the seeds.
        corpus: Counts of words, to show with the replacements.
    """
    order = np.argsort(scored.groups, kind="stable")
    seeds = scored.seeds
    labels = list(dict.fromkeys([*scored.data.label_names, *(x for m in scored.models for x in m.answers.labels)]))
    columns = pa.chunked_array([scored.words[name] for name in ("original", "replacement")])
    original, replacement = columns.unify_dictionaries().chunks
    words = original.dictionary.to_pylist()
    classes = scored.words["word_class"]
    arrays: dict[str, NDArray[Any]] = {
        "original": original.indices.to_numpy()[order].astype("<u4"),
        "replacement": replacement.indices.to_numpy()[order].astype("<u4"),
        "logOdds": np.round(scored.log_odds[order] * LOG_ODDS_SCALE).clip(-32_768, 32_767).astype("<i2"),
        "wordClass": classes.indices.to_numpy()[order].astype("u1"),
        "answers": np.stack([_numbers(model, model.answers.predicted[order], labels) for model in scored.models]),
        "onSeeds": np.stack([_numbers(model, model.seeds.predicted, labels) for model in scored.models]),
    }
    sentences = {side: [seed[at] for seed in seeds] for at, side in enumerate(("premises", "hypotheses"))}
    permuted = [permuted_labels(model.result) for model in scored.models]
    header = {
        "dataset": scored.record.title,
        "config": scored.record.config,
        "license": license_of(scored.data.stored.record) or "not stated",
        "terms": license_text(scored.data.stored.record).replace("`", ""),
        "models": [model.name for model in scored.models],
        "shortNames": short_names([model.name for model in scored.models]),
        "averaged": [number for number, left_out in enumerate(permuted) if not left_out or all(permuted)],
        "notes": [
            f"{model.name}: {note}"
            for model in scored.models
            for note in (*model.result.notes, *not_averaged(model.result))
        ],
        "labels": labels,
        "classes": classes.dictionary.to_pylist(),
        "words": words,
        "frequency": None if corpus is None else [corpus.by_token.get(word.lower(), 0) for word in words],
        "corpus": None if corpus is None else corpus.corpus,
        "logOddsScale": LOG_ODDS_SCALE,
        "ids": scored.ids,
        "gold": [labels.index(label) for *_, label in seeds],
        "annotators": None if scored.data.annotators is None else scored.data.annotators.tolist(),
        "starts": np.searchsorted(scored.groups[order], np.arange(len(scored.ids) + 1)).tolist(),
        "textNames": scored.data.stored.record.texts,
        "texts": {**sentences, "words": words_of_seeds(scored.data)} if with_text else None,
        "arrays": [[name, array.dtype.str[1:], array.size] for name, array in arrays.items()],
    }
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
    text += b" " * (-len(text) % 4)
    content = len(text).to_bytes(4, "little") + text + b"".join(array.tobytes() for array in arrays.values())
    return b64encode(gzip.compress(content, 6, mtime=0)).decode()


def _numbers(model: ModelAnswers, predicted: Ints, labels: list[str]) -> NDArray[np.uint8]:
    """Return the numbers of predicted labels among those of the page, as bytes; a code of `Missing` as 256 less it."""
    in_page = np.array(positions(model.answers.labels, labels))
    return np.where(predicted < 0, predicted, in_page[predicted]).astype("i1").view("u1")
