"""The filters: on fillers, on tagged words in place, and by the tables of WordNet."""

import gc
import io
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from generation.filters import definitions
from generation.filters.conditions import (
    disagrees_with_article,
    does_not_fit_pronoun,
    in_problem,
    is_in_compound,
    lacks_capital,
)
from generation.filters.definitions import applied_filters
from generation.filters.fillers import KEPT, OUTCOMES, Filtered, filter_fillers
from generation.filters.filter import Occurrence
from generation.filters.lexical import FOLDER_VARIABLE, WordNet, article_of, load_wordnet, other_words
from generation.masked_lms.masked_lm import Fillers
from generation.masked_lms.vocabulary import BARE, CONTINUATION, SPACED, Piece, Vocabulary
from generation.options import Options
from generation.sentences.forms import match_case
from generation.sentences.tagging import TaggedProblem, TaggedSentence, Token, tag
from generation.sentences.words import SharedWord, fold, shared_words, words_of
from merge_snli.languages.language import ENGLISH
from merge_snli.models.tagger import Tagger
from merge_snli.problems.problem import Problem
from tests.oracles import refused
from tests.tiny_wordnet import save_wordnet

NO_WORD = definitions.NO_WORD.reason
LESS_PROBABLE = definitions.LESS_PROBABLE.reason
LOW_LOG_ODDS = definitions.LOW_LOG_ODDS.reason
LOW_RANK = definitions.LOW_RANK.reason
IN_PROBLEM = definitions.IN_PROBLEM.reason
SAME_WORD = definitions.SAME_WORD.reason

PIECES = [
    Piece("girl", SPACED),
    Piece("boy", SPACED),
    Piece("Boy", SPACED),
    Piece("ing", CONTINUATION),
    Piece("tree", SPACED),
    Piece("dog", BARE),
    Piece("cat", SPACED),
]
VOCABULARY = Vocabulary(tuple(PIECES), np.array([True, True, True, False, True, True, True]))


def fillers(*order: int) -> Fillers:
    """Make an answer in which the pieces fall in probability in this order; the original is piece 0."""
    log_probs = -np.arange(1, len(order) + 1, dtype=np.float32)
    return Fillers(np.array(order, dtype=np.int32), log_probs, 0, float(log_probs[order.index(0)]))


def occurrence(
    premise: str,
    word: str,
    start: int,
    *,
    hypothesis: str | None = None,
    word_class: str = "noun",
    words: frozenset[str] | None = None,
    tokens: Sequence[Token] = (),
    language: str = ENGLISH,
) -> Occurrence:
    """Return an occurrence of a shared word in a premise; by default, the hypothesis is the premise."""
    first = TaggedSentence(premise, tuple(tokens))
    second = first if hypothesis is None else TaggedSentence(hypothesis, ())
    tagged = TaggedProblem(Problem("p", premise, second.text, 0), first, second, language)
    shared = SharedWord(word, word_class, (start,), (start,))
    of_problem = words_of(tagged) if words is None else words
    return Occurrence(tagged, shared, of_problem, "premise", start, start + len(word))


def filtered(
    answer: Fillers,
    original: str,
    words: Sequence[str] = (),
    **choices: Any,  # noqa: ANN401 - values of any option
) -> Filtered:
    """Filter fillers for an original in a problem of these words."""
    filters = applied_filters(Options(problems="x", mlm=("m",), **choices))
    masked = occurrence(f"“ {original}", original, 2, words=frozenset(words))
    return filter_fillers(answer, VOCABULARY, masked, filters)


def test_every_filler_gets_an_outcome() -> None:
    outcome = filtered(fillers(1, 2, 3, 4, 5, 0, 6), "girl", ["girl", "tree"])
    assert outcome.suggestions == {"boy": 5.0}
    outcomes = [OUTCOMES[code] for code in outcome.codes]
    assert outcomes == [KEPT, SAME_WORD, NO_WORD, IN_PROBLEM, NO_WORD, LESS_PROBABLE, LESS_PROBABLE]
    assert outcome.counts() == Counter(outcomes)


def test_the_original_may_be_outside_the_top_k() -> None:
    log_probs = np.array([-1.0, -2.0, -3.0], dtype=np.float32)
    answer = Fillers(np.array([1, 4, 2]), log_probs, 0, -9.5)
    assert filtered(answer, "girl").suggestions == {"boy": 8.5, "tree": 7.5}
    assert filtered(answer, "Girl").suggestions == {"Boy": 8.5, "Tree": 7.5}


