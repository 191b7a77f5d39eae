"""Learn a byte-level BPE vocabulary from the training text and initialize its embeddings from the base model."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import torch
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import RobertaTokenizer

from training.base import Base
from training.masking import FUNCTION_WORDS
from training.vocabulary import MAX_LENGTH

# In the order of RoBERTa's ids. The padding id must be 1, since RoBERTa's position ids start after it.
SPECIALS = {"<s>": "[CLS]", "<pad>": "[PAD]", "</s>": "[SEP]", "<unk>": "[UNK]", "<mask>": "[MASK]"}
BARE_WORD_COUNT = 60


def learn_bpe(sentences: Mapping[str, int], size: int) -> RobertaTokenizer:
    """Learn a RoBERTa tokenizer of `size` pieces from sentences with counts.

    Words inside a sentence become pieces with a leading space. Words at its start or after a quote become pieces
    without one.
    """
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        min_frequency=2,
        special_tokens=list(SPECIALS),
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    text = (sentence for sentence, times in sentences.items() for _ in range(times))
    tokenizer.train_from_iterator(text, trainer)
    return roberta_tokenizer(tokenizer)


def bare_words(sentences: Mapping[str, int], count: int) -> dict[str, int]:
    """Return the `count` most frequent open-class words, lower case and capitalized, each with a fixed count.

    They become pieces without a leading space, for words at the start of a sentence, after a quote or after a hyphen.
    """
    seen: Counter[str] = Counter()
    for sentence, times in sentences.items():
        for word in re.findall(r"(?<= )[a-z]{3,}\b", sentence):
            seen[word] += 0 if word in FUNCTION_WORDS else times
    frequent = [word for word, _ in seen.most_common(count)]
    return dict.fromkeys([*frequent, *(word.capitalize() for word in frequent)], BARE_WORD_COUNT)


def roberta_tokenizer(tokenizer: Tokenizer) -> RobertaTokenizer:
    """Convert a BPE tokenizer to a RoBERTa tokenizer."""
    learned = json.loads(tokenizer.to_str())["model"]
    merges: Any = [tuple(pair) for pair in learned["merges"]]
    # As in RoBERTa, the mask token includes the space before it: "a <mask>" predicts a piece with a leading space.
    mask: Any = AddedToken("<mask>", lstrip=True, special=True)
    return RobertaTokenizer(vocab=learned["vocab"], merges=merges, mask_token=mask, model_max_length=MAX_LENGTH)


def piece_text(piece: str) -> str:
    """Return the text of a byte-level piece, including its leading space."""
    return str(decoders.ByteLevel().decode([piece]))


def base_ids(base: Base, piece: str) -> list[int]:
    """Return the base ids whose mean embedding initializes a piece.

    A piece with a leading space or a capital is treated as a word, a lower-case piece without a space as both a word
    and a continuation.
    """
    if piece in SPECIALS:
        return [_id(base, SPECIALS[piece])]
    text = piece_text(piece)
    plain = text.strip().lower()
    continuation = base.tokenizer.token_to_id(f"##{plain}")
    if text[:1].islower() and continuation is not None:
        word = base.tokenizer.token_to_id(plain)
        return [continuation] if word is None else [continuation, word]
    ids = list(base.tokenizer.encode(plain, add_special_tokens=False).ids)
    return ids or [_id(base, "[UNK]")]


def _id(base: Base, piece: str) -> int:
    found = base.tokenizer.token_to_id(piece)
    assert found is not None
    return int(found)


def mapped_embeddings(base: Base, pieces: Iterable[str]) -> torch.Tensor:
    """Return an embedding per piece, the mean of the base embeddings of its text, shape (pieces, 384)."""
    return torch.stack([base.words[base_ids(base, piece)].mean(dim=0) for piece in pieces])
