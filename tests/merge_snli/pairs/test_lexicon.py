"""The shipped words: numbers of the paper, WordNet; errors in a lexicon or in templates are named."""

import json
import re
import shutil
import tomllib
from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from generation.filters.lexical import load_wordnet
from merge_snli.base.errors import InputError
from merge_snli.pairs.lexicon import SHIPPED, read_lexicon
from merge_snli.pairs.options import SimplePairOptions
from merge_snli.pairs.pair_templates import read_templates
from merge_snli.pairs.simple_pair import simple_pair_configs
from tests.commands import Command
from tests.merge_snli.pairs.reading import CATEGORIES, VERBS
from tests.oracles import refused

NOT_IN_WORDNET = {"starfruit", "whiteboard", "bruised", "poisoned", "stolen", "donated", "borrowed", "scratched"}
"""Words that were checked by hand."""


def test_numbers_of_the_paper() -> None:
    numbers = {"fruits": (40, 25), "animals": (90, 30), "human": (100, 55), "names": (100, 55), "objects": (90, 28)}
    lexicon = read_lexicon()
    assert lexicon.categories.keys() == numbers.keys()
    for name, category in lexicon.categories.items():
        assert (len(category.nouns), len(category.adjectives)) == numbers[name]
    assert len(lexicon.verbs) == 20


class Related:
    """Relations of words in WordNet, as `--no-relations` reads it."""

    def __init__(self, reader: Any) -> None:  # noqa: ANN401 - NLTK has no types
        self._reader = reader

    def senses(self, word: str, pos: str) -> set[Any]:
        return {*self._reader.synsets(word, pos)}

    def reached(self, word: str, pos: str) -> set[Any]:
        """Return the senses of a word, of its antonyms, and of what it is a kind of."""
        found = self.senses(word, pos)
        for sense in self.senses(word, pos):
            found.update(sense.closure(lambda each: each.hypernyms()), sense.entailments())
            for lemma in sense.lemmas():
                found.update(antonym.synset() for antonym in lemma.antonyms())
        return found


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
    reached = {word: wordnet.reached(bases.get(word, word), pos) for word in words}
    senses = {word: wordnet.senses(bases.get(word, word), pos) for word in words}
    for first, second in permutations(words, 2):
        if [first, second] not in apart and [second, first] not in apart:
            assert reached[first].isdisjoint(senses[second]), (first, second)


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


def test_files_without_entries_and_missing_files(lexicon: Path) -> None:
    (lexicon / "templates.toml").write_text("")
    refused(r"templates\.toml has no template of config simple", read_templates, lexicon)
    (lexicon / "verbs.toml").write_text("verbs = []")
    refused(r"verbs\.toml: verbs has 0 words", read_lexicon, lexicon)
    (lexicon / "verbs.toml").unlink()
    refused(r"verbs\.toml is missing", read_lexicon, lexicon)
    (lexicon / "nouns").rename(lexicon / "moved")
    refused("nouns has no file", read_lexicon, lexicon)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"premises": 90_000}, "premises is too large"),
        ({"held_out_nouns": True}, "held_out_nouns.*: category "),
    ],
)
def test_a_lexicon_with_too_few_words_is_named(options: dict[str, Any], message: str, lexicon: Path) -> None:
    for path in (lexicon / "nouns").iterdir():
        nouns = json.dumps(CATEGORIES[path.stem]["nouns"][:5])
        path.write_text(re.sub(r"nouns = \[.*?\]", f"nouns = {nouns}", path.read_text(), count=1, flags=re.DOTALL))
    refused(message, simple_pair_configs, SimplePairOptions(lexicon=str(lexicon), **options))


def test_own_words(lexicon: Path, tmp_path: Path, command: Command) -> None:
    path = lexicon / "nouns" / "fruits.toml"
    path.write_text(path.read_text().replace('"apple"', '"medlar"'))
    options = ["--premises", "40", "--lexicon", lexicon]
    assert "augmentation" in command("pairs", "simple", "--out", tmp_path / "own", *options).out
    command("validate", tmp_path / "own")
