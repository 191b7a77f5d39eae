"""Supersenses and base forms of words, and the bundled tables against WordNet's files."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from merge_snli.models.wordnet import ADJECTIVES, NOUNS, VERBS, base_forms, supersense

WORDNET = Path("/usr/share/wordnet")


@pytest.mark.parametrize(
    ("noun", "expected"),
    [
        ("dog", "animal"),
        ("Dogs", "animal"),
        ("men", "person"),
        ("women", "person"),
        ("children", "person"),
        ("boxes", "artifact"),
        ("knives", "artifact"),
        ("parties", "group"),
        ("glasses", "artifact"),
        ("police", "group"),
        ("xyzzy", None),
        ("s", None),
        ("", None),
    ],
)
def test_a_noun_has_the_supersense_of_its_first_sense(noun: str, expected: str | None) -> None:
    assert supersense(noun) == expected


@pytest.mark.parametrize(
    ("word", "word_class", "others"),
    [
        ("girls", "noun", {"girl"}),
        ("boxes", "noun", {"box"}),
        ("women", "noun", {"woman"}),
        ("leaves", "noun", {"leaf", "leave"}),
        ("dog", "noun", set()),
        ("dress", "noun", set()),
        ("xyzzies", "noun", set()),
        ("running", "verb", {"run"}),
        ("ran", "verb", {"run"}),
        ("carries", "verb", {"carry"}),
        ("closed", "verb", {"close"}),
        ("are", "verb", {"be"}),
        ("bring", "verb", set()),
        ("girls", "verb", set()),
        ("girls", "adj", set()),
        ("younger", "adj", {"young"}),
        ("nicest", "adj", {"nice"}),
        ("better", "adj", {"good"}),
        ("elder", "adj", {"old"}),
        ("younger", "noun", set()),
    ],
)
def test_a_word_with_its_base_forms(word: str, word_class: str, others: set[str]) -> None:
    assert base_forms(word, word_class) == {word} | others


def test_the_license_is_beside_the_table() -> None:
    assert "Princeton University" in (NOUNS.parent / "LICENSE").read_text(encoding="utf-8")


@pytest.mark.skipif(not WORDNET.is_dir(), reason="WordNet's files are not installed (Debian: wordnet-base)")
def test_the_tables_are_those_of_the_script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from training import wordnet_tables

    made = {"NOUNS": NOUNS, "VERBS": VERBS, "ADJECTIVES": ADJECTIVES}
    for name, path in made.items():
        monkeypatch.setattr(wordnet_tables, name, tmp_path / path.name)
    monkeypatch.setattr("sys.argv", ["wordnet_tables", str(WORDNET)])
    wordnet_tables.main()
    for path in made.values():
        assert gzip.decompress((tmp_path / path.name).read_bytes()) == gzip.decompress(path.read_bytes())
