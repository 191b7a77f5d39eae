"""The shipped words: numbers of the paper, WordNet; errors in a lexicon or in templates are named."""

import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterable
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from generation.filters.lexical import load_wordnet
from merge_snli.base.errors import InputError
from merge_snli.cli import main
from merge_snli.pairs.lexicon import SHIPPED, read_lexicon
from merge_snli.pairs.pair_templates import fill, read_templates
from tests.commands import Command
from tests.merge_snli.pairs.reading import CATEGORIES, VERBS, source_of
from tests.oracles import refused

NOT_IN_WORDNET = {"starfruit", "whiteboard", "bruised", "poisoned", "stolen", "donated", "borrowed", "scratched"}
"""Words that were checked by hand."""


def test_numbers_of_the_paper() -> None:
    nouns = {name: len(entries["nouns"]) for name, entries in CATEGORIES.items()}
    assert {name: (count, len(source_of(name)["adjectives"])) for name, count in nouns.items()} == {
        "fruits": (40, 25), "animals": (90, 30), "human": (100, 55), "names": (100, 55), "objects": (90, 28)
    }  # fmt: skip
    assert len(VERBS["verbs"]) == 20
    assert {name: len(category.nouns) for name, category in read_lexicon().categories.items()} == nouns


class Related:
    """Relations of words in WordNet, as `--no-relations` reads it."""

    def __init__(self, reader: Any) -> None:  # noqa: ANN401 - NLTK has no types
        self._reader = reader

    def senses(self, word: str, pos: str) -> frozenset[Any]:
        return frozenset(self._reader.synsets(word, pos))

    def are_related(self, first: str, second: str, pos: str) -> bool:
        """Return whether two words are synonyms or antonyms, or one is a kind of the other, in any sense."""
        senses = self.senses(first, pos), self.senses(second, pos)
        both = zip(senses, reversed(senses), strict=True)
        return bool(senses[0] & senses[1]) or any((_above(own) | _antonyms(own)) & other for own, other in both)


def _above(senses: Iterable[Any]) -> set[Any]:
    return {
        above for sense in senses for above in (*sense.closure(lambda each: each.hypernyms()), *sense.entailments())
    }


def _antonyms(senses: Iterable[Any]) -> set[Any]:
    return {antonym.synset() for sense in senses for lemma in sense.lemmas() for antonym in lemma.antonyms()}


@pytest.fixture(scope="module")
def wordnet() -> Related:
    pytest.importorskip("nltk")
    try:
        return Related(load_wordnet()._reader)
    except InputError as error:
        pytest.skip(f"WordNet was not found: {error}")


NOUNS = [noun for name, entries in CATEGORIES.items() if name != "names" for noun in entries["nouns"]]
ADJECTIVES = [(entries["adjectives"], entries["apart"]) for entries in CATEGORIES.values() if "apart" in entries]


@pytest.mark.parametrize(
    ("pos", "words", "apart"),
    [
        pytest.param("n", NOUNS, [], marks=pytest.mark.slow),
        *(("a", *of_category) for of_category in ADJECTIVES),
        ("v", [verb["past"] for verb in VERBS["verbs"]], VERBS["apart"]),
    ],
)
def test_no_two_words_that_can_meet_are_related(
    wordnet: Related, pos: str, words: list[str], apart: list[list[str]]
) -> None:
    bases = {verb["past"]: verb["negated"].removeprefix("did not ") for verb in VERBS["verbs"]}
    together = {frozenset(pair) for pair in combinations(words, 2)} - {*map(frozenset, apart)}
    for first, second in together:
        assert not wordnet.are_related(bases.get(first, first), bases.get(second, second), pos), (first, second)


def test_words_that_wordnet_lacks_are_known(wordnet: Related) -> None:
    silent = {word for word in NOUNS if not wordnet.senses(word, "n")}
    silent |= {word for words, _ in ADJECTIVES for word in words if not wordnet.senses(word, "a")}
    assert silent == NOT_IN_WORDNET


@pytest.fixture
def lexicon(tmp_path: Path) -> Path:
    return Path(shutil.copytree(SHIPPED, tmp_path / "lexicon"))


BAD = tomllib.loads((Path(__file__).parent / "bad_lexicon.toml").read_text(encoding="utf-8"))["case"]


@pytest.mark.parametrize("case", BAD, ids=[case["error"] for case in BAD])
def test_errors_name_file_and_entry(case: dict[str, str], lexicon: Path) -> None:
    path = lexicon / case["file"]
    text = path.read_text()
    assert case["old"] in text
    path.write_text(text.replace(case["old"], case["new"], 1))
    reader: Callable[[Path], object] = read_templates if path.name == "templates.toml" else read_lexicon
    refused(f"(?s){case['error']}", reader, lexicon)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("verbs.toml", "verbs = []", r"verbs\.toml: verbs has 0 words"),
        ("templates.toml", "", r"templates\.toml has no template of config simple"),
    ],
)
def test_files_without_entries(name: str, content: str, message: str, lexicon: Path) -> None:
    (lexicon / name).write_text(content)
    refused(message, read_templates if name == "templates.toml" else read_lexicon, lexicon)


@pytest.mark.parametrize(
    ("missing", "match"), [("nouns", "nouns has no file"), ("verbs.toml", r"verbs\.toml is missing")]
)
def test_missing_files(missing: str, match: str, lexicon: Path) -> None:
    (lexicon / missing).rename(lexicon / "moved")
    refused(match, read_lexicon, lexicon)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--premises", "90000"], "--premises is too large"),
        (["--held-out-nouns"], "--held-out-nouns: category "),
    ],
)
def test_a_lexicon_with_too_few_words_is_named(
    arguments: list[str], message: str, lexicon: Path, tmp_path: Path, command: Command
) -> None:
    for name in CATEGORIES:
        path = lexicon / "nouns" / f"{name}.toml"
        nouns = ", ".join(f'"{noun}"' for noun in CATEGORIES[name]["nouns"][:5])
        path.write_text(re.sub(r"nouns = \[.*?\]", f"nouns = [{nouns}]", path.read_text(), count=1, flags=re.DOTALL))
    error = command("pairs", "simple", "--out", tmp_path / "out", "--lexicon", lexicon, *arguments, code=2).err
    assert (message in error, error.count("\n")) == (True, 1)
    assert not (tmp_path / "out").exists()


def test_a_folder_with_other_files_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    assert main(["pairs", "simple", "--out", str(tmp_path)]) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_own_words(lexicon: Path, tmp_path: Path, command: Command) -> None:
    path = lexicon / "nouns" / "fruits.toml"
    path.write_text(path.read_text().replace('"apple"', '"medlar"'))
    options = ["--premises", "40", "--lexicon", lexicon]
    assert "augmentation" in command("pairs", "simple", "--out", tmp_path / "own", *options).out
    command("validate", tmp_path / "own")


def test_an_adjective_that_is_also_a_noun_has_no_article() -> None:
    assert fill("{n1} is {a1}.", {"n1": "apple", "a1": "orange"}, read_lexicon()) == "The apple is orange."


def test_importing_and_help_load_no_library() -> None:
    code = (
        "import sys, merge_snli.pairs; from merge_snli.cli import main\n"
        "try: main(['pairs', 'simple', '--help'])\n"
        "except SystemExit: pass\n"
        "sys.exit(', '.join({'torch', 'transformers', 'spacy', 'datasets', 'pyarrow'} & {*sys.modules}) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
