"""German by a small pipeline of rules: word classes, agreement and capitals; and messages for other languages."""

import json
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import spacy

from generation import Options
from generation.filters.conditions import disagrees, is_form_of_problem, sounds_wrong
from generation.filters.filter import Occurrence
from generation.masked_lms.vocabulary import read_vocabulary
from generation.options import PRESETS
from generation.pipeline import run_pipeline
from generation.run_inputs import read_inputs
from generation.sentences.forms import Substitution
from generation.sentences.tagging import (
    InPlaceTagger,
    Token,
    features_of,
    tag_sentences,
    word_class_of,
)
from merge_snli.base.progress import Progress
from merge_snli.dataset.stored import MergeDataset, read_split
from merge_snli.models.tagger import find_tagger
from merge_snli.validation import validate
from tests.cases import slow
from tests.generation.filters.test_filters import occurrence as tagged_occurrence
from tests.languages import GERMAN, VERB, save_pipeline, save_word_mlm, sentencepiece_of, wordpiece_of
from tests.oracles import missing_from, refused, write_rows

PROBLEMS = [
    ("Der Hund schläft heute.", "Der Hund schläft nicht.", "contradiction"),
    ("Die Frau singt dort.", "Die Frau singt.", "entailment"),
    ("Ein Mann wartet dort.", "Der Mann wartet heute.", "neutral"),
]
LOWER_CASE = {"laut", "schläft", "rennt", "singt", "wartet", "schlafen", "rennen", "nicht", "nie", "dort", "heute"}


def vocabulary_words() -> list[str]:
    """The words of the lexicon, nouns with a capital; "laut" is an adverb in lower case only."""
    words = ["ein", "Ein", "der", "Der", "die", "Die", *sorted(LOWER_CASE), ".", "Rennt"]
    for word, (pos, _) in GERMAN.items():
        if pos == "NOUN" and word not in LOWER_CASE:
            words.append(word.title())
    return words


