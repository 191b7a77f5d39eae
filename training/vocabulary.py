"""Choose the pieces of a model and initialize their embeddings: WordPiece of the base model, or a new BPE."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import torch
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import BertTokenizer, RobertaTokenizer

from training.base import MAX_LENGTH, Base
from training.script import MNLI_DEV, SNLI_DEV, training_problems, unique_sentences

SPECIALS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
WESTERN_CHARACTERS = (range(0x250), range(0x2010, 0x20D0))

FUNCTION_WORD_LIST = """
a about above across after against all along also am an and any are as at be because been before behind being below
beside between both but by can could did do does down during each for from had has have he her here him his how i if
in into is it its just like may me might more most must my near no nor not of off on onto or other our out outside
over s shall she should so some such t than that the their them then there these they this those through to too toward
towards under until up upon us very was we were what when where which while who whom whose why will with within
without would you your
"""
FUNCTION_WORDS = frozenset(FUNCTION_WORD_LIST.split())

SNLI_WEIGHT = 3.0

# In the order of RoBERTa's ids. The padding id must be 1, since RoBERTa's position ids start after it.
BPE_SPECIALS = {"<s>": "[CLS]", "<pad>": "[PAD]", "</s>": "[SEP]", "<unk>": "[UNK]", "<mask>": "[MASK]"}
BARE_WORD_COUNT = 60


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
    if len(character) != 1:
        return False
    return any(ord(character) in characters for characters in WESTERN_CHARACTERS)


def cut_vocabulary(vocabulary: Mapping[str, int], counts: Mapping[str, float], size: int) -> list[str]:
    """Select `size` pieces: special tokens, single characters, then the most frequent pieces.

    Pieces without a count come last, in the order of the base's vocabulary, which is roughly by frequency.

    Args:
        vocabulary: The base's pieces and their ids.
        counts: The frequency of each piece.
        size: The number of pieces.
    """
    ordered = sorted(vocabulary, key=vocabulary.__getitem__)
    needed = [piece for piece in ordered if is_needed_character(piece)]
    left_out = {*SPECIALS, *needed}
    rest = [piece for piece in ordered if piece not in left_out and not piece.startswith("[unused")]
    rest.sort(key=lambda piece: -counts.get(piece, 0))
    return [*SPECIALS, *needed, *rest][:size]


def cut_embeddings(base: Base, pieces: Iterable[str]) -> torch.Tensor:
    """Return the base's embeddings of the given pieces, shape (pieces, 384)."""
    vocabulary = base.tokenizer.get_vocab()
    return base.words[[vocabulary[piece] for piece in pieces]].clone()


def wordpiece_tokenizer(pieces: Iterable[str]) -> BertTokenizer:
    """Create an uncased BERT tokenizer with the given pieces."""
    vocabulary = {piece: number for number, piece in enumerate(pieces)}
    return BertTokenizer(vocab=vocabulary, do_lower_case=True, model_max_length=MAX_LENGTH)


def classifier_pieces(base: Base, data: Path, size: int) -> list[str]:
    """Return the most frequent pieces of the training text; SNLI sentences count three times."""
    sentences: dict[str, float] = {}
    for name, weight in ((MNLI_DEV, 1.0), (SNLI_DEV, SNLI_WEIGHT)):
        sentences |= dict.fromkeys(unique_sentences(training_problems(data, name)), weight)
    return cut_vocabulary(base.tokenizer.get_vocab(), count_pieces(base, sentences), size)


def learn_bpe(sentences: Mapping[str, int], size: int) -> RobertaTokenizer:
    """Learn a RoBERTa tokenizer of `size` pieces from sentences with counts.

    Words inside a sentence become pieces with a leading space. Words at its start or after a quote become pieces
    without one.
    """
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        min_frequency=2,
        special_tokens=list(BPE_SPECIALS),
        initial_alphabet=alphabet,
        show_progress=False,
    )
    tokenizer.train_from_iterator(Counter(sentences).elements(), trainer)
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
    capitalized = [word.capitalize() for word in frequent]
    return dict.fromkeys(frequent + capitalized, BARE_WORD_COUNT)


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
    text = piece_text(piece)
    plain = text.strip().lower()
    continuation = base.tokenizer.token_to_id(f"##{plain}")
    if text[:1].islower() and continuation is not None:
        word = base.tokenizer.token_to_id(plain)
        return [continuation] if word is None else [continuation, word]
    ids = []
    if piece not in BPE_SPECIALS:
        ids = base.tokenizer.encode(plain, add_special_tokens=False).ids
    if not ids:
        special = BPE_SPECIALS.get(piece, "[UNK]")
        return [base.tokenizer.get_vocab()[special]]
    return list(ids)


def mapped_embeddings(base: Base, pieces: Iterable[str]) -> torch.Tensor:
    """Return an embedding per piece, the mean of the base embeddings of its text, shape (pieces, 384)."""
    embeddings = [base.words[base_ids(base, piece)].mean(dim=0) for piece in pieces]
    return torch.stack(embeddings)
