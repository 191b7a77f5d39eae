"""Tagging: the tokens of a sentence with Penn tags and word classes, from a spaCy pipeline."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from merge_snli.models.tagger import CLASS_OF_TAG

if TYPE_CHECKING:
    from merge_snli.models.tagger import Tagger
    from merge_snli.problems.reading import Problem

SENTENCES_PER_BATCH = 256


@dataclass(frozen=True, slots=True)
class Token:
    """A token of a sentence: its text, the offset of its first character, and its Penn tag."""

    text: str
    start: int
    tag: str

    @property
    def end(self) -> int:
        """The offset after the last character."""
        return self.start + len(self.text)

    @property
    def word_class(self) -> str | None:
        """`noun`, `verb`, `adj` or `adv`; None for a closed-class token."""
        return CLASS_OF_TAG.get(self.tag)


@dataclass(frozen=True, slots=True)
class TaggedSentence:
    """A sentence and its tokens."""

    text: str
    tokens: tuple[Token, ...]


@dataclass(frozen=True, slots=True)
class TaggedProblem:
    """A problem with its tagged premise and hypothesis."""

    problem: Problem
    premise: TaggedSentence
    hypothesis: TaggedSentence


def tag(problems: Sequence[Problem], tagger: Tagger) -> list[TaggedProblem]:
    """Tag premise and hypothesis of every problem; equal sentences are tagged once.

    Args:
        problems: The problems.
        tagger: The tagger.

    Returns:
        The tagged problems, in the same order.
    """
    texts = dict.fromkeys(text for problem in problems for text in (problem.premise, problem.hypothesis))
    tagged = dict(zip(texts, tag_sentences(texts, tagger), strict=True))
    return [TaggedProblem(problem, tagged[problem.premise], tagged[problem.hypothesis]) for problem in problems]


def tag_sentences(texts: Iterable[str], tagger: Tagger) -> Iterator[TaggedSentence]:
    """Tag sentences in their order; texts are not split into sentences."""
    for doc in tagger.nlp.pipe(texts, batch_size=SENTENCES_PER_BATCH):
        yield TaggedSentence(doc.text, tuple(Token(token.text, token.idx, token.tag_) for token in doc))
