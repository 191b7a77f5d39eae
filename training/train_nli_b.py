"""Train `nli-b`: a BERT classifier of two layers that starts and learns from `nli-a`, labels in another order."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer, PreTrainedModel

from merge_snli.errors import InputError
from training.base import load_base
from training.export import export
from training.loop import Recipe
from training.nli import Lessons, gold_lessons, label_logits, log_accuracy, train_classifier
from training.nli_vocabulary import classifier_pieces
from training.script import Options, run_script
from training.surgery import bert_student
from training.vocabulary import wordpiece_tokenizer

NAME = "nli-b"
TEACHER = "nli-a"
ORDER = ("contradiction", "entailment", "neutral")
PIECES = 3_500
KEPT_LAYERS = (1, 3)
LAYERS = len(KEPT_LAYERS)
GOLD_SHARE = 0.5
RECIPE = Recipe(steps=1_400, learning_rate=2e-4, batch_size=32, seed=4, warmup=0.1)


def load_teacher(folder: Path) -> tuple[PreTrainedModel, Any]:
    """Load the classifier that teaches, and its tokenizer.

    Raises:
        InputError: It is not trained yet.
    """
    if not (folder / "config.json").is_file():
        raise InputError(f"there is no {folder}, which teaches {NAME}: first run python -m training.train_nli_a")
    model = AutoModelForSequenceClassification.from_pretrained(folder, dtype=torch.float32)
    return model, AutoTokenizer.from_pretrained(folder)


def softened(lessons: Lessons, teacher: PreTrainedModel, tokenizer: Any) -> Lessons:  # noqa: ANN401 - any tokenizer
    """Return lessons whose targets are half the gold label and half what the teacher thinks of the pair."""
    logits = label_logits(teacher, tokenizer, lessons.pairs)
    numbers = teacher.config.label2id or {}
    taught = logits.softmax(dim=1)[:, [numbers[label] for label in ORDER]]
    return dataclasses.replace(lessons, targets=GOLD_SHARE * lessons.targets + (1 - GOLD_SHARE) * taught)


def main(options: Options) -> None:
    """Train the model and write its folder."""
    teacher, teacher_tokenizer = load_teacher(options.out / TEACHER)
    pieces = classifier_pieces(load_base(), options.data, PIECES)
    tokenizer = wordpiece_tokenizer(pieces)
    torch.manual_seed(RECIPE.seed)
    model = bert_student(teacher, teacher_tokenizer.convert_tokens_to_ids(pieces), KEPT_LAYERS, ORDER)
    lessons = softened(gold_lessons(options.data, ORDER), teacher, teacher_tokenizer)
    train_classifier(model, tokenizer, lessons, RECIPE.at_most(options.steps), options.checkpoints / f"{NAME}.pt")
    export(model, tokenizer, options.out / NAME)
    log_accuracy(options.out / NAME, options.data)


if __name__ == "__main__":
    run_script(main, __doc__)
