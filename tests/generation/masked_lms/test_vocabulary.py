"""Test reading vocabularies of the three kinds of tokenizers."""

from collections.abc import Callable

import numpy as np
import pytest
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from generation.masked_lms.vocabulary import (
    BARE,
    CONTINUATION,
    NO_PIECE,
    SPACED,
    Piece,
    byte_bpe,
    read_vocabulary,
    sentencepiece,
    wordpiece,
)
from tests.oracles import refused
from tests.tiny_models import byte_bpe_tokenizer, gemma_tokenizer, sentencepiece_tokenizer, wordpiece_tokenizer


def test_markers_of_each_kind() -> None:
    assert wordpiece("dog") == Piece("dog", SPACED)
    assert wordpiece("##s") == Piece("s", CONTINUATION)
    assert byte_bpe("Ġdog") == Piece("dog", SPACED)
    assert byte_bpe("dog") == Piece("dog", BARE)
    assert byte_bpe("ĠcafÃ©") == Piece("café", SPACED)
    assert byte_bpe("Ã") == NO_PIECE
    assert sentencepiece("▁dog") == Piece("dog", SPACED)
    assert sentencepiece("dog") == Piece("dog", BARE)


TOKENIZERS = [wordpiece_tokenizer, byte_bpe_tokenizer, sentencepiece_tokenizer, gemma_tokenizer]


@pytest.mark.parametrize("make", TOKENIZERS)
def test_pieces_spell_the_encoded_text(make: Callable[[], PreTrainedTokenizerFast]) -> None:
    tokenizer = make()
    vocabulary = read_vocabulary(tokenizer, len(tokenizer), "tiny")
    assert vocabulary.whole_word.shape == (len(tokenizer),)
    text = 'A farmer sees the "goat" near an old bridge.'
    encoding = tokenizer(text, return_offsets_mapping=True, add_special_tokens=False)
    for index, (start, end) in zip(encoding["input_ids"], encoding["offset_mapping"], strict=True):
        piece = vocabulary.pieces[index]
        shown = text[start:end]
        assert piece.text.casefold() == shown.strip().casefold()
        if make is byte_bpe_tokenizer:
            assert (piece.kind == SPACED) == (" " in text[max(start - 1, 0) : start + 1])


@pytest.mark.parametrize("make", TOKENIZERS)
def test_special_tokens_and_unused_ids_have_no_piece(make: Callable[[], PreTrainedTokenizerFast]) -> None:
    tokenizer = make()
    size = len(tokenizer)
    vocabulary = read_vocabulary(tokenizer, size + 3, "tiny")
    for index in (*tokenizer.all_special_ids, size, size + 1, size + 2):
        assert vocabulary.pieces[index] == NO_PIECE
        assert not vocabulary.whole_word[index]


BARE_PIECES = ("dog", "Ġdog", "Dog", "umb", "Ġumbrella")
CAPITALS = ("Ġdog", "ĠDog", "ĠGerman", "german", "ĠRed")


def test_bare_piece_is_a_word_only_if_a_spaced_piece_has_the_same_letters() -> None:
    vocabulary = read_vocabulary(byte_bpe_vocabulary(*BARE_PIECES), 5, "tiny")
    assert vocabulary.whole_word.tolist() == [True, True, True, False, True]


@pytest.mark.parametrize(
    ("tokens", "original", "within_sentence", "kept"),
    [
        (BARE_PIECES, 0, False, [0, 2]),
        (BARE_PIECES, 1, False, [1, 4]),
        # A capital is kept, or the piece is not a word.
        (CAPITALS, 0, False, [0, 1]),
        (CAPITALS, 4, False, [0, 1, 2, 4]),
        (CAPITALS, 4, True, [1, 2, 4]),
    ],
)
def test_pieces_of_the_same_kind(
    tokens: tuple[str, ...], original: int, within_sentence: bool, kept: list[int]
) -> None:
    vocabulary = read_vocabulary(byte_bpe_vocabulary(*tokens), 5, "tiny")
    same = vocabulary.same_kind(np.arange(5, dtype=np.int32), original, within_sentence=within_sentence)
    assert np.flatnonzero(same).tolist() == kept


def byte_bpe_vocabulary(*tokens: str) -> PreTrainedTokenizerFast:
    tokenizer = Tokenizer(models.BPE({token: index for index, token in enumerate(tokens)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel()
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer)  # type: ignore[no-untyped-call]


def test_unsupported_tokenizer_is_refused() -> None:
    tokenizer = Tokenizer(models.WordLevel({"dog": 0}, "dog"))
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer)  # type: ignore[no-untyped-call]
    refused(r"masked LM strange .*WordLevel", read_vocabulary, fast, 1, "strange")
