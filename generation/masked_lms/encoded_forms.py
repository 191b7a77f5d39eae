"""Encode forms as token ids with the mask in place, those of a long text in a window of its sentences."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from generation.masked_lms.vocabulary import SPACED, Piece, Vocabulary
from generation.sentences.forms import Form, sentence_starts
from merge_snli.base.batches import batches_of, grouped
from merge_snli.dataset.answered_forms import SPLIT, TOO_LONG

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

# Texts that are tokenized in one call, which Ctrl-C cannot interrupt, and whose tokens are in memory together.
CHARACTERS_PER_BATCH = 100_000

# Index of the first token, and the index after the last.
Span = tuple[int, int]


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


@dataclass(frozen=True, slots=True)
class EncodedForm:
    """A form as token ids.

    Attributes:
        ids: The token ids, with a single mask for the word even if it has several pieces.
        mask_index: Position of the mask.
        original_id: Token id of the original word, or of its first piece if it has several.
        pieces: One form per piece if the word has several, else empty. Each keeps the pieces before it and masks
            itself and the pieces after it, so that no piece is predicted from a later one.
        in_window: Whether the text was too long, so that the form is a window of it.
    """

    ids: tuple[int, ...]
    mask_index: int
    original_id: int
    pieces: tuple[EncodedForm, ...] = ()
    in_window: bool = False


def encode_forms(
    forms: Sequence[Form],
    tokenizer: PreTrainedTokenizerFast,
    vocabulary: Vocabulary,
    max_length: int | None,
    *,
    split_words: bool = False,
) -> list[EncodedForm | str]:
    """Encode forms as token ids.

    Args:
        forms: One or more forms.
        tokenizer: A fast tokenizer.
        vocabulary: Its vocabulary.
        max_length: Maximum number of tokens per form, special tokens included; None if there is no limit.
        split_words: Whether to encode words of several tokens.

    Returns:
        For each form, its encoding or the reason why it has none: `split` if the word is not a single token in the
        sentence (with `split_words`: not a sequence of known tokens that covers exactly the word), `too long` if its
        sentence alone has more than `max_length` tokens. A form with more tokens is encoded in a window of its text.
    """
    encoder = _Encoder(tokenizer, tokenizer.mask_token_id, vocabulary.pieces, max_length, split_words)
    by_text = grouped((form.text, number) for number, form in enumerate(forms))
    encoded = {
        number: encoder.encode(forms[number], tokens)
        for texts in batches_of(by_text, len, CHARACTERS_PER_BATCH)
        for tokens in _tokenize(tokenizer, texts)
        for number in by_text[tokens.text]
    }
    return [encoded[number] for number in range(len(forms))]


@dataclass(frozen=True)
class _Tokens:
    """The tokens of a text, which all forms of the text share: their ids, and the characters of each."""

    text: str
    ids: list[int]
    offsets: Sequence[Span]

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

    @cached_property
    def added(self) -> int:
        """The number of special tokens."""
        return len(self.ids) - sum(self.lengths)


def _tokenize(tokenizer: PreTrainedTokenizerFast, texts: list[str]) -> Iterator[_Tokens]:
    encodings = tokenizer(
        texts,
        return_offsets_mapping=True,
        return_attention_mask=False,
        return_token_type_ids=False,
        verbose=False,
    )
    return map(_Tokens, texts, encodings["input_ids"], encodings["offset_mapping"])


@dataclass(frozen=True)
class _Encoder:
    """Encodes the forms of one masked LM."""

    tokenizer: PreTrainedTokenizerFast
    mask: int
    pieces: Sequence[Piece | None]
    max_length: int | None
    split_words: bool

    def encode(self, form: Form, tokens: _Tokens) -> EncodedForm | str:
        ids, offsets = tokens.ids, tokens.offsets
        if self.max_length is not None and len(ids) > self.max_length:
            return self._encode_in_window(form, tokens, self.max_length)
        length = form.end - form.start
        spans = {start: self._span(form.text, start, start + length, ids, offsets) for start in form.also_masked}
        word = spans[form.start] = self._span(form.text, form.start, form.end, ids, offsets)
        if word is None or None in spans.values():
            return SPLIT
        word_ids = ids[word[0] : word[1]]
        several = len(word_ids) > 1
        if (
            (several and not self.split_words)
            or self.tokenizer.unk_token_id in word_ids
            or self.pieces[word_ids[0]] is None
        ):
            return SPLIT
        before, after = self._context(ids, form.start, {start: span for start, span in spans.items() if span})
        pieces = (
            EncodedForm(
                (*before, *word_ids[:index], *[self.mask] * (len(word_ids) - index), *after),
                len(before) + index,
                piece_id,
            )
            for index, piece_id in enumerate(word_ids if several else ())
        )
        return EncodedForm((*before, self.mask, *after), len(before), word_ids[0], tuple(pieces))

    def _encode_in_window(self, form: Form, tokens: _Tokens, max_length: int) -> EncodedForm | str:
        """Encode a form in the widest window of its text that fits."""
        starts, tried = tokens.starts, None
        # A word can have more tokens at the start of a text than within it: then the next smaller window is tried.
        for limit in range(max_length, -1, -1):
            sentences = window_around(bisect_right(starts, form.start) - 1, tokens.lengths, limit - tokens.added)
            if sentences == tried:
                continue
            first, end = tried = sentences
            window = form.within(starts[first], starts[end] if end < len(starts) else len(form.text))
            (of_window,) = _tokenize(self.tokenizer, [window.text])
            if len(of_window.ids) <= max_length:
                encoded = self.encode(window, of_window)
                return encoded if isinstance(encoded, str) else replace(encoded, in_window=True)
        return TOO_LONG

    def _context(self, ids: list[int], word_start: int, spans: dict[int, Span]) -> tuple[list[int], list[int]]:
        """Return the tokens before and after the word, with one mask for each of the other masked words."""
        before: list[int] = []
        after: list[int] = []
        side, position = before, 0
        for start, (first, end) in sorted(spans.items()):
            side += ids[position:first]
            if start == word_start:
                side = after
            else:
                side.append(self.mask)
            position = end
        side += ids[position:]
        return before, after

    def _span(self, text: str, start: int, end: int, ids: list[int], offsets: Sequence[Span]) -> Span | None:
        """Return the tokens that cover exactly these characters, or None if there are none."""
        covering = [
            index
            for index, (begin, stop) in enumerate(offsets)
            if begin < end and stop > start and text[begin:stop].strip()
        ]
        if not covering or offsets[covering[-1]][1] != end:
            return None
        first, last = covering[0], covering[-1]
        begin, stop = offsets[first]
        if stop - len(text[begin:stop].lstrip()) != start:
            return None
        if last > first and self.pieces[ids[first - 1]] == Piece("", SPACED):
            first -= 1
        return first, last + 1
