"""What filters take from libraries: "a" or "an" before a word (inflect), and related words (WordNet)."""

import io
import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any

from generation.sentences.tagging import TaggedProblem
from generation.sentences.words import SharedWord
from merge_snli.base.errors import InputError, explained
from merge_snli.base.extras import install_command
from merge_snli.base.files import sha256_of_file, sha256_of_json

# The library that chooses the article; its version is recorded if the option `articles` is set.
ARTICLES_LIBRARY = "inflect"

# Environment variable with the folder of WordNet's files, as for WordNet's own programs.
FOLDER_VARIABLE = "WNSEARCHDIR"

# Folders of Debian's package and of NLTK's downloader.
FOLDERS = ("/usr/share/wordnet", "~/nltk_data/corpora/wordnet", "/usr/share/nltk_data/corpora/wordnet")

# Words are co-hyponyms if they have a common hypernym at most this many steps above each.
#
# With two steps "dog" and "man" are co-hyponyms, with four steps two thirds of all pairs of common nouns.
CO_HYPONYM_DEPTH = 1

# Verbs that count as related to no word, because they mostly have a grammatical function.
AUXILIARIES = frozenset({"be", "have", "do"})

POS_OF_CLASS = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}
LEXICOGRAPHER_FILES = 45


@cache
def article_of(word: str) -> str:
    """Return "a" or "an", by the pronunciation of a word: "an hour", "a unicorn", "an MRI".

    Args:
        word: The word; its case matters for abbreviations.
    """
    return str(_engine().a(word)).partition(" ")[0]


@cache
def _engine() -> Any:  # noqa: ANN401 - imported here, since it takes long
    import typeguard

    # It would compile inflect again for each of its functions, to check their types, which takes two seconds.
    typechecked = typeguard.typechecked
    typeguard.typechecked = lambda function: function  # type: ignore[assignment]
    try:
        import inflect
    finally:
        typeguard.typechecked = typechecked
    return inflect.engine()


@dataclass(frozen=True, slots=True)
class _Senses:
    """The synsets of a word, these with its antonyms' and all hypernyms, and the hypernyms up to `CO_HYPONYM_DEPTH`."""

    own: frozenset[Any] = frozenset()
    reached: frozenset[Any] = frozenset()
    near: frozenset[Any] = frozenset()

    def is_related(self, other: "_Senses") -> bool:
        """Return whether two words are synonyms, hypernym and hyponym, co-hyponyms or antonyms."""
        return bool(self.reached & other.own or self.own & other.reached or self.near & other.near)


class WordNet:
    """WordNet, loaded from its files, with a cache of the senses of words."""

    def __init__(self, folder: Path) -> None:
        """Read the files.

        Args:
            folder: WordNet's `dict` folder, which contains `index.noun`, `data.noun`, `noun.exc` and so on.
        """
        self.folder = folder
        self._reader = read_wordnet(folder)
        self._senses = cache(self._senses_of)
        self.relation_to = lru_cache(maxsize=64)(self._relation_to)  # the forms of a word follow each other

    @property
    def version(self) -> str:
        """The WordNet release according to its files, such as `3.0`."""
        return str(self._reader.get_version())

    @cached_property
    def digest(self) -> str:
        """The sha256 of the names and contents of the files that relations depend on."""
        digests = {}
        for pos in POS_OF_CLASS:
            for name in (f"index.{pos}", f"data.{pos}", f"{pos}.exc"):
                digests[name] = sha256_of_file(self.folder / name)
        return sha256_of_json(digests)

    def _relation_to(self, others: tuple[tuple[str, str], ...], word_class: str) -> Callable[[str], bool]:
        """Return a function that returns whether a word is related to one of `others`, in any of their senses.

        Words are related if they are synonyms, one is a hypernym of the other at any depth, one is an antonym of the
        other or of its synonyms, or they are co-hyponyms (see `CO_HYPONYM_DEPTH`). Inflected words count as their base
        form.

        Args:
            others: Words with their classes, from `other_words`.
            word_class: The class of the words that the function is called with.
        """
        senses = [self._senses(other.casefold(), other_class) for other, other_class in others]

        @cache
        def is_related(word: str) -> bool:
            of_word = self._senses(word.casefold(), word_class)
            return any(of_word.is_related(other) for other in senses)

        return is_related

    def _senses_of(self, word: str, word_class: str) -> _Senses:
        pos = POS_OF_CLASS[word_class]
        if word_class == "verb" and self._reader.morphy(word, "v") in AUXILIARIES:
            return _Senses()
        own = self._reader.synsets(word, pos)
        reached = set(own)
        near: set[Any] = set()
        for synset in own:
            reached.update(synset.closure(_hypernyms))
            near.update(synset.closure(_hypernyms, CO_HYPONYM_DEPTH))
            for lemma in synset.lemmas():
                reached.update(antonym.synset() for antonym in lemma.antonyms())
        return _Senses(frozenset(own), frozenset(reached), frozenset(near))


def other_words(tagged: TaggedProblem, word: SharedWord) -> tuple[tuple[str, str], ...]:
    """Return the open-class words of a problem except a shared word, each with its class, in order."""
    return tuple(
        dict.fromkeys(
            (token.text.casefold(), token.word_class)
            for token in tagged.tokens
            if token.word_class is not None and token.text.casefold() != word.text.casefold()
        )
    )


def load_wordnet() -> WordNet:
    """Find and load WordNet."""
    named = os.environ.get(FOLDER_VARIABLE)
    for folder in [named] if named else FOLDERS:
        if (Path(folder).expanduser() / "data.noun").is_file():
            return WordNet(Path(folder).expanduser())
    missing = f"{FOLDER_VARIABLE}={named} has no file data.noun" if named else "its files were not found"
    raise InputError(
        f"⟦no_relations⟧ needs WordNet, but {missing}: install the Debian package wordnet-base, or set "
        f"{FOLDER_VARIABLE} to the folder `dict` of WordNet 3.0"
    )


def _hypernyms(synset: Any) -> list[Any]:  # noqa: ANN401 - NLTK has no types
    return list(synset.hypernyms() + synset.instance_hypernyms())


def read_wordnet(folder: Path) -> Any:  # noqa: ANN401 - NLTK has no types
    """Return NLTK's reader of the WordNet files in a folder; see `WordNet`."""
    install = install_command("relations")
    with explained(ImportError, f"⟦no_relations⟧ needs NLTK, which is not installed: {install}"):
        import nltk.data
        from nltk.corpus.reader.wordnet import WordNetCorpusReader, WordNetError

    class Reader(WordNetCorpusReader):  # type: ignore[misc]
        """NLTK's reader, without the files for other versions and languages of WordNet.

        It reads files as a whole, since NLTK would not close those that have the synsets.
        """

        def open(self, file: str) -> Any:  # noqa: ANN401
            if file == "lexnames":  # which Debian's package lacks: files are named by their numbers
                return io.StringIO("".join(f"{number}\t{number}\t0\n" for number in range(LEXICOGRAPHER_FILES)))
            return io.TextIOWrapper(io.BytesIO((folder / file).read_bytes()), encoding="utf-8")

        def map_wn(self, version: str = "wordnet") -> None:
            """Skip the mapping to other versions."""

    if str(folder) not in nltk.data.path:
        nltk.data.path.append(str(folder))  # NLTK only opens files in these folders
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The multilingual functions")
        errors = (OSError, ValueError, AssertionError, StopIteration, WordNetError)
        with explained(errors, f"cannot read the WordNet files in {folder}: ⟦reason⟧"):
            return Reader(str(folder), None)