def test_words_of_a_problem_are_tokens_and_runs_of_word_characters(tagger: Tagger) -> None:
    (tagged,) = tag([Problem("x", "Ann's red-hot café isn't OPEN", "A well/being_2", 0)], tagger)
    assert isinstance(tagged, TaggedProblem)
    assert {"ann", "'s", "red", "hot", "cafe", "is", "n't", "isn", "t", "open", "well", "being_2"} <= words_of(tagged)


def test_words_are_compared_without_accents_and_case() -> None:
    assert fold("café") == fold("cafe")
    assert fold("cafe\u0301") == fold("Café")
    assert fold("Straße") == fold("STRASSE")
    assert fold("ﬁsh") == fold("fish")
    assert fold("İx") == fold("ix")


def test_options_of_the_filters() -> None:
    answer = fillers(1, 4, 6, 0)  # log-odds 3, 2, 1
    everything = filtered(answer, "girl", filters="none", max_rank=4, min_log_odds=0)
    assert list(everything.suggestions.items()) == [("boy", 3.0), ("tree", 2.0), ("cat", 1.0), ("girl", 0.0)]
    assert everything.counts() == Counter({KEPT: 4})
    by_rank = filtered(answer, "girl", max_rank=1, min_log_odds=2)
    assert by_rank.suggestions == {"boy": 3.0}
    assert by_rank.counts() == Counter([KEPT, LOW_RANK, LOW_LOG_ODDS, LESS_PROBABLE])
    by_log_odds = filtered(answer, "girl", min_log_odds=2)
    assert list(by_log_odds.suggestions.items()) == [("boy", 3.0), ("tree", 2.0)]
    assert by_log_odds.counts() == Counter([KEPT, KEPT, LOW_LOG_ODDS, LESS_PROBABLE])


def in_compound(text: str, tags: str, word: str) -> bool:
    """Look up a word in a sentence whose tokens are separated by spaces or are one character."""
    tokens = []
    at = 0
    spaced = text.replace("-", " - ").replace("/", " / ")
    for piece, its_tag in zip(spaced.split(), tags.split(), strict=True):
        at = text.index(piece, at)
        tokens.append(Token(piece, at, its_tag))
        at += len(piece)
    return is_in_compound(occurrence(text, word, text.index(word), tokens=tokens))


def test_a_word_in_a_compound() -> None:
    assert in_compound("Some ice cream melts", "DT NN NN VBZ", "ice")
    assert in_compound("Some ice cream melts", "DT NN NN VBZ", "cream")
    assert in_compound("A blue-green car", "DT JJ HYPH JJ NN", "blue")
    assert in_compound("A blue-green car", "DT JJ HYPH JJ NN", "green")
    assert in_compound("cats/dogs", "NNS SYM NNS", "dogs")


def test_a_word_that_is_no_compound() -> None:
    assert not in_compound("The blue car", "DT JJ NN", "car")
    assert not in_compound("Dogs chase cats", "NNS VBP NNS", "cats")
    assert not in_compound("ice", "NN", "ice")


def fits(premise: str, original: str, suggestion: str) -> bool:
    """Return whether a suggestion has the gender of the pronouns of the premise."""
    masked = occurrence(premise, original, premise.index(original), hypothesis=f"A {original} is here")
    return not does_not_fit_pronoun(masked)(suggestion)


def test_a_word_of_the_other_gender_is_dropped() -> None:
    assert not fits("A musician plays HIS guitar", "musician", "Women")
    assert fits("A musician plays HIS guitar", "musician", "man")
    assert not fits("A musician hurt herself", "musician", "man")
    assert fits("A musician hurt herself", "musician", "woman")
    assert not fits("A black dog follows her", "black", "male")
    assert fits("A black dog follows her", "black", "female")
    # The pronoun means somebody else if the original has the gender of the suggestion.
    assert not fits("The lady greets his brother and her", "lady", "man")
    assert fits("The lady greets his brother and her", "lady", "girl")


def test_a_pronoun_of_the_hypothesis_counts_and_other_words_do_not() -> None:
    premise = "A child runs to the hero"
    assert does_not_fit_pronoun(occurrence(premise, "child", 2, hypothesis="A child runs to his mother"))("girl")
    assert not does_not_fit_pronoun(occurrence(premise, "child", 2, hypothesis="A child runs"))("girl")


def test_a_suggestion_that_the_problem_has_in_another_form() -> None:
    premise = "Three girls and a boy are playing by the men"

    def has(suggestion: str, word_class: str = "noun") -> bool:
        boy = occurrence(premise, "boy", premise.index("boy"), hypothesis="One boy is playing", word_class=word_class)
        return in_problem(boy)(suggestion)

    assert has("girls")
    assert has("boys")
    assert has("man")
    assert not has("women")
    assert not has("play")
    assert has("plays", "verb")
    assert not has("girl", "adj")


