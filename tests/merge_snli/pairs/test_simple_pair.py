"""Simple and extended grouped pairs."""

import re
import shutil
from collections import Counter, defaultdict
from pathlib import Path

import pytest
import spacy

from merge_snli.base.errors import InputError
from merge_snli.dataset.stored import MergeDataset
from merge_snli.models.tagger import find_tagger
from merge_snli.models.wordnet import supersense
from merge_snli.pairs.clauses import is_plain, load_parser, read_clause
from merge_snli.pairs.extended_pair import make_extended_pair
from merge_snli.pairs.extended_sentences import TEMPLATES, ExtendedTemplates, read_sources
from merge_snli.pairs.lexicon import SHIPPED, read_entries
from merge_snli.pairs.options import ExtendedPairOptions, SimplePairOptions
from merge_snli.pairs.simple_pair import make_simple_pair, simple_pair_configs
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.reading import read_problems
from merge_snli.validation import validate
from tests.merge_snli.pairs.conftest import Rows, rows_of
from tests.merge_snli.pairs.made_problems import FIRST, LEFT_OUT, SECOND, save_sources
from tests.merge_snli.pairs.reading import are_apart, label, read
from tests.oracles import refused
from tests.records import files_in

TESTS = ("simple", "relevance", "conjunction")


@pytest.mark.parametrize("premises", [200, pytest.param(4_000, marks=pytest.mark.slow)])
def test_the_sizes_are_those_of_the_paper(premises: int) -> None:
    assert SimplePairOptions().premises == 4_000
    configs, _ = simple_pair_configs(SimplePairOptions(premises=premises))
    sizes = {name: Counter(row["family"] for row in config.rows) for name, config in configs.items()}
    assert sizes["simple"] == {"n_is_a": premises * 6, "svo": premises * 8}
    assert sizes["relevance"] == {"n_is_a": premises * 3, "svo": premises * 4}
    assert sizes["conjunction"] == {"n_is_a": premises * 16, "svo": premises * 16}
    assert sizes["augmentation"] == {"n_is_a": 3_000, "svo": 3_000}


@pytest.mark.parametrize("config", [*TESTS, "augmentation"])
def test_labels_follow_from_the_facts_of_the_sentences(rows: Rows, config: str) -> None:
    assert len(rows[config]) >= 1_000
    for row in rows[config]:
        premise, hypothesis = read(row["premise"]), read(row["hypothesis"])
        assert label(premise, hypothesis) == row["label"], row
        words = [word for fact in premise for word in fact.words]
        assert len(set(words)) == len(words), row  # nothing repeats in a premise
        assert not are_apart([*premise, *hypothesis]), row
        filled = {value for name, value in row.items() if name[0] in "nasvo" and name[1:] in {"1", "2", "3"}}
        assert {word for fact in (*premise, *hypothesis) for word in fact.words} <= filled, row


def test_each_group_has_a_premise_of_its_own_and_different_hypotheses(rows: Rows) -> None:
    groups: dict[str, str] = {}
    for of_config in (rows["simple"], rows["conjunction"], rows["augmentation"]):
        for row in of_config:
            assert groups.setdefault(row["premise"], row["group_id"]) == row["group_id"]
        assert len({(row["group_id"], row["hypothesis"]) for row in of_config}) == len(of_config)


def test_relevant_hypotheses_have_the_premise_and_irrelevant_ones_another_sentence(rows: Rows) -> None:
    for row in rows["relevance"]:
        (premise,) = read(row["premise"])
        hypothesis = read(row["hypothesis"])
        is_relevant = row["relevance"] == "relevant"
        others = [fact for fact in hypothesis if fact != premise]
        assert len(others) == 2 - is_relevant, row
        if is_relevant and "n2_is" not in row["pair_id"]:
            assert set(others[0].words) & set(premise.words)
        assert (" and " in row["hypothesis"]) == (row["joined_by"] == "and")
    for column in ("order", "joined_by"):
        first, second = Counter(row[column] for row in rows["relevance"]).values()
        assert min(first, second) > 0.4 * len(rows["relevance"])


