"""What the tagger of the run makes of seed problems: their words, and the shared words with their occurrences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from generation.replacements.filters import WORD_CHARACTERS, words_of
from generation.sentences.tagging import TaggedProblem, tag_sentences
from generation.sentences.words import SharedWord, shared_words
from merge_snli.problems.reading import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from merge_snli.validation.resources import RunTagger

Texts = tuple[str, str]
"""Premise and hypothesis of a seed problem."""


@dataclass(frozen=True)
class SeedWords:
    """The words of a seed problem.

    Attributes:
        taken: All words of premise and hypothesis, whatever their case: no replacement may be one of these.
        shared: The shared words by class and form, in the order of class and premise, those left out included; None
            where the tagger of the run is not at hand.
        tagged: The tagged problem; None where the tagger is not at hand.
    """

    taken: frozenset[str]
    shared: Mapping[tuple[str, str], SharedWord] | None
    tagged: TaggedProblem | None = None


def words_of_seeds(
    texts: Iterable[Texts], tagger: RunTagger | None, *, ignore_case: bool = False
) -> dict[Texts, SeedWords]:
    """Find the words of seed problems.

    Args:
        texts: Premise and hypothesis of each.
        tagger: The tagger of the run; None where it is not at hand: then only runs of word characters are taken.
        ignore_case: Whether the run took words as shared whatever their case.

    Returns:
        The words by premise and hypothesis.
    """
    pairs = list(dict.fromkeys(texts))
    if tagger is None:
        return {pair: SeedWords(_runs(pair), None) for pair in pairs}
    sentences = list(dict.fromkeys(text for pair in pairs for text in pair))
    tagged = dict(zip(sentences, tag_sentences(sentences, tagger.tagger), strict=True))
    problems = (TaggedProblem(Problem("", *pair, 0), tagged[pair[0]], tagged[pair[1]]) for pair in pairs)
    return {pair: _words(problem, ignore_case) for pair, problem in zip(pairs, problems, strict=True)}


def _words(tagged: TaggedProblem, ignore_case: bool) -> SeedWords:
    words = shared_words(tagged, ignore_case=ignore_case)
    return SeedWords(words_of(tagged), {(word.word_class, word.text): word for word in words}, tagged)


def _runs(texts: Texts) -> frozenset[str]:
    return frozenset(run.casefold() for text in texts for run in WORD_CHARACTERS.findall(text))
