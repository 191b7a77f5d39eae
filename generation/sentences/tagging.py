"""Tagging with a spaCy pipeline: sentences, and suggestions in the place of the word that they replace."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING

from generation.sentences.forms import Substitution
from merge_snli.base.batches import batches_of
from merge_snli.languages.language import ENGLISH, is_english, is_function_word, language_of
from merge_snli.models.tagger import CLASS_OF_TAG, CLOSED_TAGS, PARSER, Tagger
from merge_snli.problems.problem import Problem

if TYPE_CHECKING:
    from spacy.tokens import Doc
    from spacy.tokens import Token as SpacyToken

    from generation.sentences.receptive_field import ReceptiveFieldTagger

logger = logging.getLogger(__name__)

# Texts that are tagged in one call, which takes up to 4 KB per character.
SENTENCES_PER_BATCH, CHARACTERS_PER_BATCH = 256, 20_000

# Features that a word mostly has on its own, whatever its neighbors are.
OWN_FEATURES = {"Gender", "Number"}

# The entry of a tag that is not a morphological feature.
LEMMA = "Lemma"
# The entry with the tagger's own tag, which counts as a feature.
OWN_TAG = "Tag"

# The universal tag of words that belong to no class.
NO_CLASS = "X"
SENTENCE_ENDS = frozenset(".!?…")

# Number of suggestions that are tagged both ways to verify the fast path, and of the characters of their sentences.
SUGGESTIONS_TO_VERIFY = 256
CHARACTERS_TO_VERIFY = 200_000


@dataclass(frozen=True, slots=True)
class Token:
    """A token of a sentence: its text, the offset of its first character, and its tag, see `tag_of`."""

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
        return word_class_of(self.tag)


@dataclass(frozen=True, slots=True)
class TaggedSentence:
    """A sentence and its tokens."""

    text: str
    tokens: tuple[Token, ...]


@dataclass(frozen=True, slots=True)
class TaggedProblem:
    """A problem with its tagged premise and hypothesis, and the code of the tagger's language."""

    problem: Problem
    premise: TaggedSentence
    hypothesis: TaggedSentence
    language: str = ENGLISH

    @property
    def tokens(self) -> tuple[Token, ...]:
        """The tokens of the premise, then those of the hypothesis."""
        return self.premise.tokens + self.hypothesis.tokens


def tag(problems: Sequence[Problem], tagger: Tagger) -> list[TaggedProblem]:
    """Tag premise and hypothesis of every problem; equal sentences are tagged once.

    Args:
        problems: The problems.
        tagger: The tagger.

    Returns:
        The tagged problems, in the same order.
    """
    texts: dict[str, None] = {}
    for problem in problems:
        texts |= {problem.premise: None, problem.hypothesis: None}
    tagged = dict(zip(texts, tag_sentences(texts, tagger), strict=True))
    return [
        TaggedProblem(problem, tagged[problem.premise], tagged[problem.hypothesis], tagger.language)
        for problem in problems
    ]


def tag_sentences(texts: Iterable[str], tagger: Tagger) -> Iterator[TaggedSentence]:
    """Tag sentences in their order; texts are not split into sentences."""
    for doc in _docs(texts, tagger, [PARSER]):
        yield TaggedSentence(
            doc.text, tuple(Token(token.text, token.idx, tag_of(token, tagger.language)) for token in doc)
        )


