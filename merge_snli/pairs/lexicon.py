"""The words of Simple Pair: nouns in categories with the adjectives that they take, and verbs."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

from merge_snli.base.errors import InputError
from merge_snli.base.files import sha256_of_file, sha256_of_json
from merge_snli.pairs.toml_files import Entries, apart_pairs, read_entries, require_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

SHIPPED = Path(__file__).parent / "lexicon"
"""The folder of the shipped lexicon and templates."""

NOUNS, VERBS = "nouns", "verbs.toml"
MIN_WORDS = 3
"""A pair with an irrelevant sentence needs three nouns and three adjectives of one category, or three verbs."""

ARTICLES = ("the", "")


@dataclass(frozen=True)
class Category:
    """Nouns of one kind, and what they can be.

    Attributes:
        name: Name, such as `fruits`.
        article: `the`, or empty for names.
        nouns: The nouns.
        adjectives: The adjectives that every noun of the category takes.
        apart: Pairs of adjectives, or of nouns, that never meet in a pair of sentences.
    """

    name: str
    article: str
    nouns: tuple[str, ...]
    adjectives: tuple[str, ...]
    apart: frozenset[frozenset[str]] = field(repr=False)


@dataclass(frozen=True)
class Verb:
    """A transitive verb in the past.

    Attributes:
        past: The affirmative form, such as `saw`.
        negated: The negated form, such as `did not see`.
        subjects: The categories of nouns that it takes as its subject.
        objects: The categories that it takes as its object.
    """

    past: str
    negated: str
    subjects: tuple[str, ...]
    objects: tuple[str, ...]


@dataclass(frozen=True)
class Lexicon:
    """Nouns, adjectives and verbs.

    Attributes:
        categories: The categories by name.
        verbs: The verbs.
        apart: Pairs of verbs, by their past, that never meet in a pair of sentences.
        digest: sha256 of the files.
    """

    categories: Mapping[str, Category]
    verbs: tuple[Verb, ...]
    apart: frozenset[frozenset[str]]
    digest: str

    @cached_property
    def category_of(self) -> dict[str, Category]:
        """The category of each noun."""
        return {noun: category for category in self.categories.values() for noun in category.nouns}

    @cached_property
    def negated(self) -> dict[str, str]:
        """The negated form of each verb by its past."""
        return {verb.past: verb.negated for verb in self.verbs}

    @cached_property
    def apart_nouns(self) -> frozenset[frozenset[str]]:
        """The pairs of nouns that never meet."""
        return frozenset(pair for category in self.categories.values() for pair in category.apart)

    def phrase(self, noun: str) -> str:
        """Return a noun with its article, such as `the apple` or `Alice`."""
        return f"{self.category_of[noun].article} {noun}".strip()

    def takes(self, verb: Verb, subject: str, obj: str) -> bool:
        """Return whether a verb takes one noun as its subject and another as its object."""
        return self.category_of[subject].name in verb.subjects and self.category_of[obj].name in verb.objects


class _CategoryFile(Entries):
    article: str
    nouns: tuple[str, ...]
    adjectives: tuple[str, ...] = ()
    adjectives_of: str | None = None
    apart: tuple[tuple[str, str], ...] = ()


class _VerbEntry(Entries):
    past: str = ""
    negated: str = ""
    subjects: tuple[str, ...]
    objects: tuple[str, ...]


class _VerbFile(Entries):
    verbs: tuple[_VerbEntry, ...]
    apart: tuple[tuple[str, str], ...] = ()


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
        raise InputError(f"{folder / NOUNS} has no file of nouns: pass a folder like the shipped one, {SHIPPED}")
    files = {path.stem: read_entries(path, _CategoryFile) for path in paths}
    categories = {path.stem: _category(path, files) for path in paths}
    _require_one_category(categories.values())
    verbs = read_entries(folder / VERBS, _VerbFile)
    parsed = tuple(_verb(folder / VERBS, number, entry, categories) for number, entry in enumerate(verbs.verbs, 1))
    if len(parsed) < MIN_WORDS:
        raise InputError(f"{folder / VERBS}: verbs has {len(parsed)} verbs: give at least {MIN_WORDS}")
    pasts = [verb.past for verb in parsed]
    require_words(f"{folder / VERBS}: past", pasts)
    apart = apart_pairs(str(folder / VERBS), verbs.apart, frozenset(pasts))
    digests = {path.relative_to(folder).as_posix(): sha256_of_file(path) for path in (*paths, folder / VERBS)}
    return Lexicon(categories, parsed, apart, sha256_of_json(digests))


def _category(path: Path, files: Mapping[str, _CategoryFile]) -> Category:
    entries = files[path.stem]
    source = files.get(entries.adjectives_of or path.stem)
    if source is None or (entries.adjectives_of and not source.adjectives):
        raise InputError(f"{path}: adjectives_of is {entries.adjectives_of!r}: name a category with adjectives")
    if entries.adjectives_of and entries.adjectives:
        raise InputError(f"{path} has adjectives and adjectives_of: keep one of them")
    if entries.article not in ARTICLES:
        raise InputError(f'{path}: article is {entries.article!r}: write "the", or "" for names')
    for name, words in (("nouns", entries.nouns), ("adjectives", source.adjectives)):
        require_words(f"{path}: {name}", words)
        if len(words) < MIN_WORDS:
            raise InputError(f"{path}: {name} has {len(words)} words: give at least {MIN_WORDS}")
    apart = (*entries.apart, *(source.apart if entries.adjectives_of else ()))
    pairs = apart_pairs(str(path), apart, frozenset((*entries.nouns, *source.adjectives)))
    return Category(path.stem, entries.article, entries.nouns, source.adjectives, pairs)


def _require_one_category(categories: Iterable[Category]) -> None:
    for first, second in combinations(categories, 2):
        both = sorted({*first.nouns} & {*second.nouns})
        if both:
            raise InputError(
                f"the noun {both[0]!r} is in two categories, {first.name} and {second.name}: remove it from one"
            )


def _verb(path: Path, number: int, entry: _VerbEntry, categories: Mapping[str, Category]) -> Verb:
    for name, form in (("past", entry.past), ("negated", entry.negated)):
        if not form.strip():
            raise InputError(
                f"{path}: verb {number} ({entry.past or entry.negated or 'without forms'}) has no {name}: add it"
            )
    if entry.past == entry.negated:
        raise InputError(f"{path}: verb {number} ({entry.past}) has the same past and negated form: correct one")
    for name, values in (("subjects", entry.subjects), ("objects", entry.objects)):
        unknown = next((value for value in values if value not in categories), None)
        if unknown is not None or not values:
            given = repr(unknown) if values else "no category"
            raise InputError(
                f"{path}: verb {number} ({entry.past}): {name} has {given}: choose from {', '.join(categories)}"
            )
    return Verb(entry.past, entry.negated, entry.subjects, entry.objects)
