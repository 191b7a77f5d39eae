"""Encode forms as token ids with the mask in place, those of a long text in a window of its sentences."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TypeAlias

import numpy as np

from generation.masked_lms.vocabulary import NO_PIECE, SPACE, Vocabulary
from generation.sentences.forms import Form, sentence_starts
from merge_snli.base.arrays import Bools, Ints
from merge_snli.base.batches import batches_of, grouped
from merge_snli.dataset.answered_forms import SPLIT, TOO_LONG
from merge_snli.models.runner.encoded import IDS, Encoded, Tokenizer

# The token ids of a form, the position of its mask, and the token id that it masks.
Input: TypeAlias = tuple[list[int], int, int]

# Texts that are tokenized in one call, which Ctrl-C cannot interrupt.
CHARACTERS_PER_BATCH = 100_000

# The columns of encoded forms: the position of the mask, and the token id of the original word, or of its first piece.
POSITION, ORIGINAL = "position", "original"


@dataclass(frozen=True)
class EncodedForms:
    """Forms as token ids, with a single mask for each masked word.

    A word of several pieces has more inputs, one per piece. Each keeps the pieces before it and masks itself and the
    pieces after it, so that no piece is predicted from a later one.

    Attributes:
        keys: The keys of the forms, [n_forms].
        inputs: The forms, [n_forms].
        in_window: Whether the text of a form was too long, so that it shows a window of it, [n_forms].
        pieces: The pieces of words of several, [n_pieces].
        words: The index of the form of each piece, [n_pieces].
        refused: Why other forms have no encoding, by key: `split` if the word is not a single token in the sentence
            (with `split_words`: not a sequence of known tokens that covers exactly the word), `too long` if its
            sentence alone has too many tokens.
    """

    keys: list[str]
    inputs: Encoded
    in_window: Bools
    pieces: Encoded
    words: Ints
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
    first = index
    end = index + 1
    room = limit - lengths[index]
    grown = True
    while grown:
        grown = False
        if first > 0 and lengths[first - 1] <= room:
            first -= 1
            room -= lengths[first]
            grown = True
        if end < len(lengths) and lengths[end] <= room:
            room -= lengths[end]
            end += 1
            grown = True
    return first, end


@dataclass(frozen=True)
class Tokens:
    """A text and its tokens.

    Attributes:
        text: The text.
        ids: Their ids, with those of special tokens.
        begins: The offset of the first character of each token up to the last one with characters.
        ends: The offset after its last character; that of a special token is not larger.
    """

    text: str
    ids: list[int]
    begins: tuple[int, ...]
    ends: tuple[int, ...]

    @cached_property
    def sentences(self) -> tuple[list[int], list[int]]:
        """The offset of each sentence and, at the end, the length of the text; and the number of tokens of each."""
        starts = [*sentence_starts(self.text), len(self.text)]
        characters = [begin for begin, end in zip(self.begins, self.ends, strict=True) if begin < end]
        return starts, np.diff(np.searchsorted(characters, starts)).tolist()

    def of_word(self, start: int, end: int) -> range:
        """Return the indices of the tokens of a word; an empty range if they do not cover it exactly.

        The first may begin with spaces before the word.
        """
        first = bisect_right(self.ends, start)
        after = bisect_left(self.begins, end)
        if self.ends[after - 1] == end and self.text[self.begins[first] : end].lstrip() == self.text[start:end]:
            return range(first, after)
        return range(0)


@dataclass(frozen=True)
class FormEncoder:
    """Encodes the forms of one masked LM.

    Attributes:
        tokenizer: Its fast tokenizer.
        vocabulary: Its pieces.
        max_length: Maximum number of tokens per form, special tokens included.
    """

    tokenizer: Tokenizer
    vocabulary: Vocabulary
    max_length: int

    @cached_property
    def _special(self) -> tuple[int, int | None]:
        """The ids of the mask and of the unknown token, which a tokenizer takes long to look up."""
        return self.tokenizer.mask_token_id, self.tokenizer.unk_token_id

    def encode(self, forms: Mapping[str, Form], *, split_words: bool = False) -> EncodedForms:
        """Encode forms, given by any key.

        Args:
            forms: The forms.
            split_words: Whether to include words of several tokens.
        """
        keys = grouped((form.text, key) for key, form in forms.items())
        encoded = {}
        in_window = []
        pieces = []
        words = []
        refused = {}
        for tokens in self.tokenize([*keys]):
            for key in keys[tokens.text]:
                form, seen = self._shown(forms[key], tokens)
                if len(seen.ids) > self.max_length:
                    refused[key] = TOO_LONG
                    continue
                inputs = [*self._inputs(form, seen, split_words)]
                if not inputs:
                    refused[key] = SPLIT
                    continue
                encoded[key], *of_word = inputs
                in_window.append(seen is not tokens)
                pieces += of_word
                words += [len(encoded) - 1] * len(of_word)
        return EncodedForms(
            [*encoded],
            _arrays([*encoded.values()]),
            np.array(in_window, np.bool_),
            _arrays(pieces),
            np.array(words, np.int64),
            refused,
        )

    def tokenize(self, texts: Sequence[str]) -> Iterator[Tokens]:
        """Tokenize texts."""
        for batch in batches_of(texts, len, CHARACTERS_PER_BATCH):
            for text, encoding in zip(batch, self.tokenizer.backend_tokenizer.encode_batch(batch), strict=True):
                offsets = encoding.offsets
                # Special tokens at the end have the offset 0.
                while len(offsets) > 1 and not offsets[-1][1]:
                    offsets.pop()
                yield Tokens(text, encoding.ids, *zip(*offsets, strict=True))

    def _shown(self, form: Form, tokens: Tokens) -> tuple[Form, Tokens]:
        """Return a form with its tokens; if its text is too long, in the widest window of the text that fits.

        A form whose sentence alone is too long is in a window of this sentence.
        """
        if len(tokens.ids) <= self.max_length:
            return form, tokens
        starts, lengths = tokens.sentences
        sentence = bisect_right(starts, form.start) - 1
        most = self.max_length - len(tokens.ids) + sum(lengths)
        while True:
            first, end = window_around(sentence, lengths, most)
            window = form.within(starts[first], starts[end])
            [tokens] = self.tokenize([window.text])
            if len(tokens.ids) <= self.max_length or end - first == 1:
                return window, tokens
            # A word can have more tokens at the start of a text than within it: then the next smaller window is tried.
            most = sum(lengths[first:end]) - 1

    def _inputs(self, form: Form, tokens: Tokens, split_words: bool) -> Iterator[Input]:
        """Yield a form and, if its word has several pieces, one input per piece; nothing if the word is split."""
        words = []
        for start in (form.start, *form.also_masked):
            word = tokens.of_word(start, start + form.end - form.start)
            if not word:
                return
            first = word.start
            # The spaces before the word may be a token of their own.
            if len(word) > 1 and self.vocabulary.pieces[tokens.ids[first - 1]] == SPACE:
                first -= 1
            words.append((first, word.stop))
        (first, after), *others = words
        own = tokens.ids[first:after]
        mask, unknown = self._special
        is_split = len(own) > 1 and not split_words
        if is_split or unknown in own or self.vocabulary.pieces[own[0]] == NO_PIECE:
            return
        before = tokens.ids[:first]
        behind = tokens.ids[after:]
        for begin, end in sorted(others, reverse=True):
            if begin < first:
                before[begin:end] = [mask]
            else:
                behind[begin - after : end - after] = [mask]
        yield [*before, mask, *behind], len(before), own[0]
        if len(own) > 1:
            masks = [mask] * len(own)
            for piece in own:
                yield [*before, *masks, *behind], len(before), piece
                before.append(piece)
                masks.pop()


def _arrays(inputs: Sequence[Input]) -> Encoded:
    ids = np.fromiter(chain.from_iterable(ids for ids, *_ in inputs), np.int32)
    values = np.array([(len(ids), *values) for ids, *values in inputs], np.int64)
    lengths, positions, originals = values.reshape(-1, 3).T
    columns = {POSITION: positions, ORIGINAL: originals}
    return Encoded({IDS: ids}, lengths.cumsum() - lengths, lengths, columns=columns)
