"""Tiny sequence classifiers with random weights, of many architectures."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
import transformers
from tokenizers import normalizers, processors
from transformers import PreTrainedTokenizerFast

from tests.tiny_models import LONGROPE, byte_bpe_tokenizer, embedded_texts, trained_unigram, wordpiece_tokenizer

LABELS = ("entailment", "neutral", "contradiction")
SIZES: dict[str, Any] = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32}

hf: Any = transformers  # its configurations and models are made by name


def unigram_tokenizer(kind: str) -> PreTrainedTokenizerFast:
    """Return a unigram tokenizer as SentencePiece makes them: for ALBERT and DeBERTa-v3, or XLNet's."""
    tokenizer = trained_unigram(embedded_texts(), 600, ["<pad>", "<unk>", "[CLS]", "[SEP]"], normalizers.NFKC())
    cls, sep = (tokenizer.token_to_id(token) or 0 for token in ("[CLS]", "[SEP]"))
    single = "$A [SEP] [CLS]"
    pair = "$A [SEP] $B:1 [SEP]:1 [CLS]:2"
    if kind != "xlnet":
        single = "[CLS] $A [SEP]"
        pair = "[CLS] $A [SEP] $B:1 [SEP]:1"
    tokenizer.post_processor = processors.TemplateProcessing(
        single=single, pair=pair, special_tokens=[("[CLS]", cls), ("[SEP]", sep)]
    )
    return PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer,
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
        padding_side="left" if kind == "xlnet" else "right",
        pad_token="<pad>",
        unk_token="<unk>",
        cls_token="[CLS]",
        sep_token="[SEP]",
    )


def decoder_tokenizer(kind: str) -> PreTrainedTokenizerFast:
    """Train a byte BPE tokenizer of a decoder: GPT-2's adds nothing and pads with nothing, OPT's begins every text."""
    tokenizer = byte_bpe_tokenizer(size=500).backend_tokenizer
    bos = tokenizer.token_to_id("</s>")
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    if kind == "opt":
        tokenizer.post_processor = processors.TemplateProcessing(
            single="</s> $A", pair="</s> $A </s>:1 $B:1", special_tokens=[("</s>", bos)]
        )
    padding = {"pad_token": "<pad>"} if kind == "opt" else {}
    return PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer, bos_token="</s>", eos_token="</s>", unk_token="<unk>", **padding
    )


def special_of(tokenizer: PreTrainedTokenizerFast) -> dict[str, int | None]:
    """Return the ids of special tokens as ModernBERT's config names them."""
    cls = tokenizer.cls_token_id
    sep = tokenizer.sep_token_id
    return {"cls_token_id": cls, "sep_token_id": sep, "bos_token_id": cls, "eos_token_id": sep}


BART = {"d_model": 16, "encoder_layers": 1, "decoder_layers": 1, "encoder_attention_heads": 2}
DEBERTA = {
    "relative_attention": True,
    "position_buckets": 32,
    "norm_rel_ebd": "layer_norm",
    "share_att_key": True,
    "pos_att_type": ["p2c", "c2p"],
    "position_biased_input": False,
}
CONFIGURATIONS: dict[str, dict[str, Any]] = {
    "bert": SIZES,
    "roberta": {**SIZES, "max_position_embeddings": 130},
    "electra": {**SIZES, "embedding_size": 8},
    "albert": {**SIZES, "embedding_size": 8},
    "deberta-v2": {**SIZES, **DEBERTA},
    "xlnet": {"d_model": 16, "n_layer": 1, "n_head": 2, "d_inner": 32},
    "funnel": {
        "d_model": 16,
        "block_sizes": [1, 1, 1],
        "n_head": 2,
        "d_head": 8,
        "d_inner": 32,
        "initializer_std": 0.7,
    },
    "bart": {**BART, "decoder_attention_heads": 2, "encoder_ffn_dim": 32, "decoder_ffn_dim": 32, "init_std": 0.7},
    "distilbert": {"dim": 16, "n_layers": 1, "n_heads": 2, "hidden_dim": 32},
    "modernbert": {**SIZES, "local_attention": 8, "initializer_cutoff_factor": 2.0},
    "t5": {"d_model": 16, "d_kv": 8, "d_ff": 32, "num_layers": 1, "num_heads": 2, "classifier_dropout": 0.0},
    "gpt2": {"n_embd": 16, "n_layer": 1, "n_head": 2},
    "phi3": {**SIZES, "original_max_position_embeddings": 38, "rope_parameters": LONGROPE, "pad_token_id": 0},
    "opt": {**SIZES, "ffn_dim": 32, "word_embed_proj_dim": 16, "init_std": 0.7},
}
"""Values of the configuration of each type of model."""


def _config(kind: str, tokenizer: PreTrainedTokenizerFast, names: dict[str, Any]) -> Any:  # noqa: ANN401
    pad = tokenizer.pad_token_id
    begin = tokenizer.bos_token_id
    end = tokenizer.eos_token_id
    values = {"vocab_size": len(tokenizer), "pad_token_id": pad, **names}
    if kind != "t5":
        values["initializer_range"] = 0.7
    if kind not in ("t5", "xlnet"):  # their positions are relative
        values["max_position_embeddings"] = 128
    if kind in ("bart", "opt"):
        values["bos_token_id"] = begin
    if kind == "bart":
        values |= {"eos_token_id": end, "decoder_start_token_id": end}
    if kind == "t5":
        values |= {"decoder_start_token_id": pad, "eos_token_id": tokenizer.sep_token_id}
    if kind == "modernbert":
        values |= special_of(tokenizer)
    return hf.AutoConfig.for_model(kind, **values | CONFIGURATIONS[kind])


def tokenizer_of(kind: str) -> PreTrainedTokenizerFast:
    """Return the kind of tokenizer that models of a type have."""
    if kind in {"gpt2", "opt", "phi3"}:
        return decoder_tokenizer(kind)
    if kind in {"albert", "deberta-v2", "xlnet"}:
        return unigram_tokenizer(kind)
    if kind in {"roberta", "bart"}:
        return byte_bpe_tokenizer(size=500)
    return wordpiece_tokenizer(size=500, lowercase=True)


def save_classifier(kind: str, folder: Path, *, labels: Sequence[str] = LABELS, seed: int = 0) -> Path:
    """Save a classifier with random weights.

    Args:
        kind: A `model_type` of the paper's models.
        folder: Where to save it.
        labels: Names of its outputs.
        seed: Of the weights.
    """
    torch.manual_seed(seed)
    tokenizer = tokenizer_of(kind)
    names = {"id2label": dict(enumerate(labels)), "label2id": {name: index for index, name in enumerate(labels)}}
    hf.AutoModelForSequenceClassification.from_config(_config(kind, tokenizer, names)).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
