"""German by a small pipeline of rules: word classes, agreement and capitals; and messages for other languages."""

import json
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
    TaggedProblem,
    TaggedSentence,
    Token,
    features_of,
    tag_sentences,
    word_class_of,
)
from generation.sentences.words import SharedWord
from merge_snli.base.progress import Progress
from merge_snli.dataset.stored import MergeDataset, read_split
from merge_snli.models.tagger import find_tagger
from merge_snli.problems.problem import Problem
from merge_snli.validation import validate
from tests.languages import GERMAN, VERB, save_pipeline, save_word_mlm, sentencepiece_of, wordpiece_of
from tests.oracles import missing_from, refused

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
    replacements: dict[str, set[str]] = {}
    for row in read_split(made, "all").to_pylist():
        replacements.setdefault(row["original"], set()).add(row["replacement"])
    masculine, verbs = {"Hund", "Mann", "Lehrer", "Junge"}, {"schläft", "rennt", "singt", "wartet"}
    assert replacements == {
        **{noun: masculine - {noun} for noun in ("Hund", "Mann")},
        "Frau": {"Katze", "Lehrerin"},
        **{verb: verbs - {verb} for verb in ("schläft", "singt", "wartet")},
    }
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
    of = {piece.text: index for index, piece in enumerate(vocabulary.pieces) if piece and piece.kind == "spaced"}
    for word, others in (("Hund", {"Hund", "Katze"}), ("laut", {"laut"})):
        kept = vocabulary.same_kind(np.arange(20, dtype=np.int32), of[word])
        assert {word for word in words if kept[of[word]]} == others | {"Laufen", "laufen"}


@pytest.mark.parametrize("make", [sentencepiece_of, wordpiece_of])
def test_pieces_of_multilingual_vocabularies_are_words_in_any_script(make: Callable[..., Any]) -> None:
    words = ["собака", "हिन्दी", "σκύλος", "chien", "élève", "pas", "x1"]
    vocabulary = read_vocabulary(make(words), 30, "tiny", "fr")
    pieces = zip(vocabulary.pieces, vocabulary.whole_word, strict=True)
    assert {piece.text for piece, whole in pieces if piece and whole} == {*words} - {"pas", "x1"}


def occurrence(sentence: str, original: str, *tags: str, language: str = "fr") -> Occurrence:
    """The occurrence of a word in a sentence of words with spaces between them, each with its tag."""
    starts = [sum(len(word) + 1 for word in sentence.split()[:index]) for index in range(len(sentence.split()))]
    tokens = tuple(Token(*token) for token in zip(sentence.split(), starts, tags, strict=False))
    tagged, start = TaggedSentence(sentence, tokens), sentence.index(original)
    problem = TaggedProblem(Problem("p", sentence, sentence, 0), tagged, tagged, language)
    word = SharedWord(original, "noun", (start,), (start,))
    return Occurrence(problem, word, frozenset(), "premise", start, start + len(original))


SINGULAR, MASCULINE, FEMININE = "NOUN|Number=Sing", "NOUN|Gender=Masc|Number=Sing", "NOUN|Gender=Fem|Number=Sing"
ARTICLE = "DET|Definite=Ind|Gender=Masc|Number=Sing"
OTHERS = (FEMININE, "NOUN|Gender=Fem,Masc|Number=Sing", "NOUN|Gender=Masc|Number=Plur", None)
CHIENS = occurrence("Les chiens", "chiens", "DET|Number=Plur|Lemma=le", "NOUN|Number=Plur|Lemma=chien")


@pytest.mark.parametrize(
    ("drops", "kept", "dropped"),
    [
        (disagrees(occurrence("Un chien", "chien", ARTICLE, MASCULINE)), (MASCULINE, SINGULAR), OTHERS),
        (disagrees(occurrence("un livre", "livre", ARTICLE, SINGULAR)), (MASCULINE,), (FEMININE,)),
        (disagrees(occurrence("avec livre", "livre", "ADP|", SINGULAR)), (), (MASCULINE,)),
        (
            is_form_of_problem(CHIENS),
            ("NOUN|Lemma=chat|Number=Plur", "NOUN|Number=Plur", None),
            ("NOUN|Lemma=chien|Number=Sing",),
        ),
        (sounds_wrong(occurrence("Il voit l'arbre", "arbre")), ("homme",), ("chien",)),
        (sounds_wrong(occurrence("Il voit l’ « arbre", "arbre")), ("école",), ("hibou",)),
        (sounds_wrong(occurrence("Il voit le chien", "chien")), ("hibou",), ("arbre",)),
        (sounds_wrong(occurrence("Le chien", "chien")), ("chat",), ("ami",)),
        # The original or the language has no such rule.
        (sounds_wrong(occurrence("dans arbre", "arbre")), ("chien",), ()),
        (sounds_wrong(occurrence("le arbre", "arbre")), ("chien",), ()),
        (sounds_wrong(occurrence("der Hund", "Hund", language="de")), ("Affe",), ()),
        (sounds_wrong(occurrence("chien", "chien")), ("arbre",), ()),
    ],
    ids=[
        *("the original's features", "its determiner's", "nothing known", "lemmas"),
        *("elision", "elision before a quote", "no elision before h", "no elision", "no article", "le before a vowel"),
        *("German", "nothing before"),
    ],
)
def test_suggestions_agree_with_the_original_and_what_is_before_it(
    drops: Callable[[Any], bool], kept: tuple[str | None, ...], dropped: tuple[str | None, ...]
) -> None:
    assert [*map(drops, (*kept, *dropped))] == [False] * len(kept) + [True] * len(dropped)


def test_features_and_classes_of_tags() -> None:
    assert features_of("NOUN|Lemma=chat|Number=Plur") == {"Number": "Plur"}
    assert features_of("NN") == features_of("PUNCT|") == {}
    assert [*map(word_class_of, ("VERB|VerbForm=Inf", "AUX|VerbForm=Inf", "PROPN|"))] == ["verb", None, None]


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
    assert [tag.partition("|")[0] for tag in (joins["tritt"], joins["Hund"])] == ["X", "NOUN"]
    assert features_of(joins["Hund"]) == features_of("NOUN|" + GERMAN["hund"][1]) | {"Tag": "NN"}
    assert [*map(word_class_of, (steps["tritt"], asleep["Viele"], asleep["Hunde"]))] == ["verb", None, "noun"]


@pytest.mark.slow
def test_the_own_tags_of_dutch_have_the_ending_of_an_adjective(tmp_path: Path) -> None:
    lexicon = dict.fromkeys(("rood", "rode", "oud", "oude"), ("ADJ", "Degree=Pos"))
    own = {word: f"ADJ|prenom|basis|{'met-e|stan' if word.endswith('e') else 'zonder'}" for word in lexicon}
    tagger = InPlaceTagger(find_tagger(str(save_pipeline(tmp_path / "nl", "nl", lexicon, own))))
    tags = tagger.tags([Substitution("rode stad", 0, 4, word) for word in lexicon])
    drops = disagrees(occurrence("rode stad", "rode", str(tags[1]), "NOUN|", language="nl"))
    assert list(map(drops, tags)) == [True, False, True, False]


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
        ({"tagger": None}, ("look like German, not English", "language='de' for German")),
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
    spacy.blank("fr").to_disk(tmp_path / "taggers" / "blank")
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
