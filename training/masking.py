"""Which pieces of a sentence are chosen, and what is put in their place."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from tokenizers import Encoding

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

OPEN_RATE = 0.23
OTHER_RATE = 0.08
MASK_SHARE = 0.9
RANDOM_SHARE = 0.05
IGNORED = -100

FUNCTION_WORD_LIST = """
a about above across after against all along also am an and any are as at be because been before behind being below
beside between both but by can could did do does down during each for from had has have he her here him his how i if
in into is it its just like may me might more most must my near no nor not of off on onto or other our out outside
over s shall she should so some such t than that the their them then there these they this those through to too toward
towards under until up upon us very was we were what when where which while who whom whose why will with within
without would you your
"""
FUNCTION_WORDS = frozenset(FUNCTION_WORD_LIST.split())


@dataclass(frozen=True)
class Masked:
    """A batch ready for a masked LM: ids with some replaced, the attention mask, and the ids to find there."""

    ids: Ints
    attention: Ints
    targets: Ints


def choice_rates(text: str, encoding: Encoding) -> Floats:
    """Return for each piece of a sentence how likely it is chosen.

    Open-class words of one piece are what MERGE asks for, so they are chosen most often; special tokens never, nor
    a last word without a full stop after it, since MERGE puts one there before it asks.
    """
    words = encoding.word_ids
    rates = np.full(len(words), OTHER_RATE)
    for place, (word, (start, end)) in enumerate(zip(words, encoding.offsets, strict=True)):
        if word is None:
            rates[place] = 0.0
        elif words.count(word) == 1 and _is_open(text[start:end].strip()):
            rates[place] = OPEN_RATE
        if end == len(text) and text[start:end][-1:].isalnum():
            rates[place] = 0.0
    return rates


def _is_open(word: str) -> bool:
    return len(word) > 1 and word.isalpha() and word.lower() not in FUNCTION_WORDS


def mask_batch(
    sentences: list[Ints], rates: list[Floats], rng: np.random.Generator, *, mask_id: int, pad_id: int, regular: Ints
) -> Masked:
    """Choose pieces of each sentence and replace most of them by the mask.

    Args:
        sentences: The ids of each sentence.
        rates: How likely each id is chosen.
        rng: Where the choice comes from.
        mask_id: The id of the mask.
        pad_id: The id that fills up shorter sentences.
        regular: The ids that a random replacement is drawn from.

    Returns:
        Arrays of shape (sentences, longest sentence).
    """
    shape = (len(sentences), max(map(len, sentences)))
    ids = np.full(shape, pad_id, dtype=np.int64)
    attention = np.zeros(shape, dtype=np.int64)
    likely = np.zeros(shape)
    for row, (sentence, rate) in enumerate(zip(sentences, rates, strict=True)):
        ids[row, : len(sentence)] = sentence
        attention[row, : len(sentence)] = 1
        likely[row, : len(sentence)] = rate
    draw = rng.random(shape)
    chosen = draw < likely
    # A sentence in which nothing was chosen gives its most nearly chosen piece.
    nearest = np.where(likely > 0, draw / np.maximum(likely, 1e-9), np.inf).argmin(axis=1)
    bare = ~chosen.any(axis=1) & (likely.max(axis=1) > 0)
    chosen[bare, nearest[bare]] = True
    fate = rng.random(shape)
    targets = np.where(chosen, ids, IGNORED)
    noise = rng.choice(regular, size=shape)
    ids = np.where(chosen & (fate < MASK_SHARE), mask_id, ids)
    ids = np.where(chosen & (fate >= MASK_SHARE) & (fate < MASK_SHARE + RANDOM_SHARE), noise, ids)
    return Masked(ids, attention, targets)
