"""Find the replacements of shared words: filters, then ∩ over occurrences, ∪ over masked LMs, ∩ or ∪ over sentences."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, compress
from typing import Any

from generation.answers.store import MaskedLMAnswers
from generation.filters.definitions import applied_filters
from generation.filters.fillers import Filtered, LogOdds, filter_fillers
from generation.filters.filter import Applied, Occurrence, occurrences_of_word
from generation.filters.lexical import WordNet
from generation.options import Options
from generation.replacements.combine import (
    Replacement,
    Validated,
    drop_by_validators,
    over_mlms,
    over_occurrences,
    over_sentences,
    scramble_all,
)
from generation.replacements.counts import FILLERS, NO_ORDER, FilterCounts
from generation.sentences.forms import HYPOTHESIS, PREMISE, SIDES, Form, Substitution
from generation.sentences.tagging import InPlaceTagger, TaggedProblem
from generation.sentences.words import SharedWord, words_of
from merge_snli.dataset.answered_forms import FORMS, IN_WINDOW


@dataclass(frozen=True, slots=True)
class FilteredForm:
    """One form of a shared word under one masked LM.

    Attributes:
        masked_lm: The name of the masked LM.
        occurrence: The occurrence that is masked.
        form: The form.
        outcome: The outcome of the filters for its fillers, or the reason why the form has no answer.
        in_window: Whether the masked LM saw a window of the text.
    """

    masked_lm: str
    occurrence: Occurrence
    form: Form
    outcome: Filtered | str
    in_window: bool = False

    @property
    def side(self) -> str:
        """`premise` or `hypothesis`."""
        return self.occurrence.side

    @property
    def suggestions(self) -> LogOdds:
        """The fillers that are kept, with their log-odds."""
        return {} if isinstance(self.outcome, str) else self.outcome.suggestions

    def counts(self) -> Counter[str]:
        """Count the form, its fillers and their outcomes, or the reason why it has no answer."""
        if isinstance(self.outcome, str):
            return Counter({FORMS: 1, self.outcome: 1})
        numbers = {FORMS: 1, FILLERS: len(self.outcome.codes), IN_WINDOW: int(self.in_window)}
        return Counter(numbers) + self.outcome.counts()


@dataclass(frozen=True)
class FilteredWord:
    """A shared word of a problem with the outcome of the filters for each of its forms, and its replacements.

    Attributes:
        tagged: The problem.
        word: The shared word.
        problem_words: The words of the problem, folded.
        forms: Its forms under each masked LM.
        replacements: W_M(PH, w), scrambled if that is an option of the run; from `combine`.
        dropped: By reason and by side, the words of W_M(S, w) that a filter on validators dropped, or whose letters
            have no other order; from `combine`.
    """

    tagged: TaggedProblem
    word: SharedWord
    problem_words: frozenset[str]
    forms: tuple[FilteredForm, ...]
    replacements: tuple[Replacement, ...] = ()
    dropped: Mapping[str, Mapping[str, Mapping[str, Validated]]] = field(default_factory=dict)


def find_replacements(
    problems: Iterable[tuple[TaggedProblem, Sequence[SharedWord]]],
    answers: Mapping[str, MaskedLMAnswers],
    tagger: InPlaceTagger,
    options: Options,
    *,
    wordnet: WordNet | None = None,
) -> tuple[list[FilteredWord], FilterCounts]:
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
    filtered = filter_words(problems, answers, tagger, options, wordnet=wordnet)
    words = [combine(word, options) for word in filtered]
    return words, _count(words)


def filter_words(
    problems: Iterable[tuple[TaggedProblem, Sequence[SharedWord]]],
    answers: Mapping[str, MaskedLMAnswers],
    tagger: InPlaceTagger,
    options: Options,
    *,
    wordnet: WordNet | None = None,
) -> list[FilteredWord]:
    """Apply the filters of docs/method.md at every occurrence of every shared word, for every masked LM.

    The filters are those that apply with the `options`. Takes the arguments of `find_replacements`.
    """
    filters = applied_filters(options)
    words = [
        FilteredWord(tagged, word, problem_words, tuple(_filter_forms(occurrences, answers, filters)))
        for tagged, shared in problems
        for problem_words in (words_of(tagged),)
        for word in shared
        for occurrences in (
            occurrences_of_word(tagged, word, options.mask, problem_words=problem_words, wordnet=wordnet),
        )
    ]
    by_tag = [applied for applied in filters if applied.filter.on_tag is not None]
    by_parse = [applied for applied in filters if applied.filter.on_parse is not None]
    words = _drop_in_place(words, tagger.tags, by_tag) if by_tag else words
    return _drop_in_place(words, tagger.same_parses, by_parse) if by_parse else words


def _filter_forms(
    occurrences: Iterable[tuple[Form, Occurrence]], answers: Mapping[str, MaskedLMAnswers], filters: Sequence[Applied]
) -> Iterator[FilteredForm]:
    """Apply the filters that need no tagger."""
    for form, occurrence in occurrences:
        for name, of_mlm in answers.items():
            answer = of_mlm.answers[form.key]
            if isinstance(answer, str):
                yield FilteredForm(name, occurrence, form, answer)
            else:
                outcome = filter_fillers(answer, of_mlm.vocabulary, occurrence, filters)
                yield FilteredForm(name, occurrence, form, outcome, answer.in_window)


def _drop_in_place(
    words: Sequence[FilteredWord], look: Callable[[Sequence[Substitution]], Sequence[Any]], filters: Sequence[Applied]
) -> list[FilteredWord]:
    """Drop suggestions by what is seen with each in its place, once for all masked LMs: its tag, or the parse."""
    suggestions = {
        id(form): list(map(form.occurrence.replaced_by, form.suggestions)) for word in words for form in word.forms
    }
    distinct = list(dict.fromkeys(suggestion for of_form in suggestions.values() for suggestion in of_form))
    seen = dict(zip(distinct, look(distinct), strict=True))

    def drop(form: FilteredForm) -> FilteredForm:
        if isinstance(form.outcome, str):
            return form
        outcome, values = form.outcome, [seen[suggestion] for suggestion in suggestions[id(form)]]
        for filter_, option in filters:
            condition: Any = filter_.on_tag or filter_.on_parse
            drops = condition(option, form.occurrence)
            keep = [not drops(value) for value in values]
            outcome, values = outcome.drop(keep, filter_), list(compress(values, keep))
        return replace(form, outcome=outcome)

    return [replace(word, forms=tuple(map(drop, word.forms))) for word in words]


def combine(filtered: FilteredWord, options: Options) -> FilteredWord:
    """Apply the set operations to the suggestions of one shared word, then scramble them if `options` say so.

    Args:
        filtered: The word with its suggestions.
        options: The filters on validators, `sides`, `scramble` and `random_seed` are read.

    Returns:
        The word with its replacements.
    """
    of_sides: dict[str, dict[str, list[LogOdds]]] = {side: defaultdict(list) for side in SIDES}
    for form in filtered.forms:
        of_sides[form.side][form.masked_lm].append(form.suggestions)
    validated = {
        side: over_mlms({name: over_occurrences(occurrences) for name, occurrences in of_mlms.items()})
        for side, of_mlms in of_sides.items()
    }
    dropped: dict[str, dict[str, dict[str, Validated]]] = {}
    for filter_, value in applied_filters(options):
        if filter_.on_validators is not None:
            for side, of_side in validated.items():
                validated[side], dropped.setdefault(filter_.reason, {})[side] = drop_by_validators(
                    of_side, partial(filter_.on_validators, value)
                )
    replacements = over_sentences(validated[PREMISE], validated[HYPOTHESIS], sides=options.sides)
    if options.scramble:
        replacements, left_out = scramble_all(
            replacements, filtered.problem_words, options.random_seed, options.language
        )
        dropped[NO_ORDER] = {
            side: {word.word: of_side[word.word] for word in left_out if word.word in of_side}
            for side, of_side in validated.items()
        }
    return replace(filtered, replacements=replacements, dropped=dropped)


def _count(words: Iterable[FilteredWord]) -> FilterCounts:
    counts: FilterCounts = defaultdict(Counter)
    for filtered in words:
        word_class = filtered.word.word_class
        for form in filtered.forms:
            counts[word_class, form.masked_lm, form.side].update(form.counts())
        for reason, of_sides in filtered.dropped.items():
            for side, of_side in of_sides.items():
                for name in chain.from_iterable(validated.mlms for validated in of_side.values()):
                    counts[word_class, name, side][reason] += 1
    return counts