def test_articles_of_words() -> None:
    assert article_of("hour") == "an"
    assert article_of("MRI") == "an"
    assert article_of("unicorn") == "a"
    assert article_of("UFO") == "a"


def test_only_an_article_directly_before_the_occurrence_counts() -> None:
    def has_article(before: str) -> bool:
        disagrees = disagrees_with_article(occurrence(f"{before}boy runs", "boy", len(before)))
        assert not disagrees("girl")
        return disagrees("hour")

    assert has_article("A ")
    assert has_article("with  a\t")
    assert has_article("he says a “")
    assert has_article('a ("')
    assert not has_article("vitamin-a ")
    assert not has_article("the ")
    assert not has_article("plan a-")
    assert not has_article("")


def test_the_word_is_written_as_at_the_occurrence() -> None:
    disagrees = disagrees_with_article(occurrence("An MP here", "mp", 3))
    assert not disagrees("mri")
    assert disagrees("ufo")


@pytest.fixture(scope="module")
def wordnet(tmp_path_factory: pytest.TempPathFactory) -> WordNet:
    return WordNet(save_wordnet(tmp_path_factory.mktemp("wordnet") / "dict"))


def related(wordnet: WordNet, word: str, other: str, word_class: str = "noun") -> bool:
    """Return whether two words of a class are related."""
    return wordnet.relation_to(((other, word_class),), word_class)(word)


def test_nouns(wordnet: WordNet) -> None:
    def both_related(word: str, other: str) -> bool:
        found = related(wordnet, word, other)
        assert related(wordnet, other, word) == found
        return found

    assert both_related("dog", "hound"), "synonyms"
    assert both_related("animals", "Dogs"), "hypernym, three steps above"
    assert both_related("wolves", "dog"), 'co-hyponyms: both directly below "canine"'
    assert not both_related("cat", "dog"), "a common hypernym two steps above"
    assert both_related("guitar", "guitars"), "one word"
    assert not both_related("blurb", "dog"), "not in WordNet"


def test_adjectives_and_verbs(wordnet: WordNet) -> None:
    assert related(wordnet, "bigger", "small", "adj")
    assert related(wordnet, "large", "little", "adj"), "the antonym of a synonym"
    assert related(wordnet, "ran", "moving", "verb")
    assert not wordnet.relation_to((("run", "verb"),), "noun")("run")
    assert not related(wordnet, "standing", "is", "verb"), "an auxiliary has no relations"


def test_related_to_another_word_of_the_problem(wordnet: WordNet, tagger: Tagger) -> None:
    (tagged,) = tag([Problem("x", "Two dogs and three boys swim.", "The boys swim slowly.", 0)], tagger)
    boys, *_ = shared_words(tagged)
    others = other_words(tagged, boys)
    assert others == (("dogs", "noun"), ("swim", "verb"), ("slowly", "adv"))
    is_related = wordnet.relation_to(others, "noun")
    assert is_related("wolves")
    assert not is_related("children")


def test_version_and_digest(wordnet: WordNet, tmp_path: Path) -> None:
    assert wordnet.version == "3.0"
    other = save_wordnet(tmp_path / "dict")
    assert WordNet(other).digest == wordnet.digest
    (other / "noun.exc").write_text("")
    assert WordNet(other).digest != wordnet.digest


def test_missing_or_damaged_files_are_input_errors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    refused(rf"{FOLDER_VARIABLE}.*data\.noun.*wordnet-base", load_wordnet)
    folder = save_wordnet(tmp_path / "dict")
    monkeypatch.setenv(FOLDER_VARIABLE, str(folder))
    assert load_wordnet().folder == folder
    (folder / "index.noun").write_text("dog n many 0\n")
    refused(re.escape(str(folder)), load_wordnet)


def test_no_file_stays_open(tmp_path: Path) -> None:
    def open_files() -> int:
        gc.collect()
        return sum(issubclass(type(thing), io.FileIO) and not thing.closed for thing in gc.get_objects())

    folder = save_wordnet(tmp_path / "dict")
    before = open_files()
    assert related(WordNet(folder), "dog", "animal")
    assert open_files() == before


def dropped(premise: str, word: str, word_class: str) -> list[str]:
    """Return the suggestions that lack a capital letter."""
    drops = lacks_capital(occurrence(premise, word, premise.index(word), word_class=word_class))
    found = []
    for suggestion in ("african", "tall", "chinese", "catholic"):
        if drops(match_case(word, suggestion)):
            found.append(suggestion)
    return found


def test_an_adjective_from_a_name_is_dropped_in_lower_case() -> None:
    assert dropped("Two strong men work", "strong", "adj") == ["african", "chinese"]
    assert dropped("Strong men work", "Strong", "adj") == []
    assert dropped("Two strong men work", "strong", "noun") == []
