"""Find the replacements of shared words: filters, then ∩ over occurrences, ∪ over masked LMs, ∩ or ∪ over sentences."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import compress
from typing import Any

from generation.answers.store import MaskedLMAnswers
from generation.filters.definitions import applied_filters
from generation.filters.fillers import Filtered, LogOdds, filter_fillers
from generation.filters.filter import Applied, Place, places_of_word
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
        place: The occurrence that is masked.
        form: The form.
        outcome: The outcome of the filters for its fillers, or the reason why the form has no answer.
        in_window: Whether the masked LM saw a window of the text.
    """

    masked_lm: str
    place: Place
    form: Form
    outcome: Filtered | str
    in_window: bool = False

    @property
    def side(self) -> str:
        """`premise` or `hypothesis`."""
        return self.place.side

    @property
    def suggestions(self) -> LogOdds:
        """The fillers that are kept, with their log-odds."""
        return {} if isinstance(self.outcome, str) else self.outcome.suggestions

    def in_place(self) -> list[Substitution]:
        """Return each suggestion in the place of the masked word."""
        sentence, start, end = self.place.sentence, self.place.start, self.place.end
        return [Substitution(sentence, start, end, self.place.written(word)) for word in self.suggestions]

    def counts(self) -> Counter[str]:
        """Count the form, its fillers and their outcomes, or the reason why it has no answer."""
        if isinstance(self.outcome, str):
            return Counter({FORMS: 1, self.outcome: 1})
        found = {FORMS: 1, FILLERS: len(self.outcome.codes), IN_WINDOW: int(self.in_window)}
        return Counter(found) + self.outcome.counts()


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
        dropped: By reason and by side, the words of W_M(S, w) that a filter on validators dropped, or whose letters
            have no other order.
    """

    tagged: TaggedProblem
    word: SharedWord
    replacements: tuple[Replacement, ...]
    dropped: Mapping[str, Mapping[str, Mapping[str, Validated]]] = field(default_factory=dict)


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

    The filters are those that apply with the `options`. Takes the arguments of `find_replacements`.
    """
    filters = applied_filters(options)
    words = [
        FilteredWord(tagged, word, problem_words, tuple(_filter_forms(places, answers, filters)))
        for tagged, shared in problems
        for problem_words in (words_of(tagged),)
        for word in shared
        for places in (places_of_word(tagged, word, options.mask, problem_words=problem_words, wordnet=wordnet),)
    ]
    by_tag = [each for each in filters if each.filter.on_tag is not None]
    by_parse = [each for each in filters if each.filter.on_parse is not None]
    words = _drop_in_place(words, tagger.tags, by_tag) if by_tag else words
    return _drop_in_place(words, tagger.same_parses, by_parse) if by_parse else words


def _filter_forms(
    places: Iterable[tuple[Form, Place]], answers: Mapping[str, MaskedLMAnswers], filters: Sequence[Applied]
) -> Iterator[FilteredForm]:
    """Apply the filters that need no tagger."""
    for form, place in places:
        for name, of_mlm in answers.items():
            answer = of_mlm.answers[form.key]
            if isinstance(answer, str):
                yield FilteredForm(name, place, form, answer)
            else:
                outcome = filter_fillers(answer, of_mlm.vocabulary, place, filters)
                yield FilteredForm(name, place, form, outcome, answer.in_window)


def _drop_in_place(
    words: Sequence[FilteredWord], look: Callable[[Sequence[Substitution]], Sequence[Any]], filters: Sequence[Applied]
) -> list[FilteredWord]:
    """Drop suggestions by what is seen with each in its place, once for all masked LMs: its tag, or the parse."""
    of_forms = {id(form): form.in_place() for each in words for form in each.forms}
    places = list(dict.fromkeys(place for of_form in of_forms.values() for place in of_form))
    seen = dict(zip(places, look(places), strict=True))

    def drop(form: FilteredForm) -> FilteredForm:
        if isinstance(form.outcome, str):
            return form
        outcome, found = form.outcome, [seen[place] for place in of_forms[id(form)]]
        for each, value in filters:
            condition: Any = each.on_tag or each.on_parse
            drops = condition(value, form.place)
            keep = [not drops(one) for one in found]
            outcome, found = outcome.drop(keep, each), list(compress(found, keep))
        return replace(form, outcome=outcome)

    return [replace(each, forms=tuple(map(drop, each.forms))) for each in words]


def combine(filtered: FilteredWord, options: Options) -> Found:
    """Apply the set operations to the suggestions of one shared word, then scramble them if `options` say so.

    Args:
        filtered: The word with its suggestions.
        options: The filters on validators, `sides`, `scramble` and `random_seed` are read.
    """
    of_sides: dict[str, dict[str, list[LogOdds]]] = {side: defaultdict(list) for side in SIDES}
    for form in filtered.forms:
        of_sides[form.side][form.masked_lm].append(form.suggestions)
    validated = {
        side: over_mlms({name: over_occurrences(occurrences) for name, occurrences in of_mlms.items()})
        for side, of_mlms in of_sides.items()
    }
    dropped: dict[str, dict[str, dict[str, Validated]]] = {}
    for each, value in applied_filters(options):
        if each.on_validators is not None:
            for side, of_side in validated.items():
                validated[side], dropped.setdefault(each.reason, {})[side] = drop_by_validators(
                    of_side, partial(each.on_validators, value)
                )
    replacements = over_sentences(validated[PREMISE], validated[HYPOTHESIS], sides=options.sides)
    if options.scramble:
        replacements, left_out = scramble_all(
            replacements, filtered.problem_words, options.random_seed, options.language
        )
        dropped[NO_ORDER] = {
            side: {each.word: of_side[each.word] for each in left_out if each.word in of_side}
            for side, of_side in validated.items()
        }
    return Found(filtered.tagged, filtered.word, replacements, dropped)


def _count(words: Iterable[FilteredWord], found: Iterable[Found]) -> FilterCounts:
    counts: FilterCounts = Counter()
    for filtered in words:
        for form in filtered.forms:
            for reason, count in form.counts().items():
                counts[filtered.word.word_class, form.masked_lm, form.side, reason] += count
    for each in found:
        word_class = each.word.word_class
        counts.update(
            (word_class, name, side, reason)
            for reason, of_sides in each.dropped.items()
            for side, words_of_side in of_sides.items()
            for validated in words_of_side.values()
            for name in validated.mlms
        )
    return counts
