"""Filters: which of a masked LM's fillers may replace the original word, and for what reason the others may not."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from generation.sentences.replacing import match_case

if TYPE_CHECKING:
    from collections.abc import Callable

    from generation.masked_lms.masked_lm import Fillers
    from generation.masked_lms.vocabulary import Vocabulary
    from generation.sentences.tagging import TaggedProblem

NO_WORD = "no whole word"
IN_PROBLEM = "in the problem"
LESS_PROBABLE = "not more probable"
SAME_WORD = "same word again"
RELATED = "related"
OTHER_CLASS = "other class"
REASONS = (NO_WORD, LESS_PROBABLE, IN_PROBLEM, SAME_WORD, RELATED, OTHER_CLASS)
"""Why a filler is dropped, in the order in which the filters stand."""

WORD_CHARACTERS = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A word that one masked LM proposes for one form.

    Attributes:
        word: The word in the case pattern of the original.
        log_odds: log p(word) - log p(original) in that form, natural logarithm; above 0 where that is a filter.
    """

    word: str
    log_odds: float


def words_of(problem: TaggedProblem) -> frozenset[str]:
    """Return the words of P and H, whatever their case: the tagger's tokens and the runs of word characters."""
    sentences = (problem.premise, problem.hypothesis)
    tokens = (token.text for sentence in sentences for token in sentence.tokens)
    runs = (run for sentence in sentences for run in WORD_CHARACTERS.findall(sentence.text))
    return frozenset(word.casefold() for word in (*tokens, *runs))


def keep_suggestions(
    fillers: Fillers,
    original: str,
    vocabulary: Vocabulary,
    taken: frozenset[str],
    *,
    more_probable: bool = True,
    is_related: Callable[[str], bool] | None = None,
) -> tuple[tuple[Suggestion, ...], Counter[str]]:
    """Apply every filter that needs no tagger to the fillers of one form.

    A filler is kept where it is a whole word of the original's kind at its place, more probable than the original in
    the same form (section 3, condition i), and not a word of the problem (condition ii). Pieces that become the same
    word keep the larger log-probability.

    Args:
        fillers: What the masked LM answered, by falling probability.
        original: The masked word as it is written.
        vocabulary: What the pieces stand for.
        taken: The words of the problem, from `words_of`.
        more_probable: Whether condition i is asked; without it log-odds may be 0 or less.
        is_related: Tells a word that stands in a relation to another word of the problem; None where none is dropped.

    Returns:
        The suggestions by falling probability, and how many of the fillers each reason dropped: a filler that several
        filters would drop counts for the first of `REASONS`.
    """
    whole = vocabulary.same_kind(fillers.piece_ids, fillers.original_id)
    probable = fillers.log_probs > np.float32(fillers.original_log_prob) if more_probable else np.ones_like(whole)
    dropped = Counter({NO_WORD: int(np.sum(~whole)), LESS_PROBABLE: int(np.sum(whole & ~probable))})
    kept: dict[str, Suggestion] = {}
    related: set[str] = set()
    for index in np.flatnonzero(whole & probable):
        piece = vocabulary.pieces[fillers.piece_ids[index]]
        word = match_case(original, piece.text) if piece is not None else ""
        if word.casefold() in taken:
            dropped[IN_PROBLEM] += 1
        elif word in kept or word in related:
            dropped[SAME_WORD] += 1
        elif is_related is not None and is_related(word):
            dropped[RELATED] += 1
            related.add(word)
        else:
            kept[word] = Suggestion(word, float(fillers.log_probs[index]) - fillers.original_log_prob)
    return tuple(kept.values()), dropped
