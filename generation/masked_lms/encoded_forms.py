"""Encode forms as token ids with the mask in place, those of a long text in a window of its sentences."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from generation.masked_lms.vocabulary import SPACED, Piece
from generation.sentences.forms import Form, sentence_starts
from merge_snli.base.arrays import Ints
from merge_snli.base.batches import batches_of, grouped
from merge_snli.dataset.answered_forms import SPLIT, TOO_LONG
from merge_snli.models.runner.encoded import IDS, Encoded, Tokenizer

if TYPE_CHECKING:
    from tokenizers import Encoding

# Texts that are tokenized in one call, which Ctrl-C cannot interrupt, and whose tokens are in memory together.
CHARACTERS_PER_BATCH = 100_000

# The columns of encoded forms: the position of the mask, and the token id of the original word, or of its first piece.
POSITION, ORIGINAL = "position", "original"

# Index of the first token, and the index after the last.
Span = tuple[int, int]
NONE: Span = (0, 0)


@dataclass(frozen=True)
class EncodedForms:
    """Forms as token ids, with a single mask for each masked word.

    A word of several pieces has more inputs, one per piece. Each keeps the pieces before it and masks itself and the
    pieces after it, so that no piece is predicted from a later one.

    Attributes:
        keys: The keys of the forms, [n_forms].
        inputs: The forms, then the pieces of words of several, [n_forms + n_pieces].
        words: The index of the form of each piece, [n_pieces].
        in_window: The keys of the forms of texts that were too long, of which they show a window.
        refused: Why other forms have no encoding, by key: `split` if the word is not a single token in the sentence
            (with `split_words`: not a sequence of known tokens that covers exactly the word), `too long` if its
            sentence alone has too many tokens.
    """

    keys: list[str]
    inputs: Encoded
    words: Ints
    in_window: set[str]
    refused: dict[str, str]


def window_around(index: int, lengths: Sequence[int], limit: int) -> tuple[int, int]:
    """Return the sentences of a window.

    The preceding and the following sentences are added in turn, as long as the sum of the lengths is at most `limit`.
    If one side is at its end or its next sentence does not fit, only the other side grows.

    Args:
        index: The sentence that the window has in any case.
        lengths: The length of each sentence.
        limit: The largest sum.

    Returns:
        The index of the first sentence, and that after the last.
    """
    first, end, total = index, index + 1, lengths[index]
    open_sides = [True, True]
    while any(open_sides):
        for side, neighbor in enumerate((first - 1, end)):
            open_sides[side] &= 0 <= neighbor < len(lengths) and total + lengths[neighbor] <= limit
            if open_sides[side]:
                first, end, total = min(first, neighbor), max(end, neighbor + 1), total + lengths[neighbor]
    return first, end


class Row(NamedTuple):
    """An input: its token ids, the position of the mask, and the token id of what it masks."""

    ids: list[int]
    position: int
    original: int


@dataclass(frozen=True)
class Tokens:
    """The tokens of a text, which all its forms share: their encoding, their ids, and the characters of each."""

    text: str
    encoding: Encoding
    ids: list[int]
    offsets: list[Span]

    @cached_property
    def starts(self) -> list[int]:
        """The offset of the first character of each sentence."""
        return sentence_starts(self.text)

    @cached_property
    def lengths(self) -> list[int]:
        """The number of tokens of each sentence, without special tokens."""
        lengths = [0] * len(self.starts)
        for begin, end in self.offsets:
            if begin < end:
                lengths[bisect_right(self.starts, begin) - 1] += 1
        return lengths

    def covering(self, start: int, end: int) -> Span:
        """Return the tokens that cover exactly these characters, or `NONE`."""
        first = self.encoding.char_to_token(start)
        if first is None:
            return NONE
        begin, stop = self.offsets[first]
        text = self.text[begin:stop]
        after = first + 1
        while after < len(self.offsets) and self.offsets[after][0] < end and start < self.offsets[after][1]:
            after += 1
        if stop - len(text.lstrip()) != start or self.offsets[after - 1][1] != end:
            return NONE
        return first, after


class FormEncoder:
    """Encodes the forms of one masked LM."""

    def __init__(
        self, tokenizer: Tokenizer, pieces: Sequence[Piece | None], max_length: int | None, *, split_words: bool
    ) -> None:
        """Start without forms.

        Args:
            tokenizer: A fast tokenizer.
            pieces: The pieces of its vocabulary.
            max_length: Maximum number of tokens per form, special tokens included; None if there is no limit.
            split_words: Whether to encode words of several tokens.
        """
        self._backend = tokenizer.backend_tokenizer
        self._mask, self._unknown = tokenizer.mask_token_id, tokenizer.unk_token_id
        self._pieces = pieces
        self._max_length = max_length
        self._split_words = split_words
        self._keys: list[str] = []
        self._forms: list[Row] = []
        self._of_pieces: list[Row] = []
        self._words: list[int] = []
        self._in_window: set[str] = set()
        self._refused: dict[str, str] = {}

    def encode(self, forms: Mapping[str, Form]) -> EncodedForms:
        """Encode forms, given by any key."""
        by_text = grouped((form.text, key) for key, form in forms.items())
        for texts in batches_of(by_text, len, CHARACTERS_PER_BATCH):
            for tokens in self.tokenize(texts):
                for key in by_text[tokens.text]:
                    reason = self._add(key, forms[key], tokens)
                    if reason is not None:
                        self._refused[key] = reason
        rows = self._forms + self._of_pieces
        ids = np.fromiter(chain.from_iterable(row.ids for row in rows), np.int32)
        lengths = np.array([len(row.ids) for row in rows], np.int64)
        columns = {name: np.array([getattr(row, name) for row in rows], np.int64) for name in (POSITION, ORIGINAL)}
        inputs = Encoded({IDS: ids}, lengths.cumsum() - lengths, lengths, columns=columns)
        return EncodedForms(self._keys, inputs, np.array(self._words, np.int64), self._in_window, self._refused)

    def tokenize(self, texts: list[str]) -> Iterator[Tokens]:
        """Tokenize texts."""
        encodings = self._backend.encode_batch(texts)
        for text, encoding in zip(texts, encodings, strict=True):
            yield Tokens(text, encoding, encoding.ids, encoding.offsets)

    def _add(self, key: str, form: Form, tokens: Tokens) -> str | None:
        """Add a form in the text of these tokens, or return why it has no encoding."""
        if self._max_length is not None and len(tokens.ids) > self._max_length:
            return self._add_in_window(key, form, tokens, self._max_length)
        length = form.end - form.start
        first, end = self._tokens_of(form.start, length, tokens)
        others = [self._tokens_of(start, length, tokens) for start in form.also_masked]
        pieces = tokens.ids[first:end]
        if not pieces or NONE in others or self._unknown in pieces or self._pieces[pieces[0]] is None:
            return SPLIT
        if len(pieces) > 1 and not self._split_words:
            return SPLIT
        ids, position = [*tokens.ids], first
        for begin, stop in sorted([(first, end), *others], reverse=True):
            ids[begin:stop] = [self._mask]
            if begin < first:
                position -= stop - begin - 1
        self._forms.append(Row(ids, position, pieces[0]))
        for number, piece in enumerate(pieces if len(pieces) > 1 else ()):
            masks = [self._mask] * (len(pieces) - number)
            masked = [*ids[:position], *pieces[:number], *masks, *ids[position + 1 :]]
            self._of_pieces.append(Row(masked, position + number, piece))
            self._words.append(len(self._keys))
        self._keys.append(key)
        return None

    def _add_in_window(self, key: str, form: Form, tokens: Tokens, max_length: int) -> str | None:
        """Add a form in the widest window of its text that fits, or return why it has no encoding."""
        starts, tried = tokens.starts, None
        # A word can have more tokens at the start of a text than within it: then the next smaller window is tried.
        for limit in range(max_length, -1, -1):
            added = len(tokens.ids) - sum(tokens.lengths)
            sentences = window_around(bisect_right(starts, form.start) - 1, tokens.lengths, limit - added)
            if sentences == tried:
                continue
            first, end = tried = sentences
            window = form.within(starts[first], starts[end] if end < len(starts) else len(form.text))
            [of_window] = self.tokenize([window.text])
            if len(of_window.ids) <= max_length:
                self._in_window.add(key)
                return self._add(key, window, of_window)
        return TOO_LONG

    def _tokens_of(self, start: int, length: int, tokens: Tokens) -> Span:
        """Return the tokens of a word, `NONE` if none cover exactly its characters."""
        first, end = tokens.covering(start, start + length)
        if end - first > 1 and self._pieces[tokens.ids[first - 1]] == Piece("", SPACED):
            first -= 1
        return first, end
