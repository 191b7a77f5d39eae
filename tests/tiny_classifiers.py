"""Tiny sequence classifiers with random weights, of many architectures."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
import transformers
from tokenizers import normalizers, processors
from transformers import PreTrainedTokenizerFast

from tests.tiny_models import byte_bpe_tokenizer, embedded_texts, trained_unigram, wordpiece_tokenizer

LABELS = ("entailment", "neutral", "contradiction")
SIZES: dict[str, Any] = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32}

hf: Any = transformers  # its configurations and models are made by name


def unigram_tokenizer(kind: str) -> PreTrainedTokenizerFast:
    """Return a unigram tokenizer as SentencePiece makes them: for ALBERT and DeBERTa-v3, or XLNet's."""
    tokenizer = trained_unigram(embedded_texts(), 600, ["<pad>", "<unk>", "[CLS]", "[SEP]"], normalizers.NFKC())
    cls, sep = (tokenizer.token_to_id(token) or 0 for token in ("[CLS]", "[SEP]"))
    single, pair = ("$A [SEP] [CLS]", "$A [SEP] $B:1 [SEP]:1 [CLS]:2")
    if kind != "xlnet":
        single, pair = ("[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1")
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
    cls, sep = tokenizer.cls_token_id, tokenizer.sep_token_id
    return {"cls_token_id": cls, "sep_token_id": sep, "bos_token_id": cls, "eos_token_id": sep}


def _config(kind: str, tokenizer: PreTrainedTokenizerFast, names: dict[str, Any]) -> Any:  # noqa: ANN401
    size, pad = len(tokenizer), tokenizer.pad_token_id
    common = {"vocab_size": size, "pad_token_id": pad, "initializer_range": 0.7} | names
    makers: dict[str, Callable[[], Any]] = {
        "bert": lambda: hf.BertConfig(max_position_embeddings=128, **common, **SIZES),
        "roberta": lambda: hf.RobertaConfig(max_position_embeddings=130, **common, **SIZES),
        "electra": lambda: hf.ElectraConfig(max_position_embeddings=128, embedding_size=8, **common, **SIZES),
        "albert": lambda: hf.AlbertConfig(max_position_embeddings=128, embedding_size=8, **common, **SIZES),
        "deberta-v2": lambda: hf.DebertaV2Config(
            max_position_embeddings=128,
            relative_attention=True,
            position_buckets=32,
            norm_rel_ebd="layer_norm",
            share_att_key=True,
            pos_att_type=["p2c", "c2p"],
            position_biased_input=False,
            **common,
            **SIZES,
        ),
        "xlnet": lambda: hf.XLNetConfig(d_model=16, n_layer=1, n_head=2, d_inner=32, **common),
        "bart": lambda: hf.BartConfig(
            d_model=16,
            encoder_layers=1,
            decoder_layers=1,
            encoder_attention_heads=2,
            decoder_attention_heads=2,
            encoder_ffn_dim=32,
            decoder_ffn_dim=32,
            max_position_embeddings=128,
            eos_token_id=tokenizer.eos_token_id,
            bos_token_id=tokenizer.bos_token_id,
            decoder_start_token_id=tokenizer.eos_token_id,
            init_std=0.7,
            vocab_size=size,
            pad_token_id=pad,
            **names,
        ),
        "distilbert": lambda: hf.DistilBertConfig(
            dim=16, n_layers=1, n_heads=2, hidden_dim=32, max_position_embeddings=128, **common
        ),
        "modernbert": lambda: hf.ModernBertConfig(
            max_position_embeddings=128,
            local_attention=8,
            initializer_cutoff_factor=2.0,
            **special_of(tokenizer),
            **common,
            **SIZES,
        ),
        "t5": lambda: hf.T5Config(
            d_model=16,
            d_kv=8,
            d_ff=32,
            num_layers=1,
            num_heads=2,
            vocab_size=size,
            pad_token_id=pad,
            decoder_start_token_id=pad,
            eos_token_id=tokenizer.convert_tokens_to_ids("[SEP]"),
            classifier_dropout=0.0,
            **names,
        ),
        "gpt2": lambda: hf.GPT2Config(n_embd=16, n_layer=1, n_head=2, n_positions=128, **common),
        "opt": lambda: hf.OPTConfig(
            hidden_size=16,
            num_hidden_layers=1,
            num_attention_heads=2,
            ffn_dim=32,
            word_embed_proj_dim=16,
            max_position_embeddings=128,
            init_std=0.7,
            vocab_size=size,
            pad_token_id=pad,
            bos_token_id=tokenizer.bos_token_id,
            **names,
        ),
    }
    return makers[kind]()


def tokenizer_of(kind: str) -> PreTrainedTokenizerFast:
    """Return the kind of tokenizer that models of a type have."""
    if kind in {"gpt2", "opt"}:
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
