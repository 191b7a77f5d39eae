"""Base forms of nouns and verbs, as WordNet's Morphy finds them: "box" for "boxes", "run" for "ran" and "running"."""

import gzip
from collections.abc import Mapping
from functools import cache

from merge_snli.models.supersenses import PLURAL_ENDINGS, TABLE, noun_table

# Made by `training/wordnet_tables.py`: a line of verbs, and a line of irregular forms as FORM=VERB.
VERBS = TABLE.with_name("verbs.txt.gz")

# Endings of regular forms and of their base forms, as in WordNet's Morphy (morphy(7WN)).
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


@cache
def base_forms(word: str, word_class: str) -> frozenset[str]:
    """Return a word with its base forms in a word class: "leaves", "leaf" and "leave" for the noun "leaves".

    Two words are forms of one word if they have a base form in common.

    Args:
        word: The word in lower case.
        word_class: `noun` or `verb`. A word of another class is its own base form.
    """
    tables = {"noun": (noun_table, PLURAL_ENDINGS), "verb": (verb_table, VERB_ENDINGS)}
    if word_class not in tables:
        return frozenset({word})
    table, endings = tables[word_class]
    known, irregular = table()
    regular = {word.removesuffix(ending) + base for ending, base in endings if word.endswith(ending)}
    return frozenset({word, irregular.get(word, word), *(regular & known.keys())})


@cache
def verb_table() -> tuple[Mapping[str, str], Mapping[str, str]]:
    """Return WordNet's verbs of one word, and the base form of each irregular form."""
    verbs, irregular = gzip.decompress(VERBS.read_bytes()).decode().splitlines()
    return dict.fromkeys(verbs.split(" ")[1:], "verb"), dict(each.split("=") for each in irregular.split(" ")[1:])
