"""German by a small pipeline of rules: word classes, agreement and capitals; and messages for other languages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from generation import Options
from generation.filters.conditions import disagrees, is_form_of_problem, sounds_wrong
from generation.filters.filter import Occurrence
from generation.masked_lms.vocabulary import read_vocabulary
from generation.options import PRESETS
from generation.pipeline import run_pipeline
from generation.run import read_inputs
from generation.sentences.forms import Substitution
from generation.sentences.tagging import (
    InPlaceTagger,
    TaggedProblem,
    TaggedSentence,
    Token,
    features_of,
    tag_sentences,
    word_class_of,
)
from generation.sentences.words import SharedWord
from merge_snli.base.errors import InputError
from merge_snli.base.progress import Progress
from merge_snli.dataset.stored import MergeDataset, read_split
from merge_snli.models.tagger import Tagger, find_tagger
from merge_snli.problems.problem import Problem
from merge_snli.validation import validate
from tests.languages import GERMAN, VERB, save_pipeline, save_word_mlm, sentencepiece_of, wordpiece_of

PROBLEMS = [
    ("Der Hund schläft heute.", "Der Hund schläft nicht.", "contradiction"),
    ("Die Frau singt dort.", "Die Frau singt.", "entailment"),
    ("Ein Mann wartet dort.", "Der Mann wartet heute.", "neutral"),
]
LOWER_CASE = {"laut", "schläft", "rennt", "singt", "wartet", "schlafen", "rennen", "nicht", "nie", "dort", "heute"}


def vocabulary_words() -> list[str]:
    """The words of the lexicon, nouns with a capital; "laut" is an adverb in lower case only."""
    nouns = [word for word, (pos, _) in GERMAN.items() if pos == "NOUN" and word not in LOWER_CASE]
    articles = [article for word in ("ein", "der", "die") for article in (word, word.title())]
    return [*(noun.title() for noun in nouns), *articles, *sorted(LOWER_CASE), ".", "Rennt"]


@pytest.fixture(scope="module")
def german(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("german")
    problems = folder / "problems.jsonl"
    rows = [{"premise": premise, "hypothesis": hypothesis, "label": label} for premise, hypothesis, label in PROBLEMS]
    problems.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    words = vocabulary_words()
    mlms = [
        save_word_mlm(make(words), folder / make.__name__, seed=seed)
        for seed, make in enumerate((sentencepiece_of, wordpiece_of))
    ]
    return {
        "problems": problems,
        "mlm": tuple(map(str, mlms)),
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
    rows = read_split(made, "all").to_pylist()
    replacements: dict[str, set[str]] = {}
    for row in rows:
        replacements.setdefault(row["original"], set()).add(row["replacement"])
    masculine = {"Hund", "Mann", "Lehrer", "Junge"}
    verbs = {"schläft", "rennt", "singt", "wartet"}
    assert replacements == {
        **{noun: masculine - {noun} for noun in ("Hund", "Mann")},
        "Frau": {"Katze", "Lehrerin"},
        **{verb: verbs - {verb} for verb in ("schläft", "singt", "wartet")},
    }


def test_the_record_names_the_language_of_the_tagger_and_the_data_set_is_valid(
    made: MergeDataset, german: dict[str, Any]
) -> None:
    assert made.record.options["language"] == "de"
    assert not validate(made.folder, tagger=german["tagger"]).findings
    assert "language:\n- de\n" in (made.folder / "README.md").read_text(encoding="utf-8")


def test_a_negation_is_left_out_and_the_reasons_are_counted(made: MergeDataset) -> None:
    assert "nicht" not in {row["replacement"] for row in read_split(made, "all").to_pylist()}
    assert '"other tag"' in (made.folder / "run.json").read_text(encoding="utf-8")


def test_nouns_keep_their_capital_and_pieces_in_lower_case_do_not_get_one() -> None:
    words = ["Hund", "Katze", "laut", "Laufen", "laufen"]
    vocabulary = read_vocabulary(sentencepiece_of(words), 20, "tiny", "de")
    ids = np.arange(20, dtype=np.int32)
    of = {piece.text: index for index, piece in enumerate(vocabulary.pieces) if piece and piece.kind == "spaced"}
    kept = vocabulary.same_kind(ids, of["Hund"])
    assert {word for word in words if kept[of[word]]} == {"Hund", "Katze", "Laufen", "laufen"}
    kept = vocabulary.same_kind(ids, of["laut"])
    assert {word for word in words if kept[of[word]]} == {"laut", "Laufen", "laufen"}


def test_pieces_of_multilingual_vocabularies_are_words_in_any_script() -> None:
    words = ["собака", "हिन्दी", "σκύλος", "chien", "élève", "pas", "x1"]
    for make in (sentencepiece_of, wordpiece_of):
        vocabulary = read_vocabulary(make(words), 30, "tiny", "fr")
        pieces = [
            piece for piece, whole in zip(vocabulary.pieces, vocabulary.whole_word, strict=True) if piece and whole
        ]
        assert {piece.text for piece in pieces} == {*words} - {"pas", "x1"}


def occurrence(sentence: str, original: str, *tags: str, language: str = "fr") -> Occurrence:
    """The occurrence of a word in a sentence of words with spaces between them, each with its tag."""
    starts = [sum(len(word) + 1 for word in sentence.split()[:index]) for index in range(len(sentence.split()))]
    tokens = tuple(Token(*token) for token in zip(sentence.split(), starts, tags, strict=False))
    tagged = TaggedSentence(sentence, tokens)
    start = sentence.index(original)
    word = SharedWord(original, "noun", (start,), (start,))
    problem = TaggedProblem(Problem("p", sentence, sentence, 0), tagged, tagged, language)
    return Occurrence(problem, word, frozenset(), "premise", start, start + len(original))


def test_other_forms_of_the_words_of_a_problem_are_known_by_their_lemmas() -> None:
    drops = is_form_of_problem(
        occurrence("Les chiens", "chiens", "DET|Number=Plur|Lemma=le", "NOUN|Number=Plur|Lemma=chien")
    )
    assert drops("NOUN|Lemma=chien|Number=Sing")
    assert not any(map(drops, ("NOUN|Lemma=chat|Number=Plur", "NOUN|Number=Plur", None)))
    assert features_of("NOUN|Lemma=chat|Number=Plur") == {"Number": "Plur"}


def test_a_run_says_that_a_pipeline_has_no_lemmatizer(german: dict[str, Any], caplog: pytest.LogCaptureFixture) -> None:
    read_inputs(Options(**german), Progress(quiet=True))
    assert "the tagger has no lemmatizer: other forms of the problems' words are not recognized" in caplog.messages


def test_features_of_a_suggestion_are_those_of_the_original_or_its_determiner() -> None:
    masculine, singular = "NOUN|Gender=Masc|Number=Sing", "NOUN|Number=Sing"
    drops = disagrees(occurrence("Un chien", "chien", "DET|Definite=Ind|Gender=Masc|Number=Sing", masculine))
    assert not drops(masculine)
    assert not drops(singular)
    assert drops("NOUN|Gender=Fem|Number=Sing")
    assert drops("NOUN|Gender=Fem,Masc|Number=Sing")
    assert drops("NOUN|Gender=Masc|Number=Plur")
    assert drops(None)
    drops = disagrees(occurrence("un livre", "livre", "DET|Definite=Ind|Gender=Masc|Number=Sing", singular))
    assert not drops(masculine)
    assert drops("NOUN|Gender=Fem|Number=Sing")
    drops = disagrees(occurrence("avec livre", "livre", "ADP|", singular))
    assert drops(masculine)
    assert features_of("NN") == features_of("PUNCT|") == {}
    assert word_class_of("VERB|VerbForm=Inf") == "verb"
    assert word_class_of("AUX|VerbForm=Inf") is None
    assert word_class_of("PROPN|") is None


def tags_of(tagger: Tagger, *texts: str) -> list[dict[str, str]]:
    return [{token.text: token.tag for token in sentence.tokens} for sentence in tag_sentences(texts, tagger)]


def test_words_without_a_class_in_german(tmp_path: Path) -> None:
    """Verbs before their separated particle, and function words whatever their tag, such as "viele" as an adjective."""
    lexicon = {**GERMAN, "bei": ("ADP", ""), "tritt": ("VERB", VERB.format("Sing")), "viele": ("ADJ", "")}
    folder = save_pipeline(tmp_path / "de", "de", lexicon, {"bei": "PTKVZ", "tritt": "VVFIN", "hund": "NN"})
    tagger = find_tagger(str(folder))
    joins, steps, asleep = tags_of(tagger, "Der Hund tritt heute bei.", "Der Hund tritt. Bei", "Viele Hunde schlafen.")
    assert [tag.partition("|")[0] for tag in (joins["tritt"], joins["Hund"])] == ["X", "NOUN"]
    assert features_of(joins["Hund"]) == features_of("NOUN|" + GERMAN["hund"][1]) | {"Tag": "NN"}
    assert word_class_of(steps["tritt"]) == "verb"
    assert [word_class_of(asleep[word]) for word in ("Viele", "Hunde")] == [None, "noun"]


def test_the_own_tags_of_dutch_have_the_ending_of_an_adjective(tmp_path: Path) -> None:
    lexicon = dict.fromkeys(("rood", "rode", "oud", "oude"), ("ADJ", "Degree=Pos"))
    own = {word: f"ADJ|prenom|basis|{'met-e|stan' if word.endswith('e') else 'zonder'}" for word in lexicon}
    tagger = InPlaceTagger(find_tagger(str(save_pipeline(tmp_path / "nl", "nl", lexicon, own))))
    tags = tagger.tags([Substitution("rode stad", 0, 4, word) for word in lexicon])
    drops = disagrees(occurrence("rode stad", "rode", str(tags[1]), "NOUN|", language="nl"))
    assert list(map(drops, tags)) == [True, False, True, False]


def test_a_word_of_a_closed_class_on_its_own_is_no_replacement(tmp_path: Path) -> None:
    import spacy

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
    ("sentence", "original", "kept", "dropped"),
    [
        ("Il voit l'arbre", "arbre", "homme", "chien"),
        ("Il voit l’ « arbre", "arbre", "école", "hibou"),
        ("Il voit le chien", "chien", "hibou", "arbre"),
        ("Le chien", "chien", "chat", "ami"),
    ],
)
def test_elision_before_a_suggestion(sentence: str, original: str, kept: str, dropped: str) -> None:
    drops = sounds_wrong(occurrence(sentence, original))
    assert not drops(kept)
    assert drops(dropped)


def test_nothing_is_dropped_where_the_original_or_the_language_has_no_such_rule() -> None:
    assert not sounds_wrong(occurrence("dans arbre", "arbre"))("chien")
    assert not sounds_wrong(occurrence("le arbre", "arbre"))("chien")
    assert not sounds_wrong(occurrence("der Hund", "Hund", language="de"))("Affe")
    assert not sounds_wrong(occurrence("chien", "chien"))("arbre")


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"tagger": None}, ("look like German, not English", "language='de' for German")),
        ({"tagger": None, "language": "de"}, ("de_core_news_sm", "python -m spacy download de_core_news_sm")),
        ({"tagger": None, "language": "hi"}, ("no small pipeline for hi", "tagger")),
        ({"language": "fr"}, ("is for German", "language is 'fr'")),
        (dict(PRESETS["strict"]), ("in German", "preset strict is for English", "supersense")),
        (dict(PRESETS["balanced"]), ("preset balanced is for English",)),
        ({"no_relations": True, "supersense": True}, ("in German", "no_relations, supersense", "English only")),
    ],
)
def test_what_does_not_fit_a_language_is_one_sentence_before_any_work(
    german: dict[str, Any], tmp_path: Path, changes: dict[str, Any], named: tuple[str, ...]
) -> None:
    with pytest.raises(InputError) as error:
        run_pipeline(Options(**german | changes), tmp_path / "data", quiet=True)
    for name in named:
        assert name in str(error.value)
    assert not list(tmp_path.iterdir())


def test_a_pipeline_without_parts_of_speech_is_refused(german: dict[str, Any], tmp_path: Path) -> None:
    import spacy

    spacy.blank("fr").to_disk(tmp_path / "blank")
    with pytest.raises(InputError, match="sets no universal part-of-speech tags"):
        run_pipeline(Options(**german | {"tagger": str(tmp_path / "blank")}), tmp_path / "data", quiet=True)
    (tmp_path / "zh" / "x").mkdir(parents=True)
    meta = {"lang": "zh", "name": "x", "version": "0", "pipeline": ["morphologizer"], "labels": {}}
    (tmp_path / "zh" / "meta.json").write_text(json.dumps(meta))
    with pytest.raises(InputError, match=r"Chinese .* is written without spaces"):
        run_pipeline(Options(**german | {"tagger": str(tmp_path / "zh")}), tmp_path / "data", quiet=True)


def test_xnli_has_the_language_of_its_config() -> None:
    assert Options(problems="facebook/xnli", config="de", mlm=("m",)).language == "de"
    assert Options(problems="facebook/xnli", config="de", mlm=("m",)).split == "test"
    assert Options(problems="facebook/xnli", mlm=("m",)).language is None
    assert Options(problems="facebook/xnli", config="en", mlm=("m",)).language is None
    with pytest.raises(InputError, match="all_languages"):
        Options(problems="facebook/xnli", config="all_languages", mlm=("m",))
