"""Counts of fillers by the outcome of the filters in order, and of each filter on its own (the paper's Table 6)."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from generation.answers.store import MaskedLMAnswers
from generation.filters.definitions import IN_PROBLEM, LESS_PROBABLE, NO_WORD, OTHER_CLASS
from generation.filters.fillers import KEPT
from generation.filters.filter import Place, places_of_word
from generation.filters.word_forms import base_forms_of
from generation.masked_lms.masked_lm import Fillers
from generation.masked_lms.vocabulary import Vocabulary
from generation.sentences.forms import ONE, Form, Substitution, match_case
from generation.sentences.tagging import InPlaceTagger, TaggedProblem
from generation.sentences.words import SharedWord, fold, words_of
from merge_snli.dataset.answered_forms import FORMS
from merge_snli.languages.language import ENGLISH
from merge_snli.models.wordnet import base_forms

FILLERS = "fillers"
# Words that the masked LM validated on that side, left out because their letters have no other order.
NO_ORDER = "no other order"

# Counts by word class, masked LM, side and what is counted.
#
# Counted are `FORMS`, the reasons why forms have no answer, `FILLERS`, and the outcomes of the filters.
FilterCounts = Counter[tuple[str, str, str, str]]

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
    rows = [dict(zip(SCHEMA.names, (*key, count), strict=True)) for key, count in sorted(counts.items()) if count]
    return pa.Table.from_pylist(rows, SCHEMA)


def counts_of_table(table: pa.Table) -> FilterCounts:
    """Return the counts of a table from `counts_table`."""
    *keys, counts = (table[name].to_pylist() for name in SCHEMA.names)
    return Counter(dict(zip(zip(*keys, strict=True), counts, strict=True)))


def by_side(counts: FilterCounts) -> dict[tuple[str, str, str], Counter[str]]:
    """Group counts by word class, masked LM and side, sorted."""
    groups: dict[tuple[str, str, str], Counter[str]] = {}
    for (word_class, masked_lm, side, reason), count in sorted(counts.items()):
        groups.setdefault((word_class, masked_lm, side), Counter())[reason] = count
    return groups


@dataclass(frozen=True, slots=True)
class _AnsweredForm:
    """The fillers of one form under one masked LM, and which of them each filter keeps."""

    masked_lm: str
    place: Place
    form: Form
    fillers: Fillers
    whole: npt.NDArray[np.bool_]
    more_probable: npt.NDArray[np.bool_]
    not_in_problem: npt.NDArray[np.bool_]

    def in_place(self, vocabulary: Vocabulary) -> dict[int, Substitution]:
        """Return the fillers that are whole words by rank, each in the place of the masked word."""
        place, places = self.place, {}
        for rank in np.flatnonzero(self.whole):
            piece = vocabulary.pieces[self.fillers.piece_ids[rank]]
            text = match_case(place.word.text, piece.text) if piece is not None else ""
            places[int(rank)] = Substitution(place.sentence, place.start, place.end, place.written(text))
        return places

    def counts(self) -> dict[str, int]:
        return {
            FORMS: 1,
            FILLERS: len(self.whole),
            NO_WORD.reason: int(np.sum(~self.whole)),
            LESS_PROBABLE.reason: int(np.sum(~self.more_probable)),
            IN_PROBLEM.reason: int(np.sum(~self.not_in_problem)),
        }

    def class_counts(self, of_class: npt.NDArray[np.bool_]) -> dict[str, int]:
        kept = of_class & self.more_probable & self.not_in_problem
        return {WITH_CLASS: len(of_class), OTHER_CLASS.reason: int(np.sum(~of_class)), KEPT: int(np.sum(kept))}


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
    sample = _sample(forms, class_forms)
    of_class = _of_class(sample, answers, tagger)
    counts: FilterCounts = Counter()
    for form, numbers in chain(
        ((form, form.counts()) for form in forms),
        ((form, form.class_counts(each)) for form, each in zip(sample, of_class, strict=True)),
    ):
        for reason, number in numbers.items():
            counts[form.place.word.word_class, form.masked_lm, form.place.side, reason] += number
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
        not_in_problem = {name: np.ones(len(of_mlm.vocabulary.pieces), np.bool_) for name, of_mlm in answers.items()}
        for name, kept in not_in_problem.items():
            pieces = pieces_of(name, inflected)
            kept[[index for form in base_forms_of(problem_words, inflected) for index in pieces.get(form, ())]] = False
        for form, place in places_of_word(tagged, word, mask, problem_words=problem_words):
            for name, of_mlm in answers.items():
                fillers = of_mlm.answers[form.key]
                if isinstance(fillers, Fillers):
                    yield _AnsweredForm(
                        name,
                        place,
                        form,
                        fillers,
                        of_mlm.vocabulary.same_kind(fillers.piece_ids, fillers.original_id),
                        fillers.log_probs > np.float32(fillers.original_log_prob),
                        not_in_problem[name][fillers.piece_ids],
                    )


def _sample(forms: Sequence[_AnsweredForm], class_forms: int | None) -> list[_AnsweredForm]:
    """Return the forms with the first keys of each word class and side."""
    keys: dict[tuple[str, str], set[str]] = defaultdict(set)
    for each in forms:
        keys[each.place.word.word_class, each.place.side].add(each.form.key)
    first = {group: set(sorted(of_group)[:class_forms]) for group, of_group in keys.items()}
    return [each for each in forms if each.form.key in first[each.place.word.word_class, each.place.side]]


def _of_class(
    forms: Sequence[_AnsweredForm], answers: Mapping[str, MaskedLMAnswers], tagger: InPlaceTagger
) -> Iterator[npt.NDArray[np.bool_]]:
    """Yield for each form which of its fillers have the word class of the masked word in its place."""
    in_place = [each.in_place(answers[each.masked_lm].vocabulary) for each in forms]
    places = list(dict.fromkeys(place for of_form in in_place for place in of_form.values()))
    classes = dict(zip(places, tagger.word_classes(places), strict=True))
    for each, of_form in zip(forms, in_place, strict=True):
        of_class = np.zeros_like(each.whole)
        of_class[[rank for rank, place in of_form.items() if classes[place] == each.place.word.word_class]] = True
        yield of_class
