"""The pipeline gives the same variants as the literal reference."""

import json
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, replace
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
import spacy
import torch

from generation import Options
from generation.filters import conditions
from generation.filters.definitions import FilterOptions
from generation.sentences import words as whole_words
from merge_snli.languages.language import ENGLISH, language_of
from merge_snli.schema import DEFAULT_CLASSES, WORD_CLASSES
from tests.cases import slow
from tests.records import bundled
from tests.reference import comparison, literal, scripted
from tests.reference.comparison import Problem

TINY = ("bert", "roberta", "albert")
EMBEDDED = ("demo:mlm-wordpiece", "demo:mlm-bpe")
LAST = 200
"""Problems from the end of each corpus; no bundled model was trained on these."""


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> Iterator[None]:
    """Run torch on one thread, which is fastest for single sentences."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def assert_equal(
    problems: list[Problem], expected: Mapping[str, literal.Result], options: Options, folder: Path
) -> comparison.Outcome:
    """Run the pipeline, and compare its variants with those of the reference."""
    outcome = comparison.compare(problems, expected, comparison.run_pipeline(options, folder), options)
    assert not outcome.differences, str(outcome)
    assert outcome.variants
    return outcome


@pytest.fixture(scope="module")
def plain_tagger() -> literal.Tagger:
    return comparison.plain_tagger()


def embedded_folder(name: str) -> Path:
    folder = bundled(name)
    if not folder.exists():
        pytest.skip(f"{name} is not in merge_snli/embedded: run make train")
    return folder


@pytest.fixture(scope="module")
def corpus_problems(corpus: Callable[[str], Path]) -> list[Problem]:
    """The last problems of SNLI dev and MultiNLI dev matched."""
    files = (corpus("snli/dev.jsonl"), corpus("mnli/dev_matched.jsonl"))
    return [problem for file in files for problem in comparison.problems_in(file, LAST)]


@pytest.fixture(scope="module")
def corpus_reference(corpus_problems: list[Problem], plain_tagger: literal.Tagger) -> Mapping[str, literal.Result]:
    mlms = [literal.MaskedLM(name, embedded_folder(name)) for name in EMBEDDED]
    return comparison.reference_of(corpus_problems, mlms, plain_tagger, DEFAULT_CLASSES)


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for both runs, so that the second uses the cached answers of the first."""
    return tmp_path_factory.mktemp("real")


@pytest.mark.slow
@pytest.mark.parametrize("inflation", [1, 20])
def test_real_problems(
    corpus_problems: list[Problem], corpus_reference: Mapping[str, literal.Result], run_folder: Path, inflation: int
) -> None:
    options = replace(comparison.options_for(corpus_problems, run_folder, EMBEDDED), inflation=inflation)
    outcome = assert_equal(corpus_problems, corpus_reference, options, run_folder)
    assert len(outcome.doubtful) <= outcome.variants // 1000, str(outcome)


ODD = tomllib.loads(Path(__file__).with_name("odd_texts.toml").read_text(encoding="utf-8"))
ODD_PIECES, ORIGINALS = ODD["pieces"], ODD["originals"]


@pytest.mark.slow
@pytest.mark.parametrize("make", ["cased WordPiece", "uncased WordPiece", "byte BPE", "SentencePiece"])
def test_odd_pieces_and_texts(make: str, plain_tagger: literal.Tagger, tmp_path: Path) -> None:
    ranking = [*ODD_PIECES, *ORIGINALS]
    if make == "uncased WordPiece":
        ranking = [piece.lower() for piece in ranking]
    if make.endswith("WordPiece"):
        tokenizer = scripted.wordpiece([*ranking, *"abcdef.,\"'-"], lowercase=make.startswith("uncased"))
    else:
        # Every second word also has a piece without a leading space.
        ranking = [f" {piece}" for piece in ODD_PIECES] + ODD_PIECES[::2]
        ranking += [f" {word}" for word in ORIGINALS] + ORIGINALS
        tokenizer = scripted.byte_bpe(ranking) if make == "byte BPE" else scripted.sentencepiece(ranking)
    folder = scripted.save(tmp_path / "odd", tokenizer, [*dict.fromkeys(ranking)], step=0.01)
    problems = [Problem(*texts) for texts in ODD["problems"] * 2]
    expected = comparison.reference_of(problems, [literal.MaskedLM("odd", folder)], plain_tagger, WORD_CLASSES)
    options = replace(comparison.options_for(problems, tmp_path, [str(folder)]), classes=WORD_CLASSES)
    assert_equal(problems, expected, options, tmp_path)


@pytest.fixture
def tiny_folders(tiny_mlm: Callable[[str], Path]) -> list[str]:
    return [str(tiny_mlm(kind)) for kind in TINY]


@pytest.fixture
def tiny(tiny_folders: list[str]) -> list[literal.MaskedLM]:
    """Tiny masked LMs with each type of tokenizer."""
    return [literal.MaskedLM(Path(folder).name, Path(folder), top_k=40) for folder in tiny_folders]


@pytest.mark.slow
def test_tiny_models_with_each_tokenizer_type(
    tiny: list[literal.MaskedLM], tiny_folders: list[str], plain_tagger: literal.Tagger, tmp_path: Path
) -> None:
    problems = comparison.problems_in(embedded_folder("demo:problems"), last=24)
    expected = comparison.reference_of(problems, tiny, plain_tagger, DEFAULT_CLASSES)
    plain = comparison.options_for(problems, tmp_path, tiny_folders)
    for inflation in (5, 1):
        options = replace(plain, inflation=inflation, top_k=40, subsamples=3, random_seed=7)
        assert_equal(problems, expected, options, tmp_path)
    # The comparison detects a missing variant.
    next(result for result in expected.values() if len(result.variants) > 1).variants.pop()
    assert comparison.compare(problems, expected, tmp_path / "out", options).differences


