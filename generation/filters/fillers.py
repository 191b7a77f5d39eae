"""Apply the filters to the fillers of one form: each filler is kept or dropped for one reason."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import compress

import numpy as np
import numpy.typing as npt

from generation.filters.definitions import FILTERS
from generation.filters.filter import Applied, Filter, Occurrence
from generation.masked_lms.masked_lm import Fillers
from generation.masked_lms.vocabulary import Vocabulary
from generation.sentences.forms import match_case

KEPT = "kept"
# The outcomes of the filters for one filler, in order of precedence. Their codes are their indices.
OUTCOMES = (KEPT, *(filter_.reason for filter_ in FILTERS if not filter_.is_on_sentences))

CODES = {outcome: code for code, outcome in enumerate(OUTCOMES)}

# log p(word) - log p(original) by word, natural logarithm.
LogOdds = dict[str, float]


@dataclass(frozen=True, slots=True)
class Filtered:
    """The outcome of the filters for the fillers of one form.

    Attributes:
        codes: The code of each filler's outcome in `OUTCOMES`; int8 of shape (k,).
        suggestions: The fillers that are kept, as words in the case pattern of the original word, in order of
            decreasing probability, with their log-odds in the form.
        votes: The words that the masked LM votes for, in the same case pattern; empty if the run has no veto.
    """

    codes: npt.NDArray[np.int8]
    suggestions: LogOdds
    votes: frozenset[str] = frozenset()

    def drop(self, keep: Sequence[bool], dropped_by: Filter) -> "Filtered":
        """Return the outcome after one more filter.

        Args:
            keep: Whether the filter keeps each of the suggestions.
            dropped_by: The filter.
        """
        codes = self.codes.copy()
        codes[np.flatnonzero(codes == CODES[KEPT])[~np.array(keep, dtype=np.bool_)]] = CODES[dropped_by.reason]
        return replace(self, codes=codes, suggestions=dict(compress(self.suggestions.items(), keep)))

    def counts(self) -> Counter[str]:
        """Count the fillers by outcome; outcomes that do not occur are left out."""
        counts = np.bincount(self.codes, minlength=len(OUTCOMES)).tolist()
        return Counter({outcome: count for outcome, count in zip(OUTCOMES, counts, strict=True) if count})


def filter_fillers(
    fillers: Fillers, vocabulary: Vocabulary, occurrence: Occurrence, filters: Sequence[Applied]
) -> Filtered:
    """Apply the filters of docs/method.md that need no tagger to the fillers of one form.

    Args:
        fillers: The masked LM's answer to the form.
        vocabulary: The masked LM's vocabulary.
        occurrence: The masked occurrence.
        filters: The filters of the run, in order; those on tags and on validators are skipped.

    Returns:
        The outcome for each filler, the first filter's that drops it, and the suggestions.
    """
    codes = np.full(len(fillers.piece_ids), CODES[KEPT], dtype=np.int8)
    log_odds = fillers.log_probs.astype(np.float64) - fillers.original_log_prob
    for filter_, value in reversed(filters):
        if filter_.on_log_odds is not None:
            codes[filter_.on_log_odds(value, log_odds)] = CODES[filter_.reason]
        elif filter_.on_fillers is not None:
            codes[filter_.on_fillers(value, occurrence, fillers, vocabulary)] = CODES[filter_.reason]
    conditions = [
        (filter_.on_word(occurrence), CODES[filter_.reason]) for filter_, _ in filters if filter_.on_word is not None
    ]

    def as_written(rank: int) -> str:
        return match_case(occurrence.word.text, vocabulary.text(fillers.piece_ids[rank]))

    suggestions: LogOdds = {}
    for rank in np.flatnonzero(codes == CODES[KEPT]).tolist():
        word = as_written(rank)
        code = next((code for drops, code in conditions if drops(word)), CODES[KEPT])
        if code == CODES[KEPT]:
            suggestions[word] = float(log_odds[rank])
        codes[rank] = code
    votes = np.zeros(len(codes), np.bool_)
    for filter_, value in filters:
        if filter_.on_votes is not None:
            votes[filter_.on_votes(value, fillers)] = True
            votes &= ~occurrence.not_words(fillers, vocabulary)
    return Filtered(codes, suggestions, frozenset(map(as_written, np.flatnonzero(votes).tolist())))
