"""Tiny random masked LMs and causal LMs, with tokenizers trained on the bundled problems."""

import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
import transformers
from safetensors.torch import load_file
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast

from tests.records import bundled

hf: Any = transformers  # models are made by their type

BERT_SPECIAL = {
    "pad_token": "[PAD]",
    "unk_token": "[UNK]",
    "cls_token": "[CLS]",
    "sep_token": "[SEP]",
    "mask_token": "[MASK]",
}
ROBERTA_SPECIAL = {
    "bos_token": "<s>",
    "pad_token": "<pad>",
    "eos_token": "</s>",
    "unk_token": "<unk>",
    "mask_token": "<mask>",
}
SIZES: dict[str, Any] = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64}
BART = {"d_model": 32, "encoder_layers": 1, "decoder_layers": 1, "encoder_attention_heads": 2}
DEBERTA = {"relative_attention": True, "pos_att_type": ["p2c", "c2p"], "type_vocab_size": 0, "legacy": False}
MASKED_LMS: dict[str, dict[str, Any]] = {
    "bert": SIZES,
    "roberta": {**SIZES, "max_position_embeddings": 66},
    "albert": {**SIZES, "embedding_size": 16},
    "electra": {**SIZES, "embedding_size": 16},
    "mpnet": {**SIZES, "max_position_embeddings": 66},
    "deberta-v2": {**SIZES, **DEBERTA},
    "distilbert": {"dim": 32, "n_layers": 2, "n_heads": 4, "hidden_dim": 64},
    "modernbert": SIZES,
    "xlm": {"emb_dim": 32, "n_layers": 2, "n_heads": 4, "embed_init_std": 0.6, "init_std": 0.6},
    "bart": {**BART, "decoder_attention_heads": 2, "encoder_ffn_dim": 64, "decoder_ffn_dim": 64, "init_std": 0.6},
}
"""Values of the configuration of each type of masked LM."""
# Longer texts than this one have other positions in "phi3".
LONGEST_UNSCALED = 168
LONGROPE = {"rope_type": "longrope", "short_factor": [1.0] * 4, "long_factor": [9.0] * 4}
CAUSAL_LMS: dict[str, dict[str, Any]] = {
    "llama": {**SIZES, "num_key_value_heads": 2},
    "gpt2": {"n_embd": 32, "n_layer": 2, "n_head": 4},
    "mistral": {**SIZES, "num_key_value_heads": 2, "sliding_window": 16},
    "bloom": {"hidden_size": 32, "n_layer": 2, "n_head": 4},
    "phi3": {
        **SIZES,
        "pad_token_id": None,
        "original_max_position_embeddings": LONGEST_UNSCALED,
        "max_position_embeddings": 512,
        "rope_parameters": LONGROPE,
    },
    "mamba": {"hidden_size": 32, "num_hidden_layers": 2, "state_size": 4},
}
"""The same of each type of causal LM."""


def as_pickle(folder: Path) -> Path:
    """Convert the weights of a model folder to a pickle and return the folder."""
    weights = folder / "model.safetensors"
    torch.save(load_file(weights), folder / "pytorch_model.bin")
    weights.unlink()
    return folder


def save_adapter(folder: Path, model: Any, **options: Any) -> Path:  # noqa: ANN401 - any model, and any options
    """Save a LoRA adapter with random weights, and return its folder.

    Args:
        folder: The folder to create.
        model: The base model, which is changed.
        **options: Options of `LoraConfig`.
    """
    from peft import LoraConfig, get_peft_model

    torch.manual_seed(7)
    adapted: Any = get_peft_model(model, LoraConfig(r=2, **options))
    for name, values in adapted.named_parameters():
        if "lora_B" in name or "modules_to_save" in name:
            torch.nn.init.normal_(values, std=0.5)
    adapted.save_pretrained(folder)
    return folder