class InPlaceTagger:
    """Tags suggestions in their sentences, by the tagger's receptive field if that gives the same tags.

    The first suggestions of a run verify the fast path. Its caches live as long as this object.

    Attributes:
        tagger: The tagger.
        fast: The fast path, once it gave the same tags; otherwise None.
    """

    def __init__(self, tagger: Tagger) -> None:
        """Initialize the tagger; the fast path is verified on first use.

        Args:
            tagger: The tagger.
        """
        self.tagger = tagger
        self.fast: ReceptiveFieldTagger | None = None
        self._alone: dict[str, dict[str, str] | None] = {}
        self._verified = False

    def tags(self, suggestions: Sequence[Substitution]) -> list[str | None]:
        """Return the tag of each suggestion in its sentence, see `tag_of`.

        Taggers of other languages than English often give a word the gender and number that its neighbors have. So it
        is also tagged on its own. If that gives another gender or number, the tag has both, as in `Gender=Fem,Masc`. A
        word that is of a closed class on its own has no tag.

        Args:
            suggestions: The suggestions.

        Returns:
            The tags; None if there is none, or if spaCy splits the suggestion or joins it with its neighbors.
        """
        if not is_english(self.tagger.language):
            return self._tags_with_own_features(suggestions)
        if not self._verified and suggestions:
            first = sorted(suggestions, key=lambda suggestion: len(suggestion.sentence))[:SUGGESTIONS_TO_VERIFY]
            affordable = max(1, CHARACTERS_TO_VERIFY // len(first[-1].sentence))
            self.fast = self._verified_fast_path(first[:affordable])
            self._verified = True
        return plain_tags(suggestions, self.tagger) if self.fast is None else self.fast.tags(suggestions)

    def same_parses(self, suggestions: Sequence[Substitution]) -> list[bool]:
        """Return whether each sentence has the same dependency parse with the original and with the suggestion.

        Args:
            suggestions: The suggestions. The tagger needs a parser.

        Returns:
            Whether both have the same number of tokens, with the same heads and labels.
        """
        sentences = dict.fromkeys(suggestion.sentence for suggestion in suggestions)
        originals = dict(zip(sentences, _parses(sentences, self.tagger), strict=True))
        parses = _parses((suggestion.text for suggestion in suggestions), self.tagger)
        return [parse == originals[suggestion.sentence] for suggestion, parse in zip(suggestions, parses, strict=True)]

    def _tags_with_own_features(self, suggestions: Sequence[Substitution]) -> list[str | None]:
        capitals = language_of(self.tagger.language).noun_capitals
        # As within a sentence.
        words = [suggestion.word if capitals else suggestion.word.lower() for suggestion in suggestions]
        new = [word for word in dict.fromkeys(words) if word not in self._alone]
        alone = [Substitution("", 0, 0, word) for word in new]
        for word, tag in zip(new, plain_tags(alone, self.tagger), strict=True):
            is_closed = tag is not None and tag.partition("|")[0] in CLOSED_TAGS
            self._alone[word] = None if is_closed else features_of(tag or "")
        tags: list[str | None] = []
        for word, tag in zip(words, plain_tags(suggestions, self.tagger), strict=True):
            own = self._alone[word]
            tags.append(None if tag is None or own is None else _with_features(tag, own))
        return tags

    def _verified_fast_path(self, suggestions: Sequence[Substitution]) -> ReceptiveFieldTagger | None:
        from generation.sentences.receptive_field import ReceptiveFieldTagger

        try:
            fast = ReceptiveFieldTagger(self.tagger)
            if fast.tags(suggestions) == plain_tags(suggestions, self.tagger):
                return fast
            logger.warning("tagger %s: tagging whole sentences (receptive field gave other tags)", self.tagger.name)
        except (AttributeError, LookupError, RuntimeError, StopIteration, TypeError, ValueError) as error:
            logger.info("tagger %s: tagging whole sentences (%r)", self.tagger.name, error)
        return None


def _docs(texts: Iterable[str], tagger: Tagger, without: list[str]) -> Iterator[Doc]:
    """Yield what spaCy makes of each text without some components."""
    for batch in batches_of(texts, len, CHARACTERS_PER_BATCH):
        yield from tagger.nlp.pipe(batch, batch_size=SENTENCES_PER_BATCH, disable=without)


def _parses(texts: Iterable[str], tagger: Tagger) -> Iterator[list[tuple[int, str]]]:
    """Yield for each text the distance of each token to its head, in tokens, with its label."""
    for doc in _docs(texts, tagger, ["tagger", "attribute_ruler"]):
        yield [(token.head.i - token.i, token.dep_) for token in doc]


def word_class_of(tag: str | None) -> str | None:
    """Return the word class of a tag; None for a closed class or no tag."""
    return None if tag is None else CLASS_OF_TAG.get(tag.partition("|")[0])


def tag_of(token: SpacyToken, language: str) -> str:
    """Return the tag of a token: of English, its Penn tag.

    In another language, it is the universal part-of-speech tag with the morphological features and the lemma, if the
    pipeline sets it, as in `NOUN|Gender=Masc|Number=Sing|Lemma=chien`; and in some languages with the tagger's own tag.
    A function word, and a verb without its particle, belong to no class.
    """
    if language == ENGLISH:
        return token.tag_
    known = language_of(language)
    tag = token.pos_
    if tag in CLASS_OF_TAG and (is_function_word(token.text, language) or _has_particle(token, known.particle)):
        tag = NO_CLASS
    own = {OWN_TAG: token.tag_ if known.own_tags else "", LEMMA: token.lemma_.lower()}
    entries = (f"{name}={re.sub('[|=]', '_', value)}" for name, value in own.items() if value)
    return "|".join((tag, str(token.morph), *entries))


def _has_particle(token: SpacyToken, particle: str | None) -> bool:
    """Return whether a token is a verb, and a separated particle follows it in its sentence."""
    if particle is None or token.pos_ != "VERB":
        return False
    rest = takewhile(lambda other: other.text not in SENTENCE_ENDS, token.doc[token.i + 1 :])
    return any(other.tag_ == particle for other in rest)


def _with_features(tag: str, own: Mapping[str, str]) -> str:
    """Return a tag with the features that a word has on its own as well, of those in `OWN_FEATURES`."""
    features = _entries(tag)
    for name in OWN_FEATURES & own.keys():
        features[name] = ",".join(sorted({features.get(name, own[name]), own[name]}))
    return "|".join([tag.partition("|")[0], *(f"{name}={features[name]}" for name in sorted(features))])


def _entries(tag: str) -> dict[str, str]:
    return dict(entry.split("=", 1) for entry in tag.split("|")[1:] if entry)


def features_of(tag: str) -> dict[str, str]:
    """Return the morphological features of a tag, as in `{"Gender": "Masc", "Number": "Sing"}`; none of a Penn tag."""
    return {name: value for name, value in _entries(tag).items() if name != LEMMA}


def lemma_of(tag: str) -> str | None:
    """Return the lemma of a tag in lower case; None of a Penn tag, and if the pipeline has no lemmatizer."""
    return _entries(tag).get(LEMMA)


def plain_tags(suggestions: Sequence[Substitution], tagger: Tagger) -> list[str | None]:
    """Return the tag of each suggestion as spaCy tags the whole sentence; None if it is not a single token."""
    docs = _docs((suggestion.text for suggestion in suggestions), tagger, [PARSER])
    tags = []
    for suggestion, doc in zip(suggestions, docs, strict=True):
        tag = None
        for token in doc:
            if (token.idx, token.text) == (suggestion.start, suggestion.word):
                tag = tag_of(token, tagger.language)
                break
        tags.append(tag)
    return tags
