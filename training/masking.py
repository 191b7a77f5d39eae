"""Choose the pieces of a sentence that a masked LM has to predict, and mask them."""

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
    """A masked batch: input ids, attention mask and target ids (`IGNORED` where nothing is predicted)."""

    ids: Ints
    attention: Ints
    targets: Ints


def choice_rates(text: str, encoding: Encoding) -> Floats:
    """Return the probability that each piece of a sentence is chosen.

    Open-class words of one piece have the highest rate, since MERGE masks these. Special tokens are never chosen, nor
    is a last word without a full stop after it, since MERGE adds a full stop to such forms.
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
    """Choose pieces of each sentence and replace most of them with the mask token.

    Args:
        sentences: The ids of each sentence.
        rates: The probability that each id is chosen.
        rng: The random number generator.
        mask_id: The id of the mask token.
        pad_id: The id of the padding token.
        regular: The ids that random replacements are drawn from.

    Returns:
        Arrays of shape (sentences, length of the longest sentence).
    """
    shape = (len(sentences), max(map(len, sentences)))
    ids = np.full(shape, pad_id, dtype=np.int64)
    attention = np.zeros(shape, dtype=np.int64)
    probability = np.zeros(shape)
    for row, (sentence, rate) in enumerate(zip(sentences, rates, strict=True)):
        ids[row, : len(sentence)] = sentence
        attention[row, : len(sentence)] = 1
        probability[row, : len(sentence)] = rate
    draw = rng.random(shape)
    chosen = draw < probability
    # If no piece of a sentence was chosen, choose the piece that came closest.
    nearest = np.where(probability > 0, draw / np.maximum(probability, 1e-9), np.inf).argmin(axis=1)
    empty = ~chosen.any(axis=1) & (probability.max(axis=1) > 0)
    chosen[empty, nearest[empty]] = True
    action = rng.random(shape)
    targets = np.where(chosen, ids, IGNORED)
    noise = rng.choice(regular, size=shape)
    ids = np.where(chosen & (action < MASK_SHARE), mask_id, ids)
    ids = np.where(chosen & (action >= MASK_SHARE) & (action < MASK_SHARE + RANDOM_SHARE), noise, ids)
    return Masked(ids, attention, targets)