def test_relevance_keeps_the_first_quarter_of_the_premises_of_simple(rows: Rows) -> None:
    names = ("premise", "hypothesis_template", "a2", "o2")
    first = set()
    relevant = set()
    for row in rows["simple"]:
        if int(row["group_id"][-5:]) < 250 // 4:
            first.add(tuple(row[name] for name in names))
    for row in rows["relevance"]:
        relevant.add(tuple(row[name] for name in names))
    assert relevant == first


def test_every_category_and_template_occurs(rows: Rows) -> None:
    assert {"fruits", "animals", "human", "names", "objects"} <= {row["category"] for row in rows["simple"]}
    assert len({row["template"] for row in rows["conjunction"]}) == 8


def test_another_random_seed_draws_other_premises(rows: Rows) -> None:
    configs, _ = simple_pair_configs(SimplePairOptions(premises=8, random_seed=1))
    for name, config in configs.items():
        assert {row["premise"] for row in config.rows} - {row["premise"] for row in rows[name]}


def test_fewer_premises_are_the_first_ones(rows: Rows, tmp_path: Path) -> None:
    few = rows_of(make_simple_pair(tmp_path / "few", SimplePairOptions(premises=8)))
    assert few["augmentation"] == rows["augmentation"]
    for config in TESTS:
        ids = {row["pair_id"] for row in few[config]}
        assert few[config] == [row for row in rows[config] if row["pair_id"] in ids]


def test_held_out_nouns(tmp_path: Path) -> None:
    rows = rows_of(make_simple_pair(tmp_path / "held", SimplePairOptions(premises=40, held_out_nouns=True)))
    nouns: dict[str, set[str]] = {config: set() for config in rows}
    for config, of_config in rows.items():
        for row in of_config:
            for fact in (*read(row["premise"]), *read(row["hypothesis"])):
                nouns[config] |= {fact.words[0], *fact.words[2:]}
    trained = nouns.pop("augmentation")
    tested = set[str]().union(*nouns.values())
    assert min(len(tested), len(trained)) > 150
    assert not tested & trained


def test_a_folder_with_other_options_needs_overwrite(tmp_path: Path) -> None:
    out = tmp_path / "simple_pair"
    make_simple_pair(out, SimplePairOptions(premises=4))
    before = files_in(out)
    make_simple_pair(out, SimplePairOptions(premises=4))
    refused(r"overwrite", make_simple_pair, out, SimplePairOptions(premises=5))
    assert files_in(out) == before
    assert make_simple_pair(out, SimplePairOptions(premises=5), overwrite=True).record.options["premises"] == 5
    assert [path.name for path in tmp_path.iterdir()] == ["simple_pair"]


PREMISES = 48
LINES = (*FIRST, *SECOND)
ANY_CASE: defaultdict[str, int] = defaultdict(lambda: 1)
"""How often each word is within a sentence, with a capital and without."""


@pytest.fixture(scope="module")
def nlp() -> spacy.language.Language:
    return load_parser(find_tagger())


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    return save_sources(tmp_path_factory.mktemp("problems"))


@pytest.fixture(scope="module")
def extended_pair(tmp_path_factory: pytest.TempPathFactory, sources: tuple[str, str]) -> MergeDataset:
    folder = tmp_path_factory.mktemp("extended") / "extended_pair"
    return make_extended_pair(folder, ExtendedPairOptions(problems=sources, premises=PREMISES))


@pytest.fixture(scope="module")
def extended(extended_pair: MergeDataset) -> Rows:
    return rows_of(extended_pair)


