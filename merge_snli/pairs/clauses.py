"""Parse a sentence, split it into subject and predicate, and negate the predicate by rules."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

import spacy
from spacy.lang.en.stop_words import STOP_WORDS
from spacy.language import Language
from spacy.tokens import Doc, Span, Token

from merge_snli.dataset.record import SourceRecord
from merge_snli.models.tagger import Tagger
from merge_snli.models.wordnet import supersense

# The components in addition to those of the tagger.
COMPONENTS = ("parser", "lemmatizer")

EXCLUDED = ["ner", "senter", "entity_linker", "entity_ruler", "textcat"]


def parser_record(tagger: Tagger) -> SourceRecord:
    """Return name, version and sha256 of the files of a pipeline that its parses depend on."""
    digest = replace(tagger, components=(*tagger.components, *COMPONENTS)).digest
    return SourceRecord(f"{tagger.name} {tagger.version} with parser", digest)


def load_parser(tagger: Tagger) -> Language:
    """Load the default pipeline with its parser, which the tagger of MERGE does not use.

    Args:
        tagger: The pipeline's tagger, which says where its files are.
    """
    return spacy.load(tagger.path, exclude=EXCLUDED)


# Tags of common nouns, and forms of be and tags of verbs, by whether they are plural.
NOUN_TAGS = {"NN": False, "NNS": True}
VERBS = {"was": False, "were": True, "VBZ": False, "VBP": True}

PRONOUN_TAGS = frozenset({"PRP", "PRP$", "WP", "WP$", "EX"})
SUPERLATIVE_TAGS = frozenset({"JJS", "RBS"})
# The form of do that negates a verb.
DO = {"VBZ": "does", "VBP": "do", "VBD": "did"}

AUXILIARIES = frozenset({"aux", "auxpass"})
FINITE_TAGS = frozenset({*DO, "MD"})
PLAIN_SENTENCE = re.compile(r"[A-Z][A-Za-z0-9 ,-]*[a-z]\.")
MIN_TOKENS, MAX_TOKENS = 5, 20


@dataclass(frozen=True)
class Clause:
    """A sentence in two parts.

    Attributes:
        source: The name of the problems that it comes from.
        subject: The subject as within a sentence, such as `a dog`.
        predicate: The predicate without full stop, such as `barks at a car`.
        negated: The negated predicate, such as `does not bark at a car`.
        head: The noun of the subject, as its base form.
        supersense: The supersense of that noun, such as `person`; None if WordNet does not have it.
        is_plural: Whether the subject is plural.
        words: The base forms of its words other than function words.
    """

    source: str
    subject: str
    predicate: str
    negated: str
    head: str
    supersense: str | None
    is_plural: bool
    words: frozenset[str]


def is_plain(text: str) -> bool:
    """Return whether a text is one sentence of words, with no other punctuation than commas and a full stop."""
    return PLAIN_SENTENCE.fullmatch(text) is not None and "  " not in text


def read_clause(doc: Doc, source: str, excluded: frozenset[str], counts: Mapping[str, int]) -> Clause | None:
    """Return subject, predicate and negated predicate of a parsed sentence.

    Args:
        doc: The sentence, for which `is_plain` holds.
        source: The name of the problems that it comes from.
        excluded: Words that it must not have, such as negations.
        counts: How often each word, in this case, is within a sentence of the problems, that is not at its start.

    Returns:
        None if its subject is a pronoun, a name or not at its start, the root verb takes no rule-based negation, there
        is a negation already, something in the predicate is coordinated, the predicate says what the subject is (there
        can be only one "best example"), or it is not known how its first word is written within a sentence.
    """
    root = next((token for token in doc if token.dep_ == "ROOT"), None)
    if root is None or not _is_simple(doc, root, excluded):
        return None
    subject = next((child for child in root.children if child.dep_ in {"nsubj", "nsubjpass"}), None)
    finite = next((child for child in root.children if child.dep_ in AUXILIARIES and child.i < root.i), root)
    if subject is None or finite.tag_ not in FINITE_TAGS or subject.tag_ not in NOUN_TAGS:
        return None
    is_plural = NOUN_TAGS[subject.tag_] or any(child.dep_ == "conj" for child in subject.children)
    if VERBS.get(finite.lower_, VERBS.get(finite.tag_, is_plural)) != is_plural:
        return None
    if subject.left_edge.i != 0 or subject.right_edge.i + 1 != finite.i:
        return None
    text = _within(doc[: finite.i], counts)
    negated = _negate(finite, doc[finite.i + 1 : -1].text)
    if text is None or negated is None or "," in text:
        return None
    if any(token.dep_ == "cc" for token in doc[finite.i :]):
        return None
    words = [token.lemma_.lower() for token in doc if token.is_alpha and token.lower_ not in STOP_WORDS]
    return Clause(
        source=source,
        subject=text,
        predicate=doc[finite.i : -1].text,
        negated=negated,
        head=subject.lemma_.lower(),
        supersense=supersense(subject.text),
        is_plural=is_plural,
        words=frozenset(words),
    )


def _within(subject: Span, counts: Mapping[str, int]) -> str | None:
    """Return a subject as it is written within a sentence; None if that is not clear."""
    first = subject[0]
    text = subject.text
    if first.tag_.startswith("NNP") or counts[first.text] > counts[first.lower_]:
        return text
    return text[0].lower() + text[1:] if counts[first.lower_] and text[1:].islower() else None


def _is_simple(doc: Doc, root: Token, excluded: frozenset[str]) -> bool:
    """Return whether a sentence has no pronoun, negation, superlative, second main verb or nominal predicate."""
    if not MIN_TOKENS <= len(doc) <= MAX_TOKENS or len(list(doc.sents)) != 1:
        return False
    for token in doc:
        if token.tag_ in PRONOUN_TAGS or token.tag_ in SUPERLATIVE_TAGS or token.lower_ in excluded:
            return False
    dependents = {child.dep_ for child in root.children}
    return dependents.isdisjoint({"attr", "conj", "cc", "ccomp", "parataxis", "neg"})


def _negate(finite: Token, rest: str) -> str | None:
    """Return the negated predicate; None if the verb takes neither "not" nor a form of do."""
    is_auxiliary = finite.dep_ in AUXILIARIES
    if is_auxiliary and finite.tag_ != "MD" and finite.lemma_ not in {"be", "have", "do"}:
        return None
    if finite.lower_ == "can":
        return f"cannot {rest}"
    if is_auxiliary or finite.lemma_ == "be" or finite.tag_ == "MD":
        return f"{finite.text} not {rest}".strip()
    if finite.tag_ == "VBZ" and finite.lower_ != _third_person(finite.lemma_):
        return None
    return f"{DO[finite.tag_]} not {finite.lemma_} {rest}".strip()


def _third_person(lemma: str) -> str:
    """Return the third person of a verb, which shows whether a lemma is of another verb: "rid" for "rides"."""
    if lemma == "have":
        return "has"
    if lemma.endswith(("s", "x", "z", "ch", "sh", "o")):
        return f"{lemma}es"
    return re.sub(r"(?<=[^aeiou])y$", "ie", lemma) + "s"
