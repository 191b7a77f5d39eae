"""Reduce the base model's WordPiece vocabulary and embeddings to the most frequent pieces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

import torch
from transformers import BertTokenizer

from training.base import Base

SPECIALS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
MAX_LENGTH = 256
WESTERN_CHARACTERS = (range(0x250), range(0x2010, 0x20D0))


def count_pieces(base: Base, sentences: Mapping[str, float]) -> Counter[str]:
    """Count the base's pieces over weighted sentences."""
    counts: Counter[str] = Counter()
    encodings = base.tokenizer.encode_batch(list(sentences), add_special_tokens=False)
    for encoding, weight in zip(encodings, sentences.values(), strict=True):
        for piece in encoding.tokens:
            counts[piece] += weight  # type: ignore[assignment]
    return counts


def is_needed_character(piece: str) -> bool:
    """Return whether a piece is a single western character, as a word or a continuation.

    These are in every vocabulary, so that rare words are split instead of becoming `[UNK]`.
    """
    character = piece.removeprefix("##")
    return len(character) == 1 and any(ord(character) in characters for characters in WESTERN_CHARACTERS)


def cut_vocabulary(vocabulary: Mapping[str, int], counts: Mapping[str, float], size: int) -> list[str]:
    """Select `size` pieces: special tokens, single characters, then the most frequent pieces.

    Pieces without a count come last, in the order of the base's vocabulary, which is roughly by frequency.

    Args:
        vocabulary: The base's pieces and their ids.
        counts: The frequency of each piece.
        size: The number of pieces.
    """
    needed = [piece for piece in vocabulary if is_needed_character(piece)]
    rest = [piece for piece in vocabulary if not is_needed_character(piece) and not _is_special(piece)]
    rest.sort(key=lambda piece: (-counts.get(piece, 0), vocabulary[piece]))
    return [*SPECIALS, *needed, *rest][:size]


def _is_special(piece: str) -> bool:
    return piece in SPECIALS or piece.startswith("[unused")


def cut_embeddings(base: Base, pieces: Iterable[str]) -> torch.Tensor:
    """Return the base's embeddings of the given pieces, shape (pieces, 384)."""
    vocabulary = base.tokenizer.get_vocab()
    return base.words[[vocabulary[piece] for piece in pieces]].clone()


def wordpiece_tokenizer(pieces: Iterable[str]) -> BertTokenizer:
    """Create an uncased BERT tokenizer with the given pieces."""
    vocabulary = {piece: place for place, piece in enumerate(pieces)}
    return BertTokenizer(vocab=vocabulary, do_lower_case=True, model_max_length=MAX_LENGTH)
