"""Make the table of nouns by supersense, `merge_snli/embedded/wordnet/nouns.txt.gz`, from WordNet 3.0.

    python -m training.wordnet_nouns /usr/share/wordnet

The folder has WordNet's files, as Debian's package wordnet-base installs them. The table has one line for each of
WordNet's lexicographer files of nouns: its name and the nouns of one word whose first (most frequent) sense is in it,
without names that are also regular plurals, such as Parks. The last line has irregular plurals with their singulars.
The same files give the same bytes.
"""

from __future__ import annotations

import argparse
import gzip
import re
from pathlib import Path
from typing import TYPE_CHECKING

from merge_snli.models.supersenses import IRREGULAR, TABLE, regular_singulars

if TYPE_CHECKING:
    from collections.abc import Iterator

FIRST_FILE = 3
# The lexicographer files of nouns, from number 3 on (lexnames(5WN)).
NAMES = (
    *("Tops", "act", "animal", "artifact", "attribute", "body", "cognition", "communication", "event", "feeling"),
    *("food", "group", "location", "motive", "object", "person", "phenomenon", "plant", "possession", "process"),
    *("quantity", "relation", "shape", "state", "substance", "time"),
)

WORD = re.compile(r"[a-z]['a-z-]*[a-z]")


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="folder of WordNet 3.0's files")
    folder = parser.parse_args().folder
    senses = {noun: (number, is_name) for noun, number, is_name in first_senses(folder)}
    nouns: dict[str, list[str]] = {name: [] for name in NAMES}
    for noun, (number, is_name) in senses.items():
        if not (is_name and any(singular in senses for singular in regular_singulars(noun))):
            nouns[NAMES[number - FIRST_FILE]].append(noun)
    known = {noun for of_name in nouns.values() for noun in of_name}
    plurals = [plural for plural in irregular_plurals(folder) if plural.partition("=")[2] in known]
    lines = [" ".join((name, *sorted(words))) for name, words in [*nouns.items(), (IRREGULAR, plurals)]]
    TABLE.write_bytes(gzip.compress("".join(f"{line}\n" for line in lines).encode(), mtime=0))


def first_senses(folder: Path) -> Iterator[tuple[str, int, bool]]:
    """Yield each noun of one word, the lexicographer file of its first sense, and whether that has it as a name."""
    synsets = {line.partition(" ")[0]: line.partition(" | ")[0].split(" ") for line in _entries(folder / "data.noun")}
    for line in _entries(folder / "index.noun"):
        lemma, *rest = line.split()
        if WORD.fullmatch(lemma):
            pointers = int(rest[2])
            synset = synsets[rest[5 + pointers]]
            yield lemma, int(synset[1]), lemma not in synset


def irregular_plurals(folder: Path) -> Iterator[str]:
    """Yield `PLURAL=SINGULAR` for each plural of one word that WordNet lists as an exception."""
    for line in _entries(folder / "noun.exc"):
        plural, singular, *_ = line.split()
        if WORD.fullmatch(plural) and WORD.fullmatch(singular):
            yield f"{plural}={singular}"


def _entries(path: Path) -> Iterator[str]:
    """Yield the lines of a file after its license."""
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("  "):
            yield line


if __name__ == "__main__":
    main()
