"""Replacements of shared words: filters, ∩ over occurrences, ∪ over masked LMs, ∩ (or ∪) over the two sentences."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from generation.options import POS, PROB
from generation.replacements.combine import Replacement, over_mlms, over_occurrences, over_sentences
from generation.replacements.filters import OTHER_CLASS, Suggestion, keep_suggestions, words_of
from generation.replacements.relations import other_words
from generation.replacements.scramble import scramble_all
from generation.sentences.forms import HYPOTHESIS, PREMISE, SIDES, forms_of_word
from generation.sentences.in_place import InPlace
from generation.sentences.replacing import match_occurrence_case
from generation.sentences.tags_in_place import InPlaceTagger

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from generation.answers.answer import Answer
    from generation.masked_lms.masked_lm import Fillers
    from generation.masked_lms.vocabulary import Vocabulary
    from generation.options import Options
    from generation.replacements.relations import WordNet
    from generation.sentences.tagging import TaggedProblem
    from generation.sentences.words import SharedWord

KEPT = "kept"
FILLERS = "fillers"
FORMS = "forms"
NO_ORDER = "no other order"
"""Words that the masked LM validated on that side and that are left out since their letters cannot be scrambled."""

FilterCounts = dict[tuple[str, str, str], Counter[str]]
"""By word class, masked LM and side: forms, why they could not be asked, fillers, why they were dropped, kept."""


@dataclass(frozen=True)
class MaskedLMAnswers:
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

    def in_place(self, suggestion: Suggestion, word: SharedWord) -> InPlace:
        written = match_occurrence_case(self.sentence[self.start : self.end], word.text, suggestion.word)
        return InPlace(self.sentence, self.start, self.end, written)


_Places = dict[tuple[str, str], list[_Place]]
"""The occurrences of one shared word by side and masked LM."""


@dataclass(frozen=True, slots=True)
class _Work:
    """One shared word with what every filter but that of the class let through."""

    tagged: TaggedProblem
    word: SharedWord
    taken: frozenset[str]
    places: _Places

    def in_places(self) -> Iterator[InPlace]:
        for of_mlm in self.places.values():
            for place in of_mlm:
                for suggestion in place.suggestions:
                    yield place.in_place(suggestion, self.word)


def find_replacements(
    problems: Iterable[tuple[TaggedProblem, Sequence[SharedWord]]],
    asked: Mapping[str, MaskedLMAnswers],
    tagger: InPlaceTagger,
    options: Options,
    *,
    wordnet: WordNet | None = None,
) -> tuple[list[Found], FilterCounts]:
    """Find what may replace each shared word of a shard of problems.

    Args:
        problems: Tagged problems, each with its shared words, none of which is left out.
        asked: By the masked LM's name, its answers to the forms of all these words.
        tagger: Tags suggestions in their place.
        options: `filters`, `sides`, `scramble` and `random_seed` are read.
        wordnet: What tells related words, where suggestions that are related to another word are dropped.

    Returns:
        What was found, one entry a word in the order given, and what each filter did.
    """
    counts: FilterCounts = defaultdict(Counter)
    work = [
        _Work(tagged, word, taken, _places(tagged, word, taken, asked, counts, options, wordnet))
        for tagged, words in problems
        for taken in (words_of(tagged),)
        for word in words
    ]
    classes = _classes(work, tagger) if POS in options.filters else None
    return [Found(each.tagged, each.word, _combine(each, asked, classes, counts, options)) for each in work], counts


def add_counts(total: FilterCounts, more: FilterCounts) -> None:
    """Add the counts of one more shard to `total`."""
    for key, count in more.items():
        total.setdefault(key, Counter()).update(count)


def _places(
    tagged: TaggedProblem,
    word: SharedWord,
    taken: frozenset[str],
    asked: Mapping[str, MaskedLMAnswers],
    counts: FilterCounts,
    options: Options,
    wordnet: WordNet | None,
) -> _Places:
    """Apply the filters that need no tagger at every occurrence, for every masked LM."""
    keep = suggestion_filters(tagged, word, taken, options, wordnet)
    places: _Places = {(side, name): [] for side in SIDES for name in asked}
    for side, sentence, form in forms_of_word(tagged, word, options.mask):
        for name, of_mlm in asked.items():
            suggestions = _suggestions(
                of_mlm.answers[form.key],
                partial(keep, vocabulary=of_mlm.vocabulary),
                counts[word.word_class, name, side],
            )
            places[side, name].append(_Place(sentence, form.start, form.end, suggestions))
    return places


def suggestion_filters(
    tagged: TaggedProblem, word: SharedWord, taken: frozenset[str], options: Options, wordnet: WordNet | None
) -> Callable[..., tuple[tuple[Suggestion, ...], Counter[str]]]:
    """Return `keep_suggestions` for one shared word under the run's choices: it still takes fillers and `vocabulary`.

    Args:
        tagged: The problem.
        word: The shared word.
        taken: The words of the problem, from `words_of`.
        options: `filters` is read.
        wordnet: What tells related words, where suggestions that are related to another word are dropped.
    """
    is_related = None if wordnet is None else wordnet.relation_to(other_words(tagged, word), word.word_class)
    return partial(
        keep_suggestions,
        original=word.text,
        taken=taken,
        more_probable=PROB in options.filters,
        is_related=is_related,
    )


def _suggestions(
    answer: Answer, keep: Callable[[Fillers], tuple[tuple[Suggestion, ...], Counter[str]]], count: Counter[str]
) -> tuple[Suggestion, ...]:
    count[FORMS] += 1
    if isinstance(answer, str):
        count[answer] += 1
        return ()
    kept, dropped = keep(answer)
    count[FILLERS] += len(answer.piece_ids)
    count.update(dropped)
    return kept


def _classes(work: Iterable[_Work], tagger: InPlaceTagger) -> dict[InPlace, str | None]:
    """Tag every suggestion in its place once, whichever masked LMs proposed it."""
    wanted = dict.fromkeys(place for each in work for place in each.in_places())
    return dict(zip(wanted, tagger.word_classes(list(wanted)), strict=True))


def _combine(
    work: _Work,
    asked: Mapping[str, MaskedLMAnswers],
    classes: Mapping[InPlace, str | None] | None,
    counts: FilterCounts,
    options: Options,
) -> tuple[Replacement, ...]:
    """Apply the filter of the class, then the three set operations, then scramble."""
    word = work.word

    def of_class(place: _Place, count: Counter[str]) -> dict[str, float]:
        kept = {
            suggestion.word: suggestion.log_odds
            for suggestion in place.suggestions
            if classes is None or classes[place.in_place(suggestion, word)] == word.word_class
        }
        count[KEPT] += len(kept)
        count[OTHER_CLASS] += len(place.suggestions) - len(kept)
        return kept

    premise, hypothesis = (
        over_mlms(
            {
                name: over_occurrences(
                    [of_class(place, counts[word.word_class, name, side]) for place in work.places[side, name]]
                )
                for name in asked
            }
        )
        for side in SIDES
    )
    replacements = over_sentences(premise, hypothesis, sides=options.sides)
    return _scrambled(replacements, work, counts, options) if options.scramble else replacements


def _scrambled(
    replacements: tuple[Replacement, ...], work: _Work, counts: FilterCounts, options: Options
) -> tuple[Replacement, ...]:
    """Scramble the replacements and count those that cannot be."""
    scrambled, left_out = scramble_all(replacements, work.taken, options.random_seed)
    for each in left_out:
        for side, mlms in ((PREMISE, each.premise_mlms), (HYPOTHESIS, each.hypothesis_mlms)):
            for name in mlms:
                counts[work.word.word_class, name, side][NO_ORDER] += 1
    return scrambled