@pytest.mark.slow
def test_texts_longer_than_a_masked_lm_accepts(
    tiny: list[literal.MaskedLM], tiny_folders: list[str], plain_tagger: literal.Tagger, tmp_path: Path
) -> None:
    """Windows of sentences; one sentence is too long by itself."""
    problems = comparison.problems_in(embedded_folder("demo:problems"), last=30)
    endless = problems[0].premise.rstrip(".") + " and a boy" * 60 + "."
    texts = [[problem.premise for problem in problems[start : start + 10]] for start in (0, 10, 20)]
    texts[1] = ["A boy sings!", endless, "\n", *texts[1], "He sees a boy"]
    problems = [Problem(" ".join(of), " ".join(of[-3:])) for of in texts]
    assert all(len(mlm.tokenizer(each.premise)["input_ids"]) > mlm.takes for each in problems for mlm in tiny)
    expected = comparison.reference_of(problems, tiny, plain_tagger, DEFAULT_CLASSES)
    plain = comparison.options_for(problems, tmp_path, tiny_folders)
    assert_equal(problems, expected, replace(plain, inflation=1, top_k=40, subsamples=3), tmp_path)


# Options of a run, which the literal method has by the same names.
CHOICES: tuple[dict[str, Any], ...] = (
    {"sides": "union"},
    {"filters": "pos"},
    {"filters": "prob"},
    {"filters": "none"},
    {"scramble": True, "random_seed": 7},
    {"ignore_case": True},
    {"min_mlms": 2, "sides": "union"},
    {"same_tag": True, "filters": "prob"},
    {"articles": True, "filters": "none", "ignore_case": True},
    {"min_log_odds": 0.2},
    {"no_compounds": True, "filters": "none"},
    {"supersense": True, "filters": "none"},
    {"same_parse": True, "filters": "prob"},
    {"no_quantifiers": True, "filters": "none"},
    {"pronouns": True, "filters": "none"},
    {"capitals": True, "filters": "none"},
    {"max_rank": 20, "filters": "none"},
    {"veto": 30},
    {"veto": 15, "dissents": 1, "filters": "none"},
    {"min_mlms": 2, "same_tag": True, "articles": True, "min_log_odds": 0.05, "max_rank": 45},
    {"sides": "union", "filters": "none", "scramble": True, "ignore_case": True},
)


NAMES = [json.dumps(changes) for changes in CHOICES]
FAST = json.dumps({"articles": True, "filters": "none", "ignore_case": True})


def test_every_option_of_a_filter_is_compared() -> None:
    compared = {*chain.from_iterable(CHOICES)}
    assert {field.name for field in fields(FilterOptions)} - compared == {"no_relations"}  # which needs WordNet


@pytest.fixture(scope="module")
def variants_of(plain_tagger: literal.Tagger, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], int]:
    """A function that compares the odd pieces and texts with two masked LMs, and returns the number of variants."""
    folder = tmp_path_factory.mktemp("options")
    pieces = [*ODD_PIECES, *ORIGINALS]
    folders = {}
    for name, ranking in (("odd", pieces), ("even", [*pieces[::-2], *pieces[::2]])):
        tokenizer = scripted.wordpiece([*pieces, *"abcdef.,\"'-"], lowercase=False)
        folders[name] = scripted.save(folder / name, tokenizer, [*dict.fromkeys(ranking)], step=0.01)
    problems = [Problem(*texts) for texts in ODD["problems"] + ODD["cased_problems"]]
    mlms = [literal.MaskedLM(name, path) for name, path in folders.items()]
    plain = comparison.options_for(problems, folder, [str(path) for path in folders.values()])

    @cache
    def compared(name: str) -> int:
        changes = CHOICES[NAMES.index(name)]
        expected = comparison.reference_of(problems, mlms, plain_tagger, WORD_CLASSES, literal.Choices(**changes))
        return assert_equal(problems, expected, replace(plain, classes=WORD_CLASSES, **changes), folder).variants

    return compared


@pytest.mark.parametrize("name", [FAST, *slow(*(name for name in NAMES if name != FAST))])
def test_options_beyond_the_defaults(variants_of: Callable[[str], int], name: str) -> None:
    variants_of(name)


@pytest.mark.slow
def test_every_option_gives_other_variants(variants_of: Callable[[str], int]) -> None:
    names: dict[int, str] = {}
    for name in NAMES:
        other = names.setdefault(variants_of(name), name)
        assert other == name, "these options give the same number of variants"


@pytest.mark.slow
def test_disabled_components_do_not_change_tags(corpus_problems: list[Problem], plain_tagger: literal.Tagger) -> None:
    whole = literal.Tagger(spacy.load(comparison.TAGGER))
    for problem in corpus_problems[::20]:
        assert plain_tagger.tag(problem.premise) == whole.tag(problem.premise)
        assert plain_tagger.tag(problem.hypothesis) == whole.tag(problem.hypothesis)


def test_closed_lists_equal_those_of_the_pipeline() -> None:
    assert language_of(ENGLISH).negations == literal.NEGATIONS
    assert language_of(ENGLISH).affixes == literal.AFFIXES
    assert set(whole_words.QUANTIFIERS) == literal.QUANTIFIERS
    assert set(conditions.MEN) == literal.MEN
    assert set(conditions.WOMEN) == literal.WOMEN
