"""The list of filters: each is complete, and their order is that of docs/method.md."""

import re
from collections import Counter, defaultdict
from dataclasses import fields, replace

import numpy as np
import pytest

from generation.answers.store import MaskedLMAnswers
from generation.filters.definitions import DISSENTS, FILTERS, METHOD_OPTIONS, FilterOptions
from generation.filters.fillers import CODES, Filtered, filter_fillers
from generation.filters.filter import ANY_LANGUAGE, ENGLISH_ONLY, FILTERS_GROUP, Applied, Filter, Occurrence
from generation.masked_lms.masked_lm import Fillers
from generation.masked_lms.vocabulary import SPACED, Piece, Vocabulary
from generation.options import FILTER_NAMES, Options
from generation.replacements.finding import FilteredForm
from generation.report.explain import trace_form
from generation.sentences.forms import forms
from generation.sentences.tagging import TaggedProblem, TaggedSentence
from generation.sentences.words import SharedWord
from merge_snli.base.option import METADATA, described
from merge_snli.pairs.options import ExtendedPairOptions, SimplePairOptions
from merge_snli.problems.problem import Problem
from merge_snli.scoring.options import ScoreOptions
from tests import ROOT

CONDITIONS = ("on_fillers", "on_log_odds", "on_word", "on_tag", "on_parse", "on_validators", "on_votes")
STAGES = {
    "on_fillers": 0,
    "on_log_odds": 0,
    "on_word": 1,
    "on_tag": 2,
    "on_parse": 2,
    "on_validators": 3,
    "on_votes": 3,
}
DOCS = ROOT / "docs"

VOCABULARY = Vocabulary((Piece("dog", SPACED), Piece("cat", SPACED)), np.array([True, True]))
ANSWER = Fillers(np.array([1], dtype=np.int32), np.array([-1.0], dtype=np.float32), 0, -2.0)
SENTENCE = TaggedSentence("Dog", ())
TAGGED = TaggedProblem(Problem("p", "Dog", "Dog", 0), SENTENCE, SENTENCE)
WORD = SharedWord("Dog", "noun", (0,), (0,))
OCCURRENCE = Occurrence(TAGGED, WORD, frozenset({"dog"}), "premise", 0, 3)


def condition_of(filter_: Filter) -> str:
    (name,) = (name for name in CONDITIONS if getattr(filter_, name) is not None)
    return name


def test_the_order_is_that_of_the_method() -> None:
    (order,) = re.findall(r"The order of all reasons is:([^.]*)\.", (DOCS / "method.md").read_text(encoding="utf-8"))
    assert [filter_.reason for filter_ in FILTERS] == re.findall(r"`([^`]*)`", " ".join(order.split()))
    stages = [STAGES[condition_of(filter_)] for filter_ in FILTERS]
    assert stages == sorted(stages)


def test_the_page_of_other_languages_says_for_which_every_option_is() -> None:
    page = " ".join((DOCS / "languages.md").read_text(encoding="utf-8").split())
    (english,) = re.findall(r"- ([^.]*) have English word lists and are refused", page)
    (every,) = re.findall(r"[.] ([^.]*) work for all[.]", page)
    named = defaultdict(set)
    for filter_ in FILTERS:
        if filter_.option is not None and filter_.name not in METHOD_OPTIONS:
            named[filter_.languages].add(f"--{filter_.name.replace('_', '-')}")
    assert {*re.findall(r"--[\w-]+", english)} == named.pop(ENGLISH_ONLY)
    assert {*re.findall(r"--[\w-]+", every)} == named.pop(ANY_LANGUAGE)
    assert all(f"`{option}`" in page for options in named.values() for option in options)


def test_every_filter_has_one_condition_and_a_name_of_its_own() -> None:
    assert all(condition_of(filter_) for filter_ in FILTERS)
    assert max(Counter(filter_.name for filter_ in FILTERS).values()) == 1
    assert max(Counter(filter_.reason for filter_ in FILTERS).values()) == 1


def test_every_option_of_a_filter_is_a_field_or_a_choice_of_filters() -> None:
    of_fields = {field.name: field.metadata[METADATA] for field in fields(FilterOptions)}
    of_filters = dict(METHOD_OPTIONS)
    for filter_ in FILTERS:
        if filter_.option is not None and not filter_.in_method:
            of_filters[filter_.name] = filter_.field().metadata[METADATA]
    assert of_filters | {"dissents": DISSENTS} == of_fields | METHOD_OPTIONS
    assert all(option.group == FILTERS_GROUP for option in of_fields.values())
    assert FILTER_NAMES == ("prob", "pos")


def drops_everything(filter_: Filter) -> Filter:
    if filter_.on_word is not None:
        return replace(filter_, on_word=lambda *_: lambda word: True)
    return replace(filter_, on_log_odds=None, on_fillers=lambda *_: slice(None))


def test_the_first_filter_that_drops_a_filler_counts() -> None:
    """Each of two filters on words or on fillers drops everything, in the order of the list."""
    dropping = [
        Applied(drops_everything(filter_), None)
        for filter_ in FILTERS
        if STAGES[condition_of(filter_)] <= STAGES["on_word"]
    ]
    for number, first in enumerate(dropping):
        for second in dropping[number + 1 :]:
            counts = filter_fillers(ANSWER, VOCABULARY, OCCURRENCE, [first, second]).counts()
            assert counts == {first.filter.reason: 1}, second.filter.reason


@pytest.mark.parametrize("reason", list(CODES), ids=str)
def test_explain_writes_a_word_that_a_filter_saw_in_the_case_of_the_original(reason: str) -> None:
    (form,) = forms("Dog", "Dog", (0,))
    outcome = Filtered(np.array([CODES[reason]], dtype=np.int8), {"Cat": 1.0})
    answers = MaskedLMAnswers({form.key: ANSWER}, VOCABULARY)
    (filler,) = trace_form(FilteredForm("m", OCCURRENCE, form, outcome), answers)
    piece_only = {filter_.reason for filter_ in FILTERS if STAGES[condition_of(filter_)] == 0}
    assert filler.word == ("cat" if reason in piece_only else "Cat")
    assert filler.dropped == (None if reason == "kept" else reason)


@pytest.mark.parametrize("options", [Options, ScoreOptions, ExtendedPairOptions, SimplePairOptions])
def test_an_option_has_either_a_departure_or_a_reason_to_be_neutral(options: type) -> None:
    assert not [name for name, option in described(options) if (option.departure is None) == (option.neutral is None)]
