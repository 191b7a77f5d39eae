"""Replacements of shared words: filters, then ∩ over occurrences, ∪ over masked LMs, ∩ over premise and hypothesis."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from generation.combine import Replacement, over_mlms, over_occurrences, over_sentences
from generation.filters import OTHER_CLASS, Suggestion, keep_suggestions, words_of
from generation.forms import Form, forms
from generation.in_place import InPlace
from generation.tags_in_place import InPlaceTagger

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from generation.store import Answer
    from generation.tagging import TaggedProblem
    from generation.vocabulary import Vocabulary
    from generation.words import SharedWord

PREMISE, HYPOTHESIS = "premise", "hypothesis"
SIDES = (PREMISE, HYPOTHESIS)
KEPT = "kept"
FILLERS = "fillers"
FORMS = "forms"

FilterCounts = dict[tuple[str, str, str], Counter[str]]
"""By word class, masked LM and side: forms, why they could not be asked, fillers, why they were dropped, kept."""


@dataclass(frozen=True)
class Asked:
    """What a masked LM answered to the forms, and what its pieces stand for."""

    answers: Mapping[str, Answer]
    vocabulary: Vocabulary


@dataclass(frozen=True)
class Found:
    """W_M(PH, w) of one shared word of one problem."""

    tagged: TaggedProblem
    word: SharedWord
    replacements: tuple[Replacement, ...]


@dataclass(frozen=True, slots=True)
class _Place:
    """One occurrence under one masked LM: the suggestions that every filter but that of the class let through."""

    sentence: str
    start: int
    end: int
    suggestions: tuple[Suggestion, ...]

    def in_place(self, suggestion: Suggestion) -> InPlace:
        return InPlace(self.sentence, self.start, self.end, suggestion.word)


_Places = dict[tuple[str, str], list[_Place]]
"""The occurrences of one shared word by side and masked LM."""


def find_replacements(
    problems: Iterable[tuple[TaggedProblem, Sequence[SharedWord]]],
    asked: Mapping[str, Asked],
    tagger: InPlaceTagger,
) -> tuple[list[Found], FilterCounts]:
    """Find what may replace each shared word of a shard of problems.

    Args:
        problems: Tagged problems, each with its shared words, none of which is left out.
        asked: By the masked LM's name, its answers to the forms of all these words.
        tagger: Tags suggestions in their place.

    Returns:
        What was found, one entry a word in the order given, and what each filter did.
    """
    counts: FilterCounts = defaultdict(Counter)
    work = [
        (tagged, word, _places(tagged, word, taken, asked, counts))
        for tagged, words in problems
        for taken in (words_of(tagged),)
        for word in words
    ]
    classes = _classes((places for _, _, places in work), tagger)
    found = [Found(tagged, word, _combine(word, places, asked, classes, counts)) for tagged, word, places in work]
    return found, counts


def add_counts(total: FilterCounts, more: FilterCounts) -> None:
    """Add the counts of one more shard to `total`."""
    for key, count in more.items():
        total.setdefault(key, Counter()).update(count)


def _places(
    tagged: TaggedProblem,
    word: SharedWord,
    taken: frozenset[str],
    asked: Mapping[str, Asked],
    counts: FilterCounts,
) -> _Places:
    """Apply the filters that need no tagger at every occurrence, for every masked LM."""
    places: _Places = {}
    for side, sentence, starts in (
        (PREMISE, tagged.premise.text, word.premise),
        (HYPOTHESIS, tagged.hypothesis.text, word.hypothesis),
    ):
        for name, of_mlm in asked.items():
            count = counts[word.word_class, name, side]
            places[side, name] = [
                _Place(sentence, form.start, form.end, _suggestions(form, of_mlm, taken, count))
                for form in forms(sentence, word.text, starts)
            ]
    return places


def _suggestions(form: Form, asked: Asked, taken: frozenset[str], count: Counter[str]) -> tuple[Suggestion, ...]:
    answer = asked.answers[form.key]
    count[FORMS] += 1
    if isinstance(answer, str):
        count[answer] += 1
        return ()
    kept, dropped = keep_suggestions(answer, form.original, asked.vocabulary, taken)
    count[FILLERS] += len(answer.piece_ids)
    count.update(dropped)
    return kept


def _classes(all_places: Iterable[_Places], tagger: InPlaceTagger) -> dict[InPlace, str | None]:
    """Tag every suggestion in its place once, whichever masked LMs proposed it."""
    wanted = dict.fromkeys(
        place.in_place(suggestion)
        for places in all_places
        for of_mlm in places.values()
        for place in of_mlm
        for suggestion in place.suggestions
    )
    return dict(zip(wanted, tagger.word_classes(list(wanted)), strict=True))


def _combine(
    word: SharedWord,
    places: _Places,
    asked: Mapping[str, Asked],
    classes: Mapping[InPlace, str | None],
    counts: FilterCounts,
) -> tuple[Replacement, ...]:
    """Apply the filter of the class, then the three set operations."""

    def of_class(place: _Place, count: Counter[str]) -> dict[str, float]:
        kept = {
            suggestion.word: suggestion.log_odds
            for suggestion in place.suggestions
            if classes[place.in_place(suggestion)] == word.word_class
        }
        count[KEPT] += len(kept)
        count[OTHER_CLASS] += len(place.suggestions) - len(kept)
        return kept

    premise, hypothesis = (
        over_mlms(
            {
                name: over_occurrences(
                    [of_class(place, counts[word.word_class, name, side]) for place in places[side, name]]
                )
                for name in asked
            }
        )
        for side in SIDES
    )
    return over_sentences(premise, hypothesis)