def embedded_texts() -> Iterator[str]:
    """Yield the sentences of the bundled problems."""
    for line in bundled("demo:problems").read_text(encoding="utf-8").splitlines():
        problem = json.loads(line)
        yield problem["premise"]
        yield problem["hypothesis"]


def trained_wordpiece(texts: Iterable[str], size: int, special: Sequence[str], *, lowercase: bool = True) -> Tokenizer:
    """Train WordPiece as in BERT to a vocabulary that is the same in every process.

    The trainer breaks ties by the numbers of pieces, and numbers characters inside words in the order of a hash table
    that differs from process to process. So they are numbered before, as special tokens of the training.
    """
    learned = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    for each in (learned, tokenizer):
        each.normalizer = normalizers.BertNormalizer(lowercase=lowercase)
        each.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    texts = list(texts)
    characters = {*learned.normalizer.normalize_str("".join(texts))}
    inside = sorted(f"##{character}" for character in characters if character.strip())
    learned.train_from_iterator(texts, trainers.WordPieceTrainer(vocab_size=size, special_tokens=[*special, *inside]))
    tokenizer.model = models.WordPiece(learned.get_vocab(), unk_token="[UNK]")
    tokenizer.add_special_tokens([*special])
    return tokenizer


def trained_unigram(
    texts: Iterable[str], size: int, special: Sequence[str], normalizer: normalizers.Normalizer
) -> Tokenizer:
    """Return a unigram tokenizer with the pieces of a byte-pair encoding and their log-frequencies.

    The trainer of unigram models adds up frequencies in an order that differs from process to process.
    """
    learned = Tokenizer(models.BPE(unk_token="<unk>"))
    texts = list(texts)
    learned.normalizer = normalizer
    learned.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Metaspace(), pre_tokenizers.Punctuation()])
    learned.train_from_iterator(texts, trainers.BpeTrainer(vocab_size=size, special_tokens=[*special]))
    counts: Counter[str] = Counter()
    for encoding in learned.encode_batch(texts, add_special_tokens=False):
        counts.update(encoding.tokens)
    vocabulary = learned.get_vocab()
    scores = []
    for piece in sorted(vocabulary, key=vocabulary.__getitem__):
        scores.append((piece, math.log((counts[piece] + 1) / counts.total())))
    tokenizer = Tokenizer(models.Unigram(scores, unk_id=vocabulary["<unk>"]))
    tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.add_special_tokens([*special])
    return tokenizer


def wordpiece_tokenizer(*, size: int = 2_000, lowercase: bool = True) -> PreTrainedTokenizerFast:
    """Train a WordPiece tokenizer as in BERT."""
    tokenizer = trained_wordpiece(embedded_texts(), size, list(BERT_SPECIAL.values()), lowercase=lowercase)
    tokenizer.decoder = decoders.WordPiece()
    cls, sep = (tokenizer.token_to_id(token) for token in ("[CLS]", "[SEP]"))
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", cls), ("[SEP]", sep)],
    )
    return PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer, model_max_length=64, **BERT_SPECIAL
    )