@pytest.mark.parametrize(
    ("sentence", "subject", "predicate", "negated"),
    [
        ("Two men are running in a field.", "two men", "are running in a field", "are not running in a field"),
        ("A dog barks at the old car.", "a dog", "barks at the old car", "does not bark at the old car"),
        ("Some dogs chase the car.", "some dogs", "chase the car", "do not chase the car"),
        ("The company has many employees.", "the company", "has many employees", "does not have many employees"),
        ("The company has bought a house.", "the company", "has bought a house", "has not bought a house"),
        ("The waiter took a long break.", "the waiter", "took a long break", "did not take a long break"),
        ("A woman in red was seen today.", "a woman in red", "was seen today", "was not seen today"),
        ("The pilot can fly a plane.", "the pilot", "can fly a plane", "cannot fly a plane"),
        ("The nurse carries a box.", "the nurse", "carries a box", "does not carry a box"),
        ("The guard watches the gate.", "the guard", "watches the gate", "does not watch the gate"),
        ("The boy plays the piano.", "the boy", "plays the piano", "does not play the piano"),
    ],
)
def test_split_and_negated(
    sentence: str, subject: str, predicate: str, negated: str, nlp: spacy.language.Language
) -> None:
    assert is_plain(sentence)
    clause = read_clause(nlp(sentence), "source", frozenset(), ANY_CASE)
    assert clause is not None
    assert (clause.subject, clause.predicate, clause.negated) == (subject, predicate, negated)


@pytest.mark.parametrize("sentence", [text for text in LEFT_OUT if text != "A person is running fast."])
def test_sentences_without_a_clause(sentence: str, nlp: spacy.language.Language) -> None:
    excluded = read_entries(SHIPPED / TEMPLATES, ExtendedTemplates).excluded
    assert read_clause(nlp(sentence), "source", excluded, ANY_CASE) is None


@pytest.mark.parametrize(
    ("counts", "subject"),
    [
        ({"africans": 1, "Africans": 2}, "Africans"),
        ({"africans": 2, "Africans": 1}, "africans"),
        ({"africans": 0, "Africans": 0}, None),
    ],
)
def test_a_name_at_the_start_keeps_its_capital(
    counts: dict[str, int], subject: str | None, nlp: spacy.language.Language
) -> None:
    doc = nlp("Africans are walking to town.")
    doc[0].tag_ = "NNS"
    clause = read_clause(doc, "source", frozenset(), counts)
    assert (None if clause is None else clause.subject) == subject


def test_subjects_are_persons(extended: Rows) -> None:
    heads = {row[slot].split()[-1] for row in extended["extended_conjunction"] for slot in ("s1", "s2")}
    assert {supersense(head) for head in heads} == {"person"}


@pytest.mark.parametrize("text", ["Dr. Wu sings.", "A dog (old) barks.", "is it new.", "A dog barks", "It cost 3."])
def test_texts_that_are_not_plain(text: str) -> None:
    assert not is_plain(text)


