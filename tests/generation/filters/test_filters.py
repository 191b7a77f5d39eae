"""The filters on the fillers of one form: what is kept, and the reason for everything else."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from generation.filters import definitions
from generation.filters.definitions import OTHER_CLASS, applied_filters
from generation.filters.fillers import KEPT, OUTCOMES, Filtered, filter_fillers
from generation.filters.filter import Applied, Occurrence
from generation.masked_lms.masked_lm import Fillers
from generation.masked_lms.vocabulary import BARE, CONTINUATION, SPACED, Piece, Vocabulary
from generation.options import Options
from generation.sentences.tagging import TaggedProblem, TaggedSentence, tag
from generation.sentences.words import SharedWord, fold, words_of
from merge_snli.models.tagger import Tagger
from merge_snli.problems.problem import Problem

NO_WORD = definitions.NO_WORD.reason
LESS_PROBABLE = definitions.LESS_PROBABLE.reason
LOW_LOG_ODDS = definitions.LOW_LOG_ODDS.reason
LOW_RANK = definitions.LOW_RANK.reason
IN_PROBLEM = definitions.IN_PROBLEM.reason
SAME_WORD = definitions.SAME_WORD.reason
RELATED = definitions.RELATED.reason

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


def occurrence(original: str, problem_words: frozenset[str]) -> Occurrence:
    sentence = TaggedSentence(f"“ {original}", ())
    tagged = TaggedProblem(Problem("p", sentence.text, sentence.text, 0), sentence, sentence)
    return Occurrence(tagged, SharedWord(original, "noun", (2,), (2,)), problem_words, "premise", 2, 2 + len(original))


def filtered(
    answer: Fillers,
    original: str,
    vocabulary: Vocabulary,
    problem_words: frozenset[str],
    **choices: Any,  # noqa: ANN401 - values of any option
) -> Filtered:
    filters = applied_filters(Options(problems="x", mlm=("m",), **choices))
    return filter_fillers(answer, vocabulary, occurrence(original, problem_words), filters)


def test_every_filler_gets_an_outcome() -> None:
    outcome = filtered(fillers(1, 2, 3, 4, 5, 0, 6), "girl", VOCABULARY, frozenset({"girl", "tree"}))
    assert outcome.suggestions == {"boy": 5.0}
    assert [OUTCOMES[code] for code in outcome.codes] == [
        *(
            KEPT,
            SAME_WORD,
            NO_WORD,
            IN_PROBLEM,
            NO_WORD,
            LESS_PROBABLE,
            LESS_PROBABLE,
        )
    ]
    assert outcome.counts() == Counter({KEPT: 1, NO_WORD: 2, LESS_PROBABLE: 2, IN_PROBLEM: 1, SAME_WORD: 1})


def test_drop_changes_the_outcome_of_suggestions_only() -> None:
    before = filtered(fillers(1, 3, 6, 4, 0), "girl", VOCABULARY, frozenset({"girl"}))
    after = before.drop([True, False, True], OTHER_CLASS)
    assert list(after.suggestions) == ["boy", "tree"]
    assert [OUTCOMES[code] for code in after.codes] == [KEPT, NO_WORD, OTHER_CLASS.reason, KEPT, LESS_PROBABLE]
    assert [OUTCOMES[code] for code in before.codes] == [KEPT, NO_WORD, KEPT, KEPT, LESS_PROBABLE]


def test_the_more_probable_of_two_pieces_of_one_word_is_kept() -> None:
    assert filtered(fillers(2, 1, 0), "Girl", VOCABULARY, frozenset()).suggestions == {"Boy": 2.0}


def test_equally_probable_is_not_more_probable() -> None:
    even = Fillers(np.array([1, 0], dtype=np.int32), np.array([-1.0, -1.0], dtype=np.float32), 0, -1.0)
    assert filtered(even, "girl", VOCABULARY, frozenset()).suggestions == {}


def test_all_fillers_are_more_probable_than_an_original_outside_the_top_k() -> None:
    answer = Fillers(np.array([1, 4], dtype=np.int32), np.array([-1.0, -2.0], dtype=np.float32), 0, -9.5)
    assert list(filtered(answer, "girl", VOCABULARY, frozenset()).suggestions.items()) == [("boy", 8.5), ("tree", 7.5)]


def test_words_of_a_problem_are_tokens_and_runs_of_word_characters(tagger: Tagger) -> None:
    (tagged,) = tag([Problem("x", "Ann's red-hot café isn't OPEN", "A well/being_2", 0)], tagger)
    assert isinstance(tagged, TaggedProblem)
    assert {"ann", "'s", "red", "hot", "cafe", "is", "n't", "isn", "t", "open", "well", "being_2"} <= words_of(tagged)


@pytest.mark.parametrize(
    ("written", "other"),
    [("café", "cafe"), ("cafe\u0301", "Café"), ("Straße", "STRASSE"), ("ﬁsh", "fish"), ("İx", "ix")],
)
def test_words_are_compared_without_accents_and_case(written: str, other: str, tagger: Tagger) -> None:
    assert fold(written) == fold(other)
    for one, another in ((written, other), (other, written)):
        (tagged,) = tag([Problem("x", f"A {one}, a bar", "A bar", 0)], tagger)
        vocabulary = Vocabulary((Piece("Bar", SPACED), Piece(another, SPACED)), np.array([True, True]))
        outcome = filtered(fillers(1, 0), "Bar", vocabulary, words_of(tagged))
        assert outcome.counts() == Counter({IN_PROBLEM: 1, LESS_PROBABLE: 1})


def test_without_the_probability_filter_every_whole_word_is_kept() -> None:
    outcome = filtered(fillers(1, 3, 0, 6, 4), "girl", VOCABULARY, frozenset({"girl", "tree"}), filters="none")
    assert list(outcome.suggestions.items()) == [("boy", 2.0), ("cat", -1.0)]
    assert outcome.counts() == Counter({KEPT: 2, NO_WORD: 1, IN_PROBLEM: 2})


def test_a_margin_and_a_maximum_rank() -> None:
    answer = fillers(1, 4, 6, 0)  # log-odds 3, 2, 1
    outcome = filtered(answer, "girl", VOCABULARY, frozenset(), min_log_odds=2)
    assert list(outcome.suggestions.items()) == [("boy", 3.0), ("tree", 2.0)]
    assert outcome.counts() == Counter({KEPT: 2, LOW_LOG_ODDS: 1, LESS_PROBABLE: 1})
    outcome = filtered(answer, "girl", VOCABULARY, frozenset(), max_rank=1, min_log_odds=2)
    assert outcome.counts() == Counter({KEPT: 1, LOW_RANK: 1, LOW_LOG_ODDS: 1, LESS_PROBABLE: 1})
    outcome = filtered(answer, "girl", VOCABULARY, frozenset(), filters="none", max_rank=4, min_log_odds=0)
    assert list(outcome.suggestions) == ["boy", "tree", "cat", "girl"]


def test_relations_are_looked_up_after_the_cheaper_filters() -> None:
    looked_up: list[str] = []

    def is_related(word: str) -> bool:
        looked_up.append(word)
        return word == "boy"

    related = replace(definitions.RELATED, on_word=lambda *_: is_related)
    filters = applied_filters(Options(problems="x", mlm=("m",), no_relations=True))
    filters = tuple(
        Applied(related, value) if filter_ is definitions.RELATED else Applied(filter_, value)
        for filter_, value in filters
    )
    outcome = filter_fillers(
        fillers(1, 2, 3, 6, 4, 0), VOCABULARY, occurrence("girl", frozenset({"girl", "tree"})), filters
    )
    assert list(outcome.suggestions) == ["cat"]
    assert looked_up == ["boy", "cat"]
    assert outcome.counts() == Counter(
        {
            KEPT: 1,
            NO_WORD: 1,
            LESS_PROBABLE: 1,
            RELATED: 1,
            SAME_WORD: 1,
            IN_PROBLEM: 1,
        }
    )
