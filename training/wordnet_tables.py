"""Make the tables of `merge_snli/embedded/wordnet` from WordNet 3.0: nouns by supersense, verbs, adjectives.

    python -m training.wordnet_tables /usr/share/wordnet

It needs NLTK (the extra `relations`). The folder has WordNet's files, as Debian's package wordnet-base installs them.
The table of nouns has one line for each of WordNet's lexicographer files of nouns: its name and the nouns of one word
whose first (most frequent) sense is in it, without names that are also regular plurals, such as Parks. The last line
has irregular plurals with their singulars. The tables of verbs and of adjectives have a line of these and one of
irregular forms, with those of "old" and "far" that WordNet does not list. The adjectives that WordNet only has with a
capital, such as "American", have a line of their own. The same files give the same bytes.
"""

import gzip
import re
from collections.abc import Iterable, Iterator, Mapping, Set
from pathlib import Path
from typing import Any

from generation.filters.lexical import read_wordnet
from merge_snli.models.wordnet import ADJECTIVES, CAPITALIZED, IRREGULAR, NOUNS, PLURAL_ENDINGS, VERBS, regular_bases
from training.script import parse

FIRST_FILE = 3
# The lexicographer files of nouns, from number 3 on (lexnames(5WN)).
NAMES = (
    *("Tops", "act", "animal", "artifact", "attribute", "body", "cognition", "communication", "event", "feeling"),
    *("food", "group", "location", "motive", "object", "person", "phenomenon", "plant", "possession", "process"),
    *("quantity", "relation", "shape", "state", "substance", "time"),
)

WORD = re.compile(r"[a-z]['a-z-]*[a-z]")

# Irregular forms of adjectives that `adj.exc` lacks.
UNLISTED = ("elder=old", "eldest=old", "farther=far", "farthest=far", "further=far", "furthest=far")


def main() -> None:
    """Write the tables."""
    argument = {"type": Path, "help": "folder of WordNet 3.0's files"}
    folder = parse("wordnet_tables", __doc__, {"folder": argument}).folder
    wordnet = read_wordnet(folder)
    nouns = nouns_by_file(wordnet, words_of(wordnet, "n"))
    known: set[str] = set().union(*nouns.values())
    write(NOUNS, nouns | {IRREGULAR: irregular_forms(folder / "noun.exc", known)})
    write(VERBS, {"verb": words_of(wordnet, "v"), IRREGULAR: irregular_forms(folder / "verb.exc")})
    adjectives = words_of(wordnet, "a")
    irregular = set(irregular_forms(folder / "adj.exc", adjectives))
    capitalized = capitalized_adjectives(wordnet) & adjectives
    lines = {"adj": adjectives - capitalized, CAPITALIZED: capitalized, IRREGULAR: irregular.union(UNLISTED)}
    write(ADJECTIVES, lines)


def words_of(wordnet: Any, pos: str) -> set[str]:  # noqa: ANN401 - NLTK has no types
    """Return the entries of WordNet for a part of speech that are one word."""
    return set(filter(WORD.fullmatch, wordnet.all_lemma_names(pos)))


def nouns_by_file(wordnet: Any, nouns: Set[str]) -> dict[str, list[str]]:  # noqa: ANN401 - NLTK has no types
    """Return nouns by the name of the lexicographer file of their first sense."""
    by_file: dict[str, list[str]] = {name: [] for name in NAMES}
    for noun in nouns:
        first = wordnet.synsets(noun, "n")[0]
        is_name = noun not in first.lemma_names()
        if is_name and any(singular in nouns for singular in regular_bases(noun, PLURAL_ENDINGS)):
            continue
        by_file[NAMES[int(first.lexname()) - FIRST_FILE]].append(noun)
    return by_file


def write(path: Path, words: Mapping[str, Iterable[str]]) -> None:
    """Write a table: a line for each key, with its words."""
    text = ""
    for name, of_name in words.items():
        text += " ".join((name, *sorted(of_name))) + "\n"
    path.write_bytes(gzip.compress(text.encode(), mtime=0))


def capitalized_adjectives(wordnet: Any) -> set[str]:  # noqa: ANN401 - NLTK has no types
    """Return the adjectives, in lower case, that have a capital in all their senses."""
    written: set[str] = set()
    for synset in wordnet.all_synsets("a"):
        written.update(synset.lemma_names())
    return {word.lower() for word in written if word.lower() not in written}


def irregular_forms(path: Path, bases: Set[str] | None = None) -> Iterator[str]:
    """Yield `FORM=BASE` for each form of one word that WordNet lists as an exception.

    Args:
        path: The file of exceptions.
        bases: The words whose forms are listed; None for all.
    """
    for line in path.read_text(encoding="utf-8").splitlines():
        form, base, *_ = line.split()
        if bases is not None and base not in bases:
            continue
        if WORD.fullmatch(form) and WORD.fullmatch(base):
            yield f"{form}={base}"


if __name__ == "__main__":
    main()
