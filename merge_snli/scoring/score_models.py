"""Score models on data that has been read, and write result files; `score` and the command both do."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import NamedTuple

import numpy as np

from merge_snli.answers.data import ScoredData
from merge_snli.answers.part import part_of_data
from merge_snli.answers.source import ScoredSource, read_source
from merge_snli.base import __version__
from merge_snli.base.arrays import Bools, Ints
from merge_snli.base.errors import InputError, Message, param
from merge_snli.dataset.label_names import labels_of_other_task
from merge_snli.dataset.label_spellings import TWO_WAY, Labels, are_nli
from merge_snli.models.labels import (
    INFERRED,
    TABLE,
    compared_labels,
    labels_option,
    positions,
)
from merge_snli.models.options import ModelOptions
from merge_snli.results.evaluate import evaluate
from merge_snli.results.naming import work_folder
from merge_snli.results.records import RANKED, ModelRecord, PromptRecord
from merge_snli.results.result import Result
from merge_snli.results.store import store_result
from merge_snli.schema import NLI_LABELS
from merge_snli.scoring.options import ScoreOptions
from merge_snli.scoring.predict import Predictions, predict_pairs
from merge_snli.scoring.scored_model import ScoredModel, model_from_name
from merge_snli.statistics import mcnemar_test

logger = logging.getLogger(__name__)

# The best order is accepted if McNemar's test against the second best, on the seeds, gives a smaller p-value.
MAX_P_VALUE = 0.001
MAX_INFERRED = 3  # labels, whose orders are compared


class _Order(NamedTuple):
    """Labels in an order, and which seeds are predicted correctly with it."""

    names: tuple[str, ...]
    correct: Bools

    @property
    def accuracy(self) -> float:
        return float(self.correct.mean()) if len(self.correct) else 0.0

    def __str__(self) -> str:
        return f"{self.accuracy:.1%} with {','.join(self.names)}"


def data_and_source(whole: ScoredData, options: ScoreOptions) -> tuple[ScoredData, ScoredSource | None]:
    """Return the part of data that some options select, and the source that they name."""
    other_task = labels_of_other_task(whole.label_names) if whole.has_seeds else None
    if other_task is not None:
        logger.warning("%s: %s", whole.name, other_task)
    data = part_of_data(
        whole,
        limit_seeds=options.limit_seeds,
        subsample=options.subsample,
        drawn=options.drawn,
        min_agreement=options.min_agreement,
    )
    return data, None if options.source is None else read_source(options.source, data)


def score_model(
    scored: ScoredModel, data: ScoredData, *, source: ScoredSource | None = None, out: Path | None = None
) -> Result:
    """Score a model on data.

    Args:
        scored: The model.
        data: The data.
        source: The source of the data set, to score the model on it as well.
        out: Folder for the result file and, in `OUT.work`, the cached predictions; None to write nothing.

    Raises:
        InputError: If the model cannot be loaded or fails, its labels are not those of the data, every group is too
            long for it, its labels are to be inferred from data without seeds, or `out` is not writable.
    """
    scored = scored.on(data.label_names)
    record = scored.record
    if record.label_origin == INFERRED and not data.has_seeds:
        raise InputError(
            f"the labels of {record.name} cannot be inferred from {data.name}, on which a model may be wrong most of "
            "the time: give them with ⟦model_labels⟧, or infer them on a MERGE data set first"
        )
    store = None if out is None else prediction_folder(scored.key, out)
    pairs = data.pairs if source is None else (*data.pairs, *source.new_pairs)
    predictions, facts = predict_pairs(scored.load, pairs, store, name=record.name)
    labels = _labels_on_seeds(record, predictions, data)
    prompt = None
    if scored.prompt is not None:
        prompt = PromptRecord(
            harness="merge_snli",
            harness_version=__version__,
            provider="transformers",
            **scored.prompt.record,
            answers=RANKED,
            temperature=None,
            calls=len(predictions.outputs) * len(labels),
            input_tokens=int(predictions.tokens.sum()),
            output_tokens=0,
            retries=0,
            settings={"chat_template": "true"} if facts.chat else {},
        )
    result = evaluate(
        predictions.outputs,
        data,
        model=replace(record, labels=labels, architecture=facts.architecture, parameters=facts.parameters),
        run=replace(scored.run, seconds=round(predictions.seconds, 3), prompt=prompt),
        logits=predictions.logits,
        source=source,
        max_length=facts.max_length,
    )
    return result if out is None else store_result(result, out)


def prediction_folder(key: str, out: Path) -> Path:
    """Return the folder where predictions are cached.

    Args:
        key: What they depend on, as a sha256.
        out: Folder for the result file.
    """
    return work_folder(out) / "predictions" / key[:16]


def score_models(
    models: Mapping[str, str],
    data: ScoredData,
    *,
    options: ModelOptions,
    out: Path,
    source: ScoredSource | None = None,
    predicted_on: str | None = None,
) -> tuple[list[Result], dict[str, Message]]:
    """Score models, one after another; a model that fails does not stop the others.

    Args:
        models: Hub ids, folders or `demo:NAME`, by display name (see `name_models`).
        data: The data to score them on.
        options: How to load each model, and what its outputs mean.
        out: Folder for the result files.
        source: The source of the data set, to score the models on it as well.
        predicted_on: See `model_from_name`.

    Returns:
        The results of the models that were scored, and the error message of each model that failed, by its name.
    """
    results = []
    failed: dict[str, Message] = {}
    for name, model in models.items():
        display_name = name if Path(model).is_dir() else None  # without its revision, a Hub id names the repository
        try:
            scored = model_from_name(model, options, display_name=display_name, predicted_on=predicted_on)
            results.append(score_model(scored, data, source=source, out=out))
        except InputError as error:
            failed[name] = error.message
    return results, failed


def _labels_on_seeds(model: ModelRecord, predictions: Predictions, data: ScoredData) -> Labels:
    """Infer the labels of a model from the seeds, or check those of the table; other labels stay what they are."""
    gold = data.seed_labels
    if gold is None or model.label_origin not in {INFERRED, TABLE}:
        return model.labels
    best = predictions.outputs[data.seed_pairs]
    if model.label_origin == INFERRED:
        return infer_labels(best, gold, data.label_names, config_names=model.config_labels, model=model.name)
    check_labels(model.labels, best, gold, data.label_names, model=model.name)
    return model.labels


def infer_labels(
    best: Ints,
    gold: Ints,
    data_labels: Sequence[str],
    *,
    config_names: Sequence[str],
    model: str,
) -> Labels:
    """Infer the order of labels with the highest accuracy on the seeds.

    Args:
        best: Index of the largest logit for each seed, [n]; -1 if the seed is too long for the model.
        gold: Number of each seed's gold label, [n].
        data_labels: The data set's labels in the order of their numbers.
        config_names: The names of the model's outputs in its config; two or three.
        model: The model's name, for messages.

    Raises:
        InputError: If the model does not have two or three outputs, or no order is significantly better than the
            others.
    """
    names: Sequence[str] = data_labels
    if are_nli(data_labels):
        names = NLI_LABELS if len(config_names) == len(NLI_LABELS) else TWO_WAY
    if len(names) != len(config_names) or len(names) > MAX_INFERRED:
        raise InputError(
            f"{model} has {len(config_names)} outputs; labels can be inferred only for two or three, as many as the "
            f"data has ({', '.join(data_labels)})"
        )
    first, second, *_ = _orders(best, gold, names, data_labels)
    if not len(first.correct) or mcnemar_test(first.correct, second.correct).p_value >= MAX_P_VALUE:
        raise InputError(
            f"cannot infer the labels of {model}: its accuracy on {len(first.correct)} seeds is {first} and {second}, "
            f"which is not a significant difference; give the label of each output ({', '.join(config_names)}), in "
            f"their order: {labels_option(len(config_names))}"
        )
    return first.names


def check_labels(labels: Labels, best: Ints, gold: Ints, data_labels: Sequence[str], *, model: str) -> None:
    """Check that no other order of a model's labels has a higher accuracy on the seeds.

    Args:
        labels: The labels to check.
        best: Index of the largest logit for each seed, [n]; -1 if the seed is too long for the model.
        gold: Number of each seed's gold label, [n].
        data_labels: The data set's labels in the order of their numbers.
        model: The model's name, for the message.

    Raises:
        InputError: If another order has a higher accuracy.
    """
    declared = _order(best, gold, labels, data_labels)
    first = _orders(best, gold, labels, data_labels)[0]
    if first.accuracy > declared.accuracy:
        raise InputError(
            f"the known labels of {model}, {','.join(labels)}, do not fit its predictions: its accuracy on "
            f"{len(first.correct)} seeds is {declared.accuracy:.1%}, but {first}; give the label of each output with "
            f"⟦model_labels⟧, or use {param('model_labels', 'infer')}"
        )


def _orders(best: Ints, gold: Ints, names: Sequence[str], data_labels: Sequence[str]) -> list[_Order]:
    """Return the distinct orders of the labels, the most accurate first."""
    # On two-way data, orders that differ only in neutral and contradiction are the same order.
    distinct = {positions(order, compared_labels(order, data_labels)): order for order in permutations(names)}
    orders = [_order(best, gold, order, data_labels) for order in distinct.values()]
    return sorted(orders, key=lambda order: order.accuracy, reverse=True)


def _order(best: Ints, gold: Ints, names: tuple[str, ...], data_labels: Sequence[str]) -> _Order:
    """Return which seeds are predicted correctly with an order; seeds that are too long do not count."""
    compared = compared_labels(names, data_labels)
    predicted = best >= 0
    answers = np.array(positions(names, compared))[best[predicted]]
    expected = np.array(positions(data_labels, compared))[gold[predicted]]
    return _Order(names, answers == expected)
