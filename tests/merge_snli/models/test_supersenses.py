"""Supersenses of nouns: the bundled table against WordNet's files, and plurals."""

from __future__ import annotations

from pathlib import Path

import pytest

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
def test_the_table_is_that_of_the_script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from training import wordnet_nouns

    monkeypatch.setattr("training.wordnet_nouns.TABLE", tmp_path / "nouns.txt.gz")
    monkeypatch.setattr("sys.argv", ["wordnet_nouns", str(WORDNET)])
    wordnet_nouns.main()
    assert (tmp_path / "nouns.txt.gz").read_bytes() == TABLE.read_bytes()
