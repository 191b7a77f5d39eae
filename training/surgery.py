"""New models whose lower layers and embeddings come from the base."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from transformers import (
    BertConfig,
    BertForMaskedLM,
    BertForSequenceClassification,
    BertModel,
    PreTrainedModel,
    RobertaConfig,
    RobertaForMaskedLM,
    RobertaModel,
)

from training.base import Base, layer_weights
from training.vocabulary import MAX_LENGTH

HIDDEN = 384
SHAPE: dict[str, Any] = {
    "hidden_size": HIDDEN,
    "num_attention_heads": 12,
    "intermediate_size": 1536,
    "layer_norm_eps": 1e-12,
}
DROPOUT: dict[str, Any] = {"hidden_dropout_prob": 0.1, "attention_probs_dropout_prob": 0.0}
ROBERTA_OFFSET = 2


def bert_config(size: int, layers: int, labels: tuple[str, ...] | None = None) -> BertConfig:
    """Return the configuration of a BERT with `layers` layers and `size` pieces."""
    named: dict[str, Any] = (
        {} if labels is None else {"id2label": dict(enumerate(labels)), "label2id": _numbered(labels)}
    )
    return BertConfig(
        vocab_size=size,
        num_hidden_layers=layers,
        max_position_embeddings=MAX_LENGTH,
        pad_token_id=0,
        **SHAPE,
        **DROPOUT,
        **named,
    )


def _numbered(labels: tuple[str, ...]) -> dict[str, int]:
    return {label: place for place, label in enumerate(labels)}


def bert_masked_lm(base: Base, embeddings: torch.Tensor, layers: int) -> BertForMaskedLM:
    """Return a BERT masked LM: the base's first layers, a new head tied to the embeddings."""
    model = BertForMaskedLM(bert_config(len(embeddings), layers))
    _fill(model.bert, base, embeddings, base.weights["embeddings.position_embeddings.weight"][:MAX_LENGTH])
    _ease_head(model.cls.predictions.transform.dense)
    return model


def bert_classifier(base: Base, embeddings: torch.Tensor, layers: int, labels: tuple[str, ...]) -> PreTrainedModel:
    """Return a BERT classifier: the base's first layers, a new pooler and head, labels in this order."""
    model = BertForSequenceClassification(bert_config(len(embeddings), layers, labels))
    _fill(model.bert, base, embeddings, base.weights["embeddings.position_embeddings.weight"][:MAX_LENGTH])
    return model


def bert_student(
    teacher: PreTrainedModel, piece_ids: list[int], layers: tuple[int, ...], labels: tuple[str, ...]
) -> PreTrainedModel:
    """Return a smaller BERT classifier that starts from a larger one.

    Args:
        teacher: The larger classifier.
        piece_ids: The teacher's ids of the pieces to keep, in the student's order.
        layers: The teacher's layers to keep.
        labels: The student's order of the teacher's labels.
    """
    model = BertForSequenceClassification(bert_config(len(piece_ids), len(layers), labels))
    weights = dict(teacher.state_dict())
    words = "bert.embeddings.word_embeddings.weight"
    weights[words] = weights[words][piece_ids]
    numbers = teacher.config.label2id or {}
    for name in ("classifier.weight", "classifier.bias"):
        weights[name] = weights[name][[numbers[label] for label in labels]]
    for place, layer in enumerate(layers):
        for name in teacher.get_submodule(f"bert.encoder.layer.{layer}").state_dict():
            weights[f"bert.encoder.layer.{place}.{name}"] = teacher.state_dict()[f"bert.encoder.layer.{layer}.{name}"]
    kept = model.state_dict().keys()
    model.load_state_dict({name: value for name, value in weights.items() if name in kept})
    return model


def roberta_masked_lm(base: Base, embeddings: torch.Tensor, layers: int) -> RobertaForMaskedLM:
    """Return a RoBERTa masked LM from the base; its positions start at 2, as RoBERTa's do."""
    config = RobertaConfig(
        vocab_size=len(embeddings),
        num_hidden_layers=layers,
        max_position_embeddings=MAX_LENGTH + ROBERTA_OFFSET,
        type_vocab_size=1,
        bos_token_id=0,
        pad_token_id=1,
        eos_token_id=2,
        **SHAPE,
        **DROPOUT,
    )
    model = RobertaForMaskedLM(config)
    positions = base.weights["embeddings.position_embeddings.weight"][:MAX_LENGTH]
    _fill(model.roberta, base, embeddings, torch.cat([torch.zeros(ROBERTA_OFFSET, HIDDEN), positions]))
    _ease_head(model.lm_head.dense)
    return model


def _fill(model: BertModel | RobertaModel, base: Base, words: torch.Tensor, positions: torch.Tensor) -> None:
    kept = dict(layer_weights(base, model.config.num_hidden_layers))
    types = base.weights["embeddings.token_type_embeddings.weight"]
    kept["embeddings.word_embeddings.weight"] = words
    kept["embeddings.position_embeddings.weight"] = positions
    kept["embeddings.token_type_embeddings.weight"] = types[: model.config.type_vocab_size]
    for name in ("weight", "bias"):
        kept[f"embeddings.LayerNorm.{name}"] = base.weights[f"embeddings.LayerNorm.{name}"]
    missing, unexpected = model.load_state_dict(kept, strict=False)
    if unexpected or any(not name.startswith("pooler.") for name in missing):
        raise AssertionError(f"weights do not fit: missing {missing}, unexpected {unexpected}")


def _ease_head(dense: nn.Linear) -> None:
    # The new head starts near the identity: the decoder then compares with the embeddings from the first step.
    with torch.no_grad():
        dense.weight.add_(torch.eye(HIDDEN))
