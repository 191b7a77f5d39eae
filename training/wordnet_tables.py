"""Make the tables of `merge_snli/embedded/wordnet` from WordNet 3.0: nouns by supersense, verbs, adjectives.

    python -m training.wordnet_tables /usr/share/wordnet

The folder has WordNet's files, as Debian's package wordnet-base installs them. The table of nouns has one line for each
of WordNet's lexicographer files of nouns: its name and the nouns of one word whose first (most frequent) sense is in
it, without names that are also regular plurals, such as Parks. The last line has irregular plurals with their
singulars. The tables of verbs and of adjectives have a line of these and one of irregular forms, with those of "old"
and "far" that WordNet does not list. The adjectives that WordNet only has with a capital, such as "American", have a
line of their own. The same files give the same bytes.
"""

import gzip
import re
from collections.abc import Iterable, Iterator, Mapping, Set
from pathlib import Path

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
    nouns = nouns_by_name(folder)
    known: set[str] = set().union(*nouns.values())
    write(NOUNS, nouns | {IRREGULAR: irregular_forms(folder / "noun.exc", known)})
    verbs = set(_words(folder / "index.verb"))
    write(VERBS, {"verb": verbs, IRREGULAR: irregular_forms(folder / "verb.exc")})
    adjectives = set(_words(folder / "index.adj"))
    compared = set(irregular_forms(folder / "adj.exc", adjectives))
    capitalized = capitalized_adjectives(folder) & adjectives
    lines = {"adj": adjectives - capitalized, CAPITALIZED: capitalized, IRREGULAR: compared.union(UNLISTED)}
    write(ADJECTIVES, lines)


def nouns_by_name(folder: Path) -> dict[str, list[str]]:
    """Return the nouns of one word by the name of the lexicographer file of their first sense."""
    senses = {noun: (number, is_name) for noun, number, is_name in first_senses(folder)}
    nouns: dict[str, list[str]] = {name: [] for name in NAMES}
    for noun, (number, is_name) in senses.items():
        if is_name and any(singular in senses for singular in regular_bases(noun, PLURAL_ENDINGS)):
            continue
        nouns[NAMES[number - FIRST_FILE]].append(noun)
    return nouns


def write(path: Path, words: Mapping[str, Iterable[str]]) -> None:
    """Write a table: a line for each key, with its words."""
    text = ""
    for name, of_name in words.items():
        text += " ".join((name, *sorted(of_name))) + "\n"
    path.write_bytes(gzip.compress(text.encode(), mtime=0))


def first_senses(folder: Path) -> Iterator[tuple[str, int, bool]]:
    """Yield each noun of one word, the lexicographer file of its first sense, and whether that has it as a name."""
    synsets: dict[str, list[str]] = {}
    for line in _entries(folder / "data.noun"):
        fields, _, _ = line.partition(" | ")
        synset = fields.split(" ")
        synsets[synset[0]] = synset
    for line in _entries(folder / "index.noun"):
        lemma, *rest = line.split()
        if WORD.fullmatch(lemma):
            pointers = int(rest[2])
            synset = synsets[rest[5 + pointers]]
            yield lemma, int(synset[1]), lemma not in synset


def capitalized_adjectives(folder: Path) -> set[str]:
    """Return the adjectives, in lower case, that have a capital in all their senses."""
    written: set[str] = set()
    for line in _entries(folder / "data.adj"):
        fields = line.split(" ")
        words = fields[4 : 4 + 2 * int(fields[3], 16) : 2]
        written.update(word.partition("(")[0] for word in words)  # a syntactic marker may follow: "American(a)"
    return {word.lower() for word in written if word.lower() not in written}


def irregular_forms(path: Path, bases: Set[str] | None = None) -> Iterator[str]:
    """Yield `FORM=BASE` for each form of one word that WordNet lists as an exception.

    Args:
        path: The file of exceptions.
        bases: The words whose forms are listed; None for all.
    """
    for line in _entries(path):
        form, base, *_ = line.split()
        if bases is not None and base not in bases:
            continue
        if WORD.fullmatch(form) and WORD.fullmatch(base):
            yield f"{form}={base}"


def _words(path: Path) -> Iterator[str]:
    """Yield the entries of an index that are one word."""
    return filter(WORD.fullmatch, (line.split()[0] for line in _entries(path)))


def _entries(path: Path) -> Iterator[str]:
    """Yield the lines of a file after its license."""
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("  "):
            yield line


if __name__ == "__main__":
    main()
