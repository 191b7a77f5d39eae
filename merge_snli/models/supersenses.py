"""The supersense of a noun: the lexicographer file of its first sense in WordNet, such as `person` or `food`."""

import gzip
from functools import cache

from merge_snli.embedded import FOLDER

# Made by `training/wordnet_tables.py`; the license is beside it.
TABLE = FOLDER / "wordnet" / "nouns.txt.gz"

# The first word of the table's last line, which has `PLURAL=SINGULAR`.
IRREGULAR = "irregular"

# Endings of regular plurals and of their singulars, as in WordNet's Morphy (morphy(7WN)).
PLURAL_ENDINGS = (
    ("s", ""),
    ("ses", "s"),
    ("ves", "f"),
    ("xes", "x"),
    ("zes", "z"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("men", "man"),
    ("ies", "y"),
)


def supersense(noun: str) -> str | None:
    """Return the supersense of a noun, or None if WordNet does not have it.

    An irregular plural has that of its singular. Any other word has its own if it has one, as "glasses" and "police"
    do, else that of the singular that Morphy's rules give.

    Args:
        noun: The noun, in singular or plural; its case does not matter.

    Returns:
        One of WordNet's 26 lexicographer files of nouns without the prefix `noun.`.
    """
    names, singulars = noun_table()
    lower = noun.lower()
    candidates = (singulars.get(lower, lower), *regular_singulars(lower))
    return next((names[word] for word in candidates if word in names), None)


def regular_singulars(noun: str) -> tuple[str, ...]:
    """Return what the singular of a noun may be by Morphy's rules: "box" and "boxe" for "boxes"."""
    return tuple(noun.removesuffix(plural) + singular for plural, singular in PLURAL_ENDINGS if noun.endswith(plural))


@cache
def noun_table() -> tuple[dict[str, str], dict[str, str]]:
    """Return the supersense of each noun, and the singular of each irregular plural."""
    names: dict[str, str] = {}
    singulars: dict[str, str] = {}
    for line in gzip.decompress(TABLE.read_bytes()).decode().splitlines():
        name, *words = line.split(" ")
        if name == IRREGULAR:
            singulars = dict(word.split("=") for word in words)
        else:
            names |= dict.fromkeys(words, name)
    return names, singulars
