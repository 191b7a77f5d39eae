"""Fine-tune one classifier, resuming from its last checkpoint."""

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from transformers import (
    AutoConfig,
    AutoModelForSequenceClassification,
    AutoTokenizer,
    DataCollatorWithPadding,
    PreTrainedModel,
    PreTrainedTokenizerBase,
    Trainer,
    set_seed,
)

from merge_snli.base.errors import InputError
from merge_snli.base.files import JsonObject, write_json
from merge_snli.dataset.label_spellings import canonical_names
from merge_snli.models.finding import ResolvedModel
from merge_snli.models.runner.loading import max_length as model_limit
from merge_snli.models.runner.loading import output_names
from merge_snli.problems.problem import Problem
from merge_snli.schema import NLI_LABELS
from training.finetuning.data import TrainingData
from training.finetuning.options import RECORD, FinetuneOptions
from training.trainer import Row, rows_of, train

logger = logging.getLogger(__name__)


def finetune(
    base: ResolvedModel, data: TrainingData, options: FinetuneOptions, seed: int, record: JsonObject
) -> tuple[PreTrainedModel, PreTrainedTokenizerBase, float | None]:
    """Fine-tune a classifier.

    Args:
        base: The model to start from. A new head is initialized unless it has the three labels of NLI.
        data: The training data of the seed; the held-out examples may be none.
        options: The options of the run.
        seed: The seed of the new head, the order of the examples, and dropout.
        record: What determines the model, for the folder for checkpoints.

    Returns:
        The model, its tokenizer, and its accuracy on the held-out examples; None without any.

    Raises:
        InputError: If the maximum length is above the model's limit, or all training examples are longer. Nothing is
            written then.
    """
    set_seed(seed)
    tokenizer = AutoTokenizer.from_pretrained(base.tokenizer_path)
    model = load_classifier(base.path)
    max_length = options.recipe.max_length
    limit = model_limit(model, tokenizer)
    if limit is not None and max_length > limit:
        raise InputError(
            f"⟦max_length⟧ is {max_length}, but {base.name} takes at most {limit} tokens: pass {limit} or less"
        )
    labels = output_names(model.config)
    encoded = encode(data.examples, tokenizer, labels, max_length)
    check_truncated(encode(data.examples, tokenizer, labels, max_length + 1), max_length)
    checkpoints = options.checkpoints_of(seed)
    if not checkpoints.exists():
        write_json(checkpoints / RECORD, record)
    trainer = train(
        model,
        encoded,
        DataCollatorWithPadding(tokenizer),
        options.recipe,
        checkpoints,
        seed=seed,
        bf16=options.dtype == "bfloat16",
        save_steps=options.save_every,
    )
    accuracy = None
    if data.held_out:
        accuracy = _accuracy(trainer, encode(data.held_out, tokenizer, labels, max_length))
    return model, tokenizer, accuracy


def label_names(labels: Sequence[str]) -> dict[str, Any]:
    """Return the entries of a model's config that name its labels."""
    return {"id2label": dict(enumerate(labels)), "label2id": {label: number for number, label in enumerate(labels)}}


def load_classifier(folder: Path) -> PreTrainedModel:
    """Load a classifier with the three labels of NLI.

    A head for another number of labels is initialized again. A head for three other labels is kept and renamed.
    """
    known = canonical_names(output_names(AutoConfig.from_pretrained(folder))) or ()
    labels = known if len(known) == len(NLI_LABELS) else NLI_LABELS
    model: PreTrainedModel = AutoModelForSequenceClassification.from_pretrained(
        folder,
        dtype=torch.float32,
        **label_names(labels),
        ignore_mismatched_sizes=True,
    )
    return model


def encode(
    examples: Sequence[Problem], tokenizer: PreTrainedTokenizerBase, labels: Sequence[str], max_length: int
) -> list[Row]:
    """Tokenize examples.

    Args:
        examples: The examples.
        tokenizer: The model's tokenizer.
        labels: The model's labels in the order of its outputs.
        max_length: Longer pairs are truncated, the longer sentence first.
    """
    premises = [example.premise for example in examples]
    hypotheses = [example.hypothesis for example in examples]
    columns = tokenizer(premises, hypotheses, truncation=True, max_length=max_length)
    numbers = [labels.index(NLI_LABELS[example.label]) for example in examples]
    return rows_of(columns | {"labels": numbers})


def check_truncated(rows: Sequence[Row], max_length: int) -> None:
    """Check that not all examples are truncated, and log how many are.

    Args:
        rows: The rows of the examples with more than `max_length` tokens, if they have so many.
        max_length: The maximum number of tokens.

    Raises:
        InputError: If all are.
    """
    longer = sum(len(row["input_ids"]) > max_length for row in rows)
    if longer == len(rows):
        raise InputError(
            f"⟦max_length⟧ is {max_length}, but all {longer:,} training pairs are longer: pass a larger number"
        )
    if longer:
        logger.info("%d of %d training pairs are longer than %d tokens: truncated", longer, len(rows), max_length)


def _accuracy(trainer: Trainer, rows: list[Row]) -> float:
    ordered: Any = sorted(rows, key=lambda row: len(row["input_ids"]))
    predicted = trainer.predict(ordered)
    logits = predicted.predictions
    if isinstance(logits, tuple):
        logits = logits[0]
    return float((logits.argmax(axis=-1) == predicted.label_ids).mean())
