"""Find the replacements of shared words, by filters and set operations, and count what the filters drop."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, compress
from typing import Any, cast

import numpy as np
import pyarrow as pa

from generation.answers.store import MaskedLMAnswers
from generation.filters.conditions import base_forms_of
from generation.filters.definitions import IN_PROBLEM, LESS_PROBABLE, NO_WORD, OTHER_CLASS, applied_filters
from generation.filters.fillers import KEPT, Filtered, LogOdds, filter_fillers
from generation.filters.filter import Applied, Occurrence, occurrences_of_word
from generation.filters.lexical import WordNet
from generation.masked_lms.masked_lm import Fillers
from generation.masked_lms.vocabulary import Vocabulary
from generation.options import Options
from generation.replacements.combine import (
    Replacement,
    Validated,
    over_mlms,
    over_occurrences,
    over_sentences,
    scramble_all,
)
from generation.sentences.forms import HYPOTHESIS, ONE, PREMISE, SIDES, Form, Substitution, match_case
from generation.sentences.tagging import InPlaceTagger, TaggedProblem
from generation.sentences.words import SharedWord, words_of
from merge_snli.base.arrays import Bools
from merge_snli.base.batches import grouped
from merge_snli.dataset.answered_forms import FORMS, IN_WINDOW, NO_SUGGESTION
from merge_snli.languages.language import ENGLISH

FILLERS = "fillers"
# Words that the masked LM validated on that side, left out because their letters have no other order.
NO_ORDER = "no other order"

# Word class, masked LM and side.
Group = tuple[str, str, str]

# Counts by what is counted, for each group: `FORMS`, the reasons why forms have no answer, `FILLERS`, and the outcomes
# of the filters.
FilterCounts = dict[Group, Counter[str]]

SCHEMA = pa.schema(
    [
        ("word_class", pa.string()),
        ("masked_lm", pa.string()),
        ("side", pa.string()),
        ("reason", pa.string()),
        ("count", pa.int64()),
    ]
)

# Number of forms per shard, word class and side whose fillers are all tagged.
#
# Tagging the fillers of every form would take several times as long as tagging the suggestions.
CLASS_FORMS = 32

# Fillers of the tagged forms: the total for `other class` and `kept`.
WITH_CLASS = "fillers with class"


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


def counts_table(counts: FilterCounts) -> pa.Table:
    """Return counts as a table with the columns of `SCHEMA`, sorted, without zeros."""
    rows = []
    for group, of_group in counts.items():
        rows += [(*group, reason, count) for reason, count in of_group.items() if count]
    return pa.Table.from_pylist([dict(zip(SCHEMA.names, row, strict=True)) for row in sorted(rows)], SCHEMA)


def sum_of_tables(tables: Iterable[pa.Table]) -> FilterCounts:
    """Return the sum of the counts in tables from `counts_table`, sorted."""
    counts: FilterCounts = defaultdict(Counter)
    for table in tables:
        for *group, reason, count in zip(*(column.to_pylist() for column in table.columns), strict=True):
            counts[tuple(group)][reason] += count
    return {group: Counter(dict(sorted(of_group.items()))) for group, of_group in sorted(counts.items())}


@dataclass(frozen=True, slots=True)
class _AnsweredForm:
    """The fillers of one form under one masked LM, and by reason which of them each filter without a tagger drops."""

    masked_lm: str
    occurrence: Occurrence
    form: Form
    fillers: Fillers
    dropped: Mapping[str, Bools]

    @property
    def group(self) -> Group:
        return self.occurrence.word.word_class, self.masked_lm, self.occurrence.side

    def suggestions(self, vocabulary: Vocabulary) -> dict[int, Substitution]:
        """Return the fillers that are whole words by rank, each in place of the masked word."""
        found = {}
        for rank in np.flatnonzero(~self.dropped[NO_WORD.reason]).tolist():
            text = vocabulary.text(self.fillers.piece_ids[rank])
            found[rank] = self.occurrence.replaced_by(match_case(self.occurrence.word.text, text))
        return found

    def counts(self) -> dict[str, int]:
        return {
            FORMS: 1,
            FILLERS: len(self.fillers.piece_ids),
            **{reason: int(np.sum(dropped)) for reason, dropped in self.dropped.items()},
        }


def count_standalone(
    problems: Iterable[tuple[TaggedProblem, Sequence[SharedWord]]],
    answers: Mapping[str, MaskedLMAnswers],
    tagger: InPlaceTagger,
    *,
    mask: str = ONE,
    class_forms: int | None = CLASS_FORMS,
) -> FilterCounts:
    """Count the fillers that each filter drops when it is the only one, over a shard of problems.

    Args:
        problems: Tagged problems, each with the shared words to replace.
        answers: By masked LM, its answers to the forms of all these words.
        tagger: Tags fillers in place.
        mask: What the forms mask, `one` occurrence or `all`.
        class_forms: Number of forms per word class and side whose fillers are tagged: those with the first keys in
            alphabetical order, the same for every masked LM. None for all forms.

    Returns:
        The answered `forms` and their `fillers`; the fillers that are `no whole word`, `not more probable` and `in the
        problem`; the `fillers with class`, and how many of these are of another class in place or not a word there
        (`other class`) and how many pass every filter (`kept`).
    """
    forms: list[_AnsweredForm] = []
    for tagged, words in problems:
        forms += _answered(tagged, words, answers, mask)
    counts: FilterCounts = defaultdict(Counter)
    for form in forms:
        counts[form.group].update(form.counts())
    sample = _sample(forms, class_forms)
    suggestions = [form.suggestions(answers[form.masked_lm].vocabulary) for form in sample]
    distinct = list(dict.fromkeys(chain.from_iterable(of_form.values() for of_form in suggestions)))
    classes = dict(zip(distinct, tagger.word_classes(distinct), strict=True))
    for form, of_form in zip(sample, suggestions, strict=True):
        ranks = [rank for rank, suggestion in of_form.items() if classes[suggestion] == form.group[0]]
        other_class = np.ones(len(form.fillers.piece_ids), np.bool_)
        other_class[ranks] = False
        dropped = other_class | form.dropped[LESS_PROBABLE.reason] | form.dropped[IN_PROBLEM.reason]
        numbers = {OTHER_CLASS.reason: int(np.sum(other_class)), KEPT: int(np.sum(~dropped))}
        counts[form.group].update({WITH_CLASS: len(other_class), **numbers})
    return counts


def _answered(
    tagged: TaggedProblem, words: Sequence[SharedWord], answers: Mapping[str, MaskedLMAnswers], mask: str
) -> Iterator[_AnsweredForm]:
    """Yield the answered forms of a problem with the outcome of each filter that needs no tagger."""
    problem_words = words_of(tagged)
    for word in words:
        inflected = word.word_class if tagged.language == ENGLISH else ""  # only English has base forms
        in_problem = {name: np.zeros(len(of_mlm.vocabulary.pieces), np.bool_) for name, of_mlm in answers.items()}
        forms = base_forms_of(problem_words, inflected)
        for name, dropped in in_problem.items():
            ids = answers[name].vocabulary.ids_by_base_form(inflected)
            for form_of_problem in forms:
                dropped[list(ids.get(form_of_problem, ()))] = True
        for form, occurrence in occurrences_of_word(tagged, word, mask, problem_words=problem_words):
            for name, of_mlm in answers.items():
                fillers = of_mlm.answers[form.key]
                if isinstance(fillers, Fillers):
                    dropped_by = {
                        NO_WORD.reason: occurrence.not_words(fillers, of_mlm.vocabulary),
                        LESS_PROBABLE.reason: fillers.log_probs <= np.float32(fillers.original_log_prob),
                        IN_PROBLEM.reason: in_problem[name][fillers.piece_ids],
                    }
                    yield _AnsweredForm(name, occurrence, form, fillers, dropped_by)


def _sample(forms: Sequence[_AnsweredForm], class_forms: int | None) -> list[_AnsweredForm]:
    """Return the forms with the first keys of each word class and side."""
    keys = grouped((form.group[::2], form.form.key) for form in forms)
    first = {group: set(sorted({*of_group})[:class_forms]) for group, of_group in keys.items()}
    return [form for form in forms if form.form.key in first[form.group[::2]]]
