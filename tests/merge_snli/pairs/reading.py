"""Read sentences of Simple Pair back into facts, from the lexicon files alone, without the code that writes them."""

from __future__ import annotations

import re
import tomllib
from typing import Any, NamedTuple

from tests import ROOT

LEXICON = ROOT / "merge_snli" / "pairs" / "lexicon"
CATEGORIES = {path.stem: tomllib.loads(path.read_text()) for path in (LEXICON / "nouns").glob("*.toml")}
VERBS = tomllib.loads((LEXICON / "verbs.toml").read_text())
NEGATED = {verb["negated"]: verb for verb in VERBS["verbs"]}
PAST = {verb["past"]: verb for verb in VERBS["verbs"]}

NOUN = r"(?:(?:[Tt]he )([a-z-]+)|([A-Z][a-z]+))"
"""A noun with its article, or a name."""

IS = re.compile(rf"{NOUN} is (not )?([a-z-]+)")
DOES = re.compile(rf"{NOUN} ({'|'.join([*NEGATED, *PAST])}) {NOUN}")


class Fact(NamedTuple):
    """What a clause says.

    Attributes:
        words: The noun and the adjective, or subject, verb in the past, and object.
        is_true: Whether the clause is affirmative.
    """

    words: tuple[str, ...]
    is_true: bool

    @property
    def opposite(self) -> Fact:
        """The fact that contradicts this one."""
        return Fact(self.words, not self.is_true)


def source_of(category: str) -> dict[str, Any]:
    """Return the entries with the adjectives of a category, which may be those of another one."""
    return CATEGORIES[CATEGORIES[category].get("adjectives_of", category)]


def category_of(noun: str) -> str:
    """Return the only category of a noun."""
    (category,) = (name for name, entries in CATEGORIES.items() if noun in entries["nouns"])
    return category


def read(text: str) -> list[Fact]:
    """Return the facts of a text of one or two clauses, after checking articles, capitals and full stops."""
    assert re.fullmatch(r"[A-Z][^.]*\.(?: [A-Z][^.]*\.)?", text), text
    facts = []
    for sentence in text.rstrip(".").split(". "):
        assert " and The " not in sentence, text
        facts += [_read_clause(clause) for clause in sentence.split(" and ")]
    return facts


def _read_clause(clause: str) -> Fact:
    if match := IS.fullmatch(clause):
        common, name, negation, adjective = match.groups()
        noun = _noun(common, name)
        assert adjective in source_of(category_of(noun))["adjectives"], clause
        return Fact((noun, adjective), negation is None)
    match = DOES.fullmatch(clause)
    assert match, clause
    subject = _noun(match[1], match[2])
    obj = _noun(match[4], match[5])
    verb = NEGATED.get(match[3]) or PAST[match[3]]
    assert category_of(subject) in verb["subjects"], clause
    assert category_of(obj) in verb["objects"], clause
    return Fact((subject, verb["past"], obj), match[3] in PAST)


def _noun(common: str | None, name: str | None) -> str:
    noun = common or name or ""
    assert (category_of(noun) == "names") == (common is None), noun
    return noun


def label(premise: list[Fact], hypothesis: list[Fact]) -> str:
    """Return the label of two texts whose words are independent of each other."""
    if any(fact.opposite in premise for fact in hypothesis):
        return "contradiction"
    return "entailment" if all(fact in premise for fact in hypothesis) else "neutral"


def are_apart(facts: list[Fact]) -> bool:
    """Return whether two words of some facts must not meet."""
    words = {word for fact in facts for word in fact.words}
    categories = {category_of(fact.words[0]) for fact in facts}
    pairs = [*VERBS["apart"], *(pair for category in categories for pair in source_of(category)["apart"])]
    return any({*pair} <= words for pair in pairs)
