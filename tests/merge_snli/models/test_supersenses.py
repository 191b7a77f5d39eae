"""Supersenses of nouns: the bundled table against WordNet's files, and plurals."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from merge_snli.models.base_forms import VERBS
from merge_snli.models.supersenses import TABLE, supersense

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


def test_the_license_is_beside_the_table() -> None:
    assert "Princeton University" in (TABLE.parent / "LICENSE").read_text(encoding="utf-8")


@pytest.mark.skipif(not WORDNET.is_dir(), reason="WordNet's files are not installed (Debian: wordnet-base)")
def test_the_tables_are_those_of_the_script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from training import wordnet_tables

    made = {"TABLE": TABLE, "VERBS": VERBS}
    for name, path in made.items():
        monkeypatch.setattr(wordnet_tables, name, tmp_path / path.name)
    monkeypatch.setattr("sys.argv", ["wordnet_tables", str(WORDNET)])
    wordnet_tables.main()
    for path in made.values():
        assert gzip.decompress((tmp_path / path.name).read_bytes()) == gzip.decompress(path.read_bytes())
