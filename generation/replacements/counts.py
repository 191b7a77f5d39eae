"""Counts of fillers by the outcome of the filters in order, and of each filter on its own (the paper's Table 6)."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import pyarrow as pa

from generation.answers.store import MaskedLMAnswers
from generation.filters.conditions import base_forms_of
from generation.filters.definitions import IN_PROBLEM, LESS_PROBABLE, NO_WORD, OTHER_CLASS
from generation.filters.fillers import KEPT
from generation.filters.filter import Occurrence, occurrences_of_word
from generation.masked_lms.masked_lm import Fillers
from generation.masked_lms.vocabulary import Vocabulary
from generation.sentences.forms import ONE, Form, Substitution, match_case
from generation.sentences.tagging import InPlaceTagger, TaggedProblem
from generation.sentences.words import SharedWord, fold, words_of
from merge_snli.base.arrays import Bools
from merge_snli.dataset.answered_forms import FORMS
from merge_snli.languages.language import ENGLISH
from merge_snli.models.wordnet import base_forms

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


def counts_table(counts: FilterCounts) -> pa.Table:
    """Return counts as a table with the columns of `SCHEMA`, sorted, without zeros."""
    rows = sorted((*group, *item) for group, of_group in counts.items() for item in of_group.items() if item[1])
    return pa.Table.from_pylist([dict(zip(SCHEMA.names, row, strict=True)) for row in rows], SCHEMA)


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
        return {
            rank: self.occurrence.replaced_by(
                match_case(self.occurrence.word.text, vocabulary.text(self.fillers.piece_ids[rank]))
            )
            for rank in np.flatnonzero(~self.dropped[NO_WORD.reason]).tolist()
        }

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
    pieces_of = cache(lambda name, word_class: _pieces_by_form(answers[name].vocabulary, word_class))
    forms = [form for tagged, words in problems for form in _answered(tagged, words, answers, pieces_of, mask)]
    counts: FilterCounts = defaultdict(Counter)
    for form in forms:
        counts[form.group].update(form.counts())
    sample = _sample(forms, class_forms)
    suggestions = [form.suggestions(answers[form.masked_lm].vocabulary) for form in sample]
    distinct = list(dict.fromkeys(suggestion for of_form in suggestions for suggestion in of_form.values()))
    classes = dict(zip(distinct, tagger.word_classes(distinct), strict=True))
    for form, of_form in zip(sample, suggestions, strict=True):
        ranks = [rank for rank, suggestion in of_form.items() if classes[suggestion] == form.group[0]]
        other_class = np.ones(len(form.fillers.piece_ids), np.bool_)
        other_class[ranks] = False
        dropped = other_class | form.dropped[LESS_PROBABLE.reason] | form.dropped[IN_PROBLEM.reason]
        numbers = {OTHER_CLASS.reason: int(np.sum(other_class)), KEPT: int(np.sum(~dropped))}
        counts[form.group].update({WITH_CLASS: len(other_class), **numbers})
    return counts


def _pieces_by_form(vocabulary: Vocabulary, word_class: str) -> dict[str, list[int]]:
    """Return the ids of the pieces that have a base form in a word class, by base form."""
    pieces = defaultdict(list)
    for index, piece in enumerate(vocabulary.pieces):
        for form in base_forms(fold(piece.text), word_class) if piece is not None else ():
            pieces[form].append(index)
    return pieces


def _answered(
    tagged: TaggedProblem,
    words: Sequence[SharedWord],
    answers: Mapping[str, MaskedLMAnswers],
    pieces_of: Callable[[str, str], Mapping[str, list[int]]],
    mask: str,
) -> Iterator[_AnsweredForm]:
    """Yield the answered forms of a problem with the outcome of each filter that needs no tagger."""
    problem_words = words_of(tagged)
    for word in words:
        inflected = word.word_class if tagged.language == ENGLISH else ""  # only English has base forms
        in_problem = {name: np.zeros(len(of_mlm.vocabulary.pieces), np.bool_) for name, of_mlm in answers.items()}
        for name, dropped in in_problem.items():
            pieces = pieces_of(name, inflected)
            dropped[[index for form in base_forms_of(problem_words, inflected) for index in pieces.get(form, ())]] = (
                True
            )
        for form, occurrence in occurrences_of_word(tagged, word, mask, problem_words=problem_words):
            for name, of_mlm in answers.items():
                fillers = of_mlm.answers[form.key]
                if isinstance(fillers, Fillers):
                    dropped_by = {
                        NO_WORD.reason: ~of_mlm.vocabulary.same_kind(fillers.piece_ids, fillers.original_id),
                        LESS_PROBABLE.reason: fillers.log_probs <= np.float32(fillers.original_log_prob),
                        IN_PROBLEM.reason: in_problem[name][fillers.piece_ids],
                    }
                    yield _AnsweredForm(name, occurrence, form, fillers, dropped_by)


def _sample(forms: Sequence[_AnsweredForm], class_forms: int | None) -> list[_AnsweredForm]:
    """Return the forms with the first keys of each word class and side."""
    keys: dict[tuple[str, str], set[str]] = defaultdict(set)
    for form in forms:
        keys[form.group[::2]].add(form.form.key)
    first = {group: set(sorted(of_group)[:class_forms]) for group, of_group in keys.items()}
    return [form for form in forms if form.form.key in first[form.group[::2]]]
