"""Tag seed problems to find their words and shared words."""

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
    from merge_snli.validation.seed_groups import Row

Texts = tuple[str, str]
"""Premise and hypothesis of a seed problem."""


@dataclass(frozen=True)
class SeedWords:
    """The words of a seed problem.

    Attributes:
        words: All words of premise and hypothesis in lower case, which no replacement may be.
        shared: The shared words by class and form, in the order of class and premise, including those that the method
            leaves out; None without the tagger of the run.
        tagged: The tagged problem; None without the tagger of the run.
    """

    words: frozenset[str]
    shared: Mapping[tuple[str, str], SharedWord] | None
    tagged: TaggedProblem | None = None


def seed_texts(row: Row) -> Texts:
    """Return the seed's premise and hypothesis of a variant."""
    return row["seed_premise"], row["seed_hypothesis"]


def words_of_seeds(
    texts: Iterable[Texts], tagger: RunTagger | None, *, ignore_case: bool = False
) -> dict[Texts, SeedWords]:
    """Find the words of seed problems.

    Args:
        texts: Premise and hypothesis of each.
        tagger: The tagger of the run; None if it is not available: words are then runs of word characters.
        ignore_case: Whether the run compared shared words ignoring case.

    Returns:
        The words by premise and hypothesis.
    """
    pairs = list(dict.fromkeys(texts))
    if tagger is None:
        return {pair: SeedWords(_word_runs(pair), None) for pair in pairs}
    sentences = list(dict.fromkeys(text for pair in pairs for text in pair))
    tagged = dict(zip(sentences, tag_sentences(sentences, tagger.tagger), strict=True))
    problems = (TaggedProblem(Problem("", *pair, 0), tagged[pair[0]], tagged[pair[1]]) for pair in pairs)
    return {pair: _words(problem, ignore_case) for pair, problem in zip(pairs, problems, strict=True)}


def _words(tagged: TaggedProblem, ignore_case: bool) -> SeedWords:
    words = shared_words(tagged, ignore_case=ignore_case)
    return SeedWords(words_of(tagged), {(word.word_class, word.text): word for word in words}, tagged)


def _word_runs(texts: Texts) -> frozenset[str]:
    return frozenset(run.casefold() for text in texts for run in WORD_CHARACTERS.findall(text))
