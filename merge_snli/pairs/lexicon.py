"""The words of Simple Pair, nouns in categories with their adjectives, and verbs; and the reader of TOML files."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from merge_snli.base.errors import InputError
from merge_snli.base.files import read_toml, sha256_of_file, sha256_of_json
from merge_snli.base.table import count
from merge_snli.dataset.record_file import valid


class Entries(BaseModel):
    """The entries of a file; others are errors."""

    model_config = ConfigDict(extra="forbid", strict=False, frozen=True)


File = TypeVar("File", bound=BaseModel)


def read_entries(path: Path, entries: type[File]) -> File:
    """Read a TOML file.

    Args:
        path: The file.
        entries: The entries that it must have.
    """
    if not path.exists():
        raise InputError(f"{path} is missing: copy the file of the bundled lexicon and edit it")
    with valid(f"{path}: ⟦reason⟧; see docs/simple_pair.md for the entries"):
        return entries.model_validate(read_toml(path, "lexicon"))


# The folder of the bundled lexicon and templates.
SHIPPED = Path(__file__).parent / "lexicon"

NOUNS, VERBS = "nouns", "verbs.toml"
WORD = re.compile(r"[^\s{}.]+( [^\s{}.]+)*")
# A pair with an irrelevant sentence needs three nouns and three adjectives of one category, or three verbs.
MIN_WORDS = 3


# Two different words.
Apart = Annotated[frozenset[str], Field(min_length=2, max_length=2)]
Names = Annotated[tuple[str, ...], Field(min_length=1)]


class Category(Entries):
    """Nouns of one kind, and what they can be.

    Attributes:
        article: `the`, or empty for names.
        nouns: The nouns.
        adjectives: The adjectives that every noun of the category takes.
        adjectives_of: The category whose adjectives these are, if they are not listed.
        apart: Pairs of adjectives, or of nouns, that never meet in a pair of sentences.
    """

    article: Literal["the", ""]
    nouns: tuple[str, ...]
    adjectives: tuple[str, ...] = ()
    adjectives_of: str | None = None
    apart: frozenset[Apart] = frozenset()


class Verb(Entries):
    """A transitive verb in the past.

    Attributes:
        past: The affirmative form, such as `saw`.
        negated: The negated form, such as `did not see`.
        subjects: The categories of nouns that it takes as its subject.
        objects: The categories that it takes as its object.
    """

    past: str
    negated: str
    subjects: Names
    objects: Names


class _VerbFile(Entries):
    verbs: tuple[Verb, ...]
    apart: frozenset[Apart] = frozenset()


@dataclass(frozen=True)
class Lexicon:
    """Nouns, adjectives and verbs.

    Attributes:
        categories: The categories by name.
        verbs: The verbs.
        apart: Pairs of verbs, by their past, that never meet in a pair of sentences.
        category_of: The name of the category of each noun.
        digest: sha256 of the files.
    """

    categories: Mapping[str, Category]
    verbs: tuple[Verb, ...]
    apart: frozenset[frozenset[str]]
    category_of: Mapping[str, str]
    digest: str

    @cached_property
    def negated(self) -> dict[str, str]:
        """The negated form of each verb by its past."""
        return {verb.past: verb.negated for verb in self.verbs}

    @cached_property
    def apart_nouns(self) -> frozenset[frozenset[str]]:
        """The pairs of nouns that never meet."""
        return frozenset(chain.from_iterable(category.apart for category in self.categories.values()))

    def phrase(self, noun: str) -> str:
        """Return a noun with its article, such as `the apple` or `Alice`."""
        return f"{self.categories[self.category_of[noun]].article} {noun}".strip()

    def takes(self, verb: Verb, subject: str, obj: str) -> bool:
        """Return whether a verb takes one noun as its subject and another as its object."""
        return self.category_of[subject] in verb.subjects and self.category_of[obj] in verb.objects


def read_lexicon(folder: Path = SHIPPED) -> Lexicon:
    """Read the nouns, adjectives and verbs of a folder.

    Args:
        folder: Has `nouns/CATEGORY.toml` for each category, and `verbs.toml`.

    Raises:
        InputError: If a file is missing or malformed, a word occurs twice or in two categories, a form of a verb is
            missing, a category is unknown, or a category or the list of verbs is too small.
    """
    paths = sorted((folder / NOUNS).glob("*.toml"))
    if not paths:
        raise InputError(f"{folder / NOUNS} has no file of nouns: pass a folder like the bundled one, {SHIPPED}")
    files = {path.stem: read_entries(path, Category) for path in paths}
    categories = {path.stem: _with_adjectives(path, files) for path in paths}
    category_of: dict[str, str] = {}
    for name, category in categories.items():
        for noun in category.nouns:
            other = category_of.setdefault(noun, name)
            if other != name:
                raise InputError(f"the noun {noun!r} is in two categories, {other} and {name}: remove it from one")
    path = folder / VERBS
    entries = read_entries(path, _VerbFile)
    for verb in entries.verbs:
        if not verb.negated.strip() or verb.negated == verb.past:
            raise InputError(
                f"{path}: the negated form of {verb.past} is {verb.negated!r}: give it, such as did not see"
            )
        for name in (*verb.subjects, *verb.objects):
            if name not in categories:
                raise InputError(f"{path}: {verb.past} has the category {name!r}: choose from {', '.join(categories)}")
    pasts = [verb.past for verb in entries.verbs]
    _check_words(f"{path}: verbs", pasts)
    _check_apart(path, entries.apart, pasts)
    digests = {file.relative_to(folder).as_posix(): sha256_of_file(file) for file in (*paths, path)}
    return Lexicon(categories, entries.verbs, entries.apart, category_of, sha256_of_json(digests))


def _with_adjectives(path: Path, files: Mapping[str, Category]) -> Category:
    """Return a category with the adjectives of the one that it names, after checking its words."""
    category = files[path.stem]
    if category.adjectives_of is not None:
        source = files.get(category.adjectives_of)
        if source is None or category.adjectives:
            raise InputError(
                f"{path}: adjectives_of is {category.adjectives_of!r}: name another category, or list adjectives"
            )
        category = category.model_copy(update={"adjectives": source.adjectives, "apart": category.apart | source.apart})
    _check_words(f"{path}: nouns", category.nouns)
    _check_words(f"{path}: adjectives", category.adjectives)
    _check_apart(path, category.apart, (*category.nouns, *category.adjectives))
    return category


def _check_words(where: str, words: Sequence[str]) -> None:
    """Check that there are enough words, that none is empty or has a space around it, and that none occurs twice."""
    for word in words:
        if not WORD.fullmatch(word) or not word.isprintable():
            raise InputError(f"{where} has {word!r}: give a word without spaces around it, braces and full stops")
        if words.count(word) > 1:
            raise InputError(f"{where} has {word!r} more than once: remove one")
    if len(words) < MIN_WORDS:
        raise InputError(f"{where} has {count(len(words), 'word')}: give at least {MIN_WORDS}")


def _check_apart(path: Path, apart: frozenset[frozenset[str]], known: Sequence[str]) -> None:
    """Check that the words that never meet are words of the file."""
    unknown = sorted(frozenset[str]().union(*apart).difference(known))
    if unknown:
        raise InputError(f"{path}: apart has {unknown[0]!r}, which is not a word of this file: add it or correct it")
