"""Trace the fillers of one form through the filters, from the codes that the filters gave."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from generation.filters.definitions import FILTERS
from generation.filters.fillers import KEPT, OUTCOMES
from generation.masked_lms.masked_lm import Fillers
from generation.sentences.replacing import match_case

if TYPE_CHECKING:
    from generation.replacements.finding import FilteredForm, MaskedLMAnswers
    from generation.sentences.words import SharedWord

WORDS = frozenset((KEPT, *(each.reason for each in FILTERS if each.on_word is not None or each.on_tag is not None)))
"""Outcomes of fillers that a filter saw as a word in the case pattern of the original."""


@dataclass(frozen=True)
class Filler:
    """One filler of a form.

    Attributes:
        word: The word in the case pattern of the original if it became a suggestion, else the text of the piece.
        log_odds: log p(word) - log p(original).
        dropped: Why it was dropped, the reason of a filter; None if it is kept.
    """

    word: str
    log_odds: float
    dropped: str | None


@dataclass(frozen=True)
class TracedForm:
    """The answer of one masked LM to one form.

    Attributes:
        masked_lm: The name of the masked LM.
        side: `premise` or `hypothesis`.
        start: Offset of the occurrence in that sentence.
        refused: The reason why the form has no answer; None if it has one.
        fillers: The fillers in order of decreasing probability.
    """

    masked_lm: str
    side: str
    start: int
    refused: str | None
    fillers: tuple[Filler, ...]

    @property
    def kept(self) -> dict[str, float]:
        """The log-odds of the words that every filter kept."""
        return {filler.word: filler.log_odds for filler in self.fillers if filler.dropped is None}


def trace_form(filtered: FilteredForm, word: SharedWord, answers: MaskedLMAnswers) -> TracedForm:
    """Return each filler of a form with its outcome.

    Args:
        filtered: The form with the outcome of the filters.
        word: The shared word.
        answers: The answers of the form's masked LM.
    """
    answer, outcome = answers.answers[filtered.form.key], filtered.outcome
    refused = outcome if isinstance(outcome, str) else None
    fillers = []
    if isinstance(answer, Fillers) and not isinstance(outcome, str):
        for piece_id, log_prob, code in zip(answer.piece_ids, answer.log_probs, outcome.codes, strict=True):
            piece, dropped = answers.vocabulary.pieces[piece_id], OUTCOMES[code]
            text = "" if piece is None else piece.text
            if dropped in WORDS:
                text = match_case(word.text, text)
            log_odds = float(log_prob) - answer.original_log_prob
            fillers.append(Filler(text, log_odds, None if dropped == KEPT else dropped))
    return TracedForm(filtered.masked_lm, filtered.side, filtered.form.start, refused, tuple(fillers))
