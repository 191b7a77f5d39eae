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


@pytest.mark.parametrize(
    ("piece", "expected"),
    [
        (wordpiece("dog"), Piece("dog", SPACED)),
        (wordpiece("##s"), Piece("s", CONTINUATION)),
        (byte_bpe("Ġdog"), Piece("dog", SPACED)),
        (byte_bpe("dog"), Piece("dog", BARE)),
        (byte_bpe("ĠcafÃ©"), Piece("café", SPACED)),
        (byte_bpe("Ã"), NO_PIECE),
        (sentencepiece("▁dog"), Piece("dog", SPACED)),
        (sentencepiece("dog"), Piece("dog", BARE)),
    ],
)
def test_markers_of_each_kind(piece: Piece, expected: Piece) -> None:
    assert piece == expected


TOKENIZERS = [wordpiece_tokenizer, byte_bpe_tokenizer, sentencepiece_tokenizer, gemma_tokenizer]


@pytest.mark.parametrize("make", TOKENIZERS)
def test_pieces_spell_the_encoded_text(make: Callable[[], PreTrainedTokenizerFast]) -> None:
    tokenizer = make()
    vocabulary = read_vocabulary(tokenizer, len(tokenizer), "tiny")
    text = 'A farmer sees the "goat" near an old bridge.'
    encoding = tokenizer(text, return_offsets_mapping=True, add_special_tokens=False)
    for index, (start, end) in zip(encoding["input_ids"], encoding["offset_mapping"], strict=True):
        piece = vocabulary.pieces[index]
        assert piece.text.casefold() == text[start:end].strip().casefold()
        follows_space = start == 0 or text[start - 1] == " " or text[start:end].startswith(" ")
        if make is byte_bpe_tokenizer:
            assert piece.kind == (SPACED if start > 0 and follows_space else BARE)
    assert vocabulary.whole_word.shape == (len(tokenizer),)


@pytest.mark.parametrize("make", TOKENIZERS)
def test_special_tokens_and_unused_ids_have_no_piece(make: Callable[[], PreTrainedTokenizerFast]) -> None:
    tokenizer = make()
    vocabulary = read_vocabulary(tokenizer, len(tokenizer) + 3, "tiny")
    without = [*tokenizer.all_special_ids, *range(len(tokenizer), len(tokenizer) + 3)]
    assert all(vocabulary.pieces[index] == NO_PIECE for index in without)
    assert not vocabulary.whole_word[without].any()


BARE_PIECES = ("dog", "Ġdog", "Dog", "umb", "Ġumbrella")
CAPITALS = ("Ġdog", "ĠDog", "ĠGerman", "german", "ĠRed")


def test_bare_piece_is_a_word_only_if_a_spaced_piece_has_the_same_letters() -> None:
    vocabulary = read_vocabulary(byte_bpe_vocabulary(*BARE_PIECES), 5, "tiny")
    pieces = zip(vocabulary.pieces, vocabulary.whole_word, strict=True)
    assert [piece.text for piece, whole in pieces if whole] == ["dog", "dog", "Dog", "umbrella"]


@pytest.mark.parametrize(
    ("tokens", "original", "within_sentence", "kept"),
    [
        (BARE_PIECES, 0, False, [True, False, True, False, False]),
        (BARE_PIECES, 1, False, [False, True, False, False, True]),
        # A capital is kept, or the piece is not a word.
        (CAPITALS, 0, False, [True, True, False, False, False]),
        (CAPITALS, 4, False, [True, True, True, False, True]),
        (CAPITALS, 4, True, [False, True, True, False, True]),
    ],
)
def test_pieces_of_the_same_kind(
    tokens: tuple[str, ...], original: int, within_sentence: bool, kept: list[bool]
) -> None:
    vocabulary = read_vocabulary(byte_bpe_vocabulary(*tokens), 5, "tiny")
    assert (
        vocabulary.same_kind(np.arange(5, dtype=np.int32), original, within_sentence=within_sentence).tolist() == kept
    )


def byte_bpe_vocabulary(*tokens: str) -> PreTrainedTokenizerFast:
    tokenizer = Tokenizer(models.BPE({token: index for index, token in enumerate(tokens)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel()
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer)  # type: ignore[no-untyped-call]


def test_unsupported_tokenizer_is_refused() -> None:
    tokenizer = Tokenizer(models.WordLevel({"dog": 0}, "dog"))
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer)  # type: ignore[no-untyped-call]
    refused(r"masked LM strange .*WordLevel", read_vocabulary, fast, 1, "strange")