def test_sizes_and_shares_of_the_sources(extended: Rows) -> None:
    simple = extended["extended_simple"]
    conjunction = extended["extended_conjunction"]
    assert len(simple) == PREMISES * 3
    assert len(conjunction) == 4 * 4 * (PREMISES * 3 // 16)
    for row in (*simple, *conjunction):
        assert row["label"] == "neutral"
    for column in ("premise_source", "hypothesis_source"):
        assert [row[column] for row in simple].count("first.jsonl") == 72
    assert len({row["premise"] for row in simple}) == PREMISES
    assert len({(row["premise"], row["hypothesis"]) for row in simple}) == len(simple)


def test_no_random_pair_is_an_original_pair(extended: Rows, sources: tuple[str, str]) -> None:
    pairs = {(row["premise"], row["hypothesis"]) for row in extended["extended_simple"]}
    for source in sources:
        for problem in read_problems(ProblemOptions(problems=source)).problems:
            assert (problem.premise, problem.hypothesis) not in pairs


NEGATION = re.compile(r" not |cannot")


def test_conjunctions_combine_subject_and_predicate_in_another_way(extended: Rows) -> None:
    clauses = {line[0].lower() + line[1:] for line in LINES}
    for row in extended["extended_conjunction"]:
        premise, hypothesis = row["premise"], row["hypothesis"]
        assert premise.lower().startswith(row["s1"].lower())
        assert ("." in premise[:-1]) == ("_and_" not in row["template"])
        subject, *_, predicate = row["hypothesis_template"].split("_")
        assert subject[1] != predicate[1]
        assert hypothesis.lower().startswith(row[subject].lower() + " ")
        is_negated = NEGATION.search(hypothesis) is not None
        assert is_negated == ("not" in row["hypothesis_template"])
        assert hypothesis.endswith(f" {row[predicate]}.") != is_negated
        assert (NEGATION.search(premise) is not None) == ("not" in row["template"])
        assert row["source1"] == row["source2"]
        assert row["s1"] != row["s2"]
        assert f"{row['s1']} {row['p1']}." in clauses
        assert f"{row['s2']} {row['p2']}." in clauses


def test_same_options_give_the_same_bytes_of_extended_pairs(
    extended_pair: MergeDataset, sources: tuple[str, str], tmp_path: Path
) -> None:
    again = make_extended_pair(
        tmp_path / extended_pair.folder.name, ExtendedPairOptions(problems=sources, premises=PREMISES)
    )
    assert files_in(again.folder) == files_in(extended_pair.folder)


def test_recorded_paths_are_absolute(sources: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(sources[0]).parent)
    options = ExtendedPairOptions(problems=("first.jsonl", "second.jsonl[-5:]", "stanfordnlp/snli"))
    assert options.as_dict()["problems"] == [sources[0], f"{sources[1]}[-5:]", "stanfordnlp/snli"]


def test_validation_finds_nothing(extended_pair: MergeDataset) -> None:
    report = validate(extended_pair.folder)
    assert report.findings == ()
    assert "problems" in " ".join(report.not_checked)


def test_a_source_may_name_its_split_and_a_slice(sources: tuple[str, str], tmp_path: Path) -> None:
    folder = tmp_path / "made"
    folder.mkdir()
    for split, path in zip(("test", "train"), sources, strict=True):
        shutil.copy(path, folder / f"{split}.jsonl")
    train, last = read_sources([f"{folder}:train", f"{folder}:test[-3:]"])
    first, second = read_sources(sources)
    assert train.name == "made:train"
    assert train.premises == second.premises
    assert last.name == "made:test[-3:]"
    assert last.premises == first.premises[-1:]
    assert last.pairs == first.pairs


@pytest.mark.parametrize(
    ("problems", "premises", "match"),
    [
        (("{0}:test",), 48, r"'test'.*first\.jsonl is a file, which has no splits"),
        (("{0}[900:]",), 48, r"first\.jsonl\[900:\]"),
        (("{0}[-:]",), 48, r"first\.jsonl\[-:\]"),
        (("{0}",), 48, r"3\d of the 60"),
        (("{0}", "{1}"), 15, "premises is 15"),
        (("{0}", "{1}"), 5_000, r"5,000, but \w+\.jsonl has only enough for \d+:"),
        (("{0}", "{1}[:30]"), 48, r"second\.jsonl\[:30\] has only \d+"),
    ],
)
def test_bad_input(
    problems: tuple[str, ...], premises: int, match: str, sources: tuple[str, str], tmp_path: Path
) -> None:
    named = tuple(name.format(*sources) for name in problems)
    with pytest.raises(InputError, match=match):
        make_extended_pair(tmp_path / "out", ExtendedPairOptions(problems=named, premises=premises))
    assert not list(tmp_path.iterdir())


def test_invalid_license_is_refused() -> None:
    refused("license is 'CC BY'", ExtendedPairOptions, problems=("snli",), license="CC BY")
