"""From suggestions to replacements: the set operations of section 3, and the scrambling of section 5.4.

The set operations are ∩ over occurrences, ∪ over masked LMs, and ∩ or ∪ over premise and hypothesis.
"""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from generation.filters.fillers import LogOdds
from generation.options import INTERSECTION
from generation.sentences.forms import match_case
from generation.sentences.words import fold, is_negation
from merge_snli.base.files import sha256_of_json

# Number of orders of the letters that are tried before a word is left out.
ATTEMPTS = 64


@dataclass(frozen=True, slots=True)
class Validated:
    """The validation of a word in one sentence.

    Attributes:
        mlms: Names of the masked LMs that validated it, in the order of the run.
        log_odds: The largest log-odds among them.
    """

    mlms: tuple[str, ...]
    log_odds: float


NOWHERE = Validated((), math.inf)


@dataclass(frozen=True, slots=True)
class Replacement:
    """A word of W_M(PH, w), which may replace the shared word in premise and hypothesis.

    Attributes:
        word: The word.
        premise_mlms: Names of the masked LMs that validated it in the premise; may be empty with `union`.
        hypothesis_mlms: The same for the hypothesis; never empty if `premise_mlms` is.
        log_odds: The smaller log-odds of the sentences that it is validated in.
    """

    word: str
    premise_mlms: tuple[str, ...]
    hypothesis_mlms: tuple[str, ...]
    log_odds: float


def over_occurrences(suggestions: Sequence[Mapping[str, float]]) -> LogOdds:
    """Return W_j(S, w): the words that one masked LM suggests at every occurrence in a sentence.

    Args:
        suggestions: Log-odds by word, one mapping per occurrence; at least one.

    Returns:
        The words in all mappings, each with its smallest log-odds.
    """
    first, *others = suggestions
    everywhere = {}
    for word, log_odds in first.items():
        if all(word in other for other in others):
            everywhere[word] = min([log_odds, *(other[word] for other in others)])
    return everywhere


def over_mlms(of_mlms: Mapping[str, Mapping[str, float]]) -> dict[str, Validated]:
    """Return W_M(S, w): the words that at least one masked LM validates in a sentence.

    Args:
        of_mlms: W_j(S, w) by the name of the masked LM.

    Returns:
        By word, the masked LMs that validated it and their largest log-odds.
    """
    validators: dict[str, list[str]] = {}
    largest: dict[str, float] = {}
    for name, of_mlm in of_mlms.items():
        for word, log_odds in of_mlm.items():
            validators.setdefault(word, []).append(name)
            largest[word] = max(log_odds, largest.get(word, log_odds))
    return {word: Validated(tuple(names), largest[word]) for word, names in validators.items()}


def over_sentences(
    premise: Mapping[str, Validated], hypothesis: Mapping[str, Validated], *, sides: str = INTERSECTION
) -> tuple[Replacement, ...]:
    """Return W_M(PH, w): the words validated in both sentences (equation 1) or in at least one (section 5.4, P ∪ H).

    Args:
        premise: W_M(P, w).
        hypothesis: W_M(H, w).
        sides: `intersection` or `union`.

    Returns:
        The replacements in alphabetical order, each with the smaller log-odds of the sentences it is validated in.
    """
    words = premise.keys() & hypothesis.keys() if sides == INTERSECTION else premise.keys() | hypothesis.keys()
    replacements = []
    for word in sorted(words):
        first, second = premise.get(word, NOWHERE), hypothesis.get(word, NOWHERE)
        replacements.append(Replacement(word, first.mlms, second.mlms, min(first.log_odds, second.log_odds)))
    return tuple(replacements)


def scramble_all(
    replacements: Iterable[Replacement],
    problem_words: Collection[str],
    random_seed: int,
    language: str | None = None,
) -> tuple[tuple[Replacement, ...], tuple[Replacement, ...]]:
    """Scramble the replacements of one shared word, so that no two become the same word.

    Args:
        replacements: The replacements in alphabetical order. Of two with the same letters, the first chooses first.
        problem_words: The words of the problem, folded. No scrambled word is one of them or a negation.
        random_seed: Changes the orders.
        language: The code of their language, for its negations; None for English.

    Returns:
        The scrambled replacements in alphabetical order, and the replacements that are left out because no other
        order of their letters is allowed.
    """
    scrambled: dict[str, Replacement] = {}
    left_out = []
    for replacement in replacements:
        word = scramble(replacement.word, random_seed, {*problem_words, *map(fold, scrambled)}, language)
        if word is None:
            left_out.append(replacement)
        else:
            scrambled[word] = replace(replacement, word=word)
    return tuple(scrambled[word] for word in sorted(scrambled)), tuple(left_out)


def scramble(
    word: str, random_seed: int, forbidden: Collection[str] = frozenset(), language: str | None = None
) -> str | None:
    """Put the letters of a word in another order, the same on every machine.

    The n-th order ranks the letters by the sha256 of the JSON list [random seed, word, n, index]. The result is the
    first order whose word differs from this one, ignoring case, and is neither a negation nor in `forbidden`. Hyphens
    and apostrophes keep their position, and the word keeps its case pattern.

    Args:
        word: The word.
        random_seed: Changes the orders.
        forbidden: Folded words that are not allowed.
        language: The code of its language; None for English.

    Returns:
        The scrambled word; the word itself if all its letters are the same; None if no order is allowed.
    """
    letters = [index for index, character in enumerate(word) if character.isalpha()]
    one_letter = len({word[index].casefold() for index in letters}) == 1
    for attempt in range(ATTEMPTS):
        scrambled = match_case(word, _reorder(word, letters, random_seed, attempt))
        differs = one_letter or scrambled.casefold() != word.casefold()
        if differs and fold(scrambled) not in forbidden and not is_negation(scrambled, language):
            return scrambled
    return None


def _reorder(word: str, letters: list[int], random_seed: int, attempt: int) -> str:
    """Put the characters at the indices `letters` in the order of that attempt."""
    characters = list(word)
    ranked = sorted(letters, key=lambda index: sha256_of_json([random_seed, word, attempt, index]))
    for target, index in zip(letters, ranked, strict=True):
        characters[target] = word[index]
    return "".join(characters)
