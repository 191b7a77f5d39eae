"""Train `nli-b`: a BERT classifier with two layers and another label order, distilled from `nli-a`."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer, PreTrainedModel

from merge_snli.base.errors import InputError
from training.base import load_base
from training.export import export
from training.loop import Recipe
from training.nli import TrainingSet, gold_training_set, label_logits, log_accuracy, train_classifier
from training.nli_vocabulary import classifier_pieces
from training.script import Options, run_script
from training.surgery import bert_student
from training.vocabulary import wordpiece_tokenizer

NAME = "nli-b"
TEACHER = "nli-a"
ORDER = ("contradiction", "entailment", "neutral")
PIECES = 3_500
TEACHER_LAYERS = (1, 3)
LAYERS = len(TEACHER_LAYERS)
GOLD_SHARE = 0.5
RECIPE = Recipe(steps=1_400, learning_rate=2e-4, batch_size=32, seed=4, warmup=0.1)


def load_teacher(folder: Path) -> tuple[PreTrainedModel, Any]:
    """Load the teacher classifier and its tokenizer.

    Raises:
        InputError: If the teacher is not trained yet.
    """
    if not (folder / "config.json").is_file():
        raise InputError(f"{folder}, the teacher of {NAME}, does not exist: run python -m training.train_nli_a first")
    model = AutoModelForSequenceClassification.from_pretrained(folder, dtype=torch.float32)
    return model, AutoTokenizer.from_pretrained(folder)


def with_teacher_targets(training_set: TrainingSet, teacher: PreTrainedModel, tokenizer: Any) -> TrainingSet:  # noqa: ANN401 - any tokenizer
    """Return the pairs with the mean of gold labels and teacher probabilities as targets."""
    logits = label_logits(teacher, tokenizer, training_set.pairs)
    numbers = teacher.config.label2id or {}
    predicted = logits.softmax(dim=1)[:, [numbers[label] for label in ORDER]]
    return dataclasses.replace(training_set, targets=GOLD_SHARE * training_set.targets + (1 - GOLD_SHARE) * predicted)


def main(options: Options) -> None:
    """Train the model and write its folder."""
    teacher, teacher_tokenizer = load_teacher(options.out / TEACHER)
    pieces = classifier_pieces(load_base(), options.data, PIECES)
    tokenizer = wordpiece_tokenizer(pieces)
    torch.manual_seed(RECIPE.seed)
    model = bert_student(teacher, teacher_tokenizer.convert_tokens_to_ids(pieces), TEACHER_LAYERS, ORDER)
    training_set = with_teacher_targets(gold_training_set(options.data, ORDER), teacher, teacher_tokenizer)
    train_classifier(model, tokenizer, training_set, RECIPE.at_most(options.steps), options.checkpoints / f"{NAME}.pt")
    export(model, tokenizer, options.out / NAME)
    log_accuracy(options.out / NAME, options.data)


if __name__ == "__main__":
    run_script(main, __doc__)
