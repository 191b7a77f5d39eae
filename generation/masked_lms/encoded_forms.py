"""Encode forms as token ids with the mask in place, those of a long text in a window of its sentences."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise
from typing import NamedTuple, TypeAlias

import numpy as np

from generation.masked_lms.vocabulary import NO_PIECE, SPACE, Vocabulary
from generation.sentences.forms import Form, sentence_starts
from merge_snli.base.arrays import Ints
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


class Tokens(NamedTuple):
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

    def cover(self, begin: int, end: int) -> tuple[int, int] | None:
        """Return the index of the first token of a word, and that after its last; None if they do not cover it exactly.

        The first may begin with spaces before the word.
        """
        first, after = bisect_right(self.ends, begin), bisect_left(self.begins, end)
        if first >= after or self.ends[after - 1] != end or self.begins[first] > begin:
            return None
        return None if self.text[self.begins[first] : begin].strip() else (first, after)


@dataclass(frozen=True)
class FormEncoder:
    """Encodes the forms of one masked LM.

    Attributes:
        tokenizer: Its fast tokenizer.
        vocabulary: Its pieces.
        max_length: Maximum number of tokens per form, special tokens included.
        split_words: Whether to encode words of several tokens.
    """

    tokenizer: Tokenizer
    vocabulary: Vocabulary
    max_length: int
    split_words: bool

    @cached_property
    def _special(self) -> tuple[int, int | None]:
        """The ids of the mask and of the unknown token, which a tokenizer takes long to look up."""
        return self.tokenizer.mask_token_id, self.tokenizer.unk_token_id

    def encode(self, forms: Mapping[str, Form]) -> EncodedForms:
        """Encode forms, given by any key."""
        keys = grouped((form.text, key) for key, form in forms.items())
        encoded: dict[str, Input] = {}
        in_window: set[str] = set()
        refused: dict[str, str] = {}
        pieces: list[Input] = []
        of_pieces: list[int] = []
        for tokens in self.tokenize([*keys]):
            of_text = keys[tokens.text]
            shown = self._shown(tokens, [forms[key] for key in of_text])
            for key, (form, seen) in zip(of_text, shown, strict=True):
                if len(seen.ids) > self.max_length:
                    refused[key] = TOO_LONG
                    continue
                words = self._find_words(form, seen)
                if not words:
                    refused[key] = SPLIT
                    continue
                start, end = words[0]
                if end - start > 1:
                    of_pieces += [len(encoded)] * (end - start)
                    pieces += [self._mask(seen.ids, words, first, end - first) for first in range(start, end)]
                encoded[key] = self._mask(seen.ids, words, start, 1)
                if seen is not tokens:
                    in_window.add(key)
        inputs = _arrays([*encoded.values(), *pieces])
        return EncodedForms([*encoded], inputs, np.array(of_pieces, np.int64), in_window, refused)

    def tokenize(self, texts: Sequence[str]) -> Iterator[Tokens]:
        """Tokenize texts."""
        for batch in batches_of(texts, len, CHARACTERS_PER_BATCH):
            for text, encoding in zip(batch, self.tokenizer.backend_tokenizer.encode_batch(batch), strict=True):
                begins, ends = zip(*encoding.offsets, strict=True)
                last = len(ends) - 1
                while last and begins[last] >= ends[last]:
                    last -= 1
                yield Tokens(text, encoding.ids, begins[: last + 1], ends[: last + 1])

    def _shown(self, tokens: Tokens, forms: Sequence[Form]) -> Iterator[tuple[Form, Tokens]]:
        """Yield the forms of a text with its tokens; in the widest window that fits if it is too long.

        A form whose sentence alone is too long is in a window of this sentence.
        """
        if len(tokens.ids) <= self.max_length:
            for form in forms:
                yield form, tokens
            return
        starts = [*sentence_starts(tokens.text), len(tokens.text)]
        characters = [begin for begin, end in zip(tokens.begins, tokens.ends, strict=True) if begin < end]
        edges = [bisect_left(characters, start) for start in starts]
        lengths = [end - begin for begin, end in pairwise(edges)]
        special_tokens = len(tokens.ids) - len(characters)
        for form in forms:
            yield self._window(form, starts, lengths, self.max_length - special_tokens)

    def _window(self, form: Form, starts: Sequence[int], lengths: Sequence[int], most: int) -> tuple[Form, Tokens]:
        """Return a form in the widest window of its text that fits, or else in its sentence, and the tokens.

        Args:
            form: The form.
            starts: The offset of the first character of each sentence, and the length of the text.
            lengths: The number of tokens of each sentence.
            most: The largest number of tokens in a window, without special tokens.
        """
        sentence = bisect_right(starts, form.start) - 1
        while True:
            first, end = window_around(sentence, lengths, most)
            window = form.within(starts[first], starts[end])
            [tokens] = self.tokenize([window.text])
            if len(tokens.ids) <= self.max_length or end - first == 1:
                return window, tokens
            # A word can have more tokens at the start of a text than within it: then the next smaller window is tried.
            most = sum(lengths[first:end]) - 1

    def _find_words(self, form: Form, tokens: Tokens) -> list[tuple[int, int]]:
        """Return the indices of the tokens of the word of a form, and of those that are masked with it.

        None are returned if a word is not covered exactly, or that of the form is not a single token or, with
        `split_words`, not known tokens.
        """
        words = []
        for begin in (form.start, *form.also_masked):
            covering = tokens.cover(begin, begin + form.end - form.start)
            if covering is None:
                return []
            start, end = covering
            # The spaces before the word may be a token of their own.
            if end - start > 1 and self.vocabulary.pieces[tokens.ids[start - 1]] == SPACE:
                start -= 1
            words.append((start, end))
        start, end = words[0]
        own, (_, unknown) = tokens.ids[start:end], self._special
        is_split = len(own) > 1 and not self.split_words
        if is_split or unknown in own or self.vocabulary.pieces[own[0]] == NO_PIECE:
            return []
        return words

    def _mask(self, ids: list[int], words: list[tuple[int, int]], first: int, masks: int) -> Input:
        """Mask words, each with a single mask, but that of the form.

        Args:
            ids: The token ids of the text.
            words: The indices of the tokens of the word of the form, and of the others.
            first: The index of the first token of the word of the form that is masked.
            masks: The number of masks in place of it and of those after it.
        """
        masked, position = [*ids], first
        mask, _ = self._special
        own, _ = words[0]
        for start, end in sorted(words, reverse=True):
            if start == own:
                masked[first:end] = [mask] * masks
            else:
                masked[start:end] = [mask]
            if start < own:
                position -= end - start - 1
        return masked, position, ids[first]


def _arrays(inputs: Sequence[Input]) -> Encoded:
    lengths = np.array([len(ids) for ids, _, _ in inputs], np.int64)
    ids = np.fromiter(chain.from_iterable(ids for ids, _, _ in inputs), np.int32)
    columns = {
        POSITION: np.array([position for _, position, _ in inputs], np.int64),
        ORIGINAL: np.array([original for _, _, original in inputs], np.int64),
    }
    return Encoded({IDS: ids}, lengths.cumsum() - lengths, lengths, columns=columns)
