"""The words of Simple Pair, nouns in categories with their adjectives, and verbs; and the reader of TOML files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from merge_snli.base.errors import InputError
from merge_snli.base.files import read_toml, sha256_of_file, sha256_of_json
from merge_snli.base.table import count
from merge_snli.dataset.record import validation_errors


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
        raise InputError(f"{path} is missing: copy the file of the shipped lexicon and edit it")
    try:
        return entries.model_validate(read_toml(path, "lexicon"))
    except ValidationError as error:
        where, message = validation_errors(error)[0]
        raise InputError(
            f"{path}: {where or 'the file'}: {message}; see docs/simple_pair.md for the entries"
        ) from error


# The folder of the shipped lexicon and templates.
SHIPPED = Path(__file__).parent / "lexicon"

NOUNS, VERBS = "nouns", "verbs.toml"
# A pair with an irrelevant sentence needs three nouns and three adjectives of one category, or three verbs.
MIN_WORDS = 3


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
    apart: frozenset[frozenset[str]] = frozenset()


class Verb(Entries):
    """A transitive verb in the past.

    Attributes:
        past: The affirmative form, such as `saw`.
        negated: The negated form, such as `did not see`.
        subjects: The categories of nouns that it takes as its subject.
        objects: The categories that it takes as its object.
    """

    past: str = ""
    negated: str = ""
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
    def category_of(self) -> dict[str, str]:
        """The name of the category of each noun."""
        found = {}
        for name, category in self.categories.items():
            found.update(dict.fromkeys(category.nouns, name))
        return found

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


class _VerbFile(Entries):
    verbs: tuple[Verb, ...]
    apart: frozenset[frozenset[str]] = frozenset()


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
    files = {path.stem: read_entries(path, Category) for path in paths}
    categories = {path.stem: _with_adjectives(path, files) for path in paths}
    _require_one_category(categories)
    entries = read_entries(folder / VERBS, _VerbFile)
    for number, verb in enumerate(entries.verbs, 1):
        _check_verb(f"{folder / VERBS}: verb {number}", verb, categories)
    pasts = [verb.past for verb in entries.verbs]
    _check_words(f"{folder / VERBS}: verbs", pasts)
    _check_apart(str(folder / VERBS), entries.apart, pasts)
    digests = {path.relative_to(folder).as_posix(): sha256_of_file(path) for path in (*paths, folder / VERBS)}
    return Lexicon(categories, entries.verbs, entries.apart, sha256_of_json(digests))


def _with_adjectives(path: Path, files: Mapping[str, Category]) -> Category:
    """Return a category with the adjectives of the one that it names, after checking its words."""
    category = files[path.stem]
    if category.adjectives_of is not None:
        source = files.get(category.adjectives_of)
        if source is None or not source.adjectives:
            raise InputError(f"{path}: adjectives_of is {category.adjectives_of!r}: name a category with adjectives")
        if category.adjectives:
            raise InputError(f"{path} has adjectives and adjectives_of: keep one of them")
        category = category.model_copy(update={"adjectives": source.adjectives, "apart": category.apart | source.apart})
    for name, words in (("nouns", category.nouns), ("adjectives", category.adjectives)):
        _check_words(f"{path}: {name}", words)
    _check_apart(str(path), category.apart, (*category.nouns, *category.adjectives))
    return category


def _require_one_category(categories: Mapping[str, Category]) -> None:
    first: dict[str, str] = {}
    for name, category in categories.items():
        for noun in category.nouns:
            if first.setdefault(noun, name) != name:
                raise InputError(
                    f"the noun {noun!r} is in two categories, {first[noun]} and {name}: remove it from one"
                )


def _check_words(where: str, words: Sequence[str]) -> None:
    """Check that there are enough words, that none is empty or has a space around it, and that none occurs twice."""
    for word in words:
        is_plain = word == " ".join(word.split()) and word.isprintable() and not set(word) & set("{}.")
        if not word or not is_plain:
            raise InputError(f"{where} has {word!r}: give a word without spaces around it, braces and full stops")
        if words.count(word) > 1:
            raise InputError(f"{where} has {word!r} more than once: remove one")
    if len(words) < MIN_WORDS:
        raise InputError(f"{where} has {count(len(words), 'word')}: give at least {MIN_WORDS}")


def _check_apart(where: str, apart: frozenset[frozenset[str]], known: Sequence[str]) -> None:
    """Check that the pairs of words that never meet are pairs of words of the file."""
    for pair in sorted(map(sorted, apart)):
        for word in pair:
            if word not in known:
                raise InputError(f"{where}: apart has {word!r}, which is not a word of this file: add it or correct it")
        if len(pair) != 2:
            raise InputError(f"{where}: apart has {', '.join(map(repr, pair))}: give two different words")


def _check_verb(where: str, verb: Verb, categories: Mapping[str, Category]) -> None:
    for name, form in (("past", verb.past), ("negated", verb.negated)):
        if not form.strip():
            raise InputError(f"{where} ({verb.past or verb.negated or 'without forms'}) has no {name}: add it")
    if verb.past == verb.negated:
        raise InputError(f"{where} ({verb.past}) has the same past and negated form: correct one")
    for name, values in (("subjects", verb.subjects), ("objects", verb.objects)):
        unknown = [repr(value) for value in values if value not in categories]
        if not values:
            unknown = ["no category"]
        if unknown:
            raise InputError(f"{where} ({verb.past}): {name} has {unknown[0]}: choose from {', '.join(categories)}")
