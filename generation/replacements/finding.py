"""Find the replacements of shared words, by filters and set operations, and count what the filters drop."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, compress
from typing import Any, cast

from generation.answers.store import MaskedLMAnswers
from generation.filters.definitions import applied_filters
from generation.filters.fillers import Filtered, LogOdds, filter_fillers
from generation.filters.filter import Applied, Occurrence, occurrences_of_word
from generation.filters.lexical import WordNet
from generation.options import Options
from generation.replacements.combine import (
    Replacement,
    Validated,
    over_mlms,
    over_occurrences,
    over_sentences,
    scramble_all,
)
from generation.replacements.counts import FILLERS, FilterCounts
from generation.sentences.forms import HYPOTHESIS, PREMISE, SIDES, Form, Substitution
from generation.sentences.tagging import InPlaceTagger, TaggedProblem
from generation.sentences.words import SharedWord, words_of
from merge_snli.base.batches import grouped
from merge_snli.dataset.answered_forms import FORMS, IN_WINDOW, NO_SUGGESTION

# Words that the masked LM validated on that side, left out because their letters have no other order.
NO_ORDER = "no other order"


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
    def refused(self) -> str | None:
        """The reason why the form has no answer; None if it has one."""
        return self.outcome if isinstance(self.outcome, str) else None

    @property
    def suggestions(self) -> LogOdds:
        """The fillers that are kept, with their log-odds."""
        return {} if isinstance(self.outcome, str) else self.outcome.suggestions

    def counts(self) -> Counter[str]:
        """Count the form, its fillers and their outcomes, or the reason why it has no answer."""
        if isinstance(self.outcome, str):
            return Counter({FORMS: 1, self.outcome: 1})
        numbers = {
            FORMS: 1,
            FILLERS: len(self.outcome.codes),
            IN_WINDOW: int(self.in_window),
            NO_SUGGESTION: int(not self.suggestions),
        }
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
        dropped: By reason and by side, the words of W_M(S, w) that a filter on sentences dropped, or whose letters
            have no other order, from `combine`; and those that `generation.replacements.judged` dropped.
    """

    tagged: TaggedProblem
    word: SharedWord
    problem_words: frozenset[str]
    forms: tuple[FilteredForm, ...]
    replacements: tuple[Replacement, ...] = ()
    dropped: Mapping[str, Mapping[str, Mapping[str, Validated]]] = field(default_factory=dict)

    @property
    def group(self) -> tuple[str, str]:
        """The id of the problem and the word class, whose words give the variants of a seed."""
        return self.tagged.problem.id, self.word.word_class


def find_replacements(
    problems: Iterable[tuple[TaggedProblem, Sequence[SharedWord]]],
    answers: Mapping[str, MaskedLMAnswers],
    tagger: InPlaceTagger,
    options: Options,
    *,
    wordnet: WordNet | None = None,
    judge: Callable[[list[FilteredWord]], list[FilteredWord]] | None = None,
) -> tuple[list[FilteredWord], FilterCounts]:
    """Find the replacements of every shared word of a shard of problems.

    Args:
        problems: Tagged problems, each with the shared words to replace.
        answers: By masked LM, its answers to the forms of all these words.
        tagger: Tags suggestions in place.
        options: The options of the run.
        wordnet: WordNet, to drop suggestions related to another word of the problem; None to keep them.
        judge: Drops replacements by judgments; None to keep them.

    Returns:
        One entry per word in the given order, and the counts of forms and fillers.
    """
    combined = [combine(word, options) for word in filter_words(problems, answers, tagger, options, wordnet=wordnet)]
    words = combined if judge is None else judge(combined)
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
    words = []
    for tagged, shared in problems:
        problem_words = words_of(tagged)
        for word in shared:
            occurrences = occurrences_of_word(tagged, word, options.mask, problem_words=problem_words, wordnet=wordnet)
            forms = tuple(_filter_forms(occurrences, answers, filters))
            words.append(FilteredWord(tagged, word, problem_words, forms))
    by_tag = [applied for applied in filters if applied.filter.on_tag is not None]
    by_parse = [applied for applied in filters if applied.filter.on_parse is not None]
    if by_tag:
        words = _drop_in_place(words, tagger.tags, by_tag)
    if by_parse:
        words = _drop_in_place(words, tagger.same_parses, by_parse)
    return words


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
    suggestions = {}
    for word in words:
        for form in word.forms:
            suggestions[id(form)] = [form.occurrence.replaced_by(suggestion) for suggestion in form.suggestions]
    distinct = list(dict.fromkeys(chain.from_iterable(suggestions.values())))
    seen = dict(zip(distinct, look(distinct), strict=True))

    def drop(form: FilteredForm) -> FilteredForm:
        if isinstance(form.outcome, str):
            return form
        outcome = form.outcome
        values = [seen[suggestion] for suggestion in suggestions[id(form)]]
        for filter_, option in filters:
            drops = cast("Any", filter_.on_tag or filter_.on_parse)(option, form.occurrence)
            keep = [not drops(value) for value in values]
            outcome = outcome.drop(keep, filter_)
            values = list(compress(values, keep))
        return replace(form, outcome=outcome)

    return [replace(word, forms=tuple(map(drop, word.forms))) for word in words]