@pytest.fixture(scope="module")
def german(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("german")
    columns = ("premise", "hypothesis", "label")
    rows = [dict(zip(columns, row, strict=True)) for row in PROBLEMS]
    words = vocabulary_words()
    sentencepiece = save_word_mlm(sentencepiece_of(words), folder / "sentencepiece")
    wordpiece = save_word_mlm(wordpiece_of(words), folder / "wordpiece", seed=1)
    return {
        "problems": write_rows(folder / "problems.jsonl", rows),
        "mlm": (str(sentencepiece), str(wordpiece)),
        "tagger": str(save_pipeline(folder / "de_rules", "de", GERMAN)),
        "inflation": 1,
        "subsamples": 1,
        "filters": ("pos",),
        "sides": "union",
    }


@pytest.fixture(scope="module")
def made(german: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> MergeDataset:
    return run_pipeline(Options(**german), tmp_path_factory.mktemp("made") / "data", quiet=True)


def test_german_variants_are_all_that_agree(made: MergeDataset) -> None:
    """With every filler a candidate, a word has exactly the words of the lexicon with its class and features."""
    replacements = defaultdict(set)
    for row in read_split(made, "all").to_pylist():
        replacements[row["original"]].add(row["replacement"])
    assert replacements.pop("Frau") == {"Katze", "Lehrerin"}
    for noun in ("Hund", "Mann"):
        assert replacements.pop(noun) == {"Hund", "Mann", "Lehrer", "Junge"} - {noun}
    for verb in ("schläft", "singt", "wartet"):
        assert replacements.pop(verb) == {"schläft", "rennt", "singt", "wartet"} - {verb}
    assert not replacements
    assert '"other tag"' in (made.folder / "run.json").read_text(encoding="utf-8")


def test_the_record_names_the_language_of_the_tagger_and_the_data_set_is_valid(
    made: MergeDataset, german: dict[str, Any]
) -> None:
    assert made.record.options["language"] == "de"
    assert not validate(made.folder, tagger=german["tagger"]).findings
    assert "language:\n- de\n" in (made.folder / "README.md").read_text(encoding="utf-8")


def test_nouns_keep_their_capital_and_pieces_in_lower_case_do_not_get_one() -> None:
    words = ["Hund", "Katze", "laut", "Laufen", "laufen"]
    vocabulary = read_vocabulary(sentencepiece_of(words), 20, "tiny", "de")
    of = {piece.text: index for index, piece in enumerate(vocabulary.pieces) if piece.kind == "spaced"}
    ids = np.array([of[word] for word in words], dtype=np.int32)
    assert vocabulary.same_kind(ids, of["Hund"]).tolist() == [True, True, False, True, True]
    assert vocabulary.same_kind(ids, of["laut"]).tolist() == [False, False, True, True, True]


@pytest.mark.parametrize("make", [sentencepiece_of, wordpiece_of])
def test_pieces_of_multilingual_vocabularies_are_words_in_any_script(make: Callable[..., Any]) -> None:
    words = ["собака", "हिन्दी", "σκύλος", "chien", "élève", "pas", "x1"]
    vocabulary = read_vocabulary(make(words), 30, "tiny", "fr")
    whole = {vocabulary.text(index) for index in np.flatnonzero(vocabulary.whole_word).tolist()}
    assert whole == {*words} - {"pas", "x1"}


def occurrence(sentence: str, original: str, *tags: str, language: str = "fr") -> Occurrence:
    """The occurrence of a word in a sentence of words with spaces between them, each with its tag."""
    tokens = []
    at = 0
    for word, tag in zip(sentence.split(), tags, strict=False):
        tokens.append(Token(word, at, tag))
        at += len(word) + 1
    return tagged_occurrence(sentence, original, sentence.index(original), tokens=tokens, language=language)


SINGULAR, MASCULINE, FEMININE = "NOUN|Number=Sing", "NOUN|Gender=Masc|Number=Sing", "NOUN|Gender=Fem|Number=Sing"
ARTICLE = "DET|Definite=Ind|Gender=Masc|Number=Sing"
OTHERS = (FEMININE, "NOUN|Gender=Fem,Masc|Number=Sing", "NOUN|Gender=Masc|Number=Plur", None)
CHIENS = occurrence("Les chiens", "chiens", "DET|Number=Plur|Lemma=le", "NOUN|Number=Plur|Lemma=chien")


@pytest.mark.parametrize(
    ("original", "kept", "dropped"),
    [
        (occurrence("Un chien", "chien", ARTICLE, MASCULINE), (MASCULINE, SINGULAR), OTHERS),
        (occurrence("un livre", "livre", ARTICLE, SINGULAR), (MASCULINE,), (FEMININE,)),
        (occurrence("avec livre", "livre", "ADP|", SINGULAR), (), (MASCULINE,)),
    ],
    ids=["the original's features", "its determiner's", "nothing known"],
)
def test_suggestions_agree_with_the_original(
    original: Occurrence, kept: tuple[str | None, ...], dropped: tuple[str | None, ...]
) -> None:
    drops = disagrees(original)
    assert not any(map(drops, kept))
    assert all(map(drops, dropped))


def test_other_forms_of_a_lemma_of_the_problem_are_dropped() -> None:
    drops = is_form_of_problem(CHIENS)
    assert drops("NOUN|Lemma=chien|Number=Sing")
    assert not drops("NOUN|Lemma=chat|Number=Plur")
    assert not drops("NOUN|Number=Plur")
    assert not drops(None)


@pytest.mark.parametrize(
    ("sentence", "original", "kept", "dropped"),
    [
        ("Il voit l'arbre", "arbre", "homme", "chien"),
        ("Il voit l’ « arbre", "arbre", "école", "hibou"),
        ("Il voit le chien", "chien", "hibou", "arbre"),
        # The original has no such rule.
        ("le arbre", "arbre", "chien", None),
        ("chien", "chien", "arbre", None),
    ],
)
def test_suggestions_sound_right_after_the_word_before(
    sentence: str, original: str, kept: str, dropped: str | None
) -> None:
    drops = sounds_wrong(occurrence(sentence, original))
    assert not drops(kept)
    assert dropped is None or drops(dropped)


def test_a_language_without_elision_has_no_such_rule() -> None:
    assert not sounds_wrong(occurrence("der Hund", "Hund", language="de"))("Affe")


def test_features_and_classes_of_tags() -> None:
    assert features_of("NOUN|Lemma=chat|Number=Plur") == {"Number": "Plur"}
    assert features_of("NN") == {}
    assert features_of("PUNCT|") == {}
    assert word_class_of("VERB|VerbForm=Inf") == "verb"
    assert word_class_of("AUX|VerbForm=Inf") is None
    assert word_class_of("PROPN|") is None


def test_a_run_says_that_a_pipeline_has_no_lemmatizer(german: dict[str, Any], caplog: pytest.LogCaptureFixture) -> None:
    read_inputs(Options(**german), Progress(quiet=True))
    assert "the tagger has no lemmatizer: other forms of the problems' words are not recognized" in caplog.messages


def test_words_without_a_class_in_german(tmp_path: Path) -> None:
    """Verbs before their separated particle, and function words whatever their tag, such as "viele" as an adjective."""
    lexicon = {**GERMAN, "bei": ("ADP", ""), "tritt": ("VERB", VERB.format("Sing")), "viele": ("ADJ", "")}
    folder = save_pipeline(tmp_path / "de", "de", lexicon, {"bei": "PTKVZ", "tritt": "VVFIN", "hund": "NN"})
    texts = ("Der Hund tritt heute bei.", "Der Hund tritt. Bei", "Viele Hunde schlafen.")
    joins, steps, asleep = (
        {token.text: token.tag for token in sentence.tokens}
        for sentence in tag_sentences(texts, find_tagger(str(folder)))
    )
    assert joins["tritt"].startswith("X|")
    assert features_of(joins["Hund"]) == features_of("NOUN|" + GERMAN["hund"][1]) | {"Tag": "NN"}
    assert word_class_of(steps["tritt"]) == "verb"
    assert word_class_of(asleep["Viele"]) is None
    assert word_class_of(asleep["Hunde"]) == "noun"


@pytest.mark.slow
def test_the_own_tags_of_dutch_have_the_ending_of_an_adjective(tmp_path: Path) -> None:
    lexicon = dict.fromkeys(("rood", "rode", "oud", "oude"), ("ADJ", "Degree=Pos"))
    own = {word: f"ADJ|prenom|basis|{'met-e|stan' if word.endswith('e') else 'zonder'}" for word in lexicon}
    tagger = InPlaceTagger(find_tagger(str(save_pipeline(tmp_path / "nl", "nl", lexicon, own))))
    rood, rode, oud, oude = tagger.tags([Substitution("rode stad", 0, 4, word) for word in lexicon])
    drops = disagrees(occurrence("rode stad", "rode", str(rode), "NOUN|", language="nl"))
    assert drops(rood)
    assert drops(oud)
    assert not drops(oude)


@pytest.mark.slow
def test_a_word_of_a_closed_class_on_its_own_is_no_replacement(tmp_path: Path) -> None:
    nlp = spacy.blank("fr")
    ruler = nlp.add_pipe("attribute_ruler")
    # After a determiner, "contre" is a noun for this pipeline.
    ruler.add(patterns=[[{"LOWER": "contre"}], [{"LOWER": "chat"}]], attrs={"POS": "NOUN"})  # type: ignore[attr-defined]
    for word in ("contre", "vers"):
        ruler.add(patterns=[[{"LOWER": word, "IS_SENT_START": True}]], attrs={"POS": "ADP"})  # type: ignore[attr-defined]
    nlp.to_disk(tmp_path / "fr")
    tagger = InPlaceTagger(find_tagger(str(tmp_path / "fr")))
    assert tagger.tags([Substitution("un chien", 3, 8, word) for word in ("chat", "contre")]) == ["NOUN", None]


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        *slow(({"tagger": None}, ("look like German, not English", "language='de' for German"))),
        ({"tagger": None, "language": "de"}, ("de_core_news_sm", "python -m spacy download de_core_news_sm")),
        ({"tagger": None, "language": "hi"}, ("no small pipeline for hi", "tagger")),
        ({"language": "fr"}, ("is for German", "language is 'fr'")),
        (dict(PRESETS["strict"]), ("in German", "English only", "supersense", "preset")),
        ({"no_relations": True, "supersense": True}, ("in German", "no_relations, supersense", "English only")),
        ({"tagger": "./blank"}, ("sets no universal part-of-speech tags",)),
        ({"tagger": "./zh"}, ("Chinese ", " is written without spaces")),
    ],
)
def test_what_does_not_fit_a_language_is_one_sentence_before_any_work(
    german: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    changes: dict[str, Any],
    named: tuple[str, ...],
) -> None:
    (tmp_path / "taggers" / "zh" / "x").mkdir(parents=True)
    spacy.blank("de").to_disk(tmp_path / "taggers" / "blank")
    meta = {"lang": "zh", "name": "x", "version": "0", "pipeline": ["morphologizer"], "labels": {}}
    (tmp_path / "taggers" / "zh" / "meta.json").write_text(json.dumps(meta))
    monkeypatch.chdir(tmp_path / "taggers")
    error = refused("", run_pipeline, Options(**german | changes), tmp_path / "data", quiet=True)
    assert not missing_from(str(error), *named)
    assert [path.name for path in tmp_path.iterdir()] == ["taggers"]


@pytest.mark.parametrize(("config", "language"), [("de", "de"), (None, None), ("en", None)])
def test_xnli_has_the_language_of_its_config(config: str | None, language: str | None) -> None:
    options = Options(problems="facebook/xnli", config=config, mlm=("m",))
    assert (options.language, options.split) == (language, "test")


def test_xnli_in_all_languages_is_refused() -> None:
    refused("all_languages", Options, problems="facebook/xnli", config="all_languages", mlm=("m",))
