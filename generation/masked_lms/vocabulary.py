"""Read the vocabulary of a masked LM: the text of each piece, and whether it begins a word."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from generation.sentences.words import fold, is_whole_word
from merge_snli.base.arrays import Bools, Ints32
from merge_snli.base.batches import grouped
from merge_snli.base.errors import InputError
from merge_snli.base.files import JsonObject
from merge_snli.base.table import capitalized
from merge_snli.languages.language import language_of
from merge_snli.models.wordnet import base_forms

if TYPE_CHECKING:
    import numpy.typing as npt
    from transformers import PreTrainedTokenizerFast

# The piece begins a word after a space. So does every WordPiece piece that is not a continuation.
SPACED = "spaced"
# The piece follows no space: at the start of a text, after a quotation mark or hyphen, or within a word.
BARE = "bare"
# The piece never begins a word.
CONTINUATION = "continuation"

SENTENCEPIECE_SPACE = "▁"


class Piece(NamedTuple):
    """A vocabulary piece: its text without the tokenizer's marker, and its kind."""

    text: str
    kind: str


# Stands for special, unused and undecodable tokens.
NO_PIECE = Piece("", "")
# A space alone.
SPACE = Piece("", SPACED)


@dataclass(frozen=True)
class Vocabulary:
    """The pieces of a masked LM.

    Attributes:
        pieces: One per token id.
        whole_word: Whether a suggestion may be this piece, of shape (len(pieces),).
        noun_capitals: Whether the nouns of the language begin with a capital, as in German.
    """

    pieces: tuple[Piece, ...]
    whole_word: Bools
    noun_capitals: bool = False
    _by_base_form: dict[str, dict[str, list[int]]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def text(self, piece_id: int) -> str:
        """Return the text of a piece; empty if there is none."""
        return self.pieces[piece_id].text

    def ids_by_base_form(self, word_class: str) -> Mapping[str, list[int]]:
        """Return the ids of the pieces that have a base form in a word class, by base form."""
        if word_class not in self._by_base_form:
            self._by_base_form[word_class] = grouped(
                (form, index)
                for index, piece in enumerate(self.pieces)
                for form in base_forms(fold(piece.text), word_class)
            )
        return self._by_base_form[word_class]

    def same_kind(self, piece_ids: Ints32, original_id: int, *, within_sentence: bool = False) -> Bools:
        """Return which pieces are whole words of the same kind as the original's piece.

        In place of a word in lower case, a piece with a capital is not one, unless the vocabulary has it in lower case
        as well: "Woman" becomes "woman", but "German" would become "german". If nouns have capitals, a piece in lower
        case is not one in place of a word with a capital either: "laut" would become "Laut".

        Args:
            piece_ids: The pieces.
            original_id: The original's piece.
            within_sentence: Whether the original has a capital within a sentence, as in "a Great Dane". Unless nouns
                have capitals, a piece without one is not a word there.
        """
        same: Bools = self.whole_word[piece_ids] & (self.kinds[piece_ids] == self.kinds[original_id])
        if within_sentence and not self.noun_capitals:
            same &= self.has_capital[piece_ids]
        original = self.text(original_id)
        if original == original.lower():
            return same & ~self.only_capitalized[piece_ids]
        return same & ~self.only_in_lower_case[piece_ids] if self.noun_capitals else same

    @cached_property
    def has_capital(self) -> Bools:
        """Which pieces have a capital; of shape (len(pieces),)."""
        return np.array([piece.text != piece.text.lower() for piece in self.pieces])

    @cached_property
    def only_capitalized(self) -> Bools:
        """Which pieces have a capital and no piece of their kind in lower case; of shape (len(pieces),)."""
        return self._lacks(str.lower)

    @cached_property
    def only_in_lower_case(self) -> Bools:
        """Which pieces have no capital and no piece of their kind with one; of shape (len(pieces),)."""
        return self._lacks(capitalized)

    def _lacks(self, change: Callable[[str], str]) -> Bools:
        """Return which pieces have no piece of their kind with the changed text; of shape (len(pieces),)."""
        known = {*self.pieces}
        return np.array([Piece(change(piece.text), piece.kind) not in known for piece in self.pieces])

    @cached_property
    def kinds(self) -> npt.NDArray[np.str_]:
        """The kind of each piece; of shape (len(pieces),)."""
        return np.array([piece.kind for piece in self.pieces])


def wordpiece(token: str) -> Piece:
    """Read a WordPiece token: `##` marks a continuation."""
    return Piece(token[2:], CONTINUATION) if token.startswith("##") else Piece(token, SPACED)


@cache
def _byte_of_symbol() -> dict[str, int]:
    """Return the byte of each symbol of byte-level BPE."""
    from transformers.convert_slow_tokenizer import bytes_to_unicode

    return {symbol: byte for byte, symbol in bytes_to_unicode().items()}  # type: ignore[no-untyped-call]


def byte_bpe(token: str) -> Piece:
    """Read a byte-level BPE token, which may begin with a space; an incomplete character is not a piece."""
    byte_of = _byte_of_symbol()
    try:
        text = bytes(byte_of[symbol] for symbol in token).decode()
    except (KeyError, UnicodeDecodeError):
        return NO_PIECE
    return Piece(text[1:], SPACED) if text.startswith(" ") else Piece(text, BARE)


def sentencepiece(token: str) -> Piece:
    """Read a SentencePiece token, which may begin with a marked space."""
    return Piece(token[1:], SPACED) if token.startswith(SENTENCEPIECE_SPACE) else Piece(token, BARE)


def read_vocabulary(
    tokenizer: PreTrainedTokenizerFast, size: int, name: str, language: str | None = None
) -> Vocabulary:
    """Read the vocabulary of a tokenizer.

    Args:
        tokenizer: A fast tokenizer.
        size: Number of logits per token; ids that the tokenizer does not use get no piece.
        name: The masked LM's name, for messages.
        language: The code of the language of the problems; None for English.
    """
    read = _reader(json.loads(tokenizer.backend_tokenizer.to_str()), name)
    special = set(tokenizer.all_special_ids) | set(tokenizer.added_tokens_decoder)
    tokens = {index: token for token, index in tokenizer.get_vocab().items() if index not in special}
    pieces = tuple(read(tokens[index]) if index in tokens else NO_PIECE for index in range(size))
    return Vocabulary(pieces, _whole_words(pieces, language), language_of(language).noun_capitals)


def _reader(backend: JsonObject, name: str) -> Callable[[str], Piece]:
    model = backend["model"].get("type")
    # SentencePiece marks spaces in a Metaspace pre-tokenizer, or in a Replace normalizer (Gemma, mmBERT).
    marks = json.dumps([backend.get(step) for step in ("normalizer", "pre_tokenizer", "decoder")], ensure_ascii=False)
    if model == "WordPiece":
        return wordpiece
    if model == "BPE" and "ByteLevel" in marks:
        return byte_bpe
    if model in {"Unigram", "BPE"} and SENTENCEPIECE_SPACE in marks:
        return sentencepiece
    raise InputError(
        f"masked LM {name} has an unsupported tokenizer ({model}); supported are WordPiece, byte-level BPE and "
        "SentencePiece"
    )


def _whole_words(pieces: Sequence[Piece], language: str | None) -> Bools:
    """Return which pieces are whole words.

    A bare piece can be a word or a part of one: it counts as a word if the vocabulary has the same letters after a
    space, ignoring case.
    """
    spaced = {piece.text.casefold() for piece in pieces if piece.kind == SPACED}
    return np.array(
        [
            piece.kind != CONTINUATION
            and is_whole_word(piece.text, language)
            and (piece.kind == SPACED or piece.text.casefold() in spaced)
            for piece in pieces
        ],
        dtype=bool,
    )
