"""Count the fillers that each filter of the paper drops when it is the only one (Table 6)."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from generation.answers.store import MaskedLMAnswers
from generation.filters.conditions import base_forms_of
from generation.filters.definitions import IN_PROBLEM, LESS_PROBABLE, NO_WORD, OTHER_CLASS
from generation.filters.fillers import KEPT
from generation.filters.filter import Occurrence, occurrences_of_word
from generation.masked_lms.masked_lm import Fillers
from generation.masked_lms.vocabulary import Vocabulary
from generation.replacements.counts import FILLERS, FilterCounts, Group
from generation.sentences.forms import ONE, Form, Substitution, match_case
from generation.sentences.tagging import InPlaceTagger, TaggedProblem, word_class_of
from generation.sentences.words import SharedWord, words_of
from merge_snli.base.arrays import Bools
from merge_snli.base.batches import grouped
from merge_snli.dataset.answered_forms import FORMS
from merge_snli.languages.language import ENGLISH

# Number of forms per shard, word class and side whose fillers are all tagged.
#
# Tagging the fillers of every form would take several times as long as tagging the suggestions.
CLASS_FORMS = 32

# Fillers of the tagged forms: the total for `other class` and `kept`.
WITH_CLASS = "fillers with class"


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

    def numbers_with_class(self, of_class: Sequence[int]) -> Mapping[str, int]:
        """Return the numbers of fillers that need a tagger, by the ranks of those of the word's class in place."""
        other_class = np.ones(len(self.fillers.piece_ids), np.bool_)
        other_class[of_class] = False
        kept = ~(other_class | self.dropped[LESS_PROBABLE.reason] | self.dropped[IN_PROBLEM.reason])
        return {WITH_CLASS: len(other_class), OTHER_CLASS.reason: int(np.sum(other_class)), KEPT: int(np.sum(kept))}


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
        counts[form.group].update({FORMS: 1, FILLERS: len(form.fillers.piece_ids)})
        for reason, dropped in form.dropped.items():
            counts[form.group][reason] += int(np.sum(dropped))
    sample = _sample(forms, class_forms)
    suggestions = [form.suggestions(answers[form.masked_lm].vocabulary) for form in sample]
    # Each distinct suggestion is tagged once.
    distinct = list(dict.fromkeys(chain.from_iterable(of_form.values() for of_form in suggestions)))
    classes = dict(zip(distinct, map(word_class_of, tagger.tags(distinct)), strict=True))
    for form, of_form in zip(sample, suggestions, strict=True):
        of_class = [rank for rank, suggestion in of_form.items() if classes[suggestion] == form.group[0]]
        counts[form.group].update(form.numbers_with_class(of_class))
    return counts


def _answered(
    tagged: TaggedProblem, words: Sequence[SharedWord], answers: Mapping[str, MaskedLMAnswers], mask: str
) -> Iterator[_AnsweredForm]:
    """Yield the answered forms of a problem with the outcome of each filter that needs no tagger."""
    problem_words = words_of(tagged)
    for word in words:
        inflected = word.word_class if tagged.language == ENGLISH else ""  # only English has base forms
        in_problem: dict[str, list[int]] = {}
        for name, of_mlm in answers.items():
            ids = of_mlm.vocabulary.ids_by_base_form(inflected)
            in_problem[name] = []
            for base_form in base_forms_of(problem_words, inflected):
                in_problem[name] += ids.get(base_form, ())
        for form, occurrence in occurrences_of_word(tagged, word, mask, problem_words=problem_words):
            for name, of_mlm in answers.items():
                fillers = of_mlm.answers[form.key]
                if isinstance(fillers, Fillers):
                    dropped_by = {
                        NO_WORD.reason: occurrence.not_words(fillers, of_mlm.vocabulary),
                        LESS_PROBABLE.reason: fillers.log_probs <= np.float32(fillers.original_log_prob),
                        IN_PROBLEM.reason: np.isin(fillers.piece_ids, in_problem[name]),
                    }
                    yield _AnsweredForm(name, occurrence, form, fillers, dropped_by)


def _sample(forms: Sequence[_AnsweredForm], class_forms: int | None) -> list[_AnsweredForm]:
    """Return the forms with the first keys of each word class and side."""
    keys = grouped((form.group[::2], form.form.key) for form in forms)
    first = {group: set(sorted({*of_group})[:class_forms]) for group, of_group in keys.items()}
    return [form for form in forms if form.form.key in first[form.group[::2]]]
