"""Masked LMs with the same predictions at every mask: all weights are zero except the bias of the logits.

The ranking of fillers is a list that a test provides.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from transformers import (
    AlbertConfig,
    AlbertForMaskedLM,
    BertConfig,
    BertForMaskedLM,
    PreTrainedTokenizerFast,
    RobertaConfig,
    RobertaForMaskedLM,
)

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
POSITIONS = 40
NEVER = -30.0
"""The logit of pieces that are not in the ranking."""

SIZES: dict[str, Any] = {
    "hidden_size": 4,
    "num_hidden_layers": 1,
    "num_attention_heads": 1,
    "intermediate_size": 4,
    "max_position_embeddings": POSITIONS,
}


def wordpiece(pieces: Sequence[str], *, lowercase: bool) -> Tokenizer:
    """Return a WordPiece tokenizer with exactly these pieces."""
    numbers = {piece: number for number, piece in enumerate(dict.fromkeys([*SPECIAL, *pieces]))}
    tokenizer = Tokenizer(models.WordPiece(numbers, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=lowercase)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    return tokenizer


def byte_bpe(pieces: Sequence[str]) -> Tokenizer:
    """Return a byte-level BPE tokenizer with these pieces (leading spaces as spaces) and all single bytes."""
    written = [_in_bytes(piece) for piece in pieces]
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    numbers = {piece: number for number, piece in enumerate(dict.fromkeys([*SPECIAL, *written, *letters]))}
    tokenizer = Tokenizer(models.BPE(numbers, [], ignore_merges=True))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def sentencepiece(pieces: Sequence[str]) -> Tokenizer:
    """Return a unigram tokenizer with these pieces (leading spaces as spaces) and all single letters."""
    written = list(dict.fromkeys(piece.replace(" ", "▁") for piece in pieces))
    letters = [letter for letter in "▁abcdefghijklmnopqrstuvwxyz." if letter not in written]
    scores = [*((piece, 0.0) for piece in SPECIAL), *((piece, -1.0) for piece in written)]
    tokenizer = Tokenizer(models.Unigram([*scores, *((letter, -20.0) for letter in letters)], 1, byte_fallback=False))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    return tokenizer


def save(folder: Path, tokenizer: Tokenizer, ranking: Sequence[str], *, step: float = 0.5) -> Path:
    """Save a masked LM with fillers in the order of `ranking`; log-probabilities decrease by `step`.

    Args:
        folder: The folder to create.
        tokenizer: A tokenizer from this module with at least the pieces of `ranking`.
        ranking: Pieces, with leading spaces as spaces, most probable first.
        step: The difference of successive log-probabilities.
    """
    encode, make = MODELS[type(tokenizer.model).__name__]
    tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in SPECIAL])
    ends = [(token, tokenizer.token_to_id(token)) for token in ("[CLS]", "[SEP]")]
    tokenizer.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=ends)
    model = make(tokenizer.get_vocab_size())
    scores = torch.full((tokenizer.get_vocab_size(),), NEVER)
    for rank, piece in enumerate(ranking):
        number = tokenizer.token_to_id(encode(piece))
        assert number is not None, piece
        scores[number] = -step * rank
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.zero_()
        model.get_output_embeddings().bias.copy_(scores)
    model.save_pretrained(folder)
    names = ("pad_token", "unk_token", "cls_token", "sep_token", "mask_token")
    fast = PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer, model_max_length=POSITIONS - 2, **dict(zip(names, SPECIAL, strict=True))
    )
    fast.save_pretrained(folder)
    return folder


def _in_bytes(piece: str) -> str:
    """Convert a piece to the byte-level BPE alphabet, one letter per byte."""
    written = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False).pre_tokenize_str(piece)
    return "".join(text for text, _ in written)


Encode = Callable[[str], str]
Create = Callable[[int], BertForMaskedLM | RobertaForMaskedLM | AlbertForMaskedLM]
MODELS: dict[str, tuple[Encode, Create]] = {
    "WordPiece": (str, lambda size: BertForMaskedLM(BertConfig(vocab_size=size, pad_token_id=0, **SIZES))),
    "BPE": (_in_bytes, lambda size: RobertaForMaskedLM(RobertaConfig(vocab_size=size, pad_token_id=0, **SIZES))),
    "Unigram": (
        lambda piece: piece.replace(" ", "▁"),
        lambda size: AlbertForMaskedLM(AlbertConfig(vocab_size=size, pad_token_id=0, embedding_size=4, **SIZES)),
    ),
}
"""By tokenizer type: a function that encodes a piece, and one that creates the masked LM."""
