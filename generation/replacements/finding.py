"""Find the replacements of shared words, by filters and set operations, and count what the filters drop."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, compress
from typing import Any, cast

import numpy as np

from generation.answers.store import MaskedLMAnswers
from generation.filters.definitions import applied_filters
from generation.filters.fillers import Filtered, LogOdds, filter_fillers
from generation.filters.filter import Applied, Filter, Occurrence, occurrences_of_word
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

NO_FILLERS = Filtered(np.empty(0, np.int8), {})

# Words that the masked LM validated on that side, left out because their letters have no other order.
NO_ORDER = "no other order"


@dataclass(frozen=True, slots=True)
class FilteredForm:
    """One form of a shared word under one masked LM.

    Attributes:
        masked_lm: The name of the masked LM.
        occurrence: The occurrence that is masked.
        form: The form.
        outcome: The outcome of the filters for its fillers, if it has any.
        in_window: Whether the masked LM saw a window of the text.
        refused: The reason why the form has no answer; None if it has one.
    """

    masked_lm: str
    occurrence: Occurrence
    form: Form
    outcome: Filtered
    in_window: bool = False
    refused: str | None = None

    @property
    def side(self) -> str:
        """`premise` or `hypothesis`."""
        return self.occurrence.side

    @property
    def suggestions(self) -> LogOdds:
        """The fillers that are kept, with their log-odds."""
        return self.outcome.suggestions

    def counts(self) -> Counter[str]:
        """Count the form, its fillers and their outcomes, or the reason why it has no answer."""
        if self.refused is not None:
            return Counter({FORMS: 1, self.refused: 1})
        numbers = {
            FORMS: 1,
            FILLERS: len(self.outcome.codes),
            IN_WINDOW: int(self.in_window),
            NO_SUGGESTION: int(not self.suggestions),
        }
        return Counter(numbers) + self.outcome.counts()


@dataclass(frozen=True, slots=True)
class Dropped:
    """A word of W_M(S, w) that does not become a replacement.

    Attributes:
        reason: That of a filter on sentences or of `generation.replacements.judged`, or `NO_ORDER`.
        side: `premise` or `hypothesis`.
        word: The word.
        mlms: Names of the masked LMs that validated it.
    """

    reason: str
    side: str
    word: str
    mlms: tuple[str, ...]


@dataclass(frozen=True)
class FilteredWord:
    """A shared word of a problem with the outcome of the filters for each of its forms, and its replacements.

    Attributes:
        tagged: The problem.
        word: The shared word.
        problem_words: The words of the problem, folded.
        forms: Its forms under each masked LM.
        replacements: W_M(PH, w), scrambled if that is an option of the run; from `combine`.
        dropped: The words that filters on sentences dropped, from `combine`, and then the judgments.
        judged: What judgments say of the variants that were looked up in them, by id; see `drop_by_judgments`.
    """

    tagged: TaggedProblem
    word: SharedWord
    problem_words: frozenset[str]
    forms: tuple[FilteredForm, ...]
    replacements: tuple[Replacement, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    judged: Mapping[str, str] = field(default_factory=dict)

    @property
    def group(self) -> tuple[str, str]:
        """The id of the problem and the word class, whose words give the variants of a seed."""
        return self.tagged.problem.id, self.word.word_class


def filter_words(
    problems: Iterable[tuple[TaggedProblem, Sequence[SharedWord]]],
    answers: Mapping[str, MaskedLMAnswers],
    tagger: InPlaceTagger,
    options: Options,
    *,
    wordnet: WordNet | None = None,
) -> list[FilteredWord]:
    """Apply the filters of docs/method.md at every occurrence of every shared word, for every masked LM.

    Args:
        problems: Tagged problems, each with the shared words to replace.
        answers: By masked LM, its answers to the forms of all these words.
        tagger: Tags suggestions in place.
        options: The options of the run.
        wordnet: WordNet, to drop suggestions related to another word of the problem; None to keep them.

    Returns:
        One entry per word in the given order.
    """
    filters = applied_filters(options)
    words = []
    for tagged, shared in problems:
        problem_words = words_of(tagged)
        for word in shared:
            occurrences = occurrences_of_word(tagged, word, options.mask, problem_words=problem_words, wordnet=wordnet)
            forms = tuple(_filter_forms(occurrences, answers, filters))
            words.append(FilteredWord(tagged, word, problem_words, forms))
    by_tag = [applied.filter for applied in filters if applied.filter.on_tag is not None]
    by_parse = [applied.filter for applied in filters if applied.filter.on_parse is not None]
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
                yield FilteredForm(name, occurrence, form, NO_FILLERS, refused=answer)
            else:
                outcome = filter_fillers(answer, of_mlm.vocabulary, occurrence, filters)
                yield FilteredForm(name, occurrence, form, outcome, answer.in_window)


def _drop_in_place(
    words: Sequence[FilteredWord], look: Callable[[Sequence[Substitution]], Sequence[Any]], filters: Sequence[Filter]
) -> list[FilteredWord]:
    """Drop suggestions by what is seen with each in its place, once for all masked LMs: its tag, or the parse."""
    suggestions = {}
    for word in words:
        for form in word.forms:
            suggestions[id(form)] = [form.occurrence.replaced_by(suggestion) for suggestion in form.suggestions]
    distinct = list(dict.fromkeys(chain.from_iterable(suggestions.values())))
    seen = dict(zip(distinct, look(distinct), strict=True))

    def drop(form: FilteredForm) -> FilteredForm:
        outcome = form.outcome
        values = [seen[suggestion] for suggestion in suggestions[id(form)]]
        for filter_ in filters:
            drops = cast("Any", filter_.on_tag or filter_.on_parse)(form.occurrence)
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
    forms: dict[str, dict[str, list[FilteredForm]]] = {}
    validated: dict[str, dict[str, Validated]] = {}
    for side in SIDES:
        forms[side] = grouped((form.masked_lm, form) for form in filtered.forms if form.side == side)
        at_all = {name: over_occurrences([form.suggestions for form in of_mlm]) for name, of_mlm in forms[side].items()}
        validated[side] = over_mlms(at_all)
    dropped = []
    for applied in applied_filters(options):
        if not applied.filter.is_on_sentences:
            continue
        for side, of_side in validated.items():
            for word, of_word in [*of_side.items()]:
                if _drops_word(applied, word, of_word, of_mlms=forms[side], dissents=options.dissents):
                    dropped.append(Dropped(applied.filter.reason, side, word, of_side.pop(word).mlms))
    replacements = over_sentences(validated[PREMISE], validated[HYPOTHESIS], sides=options.sides)
    if options.scramble:
        replacements, without_order = scramble_all(
            replacements, filtered.problem_words, options.random_seed, options.language
        )
        for replacement in without_order:
            dropped += dropped_from_sides(replacement, NO_ORDER)
    return replace(filtered, replacements=replacements, dropped=tuple(dropped))


def dropped_from_sides(replacement: Replacement, reason: str) -> Iterator[Dropped]:
    """Yield a replacement that is dropped, for each sentence in which it is validated."""
    for side in SIDES:
        mlms = getattr(replacement, f"{side}_mlms")
        if mlms:
            yield Dropped(reason, side, replacement.word, mlms)


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
        votes = [form.outcome.votes for form in forms if form.refused is None]
        dissents += any(word not in of_form for of_form in votes)
    return dissents


def count_filtered(words: Iterable[FilteredWord]) -> FilterCounts:
    """Count the forms and fillers of words by what became of them."""
    counts: FilterCounts = defaultdict(Counter)
    for filtered in words:
        word_class = filtered.word.word_class
        for form in filtered.forms:
            counts[word_class, form.masked_lm, form.side].update(form.counts())
        for dropped in filtered.dropped:
            for name in dropped.mlms:
                counts[word_class, name, dropped.side][dropped.reason] += 1
    return counts
