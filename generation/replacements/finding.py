"""Find the replacements of shared words: filters, then ∩ over occurrences, ∪ over masked LMs, ∩ or ∪ over sentences."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from itertools import compress
from typing import TYPE_CHECKING

from generation.options import POS, PROB
from generation.replacements.articles import disagrees_with_article
from generation.replacements.combine import (
    LogOdds,
    Replacement,
    Validated,
    over_mlms,
    over_occurrences,
    over_sentences,
    with_enough_mlms,
)
from generation.replacements.counts import FILLERS, FORMS, NO_ORDER, TOO_FEW, FilterCounts
from generation.replacements.filters import (
    OTHER_ARTICLE,
    OTHER_CLASS,
    OTHER_TAG,
    RELATED,
    Filtered,
    Suggestion,
    filter_fillers,
    words_of,
)
from generation.replacements.relations import other_words
from generation.replacements.scramble import scramble_all
from generation.sentences.forms import HYPOTHESIS, PREMISE, SIDES, Form, forms_of_word
from generation.sentences.replacing import match_occurrence_case
from generation.sentences.substitution import Substitution
from generation.sentences.tags_in_place import word_class_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from generation.answers.answer import Answer
    from generation.masked_lms.vocabulary import Vocabulary
    from generation.options import Options
    from generation.replacements.relations import WordNet
    from generation.sentences.tagging import TaggedProblem
    from generation.sentences.tags_in_place import InPlaceTagger
    from generation.sentences.words import SharedWord


@dataclass(frozen=True)
class MaskedLMAnswers:
    """The answers of one masked LM by the key of the form, and its vocabulary."""

    answers: Mapping[str, Answer]
    vocabulary: Vocabulary


@dataclass(frozen=True, slots=True)
class FilteredForm:
    """One form of a shared word under one masked LM.

    Attributes:
        masked_lm: The name of the masked LM.
        side: `premise` or `hypothesis`.
        sentence: The text of that side.
        form: The form.
        outcome: The outcome of the filters for its fillers, or the reason why the form has no answer.
    """

    masked_lm: str
    side: str
    sentence: str
    form: Form
    outcome: Filtered | str

    @property
    def suggestions(self) -> tuple[Suggestion, ...]:
        """The fillers that are kept."""
        return () if isinstance(self.outcome, str) else self.outcome.suggestions

    def in_place(self, word: SharedWord) -> list[Substitution]:
        """Return each suggestion in the place of the masked word."""
        start, end = self.form.start, self.form.end
        written = self.sentence[start:end]
        return [
            Substitution(self.sentence, start, end, match_occurrence_case(written, word.text, suggestion.word))
            for suggestion in self.suggestions
        ]

    def counts(self) -> Counter[str]:
        """Count the form, its fillers and their outcomes, or the reason why it has no answer."""
        if isinstance(self.outcome, str):
            return Counter({FORMS: 1, self.outcome: 1})
        return Counter({FORMS: 1, FILLERS: len(self.outcome.codes)}) + self.outcome.counts()


@dataclass(frozen=True, slots=True)
class FilteredWord:
    """A shared word of a problem with the outcome of the filters for each of its forms and each masked LM."""

    tagged: TaggedProblem
    word: SharedWord
    problem_words: frozenset[str]
    forms: tuple[FilteredForm, ...]


@dataclass(frozen=True)
class Found:
    """The replacements of one shared word of one problem.

    Attributes:
        tagged: The problem.
        word: The shared word.
        replacements: W_M(PH, w), scrambled if that is an option of the run.
        not_scrambled: Replacements left out because their letters have no other order.
        too_few: By side, the words of W_M(S, w) left out because fewer than `min_mlms` masked LMs validated them.
    """

    tagged: TaggedProblem
    word: SharedWord
    replacements: tuple[Replacement, ...]
    not_scrambled: tuple[Replacement, ...] = ()
    too_few: Mapping[str, Mapping[str, Validated]] = field(default_factory=dict)


def find_replacements(
    problems: Iterable[tuple[TaggedProblem, Sequence[SharedWord]]],
    answers: Mapping[str, MaskedLMAnswers],
    tagger: InPlaceTagger,
    options: Options,
    *,
    wordnet: WordNet | None = None,
) -> tuple[list[Found], FilterCounts]:
    """Find the replacements of every shared word of a shard of problems.

    Args:
        problems: Tagged problems, each with the shared words to replace.
        answers: By masked LM, its answers to the forms of all these words.
        tagger: Tags suggestions in place.
        options: The options of the run.
        wordnet: WordNet, to drop suggestions related to another word of the problem; None to keep them.

    Returns:
        One entry per word in the given order, and the counts of forms and fillers.
    """
    words = filter_words(problems, answers, tagger, options, wordnet=wordnet)
    found = [combine(each, options) for each in words]
    return found, _count(words, found)


def filter_words(
    problems: Iterable[tuple[TaggedProblem, Sequence[SharedWord]]],
    answers: Mapping[str, MaskedLMAnswers],
    tagger: InPlaceTagger,
    options: Options,
    *,
    wordnet: WordNet | None = None,
) -> list[FilteredWord]:
    """Apply the filters of docs/method.md at every occurrence of every shared word, for every masked LM.

    `options.filters` selects filter 2 (`prob`) and filter 4 (`pos`); the extensions are off by default. Takes the
    arguments of `find_replacements`.
    """
    words = [
        FilteredWord(tagged, word, problem_words, _filter_forms(tagged, word, problem_words, answers, options, wordnet))
        for tagged, shared in problems
        for problem_words in (words_of(tagged),)
        for word in shared
    ]
    return _drop_by_tag(words, tagger, options) if POS in options.filters or options.same_tag else words


def combine(filtered: FilteredWord, options: Options) -> Found:
    """Apply the set operations to the suggestions of one shared word, then scramble them if `options` say so.

    Args:
        filtered: The word with its suggestions.
        options: `min_mlms`, `sides`, `scramble` and `random_seed` are read.
    """
    of_sides: dict[str, dict[str, list[LogOdds]]] = {side: defaultdict(list) for side in SIDES}
    for form in filtered.forms:
        log_odds = {suggestion.word: suggestion.log_odds for suggestion in form.suggestions}
        of_sides[form.side][form.masked_lm].append(log_odds)
    validated, too_few = {}, {}
    for side, of_mlms in of_sides.items():
        of_side = over_mlms({name: over_occurrences(occurrences) for name, occurrences in of_mlms.items()})
        validated[side], too_few[side] = with_enough_mlms(of_side, options.min_mlms)
    replacements = over_sentences(validated[PREMISE], validated[HYPOTHESIS], sides=options.sides)
    not_scrambled: tuple[Replacement, ...] = ()
    if options.scramble:
        replacements, not_scrambled = scramble_all(replacements, filtered.problem_words, options.random_seed)
    return Found(filtered.tagged, filtered.word, replacements, not_scrambled, too_few)


def _filter_forms(
    tagged: TaggedProblem,
    word: SharedWord,
    problem_words: frozenset[str],
    answers: Mapping[str, MaskedLMAnswers],
    options: Options,
    wordnet: WordNet | None,
) -> tuple[FilteredForm, ...]:
    """Apply the filters that need no tagger."""
    related = [] if wordnet is None else [(RELATED, wordnet.relation_to(other_words(tagged, word), word.word_class))]

    def outcome(answer: Answer, vocabulary: Vocabulary, sentence: str, form: Form) -> Filtered | str:
        if isinstance(answer, str):
            return answer
        conditions: list[tuple[str, Callable[[str], bool]]] = [*related]
        if options.articles:
            conditions.append((OTHER_ARTICLE, disagrees_with_article(sentence, form.start, form.end, word.text)))
        return filter_fillers(
            answer,
            word.text,
            vocabulary,
            problem_words,
            more_probable=PROB in options.filters,
            min_log_odds=options.min_log_odds,
            max_rank=options.max_rank,
            conditions=conditions,
        )

    return tuple(
        FilteredForm(name, side, sentence, form, outcome(of_mlm.answers[form.key], of_mlm.vocabulary, sentence, form))
        for side, sentence, form in forms_of_word(tagged, word, options.mask)
        for name, of_mlm in answers.items()
    )


def _drop_by_tag(words: Sequence[FilteredWord], tagger: InPlaceTagger, options: Options) -> list[FilteredWord]:
    """Drop suggestions by their tag in place, each tagged once for all masked LMs: filter 4 and `same_tag`."""
    places = list(dict.fromkeys(place for each in words for form in each.forms for place in form.in_place(each.word)))
    tags = dict(zip(places, tagger.tags(places), strict=True))

    def by_tag(form: FilteredForm, each: FilteredWord) -> FilteredForm:
        if isinstance(form.outcome, str):
            return form
        outcome, found = form.outcome, [tags[place] for place in form.in_place(each.word)]
        if POS in options.filters:
            keep = [word_class_of(tag) == each.word.word_class for tag in found]
            outcome, found = outcome.drop(keep, OTHER_CLASS), list(compress(found, keep))
        if options.same_tag:
            tokens = getattr(each.tagged, form.side).tokens
            original = next(token.tag for token in tokens if token.start == form.form.start)
            outcome = outcome.drop([tag == original for tag in found], OTHER_TAG)
        return replace(form, outcome=outcome)

    return [replace(each, forms=tuple(by_tag(form, each) for form in each.forms)) for each in words]


def _count(words: Iterable[FilteredWord], found: Iterable[Found]) -> FilterCounts:
    counts: FilterCounts = Counter()
    for filtered in words:
        for form in filtered.forms:
            for reason, count in form.counts().items():
                counts[filtered.word.word_class, form.masked_lm, form.side, reason] += count
    for each in found:
        word_class = each.word.word_class
        counts.update((word_class, name, side, NO_ORDER) for name, side in _validators(each))
        counts.update(
            (word_class, name, side, TOO_FEW)
            for side, words_of_side in each.too_few.items()
            for validated in words_of_side.values()
            for name in validated.mlms
        )
    return counts


def _validators(found: Found) -> Iterator[tuple[str, str]]:
    """Yield the masked LM and side of every validation of a replacement that could not be scrambled."""
    for each in found.not_scrambled:
        yield from ((name, PREMISE) for name in each.premise_mlms)
        yield from ((name, HYPOTHESIS) for name in each.hypothesis_mlms)
