"""The three set operations of section 3: ∩ over occurrences, ∪ over masked LMs, ∩ (or ∪) over the two sentences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from generation.options import INTERSECTION

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

LogOdds = dict[str, float]
"""log p(word) - log p(original) by word."""


@dataclass(frozen=True, slots=True)
class Validated:
    """That a word may stand in one sentence.

    Attributes:
        mlms: Names of the masked LMs that validated it, in the order of the run.
        log_odds: The largest of theirs.
    """

    mlms: tuple[str, ...]
    log_odds: float


@dataclass(frozen=True, slots=True)
class Replacement:
    """A word of W_M(PH, w): it may replace the shared word in premise and hypothesis.

    Attributes:
        word: The word.
        premise_mlms: Names of the masked LMs that validated it in the premise; empty where none did.
        hypothesis_mlms: The same of the hypothesis; they are not empty both.
        log_odds: The smallest of the sentences that it is validated in.
    """

    word: str
    premise_mlms: tuple[str, ...]
    hypothesis_mlms: tuple[str, ...]
    log_odds: float


def over_occurrences(suggestions: Sequence[Mapping[str, float]]) -> LogOdds:
    """W_j(S, w): what one masked LM suggests at every occurrence of the word in the sentence.

    Args:
        suggestions: Log-odds by word, one mapping an occurrence; not empty.

    Returns:
        The words that all mappings have, each with the smallest of its log-odds.
    """
    first, *others = suggestions
    return {
        word: min(log_odds, *(other[word] for other in others)) if others else log_odds
        for word, log_odds in first.items()
        if all(word in other for other in others)
    }


def over_mlms(of_mlms: Mapping[str, Mapping[str, float]]) -> dict[str, Validated]:
    """W_M(S, w): what at least one masked LM validates in the sentence.

    Args:
        of_mlms: W_j(S, w) by the masked LM's name.

    Returns:
        By word, who validated it and the largest of their log-odds.
    """
    words = dict.fromkeys(word for of_mlm in of_mlms.values() for word in of_mlm)
    return {
        word: Validated(
            tuple(name for name, of_mlm in of_mlms.items() if word in of_mlm),
            max(of_mlm[word] for of_mlm in of_mlms.values() if word in of_mlm),
        )
        for word in words
    }


def over_sentences(
    premise: Mapping[str, Validated], hypothesis: Mapping[str, Validated], *, sides: str = INTERSECTION
) -> tuple[Replacement, ...]:
    """W_M(PH, w): what is validated in premise and hypothesis (equation 1), or in one of them (section 5.4, P ∪ H).

    Args:
        premise: W_M(P, w).
        hypothesis: W_M(H, w).
        sides: `intersection` or `union`.

    Returns:
        The replacements in alphabetic order, each with the smallest log-odds of the sentences that it is validated in.
    """
    words = premise.keys() & hypothesis.keys() if sides == INTERSECTION else premise.keys() | hypothesis.keys()
    return tuple(_replacement(word, premise.get(word), hypothesis.get(word)) for word in sorted(words))


def _replacement(word: str, premise: Validated | None, hypothesis: Validated | None) -> Replacement:
    return Replacement(
        word,
        premise.mlms if premise is not None else (),
        hypothesis.mlms if hypothesis is not None else (),
        min(side.log_odds for side in (premise, hypothesis) if side is not None),
    )
