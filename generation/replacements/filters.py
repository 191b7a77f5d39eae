"""Filters on the fillers of one form: each filler is kept or dropped for one reason."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING

import numpy as np

from generation.sentences.replacing import match_case

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import numpy.typing as npt

    from generation.masked_lms.masked_lm import Fillers
    from generation.masked_lms.vocabulary import Vocabulary
    from generation.sentences.tagging import TaggedProblem

KEPT = "kept"
NO_WORD = "no whole word"
LESS_PROBABLE = "not more probable"
LOW_LOG_ODDS = "low log-odds"
LOW_RANK = "low rank"
IN_PROBLEM = "in the problem"
SAME_WORD = "same word again"
RELATED = "related"
OTHER_ARTICLE = "other article"
OTHER_CLASS = "other class"
OTHER_TAG = "other tag"
REASONS = (
    *(NO_WORD, LESS_PROBABLE, LOW_LOG_ODDS, LOW_RANK, IN_PROBLEM, SAME_WORD),
    *(RELATED, OTHER_ARTICLE, OTHER_CLASS, OTHER_TAG),
)
"""Reasons to drop a filler, in order of precedence. docs/method.md has the number of each filter."""

OUTCOMES = (KEPT, *REASONS)
"""The outcomes of the filters for one filler. Their codes are their indices."""

CODES = {outcome: code for code, outcome in enumerate(OUTCOMES)}

WORD_CHARACTERS = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A filler that the filters keep, as a word in the case of the original.

    Attributes:
        word: The word in the case pattern of the original word.
        log_odds: log p(word) - log p(original) in the filler's form, natural logarithm.
    """

    word: str
    log_odds: float


@dataclass(frozen=True, slots=True)
class Filtered:
    """The outcome of the filters for the fillers of one form.

    Attributes:
        codes: The code of each filler's outcome in `OUTCOMES`; int8 of shape (k,).
        suggestions: The fillers that are kept, in order of decreasing probability.
    """

    codes: npt.NDArray[np.int8]
    suggestions: tuple[Suggestion, ...]

    def drop(self, keep: Sequence[bool], reason: str) -> Filtered:
        """Return the outcome after one more filter.

        Args:
            keep: Whether the filter keeps each of the suggestions.
            reason: The reason for the others, one of `REASONS`.
        """
        codes = self.codes.copy()
        codes[np.flatnonzero(codes == CODES[KEPT])[~np.array(keep, dtype=np.bool_)]] = CODES[reason]
        return Filtered(codes, tuple(compress(self.suggestions, keep)))

    def counts(self) -> Counter[str]:
        """Count the fillers by outcome; outcomes that do not occur are left out."""
        counts = np.bincount(self.codes, minlength=len(OUTCOMES)).tolist()
        return Counter({outcome: count for outcome, count in zip(OUTCOMES, counts, strict=True) if count})


def words_of(problem: TaggedProblem) -> frozenset[str]:
    """Return the words of premise and hypothesis, folded: the tagger's tokens and all runs of word characters."""
    sentences = (problem.premise, problem.hypothesis)
    tokens = (fold(token.text) for sentence in sentences for token in sentence.tokens)
    return frozenset((*tokens, *word_runs(sentence.text for sentence in sentences)))


def word_runs(texts: Iterable[str]) -> Iterator[str]:
    """Yield the runs of word characters in folded texts."""
    for text in texts:
        yield from WORD_CHARACTERS.findall(fold(text))


def fold(text: str) -> str:
    """Return a text without accents and case: decomposed (NFKD), without combining marks, and case-folded."""
    if text.isascii():
        return text.casefold()
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(character for character in decomposed if not unicodedata.combining(character)).casefold()


def filter_fillers(
    fillers: Fillers,
    original: str,
    vocabulary: Vocabulary,
    problem_words: frozenset[str],
    *,
    more_probable: bool = True,
    min_log_odds: float | None = None,
    max_rank: int | None = None,
    conditions: Sequence[tuple[str, Callable[[str], bool]]] = (),
) -> Filtered:
    """Apply the filters of docs/method.md that need no tagger to the fillers of one form.

    A filler is kept if it is a whole word of the same kind as the original at its position (filter 1), more probable
    than the original in the same form (filter 2), not a word of the problem (filter 3), and not the same word as a more
    probable filler. Each dropped filler gets the first of `REASONS` that applies.

    Args:
        fillers: The masked LM's answer to the form.
        original: The masked word, as written.
        vocabulary: The masked LM's vocabulary.
        problem_words: The words of the problem, from `words_of`.
        more_probable: Whether to apply filter 2. Without it, log-odds may be 0 or negative.
        min_log_odds: The smallest log-odds of a suggestion; None for no limit.
        max_rank: The number of most probable fillers, of any kind, that may become suggestions; None for all.
        conditions: More filters on words in the order of `REASONS`: the reason, and whether it applies to a word.

    Returns:
        The outcome for each filler, and the suggestions.
    """
    codes = np.full(len(fillers.piece_ids), CODES[KEPT], dtype=np.int8)
    log_odds = fillers.log_probs.astype(np.float64) - fillers.original_log_prob
    if max_rank is not None:
        codes[max_rank:] = CODES[LOW_RANK]
    if min_log_odds is not None:
        codes[log_odds < min_log_odds] = CODES[LOW_LOG_ODDS]
    if more_probable:
        codes[~(fillers.log_probs > np.float32(fillers.original_log_prob))] = CODES[LESS_PROBABLE]
    codes[~vocabulary.same_kind(fillers.piece_ids, fillers.original_id)] = CODES[NO_WORD]
    suggestions: dict[str, Suggestion] = {}
    dropped: set[str] = set()
    for rank in np.flatnonzero(codes == CODES[KEPT]):
        piece = vocabulary.pieces[fillers.piece_ids[rank]]
        word = match_case(original, piece.text) if piece is not None else ""
        if fold(word) in problem_words:
            codes[rank] = CODES[IN_PROBLEM]
        elif word in suggestions or word in dropped:
            codes[rank] = CODES[SAME_WORD]
        elif reason := next((reason for reason, applies in conditions if applies(word)), None):
            codes[rank] = CODES[reason]
            dropped.add(word)
        else:
            suggestions[word] = Suggestion(word, float(log_odds[rank]))
    return Filtered(codes, tuple(suggestions.values()))