def combine(filtered: FilteredWord, options: Options) -> FilteredWord:
    """Apply the set operations to the suggestions of one shared word, then scramble them if `options` say so.

    Args:
        filtered: The word with its suggestions.
        options: The filters on sentences, `sides`, `scramble` and `random_seed` are read.

    Returns:
        The word with its replacements.
    """
    forms = {side: _forms_of_side(filtered, side) for side in SIDES}
    validated = {side: _validated(of_mlms) for side, of_mlms in forms.items()}
    dropped: dict[str, dict[str, dict[str, Validated]]] = {}
    for applied in applied_filters(options):
        if not applied.filter.is_on_sentences:
            continue
        by_filter: dict[str, dict[str, Validated]] = {side: {} for side in SIDES}
        for side, of_side in validated.items():
            for word, of_word in [*of_side.items()]:
                if _drops_word(applied, word, of_word, of_mlms=forms[side], dissents=options.dissents):
                    by_filter[side][word] = of_side.pop(word)
        dropped[applied.filter.reason] = by_filter
    replacements = over_sentences(validated[PREMISE], validated[HYPOTHESIS], sides=options.sides)
    if options.scramble:
        replacements, without_order = scramble_all(
            replacements, filtered.problem_words, options.random_seed, options.language
        )
        left_out = [replacement.word for replacement in without_order]
        dropped[NO_ORDER] = {}
        for side, of_side in validated.items():
            dropped[NO_ORDER][side] = {word: of_side[word] for word in left_out if word in of_side}
    return replace(filtered, replacements=replacements, dropped=dropped)


def _forms_of_side(filtered: FilteredWord, side: str) -> dict[str, list[FilteredForm]]:
    """Return the forms of a sentence by masked LM."""
    return grouped((form.masked_lm, form) for form in filtered.forms if form.side == side)


def _validated(of_mlms: Mapping[str, Sequence[FilteredForm]]) -> dict[str, Validated]:
    """Return W_M(S, w) of a sentence."""
    at_all = {name: over_occurrences([form.suggestions for form in forms]) for name, forms in of_mlms.items()}
    return over_mlms(at_all)


def _drops_word(
    applied: Applied, word: str, validated: Validated, *, of_mlms: Mapping[str, Sequence[FilteredForm]], dissents: int
) -> bool:
    """Return whether a filter on sentences drops a word, by its validators or by the votes of the masked LMs."""
    filter_, value = applied
    if filter_.on_validators is not None and filter_.on_validators(value, validated.mlms):
        return True
    return filter_.on_votes is not None and _dissents(word, of_mlms) > dissents


def _dissents(word: str, of_mlms: Mapping[str, Sequence[FilteredForm]]) -> int:
    """Count the masked LMs that answered a form of a sentence and did not vote for a word there."""
    dissents = 0
    for forms in of_mlms.values():
        votes = [form.outcome.votes for form in forms if isinstance(form.outcome, Filtered)]
        dissents += any(word not in of_form for of_form in votes)
    return dissents


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
