"""Encoded forms: a form as token ids with the mask in place, or why a masked LM cannot be asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from generation.masked_lms.vocabulary import SPACED, Piece

if TYPE_CHECKING:
    from collections.abc import Sequence

    from transformers import PreTrainedTokenizerFast

    from generation.masked_lms.vocabulary import Vocabulary
    from generation.sentences.forms import Form

SPLIT = "split"
TOO_LONG = "too long"

Span = tuple[int, int]
"""Index of a first token, and the index behind the last."""


@dataclass(frozen=True, slots=True)
class EncodedForm:
    """A form as token ids.

    Attributes:
        ids: The token ids, with one mask for the word whatever its pieces.
        mask_index: Where that mask stands.
        original_id: Id of the original word's piece, the first where it has several.
        pieces: Where it has several, what asks for each of them: the pieces before it in place, it and those behind
            it masked, so that no piece is told by one that follows.
    """

    ids: tuple[int, ...]
    mask_index: int
    original_id: int
    pieces: tuple[EncodedForm, ...] = ()


def encode_forms(
    forms: Sequence[Form],
    tokenizer: PreTrainedTokenizerFast,
    vocabulary: Vocabulary,
    max_length: int,
    *,
    split_words: bool = False,
) -> list[EncodedForm | str]:
    """Turn forms into token ids.

    Args:
        forms: The forms.
        tokenizer: A fast tokenizer.
        vocabulary: What its pieces stand for.
        max_length: How many tokens a form may have, special ones included.
        split_words: Whether a word of several tokens is asked for too.

    Returns:
        For each form its ids with the mask in place, or why the masked LM cannot be asked: `split` where the word is
        not one token at its place in the sentence (with `split_words`: not a run of known tokens of its own), `too
        long` where the sentence is longer than the model takes.
    """
    if not forms:
        return []
    encodings = tokenizer(
        [form.text for form in forms],
        return_offsets_mapping=True,
        return_attention_mask=False,
        return_token_type_ids=False,
        verbose=False,
    )
    encoder = _Encoder(tokenizer, vocabulary, max_length, split_words)
    return [
        encoder.encode(form, ids, offsets)
        for form, ids, offsets in zip(forms, encodings["input_ids"], encodings["offset_mapping"], strict=True)
    ]


class _Encoder:
    """What encoding needs to know of a masked LM."""

    def __init__(
        self, tokenizer: PreTrainedTokenizerFast, vocabulary: Vocabulary, max_length: int, split_words: bool
    ) -> None:
        self._mask: int = tokenizer.mask_token_id
        self._unknown = tokenizer.unk_token_id
        self._pieces = vocabulary.pieces
        self._max_length = max_length
        self._split_words = split_words

    def encode(self, form: Form, ids: list[int], offsets: Sequence[Span]) -> EncodedForm | str:
        if len(ids) > self._max_length:
            return TOO_LONG
        length = form.end - form.start
        spans = {start: self._span(form.text, start, start + length, ids, offsets) for start in form.also_masked}
        word = spans[form.start] = self._span(form.text, form.start, form.end, ids, offsets)
        if word is None or None in spans.values():
            return SPLIT
        run = ids[word[0] : word[1]]
        several = len(run) > 1
        if (several and not self._split_words) or self._unknown in run or self._pieces[run[0]] is None:
            return SPLIT
        before, after = self._around(ids, form.start, {start: span for start, span in spans.items() if span})
        pieces = self._ask_for_each(before, run, after) if several else ()
        return EncodedForm((*before, self._mask, *after), len(before), run[0], pieces)

    def _around(self, ids: list[int], asked: int, spans: dict[int, Span]) -> tuple[list[int], list[int]]:
        """Return the tokens before and behind the word that is asked for, with one mask for each other word masked."""
        before: list[int] = []
        behind: list[int] = []
        part, done = before, 0
        for start, (first, end) in sorted(spans.items()):
            part += ids[done:first]
            if start == asked:
                part = behind
            else:
                part.append(self._mask)
            done = end
        part += ids[done:]
        return before, behind

    def _ask_for_each(self, before: list[int], run: list[int], after: list[int]) -> tuple[EncodedForm, ...]:
        return tuple(
            EncodedForm((*before, *run[:nth], *[self._mask] * (len(run) - nth), *after), len(before) + nth, piece)
            for nth, piece in enumerate(run)
        )

    def _span(self, text: str, start: int, end: int, ids: list[int], offsets: Sequence[Span]) -> Span | None:
        """Return the tokens that cover these characters and nothing else, or None where no tokens do."""
        covering = [
            index for index, (begin, stop) in enumerate(offsets) if begin < end and stop > start and begin < stop
        ]
        covering = [index for index in covering if text[slice(*offsets[index])].strip()]
        if not covering or offsets[covering[-1]][1] != end:
            return None
        first, last = covering[0], covering[-1]
        begin, stop = offsets[first]
        if begin + len(text[begin:stop]) - len(text[begin:stop].lstrip()) != start:
            return None
        if last > first and self._pieces[ids[first - 1]] == Piece("", SPACED):
            first -= 1
        return first, last + 1
