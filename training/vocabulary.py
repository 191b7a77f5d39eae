"""The base's WordPiece vocabulary, cut to the pieces that matter, and its embeddings with it."""

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
    """Count the base's pieces over sentences, each with its weight."""
    counts: Counter[str] = Counter()
    encodings = base.tokenizer.encode_batch(list(sentences), add_special_tokens=False)
    for encoding, weight in zip(encodings, sentences.values(), strict=True):
        for piece in encoding.tokens:
            counts[piece] += weight  # type: ignore[assignment]
    return counts


def is_needed_character(piece: str) -> bool:
    """Tell whether a piece is one character of a western text, alone or as a continuation.

    These stay in every vocabulary, so that a rare word falls into pieces and not to `[UNK]`.
    """
    character = piece.removeprefix("##")
    return len(character) == 1 and any(ord(character) in characters for characters in WESTERN_CHARACTERS)


def cut_vocabulary(vocabulary: Mapping[str, int], counts: Mapping[str, float], size: int) -> list[str]:
    """Return the pieces to keep, specials first: single characters and then the most frequent ones.

    Pieces that were never counted come last, in the order of the base's vocabulary, which is roughly by frequency.

    Args:
        vocabulary: The base's pieces and their ids.
        counts: How often each was seen.
        size: How many to keep in all.
    """
    needed = [piece for piece in vocabulary if is_needed_character(piece)]
    rest = [piece for piece in vocabulary if not is_needed_character(piece) and not _is_special(piece)]
    rest.sort(key=lambda piece: (-counts.get(piece, 0), vocabulary[piece]))
    return [*SPECIALS, *needed, *rest][:size]


def _is_special(piece: str) -> bool:
    return piece in SPECIALS or piece.startswith("[unused")


def cut_embeddings(base: Base, pieces: Iterable[str]) -> torch.Tensor:
    """Return the base's embeddings of these pieces, shape (pieces, 384)."""
    vocabulary = base.tokenizer.get_vocab()
    return base.words[[vocabulary[piece] for piece in pieces]].clone()


def wordpiece_tokenizer(pieces: Iterable[str]) -> BertTokenizer:
    """Return an uncased BERT tokenizer of these pieces."""
    vocabulary = {piece: place for place, piece in enumerate(pieces)}
    return BertTokenizer(vocab=vocabulary, do_lower_case=True, model_max_length=MAX_LENGTH)
