"""Encode forms as token ids with the mask in place, those of a long text in a window of its sentences."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

import numpy as np

from generation.masked_lms.vocabulary import Vocabulary
from generation.sentences.forms import Form, sentence_starts
from merge_snli.base.arrays import Bools, Ints
from merge_snli.base.batches import batches_of, grouped
from merge_snli.dataset.answered_forms import SPLIT, TOO_LONG
from merge_snli.models.runner.encoded import IDS, Encoded, Tokenizer

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
    """The tokens of texts, one text after another.

    Attributes:
        ids: Their ids, [n_tokens].
        begins: The offset in the joined texts of the first character of each, [n_tokens].
        ends: The offset after its last character, [n_tokens]; that of a special token is not larger.
        lengths: The number of tokens of each text, [n_texts].
    """

    ids: Ints
    begins: Ints
    ends: Ints
    lengths: Ints

    def followed_by(self, tokens: Tokens, characters: int) -> Tokens:
        """Return these tokens and those of more texts, which begin after a number of characters."""
        return Tokens(
            np.append(self.ids, tokens.ids),
            np.append(self.begins, tokens.begins + characters),
            np.append(self.ends, tokens.ends + characters),
            np.append(self.lengths, tokens.lengths),
        )


class Words(NamedTuple):
    """Words to mask: the word of each form, and after it the others that are masked with it.

    Attributes:
        firsts: The number of the word of each form, [n_forms].
        starts: The index of the first token of each word, [n_words].
        sizes: The number of its tokens, [n_words].
        is_split: Whether the word of each form, or another one, is not a single token, or with `split_words` not known
            tokens that cover exactly the word, [n_forms].
    """

    firsts: Ints
    starts: Ints
    sizes: Ints
    is_split: Bools


@dataclass(frozen=True)
class FormEncoder:
    """Encodes the forms of one masked LM, many in one step of arrays.

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

    def encode(self, forms: Mapping[str, Form]) -> EncodedForms:
        """Encode forms, given by any key."""
        texts = [*{form.text: None for form in forms.values()}]
        tokens = self.tokenize(texts)
        windows = self._find_windows(forms, texts, tokens)
        refused = {key: TOO_LONG for key, window in windows.items() if window is None}
        shown = {key: form for key, form in (dict(forms) | windows).items() if form is not None}
        of_windows = [*{form.text: None for form in windows.values() if form is not None}]
        if of_windows:
            tokens = tokens.followed_by(self.tokenize(of_windows), sum(map(len, texts)))
            texts += of_windows
        numbers = {text: number for number, text in enumerate(texts)}
        of_texts = np.array([numbers[form.text] for form in shown.values()], np.int64)
        words = self._find_words([*shown.values()], of_texts, texts, tokens)
        keys, rows = [*shown], np.flatnonzero(~words.is_split)
        refused |= dict.fromkeys([keys[number] for number in np.flatnonzero(words.is_split).tolist()], SPLIT)
        pieces = words.sizes[words.firsts[rows]]
        of_pieces = np.repeat(np.arange(len(rows)), np.where(pieces > 1, pieces, 0))
        inputs = self._mask_words(words, of_texts, tokens, rows, rows[of_pieces])
        in_window = windows.keys() - refused.keys()
        return EncodedForms([keys[row] for row in rows.tolist()], inputs, of_pieces, in_window, refused)

    def tokenize(self, texts: Sequence[str]) -> Tokens:
        """Tokenize texts."""
        ids, offsets, lengths = array("q"), array("q"), array("q")
        for batch in batches_of(texts, len, CHARACTERS_PER_BATCH):
            for encoding in self.tokenizer.backend_tokenizer.encode_batch(batch):
                ids.extend(encoding.ids)
                offsets.extend(chain.from_iterable(encoding.offsets))
                lengths.append(len(encoding))
        begins, ends = np.array(offsets).reshape(-1, 2).T + np.repeat(_first_characters(texts), lengths)
        return Tokens(np.array(ids), begins, ends, np.array(lengths))

    def _find_windows(self, forms: Mapping[str, Form], texts: Sequence[str], tokens: Tokens) -> dict[str, Form | None]:
        """Return the forms of texts that are too long in a window of their text, by key; None if none fits."""
        windows: dict[str, Form | None] = {}
        characters = tokens.begins[tokens.begins < tokens.ends]
        first_characters = _first_characters(texts)
        keys = grouped((form.text, key) for key, form in forms.items())
        for number in np.flatnonzero(tokens.lengths > self.max_length).tolist():
            text, first = texts[number], first_characters[number]
            starts = [*sentence_starts(text), len(text)]
            lengths = np.diff(np.searchsorted(characters, first + np.array(starts))).tolist()
            most = self.max_length - int(tokens.lengths[number]) + sum(lengths)
            for key in keys[text]:
                windows[key] = self._window(forms[key], starts, lengths, most)
        return windows

    def _window(self, form: Form, starts: Sequence[int], lengths: Sequence[int], most: int) -> Form | None:
        """Return a form in the widest window of its text that fits, or None.

        Args:
            form: The form.
            starts: The offset of the first character of each sentence, and the length of the text.
            lengths: The number of tokens of each sentence.
            most: The largest number of tokens in a window, without special tokens.
        """
        tried = None
        # A word can have more tokens at the start of a text than within it: then the next smaller window is tried.
        for limit in range(most, -1, -1):
            sentences = window_around(bisect_right(starts, form.start) - 1, lengths, limit)
            if sentences != tried:
                first, end = tried = sentences
                window = form.within(starts[first], starts[end])
                if self.tokenize([window.text]).lengths[0] <= self.max_length:
                    return window
        return None

    def _find_words(self, forms: Sequence[Form], of_texts: Ints, texts: Sequence[str], tokens: Tokens) -> Words:
        """Find the tokens of the words of forms in the texts with the numbers `of_texts`."""
        offsets = [(form.start, *form.also_masked) for form in forms]
        counts = np.array([*map(len, offsets)], np.int64)
        begins = np.fromiter(chain.from_iterable(offsets), np.int64)
        begins += np.repeat(_first_characters(texts)[of_texts], counts)
        ends = begins + np.repeat(np.array([form.end - form.start for form in forms], np.int64), counts)
        with_characters = np.flatnonzero(tokens.begins < tokens.ends)
        token_begins, token_ends = tokens.begins[with_characters], tokens.ends[with_characters]
        starts = with_characters[np.searchsorted(token_ends[:-1], begins, side="right")]
        lasts = with_characters[np.searchsorted(token_begins, ends) - 1]
        is_covered = (tokens.begins[starts] <= begins) & (tokens.ends[lasts] == ends) & (starts <= lasts)
        # A token may begin with spaces before the word.
        joined = "".join(texts)
        for word in np.flatnonzero(is_covered & (tokens.begins[starts] < begins)).tolist():
            is_covered[word] = joined[tokens.begins[starts[word]] : begins[word]].isspace()
        # Or they are a token of their own.
        follows_space = np.isin(tokens.ids[starts - 1], self.vocabulary.spaces)
        starts -= (starts < lasts) & follows_space
        firsts, sizes = counts.cumsum() - counts, lasts + 1 - starts
        is_split = ~np.logical_and.reduceat(is_covered, firsts)
        unknown = np.append(0, np.cumsum(tokens.ids == self.tokenizer.unk_token_id))
        is_split |= unknown[lasts[firsts] + 1] > unknown[starts[firsts]]
        is_split |= self.vocabulary.kinds[tokens.ids[starts[firsts]]] == ""
        is_split |= (sizes[firsts] > 1) & (not self.split_words)
        return Words(firsts, starts, sizes, is_split)

    def _mask_words(self, words: Words, of_texts: Ints, tokens: Tokens, forms: Ints, of_pieces: Ints) -> Encoded:
        """Return the inputs of some forms, and those of the pieces of words of several.

        Args:
            words: The words of all forms.
            of_texts: The number of the text of each form.
            tokens: The tokens of the texts.
            forms: The numbers of the forms.
            of_pieces: The number of the form of each piece.
        """
        rows = np.append(forms, of_pieces)
        lengths = tokens.lengths[of_texts[rows]]
        sources = (tokens.lengths.cumsum() - tokens.lengths)[of_texts[rows]]
        first = lengths.cumsum() - lengths
        ids = tokens.ids[_ranges(sources, lengths)]
        counts = np.diff(words.firsts, append=len(words.starts))[rows]
        masked = _ranges(words.firsts[rows], counts)
        # The word of each row, of which the pieces before that of the row stay as they are.
        own = counts.cumsum() - counts
        before = np.zeros_like(masked)
        before[own[len(forms) :]] = np.arange(len(of_pieces)) - np.searchsorted(of_pieces, of_pieces)
        starts = words.starts[masked] + np.repeat(first - sources, counts) + before
        sizes = words.sizes[masked] - before
        ids[_ranges(starts, sizes)] = self.tokenizer.mask_token_id
        # One mask stays of any other word.
        sizes[own[len(forms) :]] = 1
        is_kept = np.ones(len(ids), np.bool_)
        is_kept[_ranges(starts + 1, sizes - 1)] = False
        kept = np.append(0, is_kept.cumsum())
        originals = tokens.ids[words.starts[words.firsts[rows]] + before[own]]
        columns = {POSITION: kept[starts[own]] - kept[first], ORIGINAL: originals}
        lengths = np.diff(kept[np.append(first, len(ids))])
        return Encoded({IDS: ids[is_kept].astype(np.int32)}, lengths.cumsum() - lengths, lengths, columns=columns)


def _first_characters(texts: Sequence[str]) -> Ints:
    """Return the offset of the first character of each text in the joined texts."""
    return np.cumsum([0, *map(len, texts)])[:-1]


def _ranges(starts: Ints, lengths: Ints) -> Ints:
    """Return the numbers from each start on, as many as its length, one range after another."""
    before = lengths.cumsum() - lengths
    return np.arange(lengths.sum()) + np.repeat(starts - before, lengths)
