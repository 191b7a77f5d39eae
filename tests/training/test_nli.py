"""Classifier training: targets in label order, distillation, a tiny training run."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from transformers import BertConfig, BertForSequenceClassification

from merge_snli.base.errors import InputError
from merge_snli.problems.problem import Problem
from merge_snli.schema import NLI_LABELS
from training.base import bert_config, bert_student
from training.loop import LoopRecipe
from training.nli import TrainingSet, gold_targets, pair_of, train_classifier
from training.train import MODELS, STUDENT_LABELS, load_teacher, main
from training.vocabulary import SPECIALS, wordpiece_tokenizer

PROBLEMS = [
    Problem("1", "A dog runs. ", "A dog moves.", 0),
    Problem("2", "A dog runs. ", "A dog is fast.", 1),
    Problem("3", "A man sits.", "A man runs.", 2),
]


def test_gold_targets_are_in_the_label_order_of_the_model() -> None:
    assert gold_targets(PROBLEMS, STUDENT_LABELS).tolist() == [[0, 1, 0], [0, 0, 1], [1, 0, 0]]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [([], list(MODELS)), (["all"], list(MODELS)), (["nli-b", "mlm-bpe"], ["nli-b", "mlm-bpe"])],
)
def test_the_named_models_are_trained_or_all_of_them(
    arguments: list[str], expected: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    trained: list[str] = []
    monkeypatch.setattr("training.train.train_model", lambda name, **_: trained.append(name))
    main(arguments)
    assert trained == expected


def test_a_missing_teacher_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nli-a.* python -m training\.train nli-a"):
        load_teacher(tmp_path / "nli-a")


def test_a_student_copies_embeddings_layers_and_head_of_its_teacher() -> None:
    teacher = BertForSequenceClassification(bert_config(10, 2, NLI_LABELS))
    student = bert_student(teacher, [3, 1], (1,), STUDENT_LABELS)
    of_teacher, of_student = teacher.state_dict(), student.state_dict()
    words, layer = "bert.embeddings.word_embeddings.weight", "bert.encoder.layer.{}.output.dense.weight"
    torch.testing.assert_close(of_student[words], of_teacher[words][[3, 1]])
    torch.testing.assert_close(of_student[layer.format(0)], of_teacher[layer.format(1)])
    torch.testing.assert_close(of_student["classifier.weight"], of_teacher["classifier.weight"][[2, 0, 1]])
    assert student.config.id2label == dict(enumerate(STUDENT_LABELS))


@pytest.mark.usefixtures("one_thread")
def test_a_tiny_classifier_learns_three_problems(tmp_path: Path) -> None:
    words = ("a", "dog", "man", "runs", "moves", "sits", "is", "fast", ".")
    tokenizer = wordpiece_tokenizer([*SPECIALS, *words])
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        initializer_range=0.2,
        id2label=dict(enumerate(STUDENT_LABELS)),
    )
    model = BertForSequenceClassification(config)
    pairs = [pair_of(problem) for problem in PROBLEMS]
    training_set = TrainingSet(pairs, gold_targets(PROBLEMS, STUDENT_LABELS), [1.0] * len(pairs))
    train_classifier(
        model, tokenizer, training_set, LoopRecipe(steps=60, learning_rate=1e-2, batch_size=3), tmp_path / "c.pt"
    )
    premises, hypotheses = zip(*pairs, strict=True)
    batch = tokenizer(list(premises), list(hypotheses), padding=True, return_tensors="pt")
    assert model(**batch).logits.argmax(dim=1).tolist() == [1, 2, 0]
