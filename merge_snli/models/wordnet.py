"""What WordNet says about a word: the supersense of a noun, base forms by Morphy, and adjectives with a capital."""

import gzip
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from merge_snli.embedded import FOLDER

# Made by `training/wordnet_tables.py`; the license is beside them.
NOUNS = FOLDER / "wordnet" / "nouns.txt.gz"
VERBS = FOLDER / "wordnet" / "verbs.txt.gz"
ADJECTIVES = FOLDER / "wordnet" / "adjectives.txt.gz"

# The first word of a table's last line, which has `FORM=BASE`.
IRREGULAR = "irregular"
# The first word of the line of the adjectives that WordNet writes with a capital in all their senses.
CAPITALIZED = "capitalized"

# Endings of regular forms and of their base forms, as in WordNet's Morphy (morphy(7WN)).
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
VERB_ENDINGS = (
    ("s", ""),
    ("ies", "y"),
    ("es", "e"),
    ("es", ""),
    ("ed", "e"),
    ("ed", ""),
    ("ing", "e"),
    ("ing", ""),
)
COMPARISON_ENDINGS = (("er", ""), ("est", ""), ("er", "e"), ("est", "e"))


def supersense(noun: str) -> str | None:
    """Return the supersense of a noun: the lexicographer file of its first sense, such as `person` or `food`.

    An irregular plural has that of its singular. Any other word has its own if it has one, as "glasses" and "police"
    do, else that of the singular that Morphy's rules give.

    Args:
        noun: The noun, in singular or plural; its case does not matter.

    Returns:
        One of WordNet's 26 lexicographer files of nouns without the prefix `noun.`; None if WordNet lacks the noun.
    """
    names, singulars = _table(NOUNS)
    lower = noun.lower()
    candidates = (singulars.get(lower, lower), *regular_bases(lower, PLURAL_ENDINGS))
    return next((names[word] for word in candidates if word in names), None)


@cache
def base_forms(word: str, word_class: str) -> frozenset[str]:
    """Return a word with its base forms in a word class: "leaves", "leaf" and "leave" for the noun "leaves".

    Two words are forms of one word if they have a base form in common.

    Args:
        word: The word in lower case.
        word_class: `noun`, `verb` or `adj`. A word of another class is its own base form.
    """
    tables = {
        "noun": (NOUNS, PLURAL_ENDINGS),
        "verb": (VERBS, VERB_ENDINGS),
        "adj": (ADJECTIVES, COMPARISON_ENDINGS),
    }
    if word_class not in tables:
        return frozenset({word})
    path, endings = tables[word_class]
    known, irregular = _table(path)
    regular = {base for base in regular_bases(word, endings) if base in known}
    return frozenset({word, irregular.get(word, word), *regular})


def is_capitalized(adjective: str) -> bool:
    """Return whether WordNet writes an adjective only with a capital, as "American" and "Chinese".

    Args:
        adjective: The adjective in lower case.
    """
    return _table(ADJECTIVES)[0].get(adjective) == CAPITALIZED


def regular_bases(word: str, endings: tuple[tuple[str, str], ...]) -> Iterator[str]:
    """Yield what the base form of a word may be by Morphy's rules: "box" and "boxe" for the plural "boxes"."""
    return (word.removesuffix(ending) + base for ending, base in endings if word.endswith(ending))


@cache
def _table(path: Path) -> tuple[dict[str, str], dict[str, str]]:
    """Return the first word of the line that has each word, and the base form of each irregular form."""
    names: dict[str, str] = {}
    *lines, irregular = (line.split(" ") for line in gzip.decompress(path.read_bytes()).decode().splitlines())
    for name, *words in lines:
        names |= dict.fromkeys(words, name)
    return names, dict(form.split("=") for form in irregular[1:])
