"""Reduced vocabularies: selection of pieces, their embeddings, and the BPE tokenizer."""

from __future__ import annotations

import pytest
import torch

from training.base import Base
from training.vocabulary import (
    BPE_SPECIALS,
    SPECIALS,
    base_ids,
    count_pieces,
    cut_embeddings,
    cut_vocabulary,
    learn_bpe,
    mapped_embeddings,
    piece_text,
    wordpiece_tokenizer,
)

VOCABULARY = {
    piece: place for place, piece in enumerate(["[unused1]", *SPECIALS, "a", "##b", "中", "dog", "cat", "##s"])
}
SENTENCES = {'A man says "dogs are well-dressed" to two men.': 3, "Men run.": 2}


def test_specials_come_first_then_characters_then_the_most_frequent() -> None:
    pieces = cut_vocabulary(VOCABULARY, {"cat": 2, "[unused1]": 9}, size=9)
    assert pieces == [*SPECIALS, "a", "##b", "##s", "cat"]


def test_the_order_of_the_base_vocabulary_does_not_matter() -> None:
    reversed_order = dict(reversed(VOCABULARY.items()))
    counts = {"cat": 2, "dog": 2}
    assert cut_vocabulary(reversed_order, counts, size=9) == cut_vocabulary(VOCABULARY, counts, size=9)


def test_pieces_are_counted_with_the_weights_of_sentences(base: Base) -> None:
    assert count_pieces(base, {"a dog": 3.0, "dogs, a": 1.0}) == {"a": 4.0, "dog": 3.0, "dogs": 1.0, ",": 1.0}


def test_embeddings_match_their_pieces(base: Base) -> None:
    pieces = cut_vocabulary(base.tokenizer.get_vocab(), {"dog": 5.0}, size=2_000)
    embeddings = cut_embeddings(base, pieces)
    assert embeddings.shape == (2_000, 384)
    for piece in ("[MASK]", "dog", "##a"):
        torch.testing.assert_close(embeddings[pieces.index(piece)], base.words[base.tokenizer.token_to_id(piece)])


def test_a_rare_word_is_split_into_characters(base: Base) -> None:
    pieces = cut_vocabulary(base.tokenizer.get_vocab(), {}, size=2_000)
    tokenizer = wordpiece_tokenizer(pieces)
    assert "[UNK]" not in tokenizer.tokenize("Zyzzyva’s café — £5, naïve?")
    assert tokenizer("a").input_ids == [pieces.index(piece) for piece in ("[CLS]", "a", "[SEP]")]


def test_bpe_has_the_special_tokens_of_roberta() -> None:
    tokenizer = learn_bpe(SENTENCES, 320)
    assert tokenizer.convert_ids_to_tokens(list(range(5))) == list(BPE_SPECIALS)
    assert tokenizer.pad_token_id == 1
    ids = tokenizer("A <mask> says").input_ids
    assert ids[2] == tokenizer.mask_token_id
    assert tokenizer.convert_ids_to_tokens(ids)[3].startswith("Ġ")
    assert tokenizer.tokenize("Men")[0][0] == "M"


@pytest.mark.parametrize(
    ("piece", "expected"),
    [
        ("Ġdog", ["dog"]),
        ("Dog", ["dog"]),
        ("ing", ["##ing", "ing"]),
        ("Ġtrampoline", ["tram", "##pol", "##ine"]),
        ("<mask>", ["[MASK]"]),
        ("Ġ", ["[UNK]"]),
    ],
)
def test_a_bpe_embedding_is_the_mean_of_the_base_embeddings(base: Base, piece: str, expected: list[str]) -> None:
    assert [base.tokenizer.id_to_token(number) for number in base_ids(base, piece)] == expected
    mean = base.words[base_ids(base, piece)].mean(dim=0)
    torch.testing.assert_close(mapped_embeddings(base, [piece])[0], mean)


def test_piece_text_decodes_bytes() -> None:
    assert piece_text("Ġdog") == " dog"
    assert piece_text("Ã©") == "é"
