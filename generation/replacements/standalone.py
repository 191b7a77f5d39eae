"""Each filter by itself: how many of a form's fillers it would drop if it were the only one (the paper's Table 6)."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from generation.masked_lms.masked_lm import Fillers
from generation.replacements.filters import IN_PROBLEM, LESS_PROBABLE, NO_WORD, OTHER_CLASS, words_of
from generation.replacements.finding import FILLERS, FORMS, KEPT
from generation.sentences.forms import ONE, Form, forms_of_word
from generation.sentences.in_place import InPlace
from generation.sentences.replacing import match_case, match_occurrence_case
from generation.sentences.words import SharedWord

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import numpy.typing as npt

    from generation.masked_lms.vocabulary import Vocabulary
    from generation.replacements.finding import FilterCounts, MaskedLMAnswers
    from generation.sentences.tagging import TaggedProblem
    from generation.sentences.tags_in_place import InPlaceTagger

CLASS_FORMS = 32
"""For how many forms of a word class and side of a shard classes are counted: to tag all fillers of every form would
take several times as long as to tag those that the other filters let through."""

WITH_CLASS = "fillers with class"
"""How many fillers had their class asked: `other class` and `kept` are counted out of these."""


@dataclass(frozen=True, slots=True)
class _Answered:
    """What one masked LM answered to one form of one word, and which fillers each filter lets through."""

    mlm: str
    side: str
    word: SharedWord
    sentence: str
    form: Form
    fillers: Fillers
    whole: npt.NDArray[np.bool_]
    more_probable: npt.NDArray[np.bool_]
    not_in_problem: npt.NDArray[np.bool_]

    @property
    def key(self) -> tuple[str, str, str]:
        return self.word.word_class, self.mlm, self.side

    def in_places(self, vocabulary: Vocabulary) -> dict[int, InPlace]:
        """Return the fillers that are whole words, in their place, by their rank."""
        start, end = self.form.start, self.form.end
        found = {}
        for rank in np.flatnonzero(self.whole):
            piece = vocabulary.pieces[self.fillers.piece_ids[rank]]
            text = match_case(self.word.text, piece.text) if piece is not None else ""
            written = match_occurrence_case(self.sentence[start:end], self.word.text, text)
            found[int(rank)] = InPlace(self.sentence, start, end, written)
        return found


def count_standalone(
    problems: Iterable[tuple[TaggedProblem, Sequence[SharedWord]]],
    asked: Mapping[str, MaskedLMAnswers],
    tagger: InPlaceTagger,
    *,
    mask: str = ONE,
    class_forms: int | None = CLASS_FORMS,
) -> FilterCounts:
    """Count what each filter drops by itself, over all fillers of a shard of problems.

    Args:
        problems: Tagged problems, each with its shared words, none of which is left out.
        asked: By the masked LM's name, its answers to the forms of all these words, with all fillers of each.
        tagger: Tags fillers in their place.
        mask: What the forms mask, `one` occurrence or `all`.
        class_forms: For how many forms of a word class and side classes are counted: those whose keys come first in
            the alphabet, the same under every masked LM. None for all.

    Returns:
        By word class, masked LM and side: the `forms` that were answered and their `fillers`; how many of these are
        `no whole word`, `not more probable`, `in the problem`; and of the `fillers with class`, how many are of
        another class in place or no word there (`other class`), and how many every filter lets through (`kept`).
    """
    spelled = {name: _pieces_by_word(of_mlm.vocabulary) for name, of_mlm in asked.items()}
    answered = [each for tagged, words in problems for each in _answered(tagged, words, asked, spelled, mask)]
    counts: FilterCounts = defaultdict(Counter)
    for each in answered:
        counts[each.key].update(
            {
                FORMS: 1,
                FILLERS: len(each.whole),
                NO_WORD: int(np.sum(~each.whole)),
                LESS_PROBABLE: int(np.sum(~each.more_probable)),
                IN_PROBLEM: int(np.sum(~each.not_in_problem)),
            }
        )
    _count_classes(_sample(answered, class_forms), asked, tagger, counts)
    return counts


def _pieces_by_word(vocabulary: Vocabulary) -> dict[str, list[int]]:
    """Return the ids of the pieces of each word, in folded case."""
    pieces = defaultdict(list)
    for index, piece in enumerate(vocabulary.pieces):
        if piece is not None:
            pieces[piece.text.casefold()].append(index)
    return pieces


def _answered(
    tagged: TaggedProblem,
    words: Sequence[SharedWord],
    asked: Mapping[str, MaskedLMAnswers],
    spelled: Mapping[str, Mapping[str, list[int]]],
    mask: str,
) -> Iterator[_Answered]:
    """Yield the forms of a problem that were answered, with what each filter that needs no tagger says."""
    taken = words_of(tagged)
    in_problem = {name: [index for word in taken for index in pieces.get(word, ())] for name, pieces in spelled.items()}
    for word in words:
        for side, sentence, form in forms_of_word(tagged, word, mask):
            for name, of_mlm in asked.items():
                fillers = of_mlm.answers[form.key]
                if isinstance(fillers, Fillers):
                    yield _Answered(
                        name,
                        side,
                        word,
                        sentence,
                        form,
                        fillers,
                        of_mlm.vocabulary.same_kind(fillers.piece_ids, fillers.original_id),
                        fillers.log_probs > np.float32(fillers.original_log_prob),
                        ~np.isin(fillers.piece_ids, in_problem[name]),
                    )


def _sample(answered: Sequence[_Answered], class_forms: int | None) -> list[_Answered]:
    """Take the answers to the first forms of each word class and side by the forms' keys."""
    keys: dict[tuple[str, str], set[str]] = defaultdict(set)
    for each in answered:
        keys[each.word.word_class, each.side].add(each.form.key)
    first = {group: set(sorted(of_group)[:class_forms]) for group, of_group in keys.items()}
    return [each for each in answered if each.form.key in first[each.word.word_class, each.side]]


def _count_classes(
    answered: Sequence[_Answered], asked: Mapping[str, MaskedLMAnswers], tagger: InPlaceTagger, counts: FilterCounts
) -> None:
    """Tag the fillers that are whole words in their places, and count the classes."""
    places = [each.in_places(asked[each.mlm].vocabulary) for each in answered]
    wanted = dict.fromkeys(place for of_form in places for place in of_form.values())
    classes = dict(zip(wanted, tagger.word_classes(list(wanted)), strict=True))
    for each, of_form in zip(answered, places, strict=True):
        of_class = np.zeros_like(each.whole)
        of_class[[rank for rank, place in of_form.items() if classes[place] == each.word.word_class]] = True
        kept = of_class & each.more_probable & each.not_in_problem
        counts[each.key].update(
            {WITH_CLASS: len(of_class), OTHER_CLASS: int(np.sum(~of_class)), KEPT: int(np.sum(kept))}
        )
