"""One form's way through the filters: each filler of a masked LM with what dropped it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from generation.masked_lms.masked_lm import Fillers
from generation.options import POS
from generation.replacements.filters import OTHER_CLASS, SAME_WORD, words_of
from generation.replacements.finding import suggestion_filters
from generation.sentences.forms import forms_of_word
from generation.sentences.in_place import InPlace
from generation.sentences.replacing import match_occurrence_case

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Iterator, Mapping

    from generation.masked_lms.vocabulary import Vocabulary
    from generation.options import Options
    from generation.replacements.filters import Suggestion
    from generation.replacements.finding import MaskedLMAnswers
    from generation.replacements.relations import WordNet
    from generation.sentences.forms import Form
    from generation.sentences.tagging import TaggedProblem
    from generation.sentences.tags_in_place import InPlaceTagger
    from generation.sentences.words import SharedWord


@dataclass(frozen=True)
class Filler:
    """One answer of a masked LM to a form.

    Attributes:
        word: The suggested word in the original's case pattern; the piece itself where it is no word.
        log_odds: log p(word) - log p(original).
        dropped: What dropped it, one of `generation.replacements.filters.REASONS`; None where it stayed.
    """

    word: str
    log_odds: float
    dropped: str | None


@dataclass(frozen=True)
class TracedForm:
    """What one masked LM answered to one form.

    Attributes:
        masked_lm: Its name.
        side: `premise` or `hypothesis`.
        start: Offset of the occurrence in that sentence.
        refused: Why it could not be asked, or None.
        fillers: Its answers by falling probability.
    """

    masked_lm: str
    side: str
    start: int
    refused: str | None
    fillers: tuple[Filler, ...]

    @property
    def kept(self) -> dict[str, float]:
        """The log-odds of the words that every filter let through."""
        return {filler.word: filler.log_odds for filler in self.fillers if filler.dropped is None}


def trace_word(
    tagged: TaggedProblem,
    word: SharedWord,
    asked: Mapping[str, MaskedLMAnswers],
    tagger: InPlaceTagger,
    options: Options,
    wordnet: WordNet | None,
) -> Iterator[TracedForm]:
    """Yield each form of a shared word with each masked LM's answers to it and what dropped them.

    Args:
        tagged: The problem.
        word: One of its shared words, not left out.
        asked: By the masked LM's name, its answers to the word's forms.
        tagger: Tags suggestions in their place.
        options: `filters` and `mask` are read.
        wordnet: What tells related words, where these are dropped.
    """
    keep = suggestion_filters(tagged, word, words_of(tagged), options, wordnet)
    for side, sentence, form in forms_of_word(tagged, word, options.mask):
        for name, of_mlm in asked.items():
            answer = of_mlm.answers[form.key]
            if isinstance(answer, str):
                yield TracedForm(name, side, form.start, answer, ())
                continue
            fillers = list(_fillers(answer, of_mlm.vocabulary, partial(keep, vocabulary=of_mlm.vocabulary)))
            if POS in options.filters:
                fillers = _with_classes(fillers, sentence, form, word, tagger)
            yield TracedForm(name, side, form.start, None, tuple(fillers))


def _fillers(
    answer: Fillers,
    vocabulary: Vocabulary,
    keep: Callable[[Fillers], tuple[tuple[Suggestion, ...], Counter[str]]],
) -> Iterator[Filler]:
    """Ask the filters about one filler after the other; that a word came before is all they cannot see so."""
    seen: set[str] = set()
    for rank in range(len(answer.piece_ids)):
        one = slice(rank, rank + 1)
        alone = Fillers(answer.piece_ids[one], answer.log_probs[one], answer.original_id, answer.original_log_prob)
        kept, dropped = keep(alone)
        piece = vocabulary.pieces[answer.piece_ids[rank]]
        word = kept[0].word if kept else "" if piece is None else piece.text
        reason = next((name for name, count in dropped.items() if count), None)
        if kept and word in seen:
            reason = SAME_WORD
        seen.update(each.word for each in kept)
        yield Filler(word, float(answer.log_probs[rank]) - answer.original_log_prob, reason)


def _with_classes(
    fillers: list[Filler], sentence: str, form: Form, word: SharedWord, tagger: InPlaceTagger
) -> list[Filler]:
    """Drop the words that are of another class in place."""
    start, end = form.start, form.end
    places = {
        filler.word: InPlace(sentence, start, end, match_occurrence_case(sentence[start:end], word.text, filler.word))
        for filler in fillers
        if filler.dropped is None
    }
    classes = dict(zip(places, tagger.word_classes(list(places.values())), strict=True))
    return [
        Filler(filler.word, filler.log_odds, OTHER_CLASS)
        if filler.dropped is None and classes[filler.word] != word.word_class
        else filler
        for filler in fillers
    ]