def byte_bpe_tokenizer(*, size: int = 2_000) -> PreTrainedTokenizerFast:
    """Train a byte-level BPE tokenizer as in RoBERTa and BART."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        special_tokens=list(ROBERTA_SPECIAL.values()),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )
    tokenizer.train_from_iterator(embedded_texts(), trainer)
    bos, eos = (tokenizer.token_to_id(token) or 0 for token in ("<s>", "</s>"))
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", eos), ("<s>", bos))
    return PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer, model_max_length=64, **ROBERTA_SPECIAL
    )


def sentencepiece_tokenizer(*, size: int = 1_500) -> PreTrainedTokenizerFast:
    """Return a SentencePiece-style unigram tokenizer as in ALBERT."""
    steps = normalizers.Sequence([normalizers.NFKD(), normalizers.StripAccents(), normalizers.Lowercase()])
    tokenizer = trained_unigram(embedded_texts(), size, ["<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]"], steps)
    cls, sep = (tokenizer.token_to_id(token) for token in ("[CLS]", "[SEP]"))
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", cls), ("[SEP]", sep)]
    )
    special = {"pad_token": "<pad>", "unk_token": "<unk>"} | {
        name: BERT_SPECIAL[name] for name in ("cls_token", "sep_token", "mask_token")
    }
    return PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer, model_max_length=64, **special
    )


def gemma_tokenizer(*, size: int = 2_000) -> PreTrainedTokenizerFast:
    """Train a SentencePiece BPE tokenizer as in Gemma and mmBERT, whose normalizer marks the spaces."""
    tokenizer = Tokenizer(models.BPE(byte_fallback=True, fuse_unk=True, unk_token="<unk>"))
    tokenizer.normalizer = normalizers.Replace(" ", "▁")
    splits = [pre_tokenizers.Split("▁", "merged_with_next"), pre_tokenizers.Punctuation()]
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(splits)  # for training: pieces are parts of words
    tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    special = {"pad_token": "<pad>", "eos_token": "<eos>", "bos_token": "<bos>", "unk_token": "<unk>"}
    special["mask_token"] = "<mask>"
    trainer = trainers.BpeTrainer(vocab_size=size, special_tokens=list(special.values()))
    tokenizer.train_from_iterator(embedded_texts(), trainer)
    bos, eos = (tokenizer.token_to_id(token) for token in ("<bos>", "<eos>"))
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<bos> $A <eos>", special_tokens=[("<bos>", bos), ("<eos>", eos)]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Split(" ", "merged_with_previous")
    return PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer, model_max_length=64, **special
    )


def save_causal_lm(kind: str, folder: Path, *, seed: int = 0) -> Path:
    """Save a causal LM with random weights and a byte-level BPE tokenizer.

    Args:
        kind: `llama`, `gpt2`, `mistral` (with a sliding window), `bloom` (without positions), `phi3` (with
            LongRoPE) or `mamba` (no attention).
        folder: The folder to create.
        seed: The random seed of the weights.
    """
    torch.manual_seed(seed)
    tokenizer = byte_bpe_tokenizer(size=600)
    tokenizer.backend_tokenizer.post_processor = processors.ByteLevel()
    tokenizer.model_max_length = 512
    values = {"vocab_size": len(tokenizer), "initializer_range": 0.3, **CAUSAL_LMS[kind]}
    hf.AutoModelForCausalLM.from_config(hf.AutoConfig.for_model(kind, **values)).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def save_masked_lm(kind: str, folder: Path, *, seed: int = 0) -> Path:
    """Save a masked LM with random weights.

    Args:
        kind: One of `MASKED_LMS`, or `deberta`.
        folder: The folder to create.
        seed: The random seed of the weights.
    """
    torch.manual_seed(seed)
    tokenizer = {
        "roberta": byte_bpe_tokenizer,
        "bart": byte_bpe_tokenizer,
        "albert": sentencepiece_tokenizer,
        "deberta": sentencepiece_tokenizer,
        "modernbert": gemma_tokenizer,
    }.get(kind, wordpiece_tokenizer)()
    model_type = "deberta-v2" if kind == "deberta" else kind
    values: dict[str, Any] = {"vocab_size": len(tokenizer), "pad_token_id": tokenizer.pad_token_id}
    # The default range gives nearly uniform predictions; larger weights give clear differences.
    values |= {"initializer_range": 0.6, "max_position_embeddings": 64, **MASKED_LMS[model_type]}
    begin = tokenizer.bos_token_id
    end = tokenizer.eos_token_id
    if kind in ("modernbert", "bart"):
        values |= {"bos_token_id": begin, "eos_token_id": end}
    if kind == "modernbert":
        values |= {"cls_token_id": begin, "sep_token_id": end}
    if kind == "bart":
        values |= {"decoder_start_token_id": end, "forced_eos_token_id": end}
    hf.AutoModelForMaskedLM.from_config(hf.AutoConfig.for_model(model_type, **values)).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
